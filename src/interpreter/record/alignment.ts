/**
 * Pairs the instructions of an edited state with those of the old one. Instructions have no names, so equal texts in the
 * same order are pairs; between these, instructions that do the same kind of thing to the same name; and between those,
 * equal numbers of instructions, one by one.
 */
import type { Instruction, Machine, State } from '../../machine/machine.js';
import { blocksOf, isInArm, kindsOfBlocks, structuresOf } from './structures.js';

export class Alignment {
  private readonly pairs = new Map<number, number>();
  private readonly exact = new Set<number>();
  /** By the positions of forks: for each member of the edited one, the old one; only where the order differs. */
  private readonly orders = new Map<number, readonly number[]>();
  private readonly keys: { readonly old: readonly string[]; readonly fresh: readonly string[] };
  /** The texts of what was moved: it is not something else that was changed. */
  private readonly relocated: ReadonlySet<string>;

  constructor(
    private readonly old: State,
    private readonly fresh: State,
    machines: { readonly old: Machine; readonly fresh: Machine },
  ) {
    const texts = { old: textsOf(machines.old), fresh: textsOf(machines.fresh) };
    const before = texts.old.get(old.name) as readonly string[];
    const after = texts.fresh.get(fresh.name) as readonly string[];
    this.keys = { old: before, fresh: after };
    const same = inTheirBlocks(commonSubsequence(before, after), { old, fresh }, this.keys);
    for (const [from, to] of same) {
      this.pairs.set(from, to);
      this.exact.add(from);
    }
    const withoutPair = ({ code }: State, keys: readonly string[], side: 0 | 1): Set<string> =>
      new Set(keys.filter((_, at) => MOVABLE.has(code[at]?.op ?? '') && !same.some((pair) => pair[side] === at)));
    const [left, added] = [withoutPair(old, before, 0), withoutPair(fresh, after, 1)];
    const gained = gainedElsewhere(texts, old.name);
    const relocated = new Set([
      ...[...left].filter((key) => added.has(key) || gained(key) > 0),
      ...[...added].filter((key) => gained(key) < 0),
      // A line that the program has once more is a copy, and not another one that was changed.
      ...[...added].filter((key) => {
        const isKnown = [...texts.old.values()].some((keys) => keys.includes(key));
        return isKnown && countOf(after, key) + gained(key) > countOf(before, key);
      }),
    ]);
    this.relocated = relocated;
    const kinds = (state: State, keys: readonly string[], [from, to]: [number, number]): string[] =>
      state.code.slice(from, to).map((one, at) => {
        const key = keys[from + at] as string;
        return relocated.has(key) ? `${state === old} ${from + at}` : kindKey(one, state);
      });
    for (const [from, to] of pairsBetween(same, old.code.length, fresh.code.length, (a, b) =>
      commonSubsequence(kinds(old, before, a), kinds(fresh, after, b)),
    ))
      this.pairs.set(from, to);
    const known = [...this.pairs].sort(([a], [b]) => a - b);
    const rest = (keys: readonly string[], [from, to]: [number, number]): number[] =>
      keys.slice(from, to).flatMap((key, at) => (relocated.has(key) ? [] : [at]));
    const oneByOne = pairsBetween(known, old.code.length, fresh.code.length, (a, b) => {
      const [olds, freshs] = [rest(before, a), rest(after, b)];
      return olds.length === freshs.length ? olds.map((at, index) => [at, freshs[index] as number] as const) : [];
    });
    for (const [from, to] of oneByOne) this.pairs.set(from, to);
    for (const [from, to] of [...this.pairs]) this.pairMembers(from, to);
  }

  /** The members of two forks in another order: equal ones are pairs, then those of the same name, then the rest. */
  private pairMembers(from: number, to: number): void {
    const [old, fresh] = [this.old.code[from], this.fresh.code[to]];
    if (old?.op !== 'fork' || fresh?.op !== 'fork' || old.branches.length !== fresh.branches.length) return;
    const before = regionsOf(old, this.keys.old);
    const after = regionsOf(fresh, this.keys.fresh);
    const order = new Array<number>(after.length).fill(-1);
    const match = (isSame: (a: number, b: number) => boolean): void => {
      for (const [b] of after.entries()) {
        if (order[b] !== -1) continue;
        order[b] = before.findIndex((_, a) => !order.includes(a) && isSame(a, b));
      }
    };
    match((a, b) => before[a]?.text === after[b]?.text);
    match((a, b) => nameIn(this.old, old, a) !== '' && nameIn(this.old, old, a) === nameIn(this.fresh, fresh, b));
    // A member with another text in the same place was changed.
    const isChanged = (one: TextRegion | undefined, keys: readonly string[]): boolean =>
      one !== undefined && !keys.slice(one.start, one.start + one.length).some((key) => this.relocated.has(key));
    match((a, b) => a === b && isChanged(before[a], this.keys.old) && isChanged(after[b], this.keys.fresh));
    if (order.every((a, b) => a === b)) return;
    if (order.includes(-1)) this.pairs.delete(from);
    else this.orders.set(from, order);
    const isIn = (at: number, regions: readonly TextRegion[]): boolean =>
      regions.some(({ start, length }) => at >= start && at < start + length);
    // An instruction has one partner: what was paired across the members of other blocks is free again.
    for (const [x, y] of [...this.pairs]) if (isIn(x, before) || isIn(y, after)) this.unpair(x);
    order.forEach((a, b) => {
      const [was, is] = [before[a], after[b]];
      if (was === undefined || is === undefined) return;
      for (let at = 0; at < was.length; at++) {
        const [x, y] = [was.start + at, is.start + at];
        if (at >= is.length) continue;
        this.pairs.set(x, y);
        if (this.keys.old[x] === this.keys.fresh[y]) this.exact.add(x);
      }
    });
  }

