/**
 * Reports conditions on the exit code of a DO that can only come out one way: a DO fails with any code that `ok` does
 * not allow, so that what follows it sees the allowed codes alone.
 */
import { successors } from '../../../machine/control-flow.js';
import type { Expr, Json } from '../../../machine/expression.js';
import type { Binding, Instruction, State } from '../../../machine/machine.js';
import { typeMessages as say } from '../../source/catalogue/expressions.js';
import type { Diagnostic, SourceSet, Span } from '../../source/diagnostic.js';
import type { LoweredState } from '../lower/lowered-state.js';
import { writersBySlot, writtenLocals } from './written-locals.js';

/** What an expression can be, and the local slot of the exit code from which that follows. */
interface KnownOutcome {
  readonly values: readonly Json[];
  readonly from: number | null;
}

export function lintExitCodes(lowered: LoweredState, sources: SourceSet, diagnostics: Diagnostic[]): void {
  lintCodeFields(lowered, sources, diagnostics);
  lintFailedChecks(lowered, sources, diagnostics);
  const exits = exitCodesOf(lowered.state);
  if (exits.size === 0) return;
  const codes = new ExitCodeValues(lowered.state, exits);
  // The same DO has one mistake.
  const reported = new Set<number>();
  const report = (span: Span, from: number | null, isNever: boolean): void => {
    const exit = from === null ? undefined : exits.get(from);
    if (from === null || exit === undefined || reported.has(from)) return;
    reported.add(from);
    const { name, accepted } = exit;
    const head = headWithAnyCode(sourceOf(lowered.spans[exit.pc], sources));
    diagnostics.push(say.exitCodeIsKnown(span, { name, accepted, isNever, ...head }));
  };
  for (const { operator, left, right, span } of lowered.typeUses) {
    const found = codes.compare(operator, left.expr, right.expr);
    if (found?.values.every((value) => value === false)) report(span, found.from, true);
  }
  const { code } = lowered.state;
  const decided = code.flatMap((i, pc) => {
    const known = i.op === 'unless' ? codes.valuesOf(i.condition) : null;
    const [value, ...others] = known?.from == null ? [] : known.values;
    return typeof value === 'boolean' && others.every((other) => other === value) ? [[pc, value] as const] : [];
  });
  if (decided.length === 0) return;
  const outcomes = new Map(decided);
  const reached = reachedIn(lowered.state, () => undefined);
  const left = reachedIn(lowered.state, (pc) => outcomes.get(pc));
  // How many dead instructions come before each.
  const dead = [0];
  code.forEach(({ op }, pc) => {
    const isOne = reached[pc] && !left[pc] && !UNWRITTEN.has(op);
    dead.push((dead[pc] as number) + (isOne ? 1 : 0));
  });
  const isDead = (from: number, to: number): boolean => (dead[to] as number) > (dead[from] as number);
  for (const [pc, value] of decided) {
    const { condition, to } = code[pc] as Extract<Instruction, { op: 'unless' }>;
    const from = codes.valuesOf(condition)?.from ?? null;
    const isUseless = value ? isDead(to, code.length) || hasDeadDefault(code, pc) : isDead(pc + 1, to);
    if (isUseless) report(lowered.spans[pc] as Span, from, !value);
  }
}

/** Commands that print a line for each thing they find, and not only one line. */
const LISTING =
  /^(?:git\s+(?:status|diff|ls-files|branch|tag|log|stash\s+list|worktree\s+list)|ls|find|ps|docker\s+(?:ps|images)|kubectl\s+get)\b(?!.*(?:\||\s-\w*[1qc]\b|--quiet|--count|--exit-code|--show-current|\bjson\b|-maxdepth|-n\s*1\b|\$\())/;

/**
 * `IF: exit_code(r) != 0 → FAIL: {r}` with a CHECK: a command that failed prints several lines, or nothing, and to read
 * that is a failure of its own. So it is with a command that prints a list.
 */
function lintFailedChecks({ state, spans }: LoweredState, sources: SourceSet, diagnostics: Diagnostic[]): void {
  let writers: ReturnType<typeof writersBySlot> | null = null;
  for (let pc = 0; pc < state.code.length; pc++) {
    const i = state.code[pc] as Instruction;
    if (i.op !== 'shell' || i.reading !== 'check-named' || i.bind === undefined) continue;
    const { text, bind } = i;
    const { slot, exitSlot } = bind;
    const bound = spans[pc];
    const isListing = LISTING.test(text);
    if (bound === undefined || (!isListing && exitSlot === undefined)) continue;
    writers ??= writersBySlot(state.code);
    if (writers.get(slot)?.length !== 1) continue;
    const at = isListing
      ? state.code.findIndex((i) => readsWhole(i, slot, AS_LINES))
      : failedRead(state.code, slot, exitSlot);
    const span = at < 0 ? undefined : spans[at];
    if (span === undefined) continue;
    const line = sourceOf(bound, sources).replace(/^CHECK(?:\s*\[([^\]]*)\])?:/, (_, options?: string) =>
      options === undefined ? 'DO [ok=any]:' : `DO [ok=any ${options.trim()}]:`,
    );
    const name = state.locals[slot] as string;
    const program = isListing ? /^\S+(?:\s+[a-z]\S*)?/.exec(text)?.[0] : undefined;
    diagnostics.push(say.failedCheck(span, { name, bound, line: line.split('\n')[0] ?? '', program }));
  }
}

