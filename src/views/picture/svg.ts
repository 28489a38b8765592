/** From a picture to the text of an SVG file. */
import { edgePaths } from './edge-paths.js';
import { elkEngine } from './elk.js';
import { MARKS } from './marks.js';
import type { Drawing, DrawnEdge, DrawnMark, DrawnNode, DrawnText, Picture, Point } from './picture.js';
import { isUnusual } from './picture.js';
import { layOut, pictureText } from './picture-layout.js';
import { svgStyle } from './svg-style.js';

/** `name` is what the picture shows, for people who cannot see it. */
export async function svgOf(name: string, picture: Picture): Promise<string> {
  return drawSvg(await layOut(picture, elkEngine()), name);
}

/**
 * A drawing as SVG. Equal drawings give equal bytes, and nothing in the file refers to anything outside of it. Arrow
 * heads are shapes of their own: references to markers would collide in a page that shows two pictures.
 */
export function drawSvg(drawing: Drawing, name: string): string {
  const { width, height, nodes, edges } = drawing;
  const label = escapeXml(pictureText.short(name));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" class="statedsl-graph" role="img" aria-label="${label}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${label}</title>`,
    `<style>\n${svgStyle()}\n</style>`,
    `<rect class="background" width="${width}" height="${height}"/>`,
    ...nodes.map(svgNode),
    ...edges.map(svgEdge),
    ...edges.flatMap((edge) => svgLabel(edge) ?? []),
    '</svg>',
  ].join('\n')}\n`;
}

function svgNode({ node, x, y, width, height, texts, marks, fullText }: DrawnNode): string {
  const title = fullText === '' ? '' : `<title>${escapeXml(fullText)}</title>`;
  return `<g>${title}${[shapeOf(node.shape, node.reach ?? node.kind, { x, y, width, height }), ...marks.map(svgMark), ...texts.map(svgText)].join('')}</g>`;
}

interface PictureArea extends Point {
  readonly width: number;
  readonly height: number;
}

function shapeOf(shape: DrawnNode['node']['shape'], kind: string, { x, y, width, height }: PictureArea): string {
  if (shape === 'dot')
    return `<circle class="box ${kind}" cx="${x + width / 2}" cy="${y + height / 2}" r="${width / 2}"/>`;
  const radius = shape === 'pill' ? Math.min(height / 2, 14) : 6;
  return `<rect class="box ${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"/>`;
}

function svgMark({ kind, x, y }: DrawnMark): string {
  const path = MARKS[kind];
  return path === null ? '' : `<path class="mark ${kind}-mark" transform="translate(${x} ${y})" d="${path}"/>`;
}

function svgText({ text, font, role, x, y, centered, width }: DrawnText): string {
  const face = font.face === 'sans' ? '' : ` ${font.face}`;
  const anchor = centered ? ' text-anchor="middle"' : '';
  const length = isUnusual(text) ? ` textLength="${width}" lengthAdjust="spacingAndGlyphs"` : '';
  return `<text class="${role}${face}" font-size="${font.size}" x="${x}" y="${y}"${anchor}${length}>${escapeXml(text)}</text>`;
}

function svgEdge({ edge, points, fullText }: DrawnEdge): string {
  const title = fullText === '' ? '' : `<title>${escapeXml(fullText)}</title>`;
  const drawn = edgePaths(points);
  if (drawn === null) return '';
  const reach = edge.reach === undefined ? ['', ''] : [` ${edge.reach}-way`, ` ${edge.reach}-head`];
  const way = edge.kind === 'main' ? reach[0] : ` ${edge.kind}-way${reach[0]}`;
  const head = edge.kind === 'main' ? reach[1] : ` ${edge.kind}-head${reach[1]}`;
  return `<g>${title}<path class="way${way}" d="${drawn.way}"/><path class="head${head}" d="${drawn.head}"/></g>`;
}

/** The label is above all lines, on the background. */
function svgLabel({ label, fullText }: DrawnEdge): string | null {
  if (label === null) return null;
  const { x, y, width, height, texts } = label;
  const box = `<rect class="label-box" x="${x}" y="${y}" width="${width}" height="${height}" rx="3"/>`;
  return `<g><title>${escapeXml(fullText)}</title>${box}${texts.map(svgText).join('')}</g>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For texts and attributes; characters that XML does not allow are gone by now. */
function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
