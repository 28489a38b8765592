/**
 * Lowers UNDO to an instruction that registers how to undo the effect above it. The registered instruction is not
 * performed yet.
 */
import type { Instruction as Code } from '../../../machine/machine.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Instruction, UndoNode } from '../../syntax/ast.js';
import { lowerCall } from './calls/lower-call.js';
import { lowerDo } from './effect.js';
import type { StateLowering } from './state-lowering.js';

const EFFECTS: ReadonlySet<Code['op']> = new Set(['shell', 'argv', 'function', 'agent', 'plan']);

/** Lowers an UNDO. `above` is the instruction directly above it in its block. */
export function lowerUndo(l: StateLowering, i: UndoNode, above: Instruction | null): void {
  const what = describeAbove(l, above);
  if (what !== null) l.diagnostics.push(say.undoWithoutEffect(i.verb.span, { what }));
  const { by } = i;
  const bound = by.bind ?? (by.kind === 'call' ? by.output : undefined);
  if (bound !== undefined) {
    l.diagnostics.push(say.badUndo(bound.span, { why: 'cannot bind a name', help: 'write the command alone' }));
    return;
  }
  if (by.kind === 'do' && by.piped) {
    l.diagnostics.push(
      say.badUndo(i.verb.span, {
        why: 'cannot read from a pipe',
        help: 'pass a value: `UNDO: rm -- {path}`',
      }),
    );
    return;
  }
  const from = l.emitter.pc;
  const { limit } = l;
  l.limit = undefined;
  l.givingResults(null, () => {
    if (by.kind === 'do') lowerDo(l, by);
    else lowerCall(l, by);
  });
  l.limit = limit;
  const at = l.emitter.pc - 1;
  const code = l.emitter.code[at];
  // Its mistakes are reported; the instructions for values that it samples precede it.
  if (at < from || code === undefined || !EFFECTS.has(code.op)) return;
  l.emitter.replace(at, { op: 'undo', by: code });
  l.emitter.spans[at] = i.verb.span;
}

/** The reason why the instruction above has no effect to undo, or null. */
function describeAbove(l: StateLowering, above: Instruction | null): string | null {
  // A line that could not be parsed is already reported.
  if (above?.kind === 'broken') return null;
  if (above?.kind === 'undo') return 'another UNDO';
  if (above === null || (above.kind !== 'do' && above.kind !== 'call')) return 'no DO, CALL or Task';
  // What gives its output to the turn of a loop writes that value last.
  const last = l.emitter.code.at(above.bind !== undefined && l.result !== null ? -2 : -1);
  return last?.op === 'set' ? 'a value' : null;
}