/** The first instruction that reads the output where the exit code is not 0, or -1. */
function failedRead(code: readonly Instruction[], slot: number, exitSlot: number | undefined): number {
  if (exitSlot === undefined) return -1;
  for (const [pc, i] of code.entries()) {
    if (i.op !== 'unless' || failedExit(i.condition) !== exitSlot) continue;
    const at = code.slice(pc + 1, i.to).findIndex((inner) => readsWhole(inner, slot, SPARED));
    if (at >= 0) return pc + 1 + at;
  }
  return -1;
}

/** The slot of an exit code that is not 0 if the condition holds. */
function failedExit(condition: Expr): number | undefined {
  if (condition.op === 'and') return failedExit(condition.left) ?? failedExit(condition.right);
  const isNot = condition.op === 'not';
  const compare = condition.op === 'not' ? condition.of : condition;
  if (compare.op !== 'compare' || compare.left.op !== 'read' || compare.right.op !== 'const') return undefined;
  const isFailed = isNot ? compare.operator === '==' : compare.operator === '!=' || compare.operator === '>';
  const [place] = compare.left.places;
  return isFailed && compare.right.value === 0 && place?.in === 'local' ? place.slot : undefined;
}

/** What several lines can be given to, and what nothing at all can. */
const AS_LINES = /^lines$/;
const SPARED = /^(?:lines|default|maybe|test|field|index)$/;

/** Whether a value or an instruction reads the slot as it is. */
function readsWhole(node: unknown, slot: number, spared: RegExp): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (Array.isArray(node)) return node.some((one) => readsWhole(one, slot, spared));
  const { op, name, places } = node as { op?: string; name?: string; places?: readonly { in: string; slot: number }[] };
  if (spared.test(op === 'call' ? (name ?? '') : (op ?? ''))) return false;
  if (op === 'read') return places?.length === 1 && places[0]?.in === 'local' && places[0].slot === slot;
  return Object.values(node).some((one) => readsWhole(one, slot, spared));
}

const CODE_FIELD = /^(?:(?:exit|return)_?code|rc)$/i;

/** `r.exit_code` reads a field of what a command printed, but probably means its exit code, unless it may be missing. */
function lintCodeFields({ state, typeUses }: LoweredState, sources: SourceSet, diagnostics: Diagnostic[]): void {
  let writers: ReturnType<typeof writersBySlot> | null = null;
  for (const { operator, left, right, span } of typeUses) {
    const field = operator === '.' && right.expr.op === 'const' ? String(right.expr.value) : '';
    if (!CODE_FIELD.test(field) || left.expr.op !== 'read') continue;
    const [of, ...others] = left.expr.places;
    const text = sources[span.file]?.text ?? '';
    const isSpared = text[span.end] === '?' || text.startsWith('default(', span.start - 8);
    if (of?.in !== 'local' || others.length > 0 || isSpared) continue;
    writers ??= writersBySlot(state.code);
    const all = (writers.get(of.slot) ?? []).map((pc) => state.code[pc]);
    if (all.length === 0 || !all.every((i) => i?.op === 'shell' || i?.op === 'argv')) continue;
    diagnostics.push(say.exitCodeField(span, { name: left.expr.name, field }));
  }
}

/** What the compiler adds at the ends of blocks. */
const UNWRITTEN: ReadonlySet<Instruction['op']> = new Set(['jump', 'fell-off', 'branch-end', 'join-detached']);

