/** The looks of pictures are the same as in SVG files. A sheet of its own, because the policy of the page permits no inline styles. */
import { svgStyle } from '../../views/picture/svg-style.js';

const sheet = new CSSStyleSheet();
sheet.replaceSync(svgStyle());
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