  private unpair(pc: number): void {
    this.pairs.delete(pc);
    this.exact.delete(pc);
  }

  /** Where an instruction was moved that has no pair in its old order; null: nowhere, or to several places. */
  newLocation(pc: number): number | null {
    const [only, ...others] = this.newLocations(pc);
    return only === undefined || others.length > 0 ? null : only;
  }

  /** All places where it may be now. */
  newLocations(pc: number): number[] {
    if (this.exact.has(pc)) return [];
    const free = new Set(this.pairs.values());
    return this.keys.fresh.flatMap((key, at) => (key === this.keys.old[pc] && !free.has(at) ? [at] : []));
  }

  /**
   * Where execution has to begin so that it comes to an instruction of the edited state: before the outermost arm, loop,
   * step or block around it in which the thread at the old position is not. `from`: where the instructions of the thread begin.
   */
  entryOf(at: number, was: number, first = 0): number {
    const old = new Map([...this.pairs].map(([from, to]) => [to, from]));
    for (const { start, from, end } of structuresOf(this.fresh)) {
      if (start < first || at < from || at >= end) continue;
      const same = old.get(start);
      const before = structuresOf(this.old).find((one) => one.start === same && was >= one.from && was < one.end);
      // A line may stand where a structure of another kind stood.
      if (same === undefined || this.of(same) === null || before === undefined) return start;
    }
    return at;
  }

  /** The instructions of the edited state that correspond to none of the old one. */
  addedLocations(): number[] {
    const known = new Set(this.similarPairs().map(([, at]) => at));
    return [...this.fresh.code.keys()].filter((at) => !known.has(at));
  }

  /** Where lines stand now that were in an arm above a position and are outside of it: they may not have been executed. */
  outsideTheirArms(pc: number): number[] {
    const [before, after] = [blocksOf(this.old, this.keys.old), blocksOf(this.fresh, this.keys.fresh)];
    return [...this.pairs].flatMap(([from, to]) =>
      from < pc && this.exact.has(from) && isInArm(this.old, from) && !after[to]?.endsWith(before[from] as string)
        ? [to]
        : [],
    );
  }

  /** For each member of the edited fork, the old one; null: they have the same order. */
  memberOrder(pc: number): readonly number[] | null {
    return this.orders.get(pc) ?? null;
  }

  /** The corresponding instruction; null: there is none. */
  of(pc: number): number | null {
    const at = this.pairs.get(pc);
    return at !== undefined && this.old.code[pc]?.op === this.fresh.code[at]?.op ? at : null;
  }

  isUnchanged(pc: number): boolean {
    return this.exact.has(pc);
  }

  /** All pairs of instructions that do the same kind of thing. */
  similarPairs(): Pair[] {
    return [...this.pairs].filter(([from]) => this.of(from) !== null);
  }

  /**
   * Where a thread continues whose next instruction is this one: after what it has done and is still there, so that
   * inserted instructions are executed too. Null: the surrounding instructions have changed as well.
   */
  next(pc: number): number | null {
    if (pc === 0) return 0;
    const jumps = this.old.code.flatMap((one, at) =>
      targets(one).flatMap((to, way) => (to === pc ? [{ at, way }] : [])),
    );
    const reached = jumps.flatMap(({ at, way }) => {
      const same = this.of(at);
      return same === null ? [] : (targets(this.fresh.code[same])[way] ?? []);
    });
    if (reached.length > 0) return Math.max(...reached);
    const above = this.pairs.get(pc - 1);
    const isEnd = ENDS.has(this.old.code[pc - 1]?.op ?? '');
    if (above !== undefined && !isEnd) return above + 1;
    // What was above is gone or elsewhere.
    const before = [...jumps.map(({ at }) => at), ...(isEnd ? [] : [pc - 1])].filter((at) => at < pc);
    const found = before.flatMap((at) => this.next(at) ?? []);
    if (found.length > 0) return Math.max(...found);
    return this.pairs.get(pc) ?? (above === undefined ? null : above + 1);
  }
}

