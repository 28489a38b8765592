/**
 * What an edited program only moves is done. Each instruction that has a place in both versions keeps what it did. Of the
 * others with the same text, those of the edited program take over what those of the old one did, as many as there are and
 * as they come, in any arm, branch or state; then they are those that were not executed yet. What is left does again what is
 * done, and is listed.
 */
import type { Instruction, Machine, State } from '../../machine/machine.js';
import type { KeptOutcome, KeptOutcomes } from '../events/event.js';
import { exactKey } from './alignment.js';
import { instructionKey, isEffect, isUnnumbered, SAMPLES } from './instruction-key.js';
import {
  type CodeLocation,
  type DoneInstruction,
  excludes,
  isPassed,
  locationsOf,
  type Moving,
  type SurvivingThread,
} from './kept-locations.js';
import { isInArm, kindsOfBlocks } from './structures.js';

/** An instruction of the edited program that does again what is done. */
export interface RepeatedInstruction {
  readonly text: string;
  readonly state: string;
  readonly line: number;
  readonly once: boolean;
}

/** An old instruction that was executed and has no place in the edited program any more. */
interface LostInstruction {
  readonly outcomes: readonly DoneInstruction[];
  readonly hasUndo: boolean;
  readonly name: string | null;
  readonly state: State;
  readonly pc: number;
  /** An earlier edit moved it there, and the run has not come there yet. */
  readonly isAhead: boolean;
}

/** What was done by old instructions of one text in one state, and who takes it over. */
interface Pool {
  /** By old instruction. */
  readonly outcomes: readonly (readonly DoneInstruction[])[];
  /** Instructions that exclude each other take over the same. */
  readonly groups: Taker[][];
  /** Equal ones that are left for what was not executed: one of them takes over what the run does not come to elsewhere. */
  readonly others: Taker[];
  /** It is known by another text, so that its values may be others. */
  readonly isChanged: boolean;
}

interface Taker {
  readonly its: CodeLocation;
  readonly at: KeptOutcomes['at'][number];
}

interface Free {
  readonly its: CodeLocation;
  readonly state: State;
  readonly one: Instruction;
  readonly key: string;
  readonly name: string | null;
}

