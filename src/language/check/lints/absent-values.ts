/**
 * Reports tests for null of what a command printed, which is a text or JSON and never null, and values of a CHECK whose
 * command prints nothing, such as `test`: only its exit code says something.
 */
import type { Expr } from '../../../machine/expression.js';
import type { Instruction, State } from '../../../machine/machine.js';
import { typeMessages as say } from '../../source/catalogue/expressions.js';
import type { Diagnostic, SourceSet, Span } from '../../source/diagnostic.js';
import type { LoweredState } from '../lower/lowered-state.js';
import type { TypedOperand, TypeUse } from '../scope.js';
import { rangesThatContinue } from './exit-codes.js';
import { writersBySlot } from './written-locals.js';

export function lintAbsentValues(
  { state, typeUses }: LoweredState,
  sources: SourceSet,
  diagnostics: Diagnostic[],
): void {
  const uses = typeUses.filter(({ operator }) => NULL_TESTS.has(operator) || VALUE_TESTS.has(operator));
  if (uses.length === 0) return;
  const writers = writersBySlot(state.code);
  // Judged once for a slot: there may be many uses of it, and many instructions that write it.
  const judged = new Map<number, Absence>();
  const reported = new Set<number>();
  for (const use of uses) {
    const isOfNull =
      use.operator === 'null' ||
      (NULL_TESTS.has(use.operator) && operandsOf(use).some(({ span }) => textAt(span, sources) === 'null'));
    for (const { expr, span } of operandsOf(use)) {
      const slot = onlyLocal(expr);
      if (slot === null || reported.has(slot)) continue;
      const absence = judged.get(slot) ?? absenceOf(state, writers.get(slot) ?? []);
      judged.set(slot, absence);
      const name = state.locals[slot] as string;
      const isRead = VALUE_TESTS.has(use.operator) && !isOfNull;
      if (isOfNull && absence.isNeverNull) diagnostics.push(say.printedNull(span, { name }));
      else if (isRead && absence.silent !== null)
        diagnostics.push(say.silentCheck(span, { name, program: absence.silent }));
      else continue;
      reported.add(slot);
    }
  }
}

interface Absence {
  readonly isNeverNull: boolean;
  /** The program that binds the name and prints nothing; null: something may print a value. */
  readonly silent: string | null;
}

function absenceOf(state: State, written: readonly number[]): Absence {
  const [program = null, ...others] = written.map((pc) => silentProgram(state.code[pc] as Instruction));
  return {
    isNeverNull: written.length > 0 && isAlwaysPrinted(state, written),
    silent: others.includes(null) ? null : program,
  };
}

const NULL_TESTS: ReadonlySet<string> = new Set(['null', '==', '!=']);
const VALUE_TESTS: ReadonlySet<string> = new Set(['is', '==', '!=', '<', '<=', '>', '>=']);

const operandsOf = ({ left, right }: TypeUse): readonly TypedOperand[] => [left, right];

const textAt = ({ file, start, end }: Span, sources: SourceSet): string | undefined =>
  sources[file]?.text.slice(start, end);

/** The local slot that an expression reads; null: it may be another slot. */
function onlyLocal(expr: Expr): number | null {
  const [slot, ...others] = expr.op === 'read' ? expr.places : [];
  return slot?.in === 'local' && others.length === 0 ? slot.slot : null;
}

/** Whether only DOs bind a name, and none of them continues when it fails, so that the name has what was printed. */
function isAlwaysPrinted(state: State, written: readonly number[]): boolean {
  const kept = rangesThatContinue(state);
  return written.every((pc) => {
    const i = state.code[pc] as Instruction;
    const isCommand = i.op === 'shell' || i.op === 'argv' || i.op === 'agent';
    return isCommand && i.reading === 'do' && !kept.some(([from, to]) => from <= pc && pc < to);
  });
}

/** A command of one program that prints nothing, whatever it finds. */
const SILENT =
  /^(?:(test|\[|\[\[)\s[^|&;<>\n]*|([ef]?grep)\s+(?:-\w+\s+)*-\w*q\w*\s[^|&;<>\n]*|(cmp)\s+-s\s[^|&;<>\n]*)$/;

/** The program of a CHECK that prints nothing; null: it may print something. */
function silentProgram(i: Instruction): string | null {
  if (i.op !== 'shell' || i.reading !== 'check-named') return null;
  const text = i.template.parts
    .map((part) => (typeof part === 'string' ? part : 'x'))
    .join('')
    .trim();
  const [, test, grep, cmp] = text.length > 500 ? [] : (SILENT.exec(text) ?? []);
  return test ?? grep ?? cmp ?? null;
}