interface ExitOfDo {
  readonly name: string;
  readonly accepted: readonly number[];
  /** Of its first DO. */
  readonly pc: number;
}

const NO_EXITS: ReadonlyMap<number, ExitOfDo> = new Map();

/** The accepted codes by the slots of exit codes, as far as they are known whatever happens. */
function exitCodesOf(state: State): ReadonlyMap<number, ExitOfDo> {
  if (!state.code.some((i) => boundBy(i)?.exitSlot !== undefined)) return NO_EXITS;
  const found = new Map<number, ExitOfDo>();
  const unknown = new Set<number>();
  const slots = new Map<number, number>();
  const kept = rangesThatContinue(state);
  state.code.forEach((i, pc) => {
    const bind = boundBy(i);
    const exit = bind?.exitSlot;
    if (bind === undefined || exit === undefined) return;
    slots.set(bind.slot, exit);
    const mayContinue = kept.some(([from, to]) => from <= pc && pc < to);
    const isKnown = (i.op === 'shell' || i.op === 'argv') && Array.isArray(i.ok) && !mayContinue;
    if (!isKnown) unknown.add(exit);
    else {
      const before = found.get(exit);
      const name = state.locals[bind.slot] as string;
      const accepted = [...new Set([...(before?.accepted ?? []), ...(i.ok as readonly number[])])];
      found.set(exit, { name, accepted: accepted.sort((a, b) => a - b), pc: before?.pc ?? pc });
    }
  });
  // Something else may bind the name.
  for (const i of state.code)
    for (const slot of boundBy(i)?.exitSlot === undefined ? writtenLocals(i) : []) {
      const exit = slots.get(slot);
      if (exit !== undefined) unknown.add(exit);
    }
  for (const exit of unknown) found.delete(exit);
  return found;
}

const boundBy = (i: Instruction): Binding | undefined =>
  'bind' in i && typeof i.bind === 'object' && i.bind !== null ? i.bind : undefined;

/** Ranges of code after which a run continues although one of their instructions has failed. */
export function rangesThatContinue({ code, handlers }: State): readonly (readonly [from: number, to: number])[] {
  const loops = handlers.flatMap(({ from, to, keep }) => (keep === undefined ? [] : [[from, to] as const]));
  const forks = code.flatMap((i, pc) => {
    if (i.op !== 'fork' && i.op !== 'fork-each') return [];
    const continues = i.keep !== undefined || i.quorum !== null || i.wait !== null || i.detached === true;
    return continues ? [[pc, i.join] as const] : [];
  });
  return [...loops, ...forks];
}

/** How far a code is followed through names. */
const MOST_OPEN = 100;

class ExitCodeValues {
  /** By local slot. */
  private readonly writers: ReadonlyMap<number, readonly number[]>;
  private readonly named = new Map<number, KnownOutcome | null>();

  constructor(
    private readonly state: State,
    private readonly exits: ReadonlyMap<number, ExitOfDo>,
  ) {
    this.writers = writersBySlot(state.code);
  }

  /** Null: it may be anything. `open`: the slots that are being looked up. */
  valuesOf(expr: Expr, open: readonly number[] = []): KnownOutcome | null {
    switch (expr.op) {
      case 'const':
        return { values: [expr.value], from: null };
      case 'read': {
        const [slot, ...others] = expr.places;
        return slot?.in === 'local' && others.length === 0 ? this.valuesIn(slot.slot, open) : null;
      }
      case 'maybe':
        return this.valuesOf(expr.of, open);
      case 'not':
        return mapValues(this.valuesOf(expr.of, open), (value) => value !== true);
      case 'and':
      case 'or':
        return this.combine(expr, open);
      case 'compare':
        return this.compare(expr.operator, expr.left, expr.right, open);
      default:
        return null;
    }
  }

  private valuesIn(slot: number, open: readonly number[]): KnownOutcome | null {
    const exit = this.exits.get(slot);
    if (exit !== undefined) return { values: exit.accepted, from: slot };
    if (open.includes(slot) || open.length === MOST_OPEN) return null;
    // Looked up once: each may be written from several others.
    let known = this.named.get(slot);
    if (known === undefined) {
      known = this.valuesOfName(slot, [...open, slot]);
      this.named.set(slot, known);
    }
    return known;
  }

