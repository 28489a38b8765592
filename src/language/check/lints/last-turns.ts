/**
 * Reports a result of a sequential loop that is read below it as if it were the list of all turns: only the last turn is
 * left.
 */
import type { Instruction } from '../../../machine/machine.js';
import { nameMessages as say } from '../../source/catalogue/declarations.js';
import type { Diagnostic, SourceSet, Span } from '../../source/diagnostic.js';
import type { LoweredState } from '../lower/lowered-state.js';

/** What is done with lists. */
const OF_LISTS: ReadonlySet<string> = new Set(['FOR EACH', 'len', 'join', 'first', 'last', 'sort', 'unique', 'sum']);

export function lintLastTurns(lowered: LoweredState, sources: SourceSet, diagnostics: Diagnostic[]): void {
  const { state, spans, typeUses } = lowered;
  const loops = state.code.flatMap((i, pc) => (i.op === 'next' ? [{ from: pc, to: i.exit }] : []));
  if (loops.length === 0) return;
  const uses = typeUses.filter(({ operator, left }) => OF_LISTS.has(operator) && left.expr.op === 'read');
  const reported = new Set<number>();
  for (const { left } of uses) {
    const [read, ...others] = left.expr.op === 'read' ? left.expr.places : [];
    if (read?.in !== 'local' || others.length > 0 || reported.has(read.slot)) continue;
    const binders = state.code.flatMap((i, pc) => (binds(i, read.slot) ? [pc] : []));
    const [first] = binders;
    const around = loops.filter(({ from, to }) => binders.every((pc) => from < pc && pc < to));
    // The innermost one, whose turns replace each other.
    const loop = around.at(-1);
    if (first === undefined || loop === undefined) continue;
    const [head, bound] = [spans[loop.from], spans[first]] as readonly Span[];
    if (head === undefined || bound === undefined || head.file !== left.span.file) continue;
    let end = head.end;
    for (let pc = loop.from; pc < loop.to; pc++) {
      const span = spans[pc];
      if (span?.file === head.file && span.end > end) end = span.end;
    }
    if (left.span.start <= end) continue;
    reported.add(read.slot);
    const name = state.locals[read.slot] as string;
    const text = sources[head.file]?.text.slice(head.start, head.end).split('\n', 1)[0] ?? '';
    const of = /^FOR EACH:?\s*(.*?)[\s:]*$/.exec(text)?.[1] ?? '…';
    const labels = [{ span: bound, text: 'each turn replaces it' }];
    diagnostics.push(say.lastTurn(left.span, { name, of, labels }));
  }
}

/** Whether an instruction gives a slot its value. One above the loop is the beginning of what the turns add to. */
function binds(i: Instruction, slot: number): boolean {
  if (i.op === 'set') return i.to.in === 'local' && i.to.slot === slot;
  if (!('bind' in i) || i.bind == null) return false;
  return (typeof i.bind === 'number' ? i.bind : i.bind.slot) === slot;
}
