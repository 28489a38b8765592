/** The lines of an edge as paths of SVG: with rounded bends, and with a head that is a shape of its own. */
import type { Point } from './picture.js';

const CORNER = 7;
const HEAD = { length: 8, half: 3.6 };

/** Null if there are not two points. */
export function edgePaths(points: readonly Point[]): { readonly way: string; readonly head: string } | null {
  const [end, before] = [points.at(-1), points.at(-2)];
  if (end === undefined || before === undefined) return null;
  const stopped = [...points.slice(0, -1), pointTowards(end, before, HEAD.length - 1)];
  return { way: pathOf(stopped), head: headOf(before, end) };
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