export function keptEffects(moving: Moving): {
  readonly kept: readonly KeptOutcomes[];
  readonly repeated: readonly RepeatedInstruction[];
  /** The instructions of the current state that are above where it resumes and are done, because they were moved there. */
  readonly above: ReadonlySet<number>;
} {
  const { from, to, image, rebased, finished } = moving;
  if (finished.all.length === 0 && finished.passed.length === 0 && image.kept === undefined)
    return { kept: [], repeated: [], above: new Set() };
  const everDone = new Map<string, DoneInstruction[]>();
  for (const one of finished.all) add(everDone, one.key, one);

  const pools = new Map<string, Pool>();
  const used = new Set<LostInstruction>();
  const { sources, unexecuted, taken, stays, unreached } = sourcesOf(moving);
  for (const { its, source, isChanged } of stays) {
    const outcomes = inTurn(moving, source, its);
    if (outcomes.length === 0) continue;
    const at = locationOf(to.states[its.state] as State, its.pc, [source]);
    pools.set(`${its.state} ${its.pc}`, { outcomes: [outcomes], groups: [[{ its, at }]], others: [], isChanged });
  }

  /** Null: what was done was done in an earlier turn of the loop, so this is done in each turn. */
  const assign = (
    key: string,
    all: readonly LostInstruction[],
    its: CodeLocation,
    { isChanged = false, isLeft = false } = {},
  ): boolean | null => {
    if (all.length === 0) return false;
    const state = to.states[its.state] as State;
    const outcomes = all.map((one) => inTurn(moving, one, its)).filter(({ length }) => length > 0);
    if (outcomes.length === 0) return null;
    const id = `${key} ${all[0]?.state.name} ${outcomes[0]?.[0]?.number}`;
    const pool = pools.get(id) ?? { outcomes, groups: [], others: [], isChanged };
    let group = pool.groups.find((others) => others.every((other) => excludes(state, other.its, its)));
    if (group === undefined) {
      const isFull = pool.groups.length >= pool.outcomes.length;
      if (isFull && !isLeft) return false;
      group = isFull ? pool.others : [];
      if (!isFull) pool.groups.push(group);
    }
    group.push({ its, at: locationOf(state, its.pc, all) });
    pools.set(id, pool);
    for (const one of all) used.add(one);
    return true;
  };

  const isCurrent = ({ name }: State): boolean => name === rebased.state;
  const free = to.states.flatMap((state, at) =>
    state.code.flatMap((one, pc): Free[] => {
      const its = instructionKey(one, state, pc);
      return its === null || taken.has(`${at} ${pc}`) ? [] : [{ its: { state: at, pc }, state, one, ...its }];
    }),
  );
  const kinds = new Map<State, readonly string[]>();
  const kindOf = (state: State, pc: number): string | undefined => {
    const known = kinds.get(state) ?? kindsOfBlocks(state);
    kinds.set(state, known);
    return known[pc];
  };
  // What was moved inside a state that the run has left, or to a place above the line where it resumes, is done there.
  const above = new Set<number>();
  const ahead = free.filter(({ its, state, key, name }) => {
    const isAbove = isCurrent(state) && isPassed(rebased.main, state.code, its.pc, false);
    if (isCurrent(state) && !isAbove) return true;
    const known = sources.get(key) ?? [];
    if (takeIdle(its, state, known, unexecuted.get(key) ?? [], kindOf)) return false;
    const own = known.find((one) => one.state.name === state.name && !one.isAhead) ?? (isAbove ? known[0] : undefined);
    if (own !== undefined) known.splice(known.indexOf(own), 1);
    if (own !== undefined && isAbove && (name === null || isBoundOnce(state, name))) above.add(its.pc);
    return own === undefined && !isAbove;
  });
  // An instruction with other constants, as in one more use of a pattern, comes after the same ones, and is not a copy.
  const constants = new Set(from.states.flatMap(({ code }) => code.map((one) => exactKey(one, []))));
  const isSame = ({ one }: Free): boolean => constants.has(exactKey(one, []));
  const rank = (one: Free): number => (isSame(one) ? 0 : 2) + (isCurrent(one.state) ? 0 : 1);

  const repeated: RepeatedInstruction[] = [];
  const copies = new Map<string, { readonly state: string; readonly pc: number }[]>();
  const others: Free[] = [];
  /** Those that are to be executed, unless an equal one is done and is not reached. */
  const idle: CodeLocation[] = [...unreached];
  for (const taker of [...ahead].sort((a, b) => rank(a) - rank(b))) {
    const { its, state, one, key } = taker;
    const known = sources.get(key) ?? [];
    const own = known.filter((source) => source.state.name === state.name);
    const foreign = known.filter((source) => !own.includes(source));
    if (assign(key, own, its) !== false && own.length > 0) continue;
    if (foreign.length > 0 && assign(key, foreign, its) !== false) continue;
    if (unexecuted.get(key)?.shift() !== undefined) {
      idle.push(its);
      assign(key, own.length > 0 ? own : foreign, its, { isLeft: true });
      continue;
    }
    const before = everDone.get(key) ?? [];
    const isDone = isEffect(one)
      ? before.length > 0
      : isCurrent(state) && before.some((done) => done.state === image.state && done.entry === image.transitions);
    const text = isDone ? nameOf(one) : null;
    if (isDone && isEffect(one) && hasValues(one) && !isSame(taker)) {
      // With other values it is another effect, as in one more use of a pattern.
      add(copies, key, { state: state.name, pc: its.pc });
    } else if (text !== null) {
      if (isSame(taker) || !isEffect(one)) repeated.push(repetition(one, state, text));
    } else if (isCurrent(state)) others.push(taker);
  }
  // A line that was moved and changed is still known by the name that it binds.
  const renamed = [...sources.values()].flat().filter((one) => one.state.name === image.state && !used.has(one));
  for (const { its, name } of others)
    if (name !== null)
      assign(
        `= ${name}`,
        renamed.filter((one) => one.name === name),
        its,
        { isChanged: true },
      );

  const all = sharedWithIdle(to, [...pools.values()], idle)
    .flatMap(shares)
    .map(({ at, outcomes: of, isChanged }): KeptOutcomes => {
      const outcomes = [...new Map(of.map((one) => [`${one.effect} ${one.number}`, one] as const)).values()];
      const last = outcomes.at(-1) as DoneInstruction;
      const isElsewhere = at.some(({ state }) => state !== last.state);
      const shown = (isChanged ? [last] : outcomes).map((one) => asKept(one, isElsewhere));
      // The turns of a parallel loop come in any order: the values tell which of them is done.
      const isInTurns = at.some(({ state, pc }) =>
        isInParallelLoop(
          to.states.find(({ name }) => name === state),
          pc,
        ),
      );
      const any = shown.length === 1 && !finished.passed.includes(last) && !isInTurns;
      return { at, outcomes: shown, ...(any ? { any: true as const } : {}) };
    });
  const again = [...copies].map(([key, at]) => ({
    at,
    outcomes: (everDone.get(key) ?? []).map((one) => asKept(one, true)),
  }));
  return { kept: [...all, ...again], repeated, above };
}

