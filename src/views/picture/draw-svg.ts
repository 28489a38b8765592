/**
 * A drawing as SVG. Equal drawings give equal bytes, and nothing in the file refers to anything outside of it. Arrow
 * heads are shapes of their own: references to markers would collide in a page that shows two pictures.
 */
import type { Drawing, DrawnEdge, DrawnMark, DrawnNode, DrawnText, Point } from './drawing.js';
import { MARKS } from './marks.js';
import { pictureText } from './picture-text.js';
import { svgStyle } from './svg-style.js';
import { isUnusual } from './text-width.js';

const CORNER = 7;
const HEAD = { length: 8, half: 3.6 };

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
  return `<g>${title}${[shapeOf(node.shape, node.kind, { x, y, width, height }), ...marks.map(svgMark), ...texts.map(svgText)].join('')}</g>`;
}

interface Area extends Point {
  readonly width: number;
  readonly height: number;
}

function shapeOf(shape: DrawnNode['node']['shape'], kind: string, { x, y, width, height }: Area): string {
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
  const [end, before] = [points.at(-1), points.at(-2)];
  if (end === undefined || before === undefined) return '';
  const way = edge.kind === 'main' ? '' : ` ${edge.kind}-way`;
  const head = edge.kind === 'main' ? '' : ` ${edge.kind}-head`;
  const stopped = [...points.slice(0, -1), pointTowards(end, before, HEAD.length - 1)];
  return `<g>${title}<path class="way${way}" d="${pathOf(stopped)}"/><path class="head${head}" d="${headOf(before, end)}"/></g>`;
}

/** The label is above all lines, on the background. */
function svgLabel({ label, fullText }: DrawnEdge): string | null {
  if (label === null) return null;
  const { x, y, width, height, texts } = label;
  const box = `<rect class="label-box" x="${x}" y="${y}" width="${width}" height="${height}" rx="3"/>`;
  return `<g><title>${escapeXml(fullText)}</title>${box}${texts.map(svgText).join('')}</g>`;
}

/** Lines with rounded bends. */
function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  let path = `M${first.x} ${first.y}`;
  rest.forEach((point, at) => {
    const next = rest[at + 1];
    const before = at === 0 ? first : (rest[at - 1] as Point);
    if (next === undefined) path += `L${point.x} ${point.y}`;
    else {
      const radius = Math.min(CORNER, distance(before, point) / 2, distance(point, next) / 2);
      const [from, to] = [pointTowards(point, before, radius), pointTowards(point, next, radius)];
      path += `L${from.x} ${from.y}Q${point.x} ${point.y} ${to.x} ${to.y}`;
    }
  });
  return path;
}

function headOf(before: Point, end: Point): string {
  const base = pointTowards(end, before, HEAD.length);
  const length = distance(before, end) || 1;
  const across = { x: ((end.y - before.y) / length) * HEAD.half, y: ((before.x - end.x) / length) * HEAD.half };
  const [left, right] = [addScaled(base, across, 1), addScaled(base, across, -1)];
  return `M${end.x} ${end.y}L${left.x} ${left.y}L${right.x} ${right.y}Z`;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/** The point at a distance from the first one on the way to the second one. */
function pointTowards(from: Point, to: Point, by: number): Point {
  const length = distance(from, to) || 1;
  return addScaled(from, { x: (to.x - from.x) / length, y: (to.y - from.y) / length }, by);
}

function addScaled(point: Point, by: Point, times: number): Point {
  return { x: round(point.x + by.x * times), y: round(point.y + by.y * times) };
}

function round(number: number): number {
  return Math.round(number * 100) / 100;
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
