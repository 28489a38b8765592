/**
 * Reports a result of a sequential loop that is read below it as if it were the list of all turns: only the last turn is
 * left.
 */
import { nameMessages as say } from '../../source/catalogue/declarations.js';
import type { Diagnostic, SourceSet, Span } from '../../source/diagnostic.js';
import type { LoweredState } from '../lower/lowered-state.js';
import { writersBySlot } from './written-locals.js';

/** What is done with lists. */
const OF_LISTS: ReadonlySet<string> = new Set(['FOR EACH', 'len', 'join', 'first', 'last', 'sort', 'unique', 'sum']);

export function lintLastTurns(lowered: LoweredState, sources: SourceSet, diagnostics: Diagnostic[]): void {
  const { state, spans, typeUses } = lowered;
  if (!state.code.some(({ op }) => op === 'next')) return;
  const loops = state.code.flatMap((i, pc) => (i.op === 'next' ? [{ from: pc, to: i.exit }] : []));
  const uses = typeUses.filter(({ operator, left }) => OF_LISTS.has(operator) && left.expr.op === 'read');
  if (uses.length === 0) return;
  // One above a loop is the beginning of what the turns add to.
  const binders = writersBySlot(state.code);
  const lost = new Map<number, LostTurns | null>();
  const turnsOf = (slot: number): LostTurns | null => {
    let found = lost.get(slot);
    if (found === undefined) {
      found = lostTurns(loops, binders.get(slot) ?? [], spans);
      lost.set(slot, found);
    }
    return found;
  };
  for (const { left } of uses) {
    const [read, ...others] = left.expr.op === 'read' ? left.expr.places : [];
    if (read?.in !== 'local' || others.length > 0) continue;
    const turns = turnsOf(read.slot);
    if (turns === null || turns.head.file !== left.span.file || left.span.start <= turns.end || turns.isReported)
      continue;
    turns.isReported = true;
    const { head, bound } = turns;
    const name = state.locals[read.slot] as string;
    const text = sources[head.file]?.text.slice(head.start, head.end).split('\n', 1)[0] ?? '';
    const of = /^FOR EACH:?\s*(.*?)[\s:]*$/.exec(text)?.[1] ?? '…';
    const labels = [{ span: bound, text: 'each turn replaces it' }];
    diagnostics.push(say.lastTurn(left.span, { name, of, labels }));
  }
}

interface LostTurns {
  readonly head: Span;
  /** Where the last instruction of the loop ends. */
  readonly end: number;
  readonly bound: Span;
  isReported: boolean;
}

/** The innermost loop around all that binds a name, whose turns replace each other; null: there is none. */
function lostTurns(
  loops: readonly { readonly from: number; readonly to: number }[],
  [first, ...others]: readonly number[],
  spans: readonly (Span | undefined)[],
): LostTurns | null {
  const last = others.at(-1) ?? first;
  if (first === undefined || last === undefined) return null;
  const loop = loops.findLast(({ from, to }) => from < first && last < to);
  const [head, bound] = loop === undefined ? [] : [spans[loop.from], spans[first]];
  if (loop === undefined || head === undefined || bound === undefined) return null;
  const { file } = head;
  const end = spans
    .slice(loop.from, loop.to)
    .reduce((most, one) => (one?.file === file ? Math.max(most, one.end) : most), 0);
  return { head, end, bound, isReported: false };
}