/** In another order, what binds the name last may be another one. */
function isBoundOnce(state: State, name: string): boolean {
  return state.code.filter((one, pc) => instructionKey(one, state, pc)?.name === name).length === 1;
}

/**
 * Of equal lines of a state, some of which were executed, the one in a block of the same kind is the same, as in an arm that
 * was not taken. True: it was not executed, and is taken from those.
 */
function takeIdle(
  { pc }: CodeLocation,
  state: State,
  known: readonly LostInstruction[],
  idle: { readonly state: State; readonly pc: number }[],
  kindOf: (state: State, pc: number) => string | undefined,
): boolean {
  const isHere = (one: { readonly state: State }): boolean => one.state.name === state.name;
  const done = known.filter(isHere);
  if (done.length === 0 || !idle.some(isHere)) return false;
  const kind = kindOf(state, pc);
  const isAlike = (one: { readonly state: State; readonly pc: number }): boolean =>
    isHere(one) && kindOf(one.state, one.pc) === kind;
  const at = done.some(isAlike) ? -1 : idle.findIndex(isAlike);
  if (at >= 0) idle.splice(at, 1);
  return at >= 0;
}

function isInParallelLoop(state: State | undefined, pc: number): boolean {
  return state?.code.some((one, at) => one.op === 'fork-each' && at < pc && pc < one.join) ?? false;
}

/**
 * What is in an arm now may never be executed there: then an equal line to which the run comes later is done. So those that
 * may be left and the lines that are to be executed have one pool.
 */
function sharedWithIdle(to: Machine, pools: readonly Pool[], idle: readonly CodeLocation[]): readonly Pool[] {
  const stateOf = (its: CodeLocation): State => to.states[its.state] as State;
  const codeOf = (its: CodeLocation): Instruction => stateOf(its).code[its.pc] as Instruction;
  const keyOf = (its: CodeLocation) => instructionKey(codeOf(its), stateOf(its), its.pc)?.key ?? '';
  const asText = ({ state, pc }: CodeLocation): string => `${state} ${pc}`;
  const shared = new Map<string, Pool[]>();
  const rest = pools.filter((pool) => {
    const first = pool.groups[0]?.[0]?.its;
    const mayBeLeft = pool.groups.some((group) => group.every(({ its }) => isInArm(stateOf(its), its.pc)));
    if (!mayBeLeft || first === undefined || pool.isChanged) return true;
    if (!isEffect(codeOf(first)) || hasValues(codeOf(first))) return true;
    add(shared, keyOf(first), pool);
    return false;
  });
  const merged = [...shared].flatMap(([key, parts]): readonly Pool[] => {
    const known = new Set(parts.flatMap((one) => [...one.groups.flat(), ...one.others].map(({ its }) => asText(its))));
    const further = idle.filter((its) => keyOf(its) === key && !known.has(asText(its)));
    const others = [
      ...parts.flatMap((part) => part.others),
      ...further.map((its): Taker => ({ its, at: locationOf(stateOf(its), its.pc, []) })),
    ];
    if (others.length === 0) return parts;
    const outcomes = parts.flatMap((part) => part.outcomes);
    return [{ outcomes, groups: parts.flatMap(({ groups }) => groups), others, isChanged: false }];
  });
  return [...rest, ...merged];
}

/** Who takes over what: of what nothing tells apart each takes one; else what fits is found when the run comes to it. */
function shares({ outcomes, groups, others, isChanged }: Pool): {
  readonly at: KeptOutcomes['at'];
  readonly outcomes: readonly DoneInstruction[];
  readonly isChanged: boolean;
}[] {
  const all = outcomes.flat();
  const isAlike = all.every(({ args }) => args === all[0]?.args);
  if (!isAlike || isChanged || others.length > 0)
    return [{ at: [...groups.flat(), ...others].map(({ at }) => at), outcomes: all, isChanged }];
  return groups.map((group, index) => ({ at: group.map(({ at }) => at), outcomes: outcomes[index] ?? [], isChanged }));
}

