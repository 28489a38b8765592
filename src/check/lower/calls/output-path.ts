/** The output path of a CALL or PLAN: alternatives of paths, each below `†state` or `†data`. */

import { nearest } from '../../../prelude/nearest.js';
import { printPath } from '../../../prelude/reference.js';
import { checkMessages as say } from '../../../source/catalogue/check.js';
import { planMessages } from '../../../source/catalogue/plan.js';
import type { OutputPath } from '../../../syntax/ast.js';
import type { DataReference, ReferenceGroup } from '../../../syntax/expression.js';
import type { StateLowering } from '../state-lowering.js';
import { KINDS, mistakeOf } from './data-reference.js';

/** Reports mistakes in the paths themselves. Returns null if no path can be written. */
export function readableOutput(l: StateLowering, output: OutputPath | undefined): OutputPath | null {
  if (output === undefined) return null;
  if (output.problem !== undefined) {
    l.diagnostics.push(mistakeOf(output.problem));
    return null;
  }
  const paths = output.paths === null ? [] : pathsIn(output.paths);
  const wrong = paths.filter((path) => !isWritable(l, path));
  return wrong.length > 0 ? null : output;
}

export function pathsIn(group: DataReference | ReferenceGroup): DataReference[] {
  return group.kind === 'data-reference' ? [group] : group.of.flatMap(pathsIn);
}

function isWritable(l: StateLowering, { root, path, span }: DataReference): boolean {
  const kind = root.text;
  const known = ['state', 'data'];
  if (!KINDS.has(kind))
    l.diagnostics.push(say.unknownKind(root.span, { name: kind, near: nearest(kind, known), known }));
  else if (!known.includes(kind))
    l.diagnostics.push(planMessages.writeReadonly(span, { path: `†${printPath([kind, ...path])}`, kind }));
  else if (path.length === 0) l.diagnostics.push(planMessages.writeRoot(span, { kind }));
  else return true;
  return false;
}
