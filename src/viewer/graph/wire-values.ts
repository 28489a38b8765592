/** The values that the calls of a plan give each other, as the graph of the plan shows them on its edges. */
import type { Json } from '../../machine/expression.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { ROOM_FOR_VALUE } from '../../views/graph/plan-picture.js';
import type { PictureEdge } from '../../views/picture/picture.js';

export type Values = Readonly<Record<string, Json>>;

/** The value at a path such as `state.user.name`, which can be inside of a value that was written; undefined: none. */
export function valueAt(values: Values, path: string): Json | undefined {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const written = values[path.slice(0, end)];
    if (written !== undefined) return inside(written, path.slice(end + 1));
  }
  return undefined;
}

function inside(value: Json, rest: string): Json | undefined {
  let found: Json | undefined = value;
  for (const name of rest.split('.').filter(Boolean)) {
    if (found === null || typeof found !== 'object' || !Object.hasOwn(found, name)) return undefined;
    found = (found as { readonly [name: string]: Json })[name];
  }
  return found;
}

/** The paths of an edge. That of an input is the title of its node. */
export function pathsOf({ labels }: PictureEdge, inputTitle: string): string[] {
  return labels.map((label) => label.replace(ROOM_FOR_VALUE, '').trim() || inputTitle);
}

/** A value in the room that a label keeps for it. */
export function shortValue(value: Json): string {
  const text = visibleLine(typeof value === 'string' ? `"${value}"` : JSON.stringify(value));
  return text.length <= ROOM_FOR_VALUE.length ? text : `${text.slice(0, ROOM_FOR_VALUE.length - 1)}…`;
}

/** Lines of a label with values instead of the room for them. `values`: in the order of the paths. */
export function withValues(lines: readonly string[], values: readonly (Json | undefined)[]): string[] {
  let at = 0;
  return lines.map((line) => {
    if (!line.includes(ROOM_FOR_VALUE)) return line;
    const value = values[at++];
    return line.replace(ROOM_FOR_VALUE, value === undefined ? '' : shortValue(value)).trim();
  });
}