function locationOf(
  { name: state, code }: State,
  pc: number,
  from: readonly LostInstruction[],
): KeptOutcomes['at'][number] {
  const hasUndo = code[pc + 1]?.op === 'undo' && from.some((one) => one.hasUndo);
  return { state, pc, ...(hasUndo ? { undo: true as const } : {}) };
}

function repetition(one: Instruction, { name: state }: State, text: string): RepeatedInstruction {
  const once = ('once' in one && one.once === true) || (one.op === 'plan' && one.call?.once === true);
  return { text, state, line: one.origin.line, once };
}

/** What was executed and has no place any more, by its key, and the instructions without a place that were not executed. */
function sourcesOf(moving: Moving): {
  readonly sources: Map<string, LostInstruction[]>;
  readonly unexecuted: Map<string, { readonly state: State; readonly pc: number }[]>;
  /** Instructions of the edited program that do what they did. */
  readonly taken: Set<string>;
  /** Those of them that are done, and to which the run comes again. */
  readonly stays: readonly {
    readonly its: CodeLocation;
    readonly source: LostInstruction;
    readonly isChanged: boolean;
  }[];
  readonly unreached: readonly CodeLocation[];
} {
  const { from, image, finished } = moving;
  const pending = new Map(
    (image.kept ?? []).flatMap(({ at, outcomes }) =>
      at.map((one, index) => [`${one.state} ${one.pc}`, shareOf(outcomes, index, at.length)] as const),
    ),
  );
  const {
    partners,
    taken,
    stays: staying,
    unreached,
  } = locationsOf(moving, (state, pc) => pending.has(`${state} ${pc}`));
  const done = new Map<string, DoneInstruction[]>();
  for (const one of [...finished.all, ...finished.passed])
    if (one.pc !== null) add(done, `${one.state} ${one.pc}`, one);
  const homeless = homelessOf(moving);
  const entered = new Set(image.trail.last);
  const sources = new Map<string, LostInstruction[]>();
  const unexecuted = new Map<string, { state: State; pc: number }[]>();
  const stays: { its: CodeLocation; source: LostInstruction; isChanged: boolean }[] = [];
  from.states.forEach((state, at) => {
    const isCurrent = state.name === image.state;
    state.code.forEach((one, pc) => {
      const its = instructionKey(one, state, pc);
      const stay = staying.get(`${at} ${pc}`);
      if (stay === undefined && (its === null || partners.has(`${at} ${pc}`))) return;
      const key = its?.key ?? '';
      const rest = pending.get(`${state.name} ${pc}`);
      const here = (done.get(`${state.name} ${pc}`) ?? []).filter(
        ({ entry }) => !isCurrent || entry === image.transitions,
      );
      // What was executed in an earlier version of the program is done where it stands now, if the run has passed that.
      const isPast = isCurrent ? isPassed(image.main, state.code, pc, true) : entered.has(at);
      const outcomes =
        rest !== undefined
          ? // Another instruction may still take over what is left, if this one has taken over its part.
            [
              ...here.filter((one) => isUnnumbered(one.effect) || !rest.some(({ effect }) => effect === one.effect)),
              ...rest.map((e, number) => ({
                ...{ ...e, key, state: state.name, pc, path: '', entry: image.transitions, origin: null },
                // After everything that was executed, because it belongs to the turn that is to come.
                number: Number.MAX_SAFE_INTEGER - rest.length + number,
              })),
            ]
          : here.length > 0 || !isPast
            ? here
            : (homeless.get(key)?.shift() ?? []);
      const hasUndo = state.code[pc + 1]?.op === 'undo';
      const isAhead = rest !== undefined && here.length === 0;
      const source = { outcomes, hasUndo, name: its?.name ?? null, state, pc, isAhead };
      if (stay !== undefined) {
        if (outcomes.length > 0) stays.push({ ...stay, source });
      } else if (outcomes.length > 0) add(sources, key, source);
      else add(unexecuted, key, { state, pc });
    });
  });
  return { sources, unexecuted, taken, stays, unreached };
}

/** Of what several instructions may take over, as they come, each has one, and the last one has the rest. */
function shareOf(outcomes: readonly KeptOutcome[], index: number, all: number): readonly KeptOutcome[] {
  return outcomes.slice(index, index + 1 < all ? index + 1 : undefined);
}

/**
 * What was executed at a place that an earlier edit has removed, by its key and by that place, except what is to be taken
 * over at a place to which the run has not come yet.
 */
