/** From a picture to the text of an SVG file. */
import { drawSvg } from './draw-svg.js';
import { elkEngine } from './elk.js';
import { layOut } from './layout.js';
import type { Picture } from './picture.js';

/** `name` is what the picture shows, for people who cannot see it. */
export async function svgOf(name: string, picture: Picture): Promise<string> {
  return drawSvg(await layOut(picture, elkEngine()), name);
}