/** What a program may have twice, and is moved as such; of the others the order tells which is which. */
const MOVABLE: ReadonlySet<string> = new Set(
  [
    'shell',
    'argv',
    'function',
    'agent',
    'plan',
    'ask',
    'signal',
    'sleep',
    'wait-start',
    'step-begin',
    'increment',
  ].concat(['set', 'emit', 'unless', 'each', 'fork', 'fork-each']),
);

const textsByMachine = new WeakMap<Machine, ReadonlyMap<string, readonly string[]>>();

/** The texts of the instructions of each state. */
function textsOf(machine: Machine): ReadonlyMap<string, readonly string[]> {
  const before = textsByMachine.get(machine);
  if (before !== undefined) return before;
  const names = machine.states.map(({ name }) => name);
  const texts = new Map(machine.states.map(({ name, code }) => [name, code.map((one) => exactKey(one, names))]));
  textsByMachine.set(machine, texts);
  return texts;
}

function countOf(keys: readonly string[], key: string): number {
  return keys.filter((one) => one === key).length;
}

/** How much more often a text is in the other states of the edited program. */
function gainedElsewhere(
  { old, fresh }: Readonly<Record<'old' | 'fresh', ReadonlyMap<string, readonly string[]>>>,
  here: string,
): (key: string) => number {
  const gains = new Map<string, number>();
  for (const [texts, by] of [
    [old, -1],
    [fresh, 1],
  ] as const)
    for (const [name, keys] of texts)
      if (name !== here) for (const key of keys) gains.set(key, (gains.get(key) ?? 0) + by);
  return (key) => gains.get(key) ?? 0;
}

/**
 * Equal lines next to each other, as the last one of an arm and the one below it: of those that leave the order as it is,
 * the partner is the one in the same block.
 */
function inTheirBlocks(
  pairs: readonly Pair[],
  { old, fresh }: { readonly old: State; readonly fresh: State },
  keys: { readonly old: readonly string[]; readonly fresh: readonly string[] },
): Pair[] {
  if (pairs.length === old.code.length && pairs.length === fresh.code.length) return [...pairs];
  const [before, after] = [blocksOf(old, keys.old), blocksOf(fresh, keys.fresh)];
  const found: Pair[] = [];
  pairs.forEach(([from, to], index) => {
    const [above, below] = [found.at(-1) ?? [-1, -1], pairs[index + 1] ?? [before.length, after.length]];
    const isBetter = before[from] !== after[to] && MOVABLE.has(old.code[from]?.op ?? '');
    const within = (side: 0 | 1, texts: readonly string[], blocks: readonly string[], block: string | undefined) => {
      for (let at = above[side] + 1; at < below[side]; at++)
        if (texts[at] === keys.old[from] && blocks[at] === block) return at;
      return null;
    };
    const other = isBetter ? within(1, keys.fresh, after, before[from]) : null;
    const own = isBetter && other === null ? within(0, keys.old, before, after[to]) : null;
    found.push([own ?? from, other ?? to]);
  });
  return withoutOtherKinds(found, { old, fresh }, keys);
}

/**
 * Without pairs of a line in a block of one kind and an equal line in one of another kind, as an arm and a member, if there is
 * an equal line without a partner in a block of the right kind, which the order of the other pairs excludes.
 */
function withoutOtherKinds(
  pairs: readonly Pair[],
  { old, fresh }: { readonly old: State; readonly fresh: State },
  keys: { readonly old: readonly string[]; readonly fresh: readonly string[] },
): Pair[] {
  const [before, after] = [kindsOfBlocks(old), kindsOfBlocks(fresh)];
  const suspects = pairs.filter(([from, to]) => before[from] !== after[to] && MOVABLE.has(old.code[from]?.op ?? ''));
  if (suspects.length === 0) return [...pairs];
  const freeIn = (side: 0 | 1, texts: readonly string[], kinds: readonly string[]): ReadonlySet<string> => {
    const known = new Set(pairs.map((pair) => pair[side]));
    return new Set(texts.flatMap((text, at) => (known.has(at) ? [] : [`${kinds[at]}${text}`])));
  };
  const [left, added] = [freeIn(0, keys.old, before), freeIn(1, keys.fresh, after)];
  const wrong = new Set(
    suspects.filter(
      ([from, to]) => left.has(`${after[to]}${keys.old[from]}`) || added.has(`${before[from]}${keys.old[from]}`),
    ),
  );
  return pairs.filter((pair) => !wrong.has(pair));
}

type Forked = Extract<Instruction, { op: 'fork' }>;