function homelessOf({ from, image, finished }: Moving): Map<string, DoneInstruction[][]> {
  const pending = (image.kept ?? []).flatMap(({ at, outcomes }) => {
    const state = from.states.find(({ name }) => name === at[0]?.state);
    const [pc, one] = [at[0]?.pc ?? 0, state?.code[at[0]?.pc ?? 0]];
    const key = state === undefined || one === undefined ? undefined : instructionKey(one, state, pc)?.key;
    return outcomes.map(({ effect }) => `${effect} ${key}`);
  });
  const byOrigin = new Map<string, DoneInstruction[]>();
  for (const one of finished.all) {
    if (one.pc !== null) continue;
    const index = pending.indexOf(`${one.effect} ${one.key}`);
    if (index >= 0) pending.splice(index, 1);
    else add(byOrigin, `${one.key} ${one.origin}`, one);
  }
  const found = new Map<string, DoneInstruction[][]>();
  for (const all of byOrigin.values()) add(found, all[0]?.key ?? '', all);
  return found;
}

/**
 * The outcomes that an instruction takes over. What a thread did that has ended, or has passed the instruction, it does not
 * come to again, and in a loop of which a thread executes a turn, only what was done in this turn is done.
 */
function inTurn(
  { to, image, threads, align, finished }: Moving,
  { outcomes, state, pc }: LostInstruction,
  its: CodeLocation,
): readonly DoneInstruction[] {
  const fresh = to.states[its.state] as State;
  if (fresh.name !== image.state || state.name !== image.state) return outcomes;
  const alignment = align(state, fresh);
  const loops = state.code.flatMap((one, at) =>
    one.op === 'next' && at < pc && pc < one.exit ? [{ at, ...one }] : [],
  );
  return outcomes.filter(({ path, number, entry }) => {
    if (entry !== image.transitions) return true;
    const around = threadsAround(threads, path);
    const own = around.at(-1);
    const isIn = own?.region == null || (own.region.from <= its.pc && its.pc < own.region.to);
    if (own !== undefined && isIn && path !== '')
      if (own.thread === null || isPassed(own.thread, fresh.code, its.pc, false)) return false;
    return loops.every(({ at, exit }) => {
      const other = alignment.of(at);
      const loop = other === null ? undefined : fresh.code[other];
      if (other === null || loop?.op !== 'next' || its.pc <= other || its.pc >= loop.exit) return true;
      const turning = around.find(({ thread }) => thread !== null && other < thread.pc && thread.pc < loop.exit);
      // Its thread begins the loop again.
      if (turning === undefined) return true;
      const first = finished.turnOf(turning.path, at, exit);
      return first === null || number >= first;
    });
  });
}

/** The threads that continue of those around a path, from the outermost; the last one is the nearest to it. */
function threadsAround(
  threads: Moving['threads'],
  path: string,
): readonly (SurvivingThread & { readonly path: string })[] {
  const parts = path === '' ? [] : path.split('.');
  const around: (SurvivingThread & { readonly path: string })[] = [];
  // A path alternates numbers of blocks and of members.
  for (let end = 0; end <= parts.length; end += 2) {
    const above = parts.slice(0, end).join('.');
    const one = threads.get(above);
    if (one === undefined) break;
    around.push({ ...one, path: above });
  }
  return around;
}

/** An instruction that does something again when it is executed again, for people. */
function nameOf(one: Instruction): string | null {
  switch (one.op) {
    case 'shell':
    case 'argv':
    case 'function':
    case 'agent':
    case 'plan':
      return one.text;
    case 'ask':
      return one.name;
    case 'step-begin':
      return `STEP: ${one.plan.name}`;
    case 'signal':
      return `WAIT: signal ${one.name}`;
    case 'increment':
      return `INCREMENT: ${one.name}`;
    case 'emit':
      return `EMIT: ${one.event ?? ''}`;
    default:
      return null;
  }
}

/** `isElsewhere`: its names have no values there yet. Where it was, a counter has gone on since, except in a block that begins anew. */
function asKept({ effect, args, outcome, key, path }: DoneInstruction, isElsewhere: boolean): KeptOutcome {
  const isCounted = /"op":"(?:increment|set)"/.test(key) && !isElsewhere && path === '' && !SAMPLES.test(key);
  return { effect, args, outcome: isCounted ? { kind: 'value', value: null } : outcome };
}

/** Whether what an instruction does depends on values of the run. */
function hasValues(one: Instruction): boolean {
  return JSON.stringify(one, (key, value) => (key === 'timeout' || key === 'cwd' ? null : value)).includes(
    '"op":"read"',
  );
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