  /** A name for the code, or for a comparison with it. */
  private valuesOfName(slot: number, open: readonly number[]): KnownOutcome | null {
    const [at, ...others] = this.writers.get(slot) ?? [];
    const only = at === undefined ? undefined : this.state.code[at];
    if (only?.op !== 'set' || others.length > 0) return null;
    const known = this.valuesOf(only.value, open);
    return known?.from == null ? null : known;
  }

  private combine(expr: Extract<Expr, { op: 'and' | 'or' }>, open: readonly number[]): KnownOutcome | null {
    const decides = expr.op === 'or';
    const sides = [this.valuesOf(expr.left, open), this.valuesOf(expr.right, open)];
    const decisive = sides.find((side) => side?.values.every((value) => value === decides));
    if (decisive != null) return { ...decisive, values: [decides] };
    const [left, right] = sides;
    if (left == null || right == null) return null;
    const isSettled = [left, right].every(({ values }) => values.every((value) => value === !decides));
    return { values: isSettled ? [!decides] : [true, false], from: left.from ?? right.from };
  }

  compare(operator: string, left: Expr, right: Expr, open: readonly number[] = []): KnownOutcome | null {
    const test = Object.hasOwn(TESTS, operator) ? TESTS[operator] : undefined;
    if (test === undefined) return null;
    const [of, by] = [this.valuesOf(left, open), this.valuesOf(right, open)];
    if (of === null || by === null || (of.from === null) === (by.from === null)) return null;
    return { values: of.values.flatMap((a) => by.values.map((b) => test(a, b))), from: of.from ?? by.from };
  }
}

const mapValues = (known: KnownOutcome | null, change: (value: Json) => Json): KnownOutcome | null =>
  known === null ? null : { ...known, values: known.values.map(change) };

const TESTS: Readonly<Record<string, (a: Json, b: Json) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => Number(a) < Number(b),
  '<=': (a, b) => Number(a) <= Number(b),
  '>': (a, b) => Number(a) > Number(b),
  '>=': (a, b) => Number(a) >= Number(b),
  in: (a, b) => Array.isArray(b) && b.includes(a),
  'not-in': (a, b) => !Array.isArray(b) || !b.includes(a),
};

/** Which instructions can run. `outcomeAt`: how a condition comes out, if it is known. */
function reachedIn({ code, handlers }: State, outcomeAt: (pc: number) => boolean | undefined): readonly boolean[] {
  const reached = code.map(() => false);
  const work = [0, ...handlers.map(({ pc }) => pc)];
  while (work.length > 0) {
    const pc = work.pop() as number;
    const i = code[pc];
    if (i === undefined || reached[pc]) continue;
    reached[pc] = true;
    const outcome = outcomeAt(pc);
    if (i.op === 'unless' && outcome !== undefined) work.push(outcome ? pc + 1 : i.to);
    else work.push(...successors(code, pc));
    if (i.op === 'fork') work.push(...i.branches.map((branch) => branch.pc));
    if (i.op === 'fork-each') work.push(i.body);
  }
  return reached;
}

/** Whether a DEFAULT follows that runs only if none of its conditions, one of which is at `pc`, was true. */
function hasDeadDefault(code: readonly Instruction[], pc: number): boolean {
  const flag = code[pc + 1];
  if (flag?.op !== 'set' || flag.name !== '$matched' || flag.to.in !== 'local') return false;
  const { slot } = flag.to;
  return code.some(({ op, ...i }) => {
    const { condition } = i as { condition?: Expr };
    return op === 'unless' && condition?.op === 'not' && isReadOf(condition.of, slot);
  });
}

const isReadOf = (expr: Expr, slot: number): boolean =>
  expr.op === 'read' && expr.places.some((one) => one.in === 'local' && one.slot === slot);

function sourceOf(span: Span | undefined, sources: SourceSet): string {
  return span === undefined ? '' : (sources[span.file]?.text.slice(span.start, span.start + 500) ?? '');
}

/** `DO [ok=any]:`, with the other options of the DO at the beginning of `text`, but for retries, which are for failures. */
function headWithAnyCode(text: string): { readonly head: string; readonly retries: boolean } {
  const options = (/^(?:- *)?DO *\[([^\]\n]*)\] *:/.exec(text)?.[1] ?? '').trim();
  const others = options.split(/\s+/).filter((one) => one !== '' && !/^(?:ok|retry|retry_on)=/.test(one));
  return { head: `DO [${[...others, 'ok=any'].join(' ')}]:`, retries: /(?:^|\s)retry=/.test(options) };
}