interface TextRegion {
  readonly start: number;
  readonly length: number;
  readonly text: string;
}

function regionsOf({ branches, join }: Forked, keys: readonly string[]): TextRegion[] {
  return branches.map(({ pc: start }, at) => {
    const end = branches[at + 1]?.pc ?? join;
    return { start, length: end - start, text: keys.slice(start, end).join('\n') };
  });
}

/** The names that a member hands over. */
function nameIn(state: State, { branches }: Forked, at: number): string {
  return (branches[at]?.collect ?? []).map((slot) => state.locals[slot]).join(' ');
}

const ENDS: ReadonlySet<string> = new Set(['jump', 'goto', 'goto-dynamic', 'fail', 'return', 'fell-off', 'branch-end']);

/** Where an instruction may lead in addition to the next one, always in the same order. */
export function targets(instruction: Instruction | undefined): number[] {
  if (instruction === undefined) return [];
  const { to, exit, again, join, done, otherwise } = instruction as unknown as Record<string, unknown>;
  return [to, exit, again, join, done, otherwise].filter((one) => typeof one === 'number');
}

/** Members that say where something is, not what is done. */
const LOCATIONS: ReadonlySet<string> = new Set(
  ['origin', 'boundAt', 'line', 'slot', 'to', 'items', 'index', 'variable', 'exit', 'again', 'join', 'deadline'].concat(
    [
      'timedOut',
      'exitSlot',
      'bind',
      'collect',
      'handling',
      'failures',
      'mark',
      'turns',
      'chance',
      'body',
      'pc',
      'done',
    ],
    ['otherwise', 'holes', 'keep'],
  ),
);

/** What an instruction does, without where it is. */
export function exactKey(instruction: Instruction, states: readonly string[]): string {
  const text = JSON.stringify(instruction, (name, value) => {
    if (name === 'state' && typeof value === 'number') return states[value];
    if (!LOCATIONS.has(name)) return value;
    // Bindings have names, and an index or a target that is not a number is part of what is done.
    return typeof value === 'number' || name === 'origin' || Array.isArray(value) ? undefined : value;
  });
  return text;
}

/** The kind of an instruction and the name that it concerns. */
function kindKey(instruction: Instruction, state: State): string {
  const { op } = instruction;
  switch (op) {
    case 'shell':
    case 'argv':
    case 'function':
    case 'agent':
      return `effect ${state.locals[instruction.bind?.slot ?? -1] ?? ''}`;
    case 'ask':
    case 'signal':
    case 'increment':
      return `${op} ${instruction.name}`;
    case 'fork':
      return `fork ${instruction.branches.length}`;
    case 'fork-each':
      return `fork-each ${state.locals[instruction.variable]}`;
    default:
      return op;
  }
}

/** Positions in the two lists. */
type Pair = readonly [number, number];

/** Larger states are compared only from both ends, because a full comparison would take too long. */
const MOST_CELLS = 4_000_000;

/** The pairs in the parts between known pairs. `find` finds them, in positions relative to the part. */
function pairsBetween(
  known: readonly Pair[],
  oldLength: number,
  freshLength: number,
  find: (old: [number, number], fresh: [number, number]) => readonly Pair[],
): Pair[] {
  const found: Pair[] = [];
  let [a, b] = [0, 0];
  for (const [from, to] of [...known, [oldLength, freshLength] as const]) {
    if (from > a && to > b) for (const [x, y] of find([a, from], [b, to])) found.push([a + x, b + y]);
    [a, b] = [from + 1, to + 1];
  }
  return found;
}

/** The longest common subsequence. */
function commonSubsequence(a: readonly string[], b: readonly string[]): Pair[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const pairs: Pair[] = Array.from({ length: start }, (_, at) => [at, at] as const);
  pairs.push(...alignMiddle(a, b, { start, endA, endB }));
  for (let at = endA; at < a.length; at++) pairs.push([at, endB + at - endA]);
  return pairs;
}

function alignMiddle(
  a: readonly string[],
  b: readonly string[],
  { start, endA, endB }: { readonly start: number; readonly endA: number; readonly endB: number },
): Pair[] {
  const [rows, columns] = [endA - start, endB - start];
  if (rows === 0 || columns === 0 || rows * columns > MOST_CELLS) return [];
  const width = columns + 1;
  const longest = new Uint32Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      longest[i * width + j] =
        a[start + i] === b[start + j]
          ? (longest[(i + 1) * width + j + 1] as number) + 1
          : Math.max(longest[(i + 1) * width + j] as number, longest[i * width + j + 1] as number);
  const pairs: Pair[] = [];
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    if (a[start + i] === b[start + j]) pairs.push([start + i++, start + j++]);
    else if ((longest[(i + 1) * width + j] as number) >= (longest[i * width + j + 1] as number)) i++;
    else j++;
  }
  return pairs;
}
