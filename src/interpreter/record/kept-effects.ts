/**
 * What an edited program only moves is done: an instruction with the text of a finished one, whose place in the program is
 * gone, takes over its outcome when the run comes to it, in any arm, branch or state. What stands there in addition would
 * be repeated, and is listed.
 */
import { successors } from '../../machine/control-flow.js';
import type { Instruction, Machine, State } from '../../machine/machine.js';
import type { EffectKind, KeptOutcomes, Outcome } from '../events/event.js';
import { type Alignment, exactKey } from './alignment.js';
import type { RunImage, ThreadImage } from './run-image.js';

/** An effect with an outcome on record. */
export interface FinishedEffect {
  readonly effect: string;
  readonly kind: EffectKind;
  /** Of a question: its name. */
  readonly text: string;
  /** Null: the record does not say where it was, but in the current entry of a state. */
  readonly location: { readonly state: string; readonly line: number } | null;
  /** Its values, as one text. */
  readonly args: string;
  readonly outcome: Outcome;
  /** It was requested since the run entered its current state. */
  readonly isCurrent: boolean;
}

/** An instruction of the edited program that does again what is done. */
export interface RepeatedInstruction {
  readonly text: string;
  readonly state: string;
  readonly line: number;
  readonly once: boolean;
}

interface Location {
  readonly state: number;
  readonly pc: number;
}

interface Moving {
  readonly from: Machine;
  readonly to: Machine;
  /** The run in the program as it was, and in the edited one. */
  readonly image: RunImage;
  readonly rebased: RunImage;
  /** Pairs the instructions of the two states of that name. */
  readonly align: (old: State, fresh: State) => Alignment;
  readonly finished: readonly FinishedEffect[];
}

type Keyed = { readonly key: string; readonly name: string | null };

/** The text of an effect that can be taken over, and its kind with the name that it binds. */
function effectKey(one: Instruction, { locals }: State): Keyed | null {
  switch (one.op) {
    case 'shell':
    case 'argv':
    case 'function':
    case 'agent': {
      const name = locals[one.bind?.slot ?? -1];
      return { key: `${one.op} ${one.text}`, name: name === undefined ? null : `${one.op} ${name}` };
    }
    case 'ask':
      return { key: `ask ${one.name}`, name: null };
    default:
      return null;
  }
}

/** An old instruction that was executed and has no place in the edited program any more. */
interface Source {
  readonly outcomes: readonly FinishedEffect[];
  readonly hasUndo: boolean;
  readonly name: string | null;
  readonly isCurrent: boolean;
}

export function keptEffects(moving: Moving): {
  readonly kept: readonly KeptOutcomes[];
  readonly repeated: readonly RepeatedInstruction[];
} {
  const { from, to, image, rebased, finished } = moving;
  const byKey = new Map<string, FinishedEffect[]>();
  for (const one of finished) add(byKey, `${one.kind} ${one.text}`, one);
  if (byKey.size === 0 && image.kept === undefined) return { kept: [], repeated: [] };

  const earlier = new Map(
    (image.kept ?? []).flatMap((one) => one.at.map((at) => [`${at.state} ${at.pc}`, one] as const)),
  );
  const { partners, taken } = locationsOf(moving, (state, pc) => earlier.has(`${state} ${pc}`));
  const sources = new Map<string, Source[]>();
  const known = new Set<string>();
  from.states.forEach((state, at) => {
    state.code.forEach((one, pc) => {
      const its = effectKey(one, state);
      if (its === null || partners.has(`${at} ${pc}`)) return;
      const hasUndo = state.code[pc + 1]?.op === 'undo';
      const rest = earlier.get(`${state.name} ${pc}`);
      const outcomes =
        rest === undefined
          ? (byKey.get(its.key) ?? []).filter((e) =>
              e.location === null
                ? state.name === image.state
                : e.location.state === state.name && e.location.line === one.origin.line,
            )
          : rest.outcomes.map((e) => ({ ...e, kind: one.op as EffectKind, text: '', location: null, isCurrent: true }));
      const isCurrent = state.name === image.state;
      const recent = isCurrent ? outcomes.filter((e) => e.isCurrent) : outcomes;
      if (recent.length === 0) return;
      // Several copies of a pattern have the same lines: each is a place of its own, with the same outcomes.
      if (known.has(`${its.key} ${recent[0]?.effect}`) && recent.length === 1) return;
      known.add(`${its.key} ${recent[0]?.effect}`);
      add(sources, its.key, { outcomes: recent, hasUndo, name: its.name, isCurrent });
    });
  });

  const kept = new Map<string, { at: KeptOutcomes['at'][number][]; from: readonly Source[]; groups: Location[][] }>();
  const repeated: RepeatedInstruction[] = [];
  const used = new Set<Source>();
  const assign = (key: string, from: readonly Source[], its: Location): boolean => {
    const state = to.states[its.state] as State;
    const entry = kept.get(key) ?? { at: [], from, groups: [] };
    let group = entry.groups.find((others) => others.every((other) => excludes(state, other, its)));
    if (group === undefined) {
      if (entry.groups.length >= from.length) return false;
      group = [];
      entry.groups.push(group);
    }
    group.push(its);
    const follows = state.code[its.pc + 1]?.op === 'undo' && from.some(({ hasUndo }) => hasUndo);
    entry.at.push({ state: state.name, pc: its.pc, ...(follows ? { undo: true as const } : {}) });
    kept.set(key, entry);
    for (const one of from) used.add(one);
    return true;
  };
  const copies = new Map<string, { readonly state: string; readonly pc: number }[]>();
  const others: { its: Location; name: string; key: string }[] = [];
  const isKnown = new Set(from.states.flatMap(({ code }) => code.map((one) => exactKey(one, []))));
  // An instruction with other constants, as in one more use of a pattern, comes after the same ones, and is not a copy.
  const visit = (wanted: boolean): void => {
    to.states.forEach((state, at) => {
      state.code.forEach((one, pc) => {
        const its = effectKey(one, state);
        if (its === null || taken.has(`${at} ${pc}`) || isKnown.has(exactKey(one, [])) !== wanted) return;
        if (state.name === rebased.state && isPassed(rebased.main, state.code, pc, false)) return;
        const from = sources.get(its.key) ?? [];
        if (from.length > 0 && assign(its.key, from, { state: at, pc })) return;
        if (byKey.has(its.key) && !wanted && !hasValues(one)) return;
        if (byKey.has(its.key) && hasValues(one)) {
          // With other values it is another effect, as in one more use of a pattern.
          add(copies, its.key, { state: state.name, pc });
        } else if (byKey.has(its.key)) {
          const once = 'once' in one && one.once === true;
          const text = one.op === 'ask' ? one.name : 'text' in one ? one.text : '';
          repeated.push({ text, state: state.name, line: one.origin.line, once });
        } else if (its.name !== null && state.name === rebased.state)
          others.push({ its: { state: at, pc }, ...its, name: its.name });
      });
    });
  };
  visit(true);
  visit(false);
  // A line that was moved and changed is still known by the name that it binds.
  const renamed = [...sources.values()].flat().filter((one) => one.isCurrent && !used.has(one));
  for (const { its, name } of others) {
    const from = renamed.filter((one) => one.name === name);
    if (from.length > 0) assign(`= ${name}`, from, its);
  }
  const all = [...kept].map(([key, { at, from }]) => {
    const outcomes = [
      ...new Map(from.flatMap((one) => one.outcomes).map((one) => [one.effect, one] as const)).values(),
    ];
    const one = outcomes.at(-1) as FinishedEffect;
    const isChanged = key.startsWith('= ');
    const shown = (isChanged ? [one] : outcomes).map(asKept);
    return { at, outcomes: shown, ...(shown.length === 1 ? { any: true as const } : {}) };
  });
  const again = [...copies].map(([key, at]) => ({ at, outcomes: (byKey.get(key) ?? []).map(asKept) }));
  return { kept: [...all, ...again], repeated };
}

function asKept({ effect, args, outcome }: FinishedEffect): KeptOutcomes['outcomes'][number] {
  return { effect, args, outcome };
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

/**
 * The effects that stand where they stood: old ones with a partner in the edited program (`partners`), and those partners
 * (`taken`). An instruction above the line where the run resumes is done, so one that was moved from there is not in place.
 */
function locationsOf(
  { from, to, image, rebased, align }: Moving,
  takesOver: (state: string, pc: number) => boolean,
): { partners: Set<string>; taken: Set<string> } {
  const partners = new Set<string>();
  const taken = new Set<string>();
  const changed: { readonly old: string; readonly fresh: string; readonly key: string }[] = [];
  from.states.forEach((old, at) => {
    const index = to.states.findIndex(({ name }) => name === old.name);
    const fresh = to.states[index];
    if (fresh === undefined) return;
    const alignment = align(old, fresh);
    const isCurrent = old.name === image.state;
    old.code.forEach((one, pc) => {
      const other = alignment.of(pc);
      const its = effectKey(one, old);
      // What an earlier edit moved is done, and has not been reached since.
      if (other === null || its === null || takesOver(old.name, pc)) return;
      const has = effectKey(fresh.code[other] as Instruction, fresh);
      const isSame = has?.key === its.key || (has !== null && has.name !== null && has.name === its.name);
      const wasDone = isCurrent && isPassed(image.main, old.code, pc, true);
      const isDone = isCurrent && isPassed(rebased.main, fresh.code, other, false);
      if (wasDone && !isDone) return;
      if (!isSame) {
        if (wasDone) changed.push({ old: `${at} ${pc}`, fresh: `${index} ${other}`, key: its.key });
        return;
      }
      partners.add(`${at} ${pc}`);
      taken.add(`${index} ${other}`);
    });
  });
  // A changed line above the line where the run resumes stays done, unless its text is elsewhere now.
  const free = new Set<string>();
  to.states.forEach((state, at) => {
    state.code.forEach((one, pc) => {
      const its = effectKey(one, state);
      if (its !== null && !taken.has(`${at} ${pc}`)) free.add(its.key);
    });
  });
  for (const { old, fresh, key } of changed) {
    if (free.has(key)) continue;
    partners.add(old);
    taken.add(fresh);
  }
  return { partners, taken };
}

/** Whether a thread is past an instruction: of the turns of a parallel loop, whether any is, or else all. */
function isPassed({ pc, forks }: ThreadImage, code: readonly Instruction[], at: number, any: boolean): boolean {
  for (const fork of forks) {
    const one = code[fork.pc];
    if ((one?.op !== 'fork' && one?.op !== 'fork-each') || at <= fork.pc || at >= one.join) continue;
    const passed = fork.members.map(({ thread, status }) =>
      thread === null ? status !== 'waiting' : isPassed(thread, code, at, any),
    );
    if (one.op === 'fork') return passed[branchAt(one, at)] ?? false;
    return any ? passed.includes(true) : !passed.includes(false);
  }
  return at < pc;
}

export function branchAt({ branches }: Extract<Instruction, { op: 'fork' }>, pc: number): number {
  return branches.findLastIndex((branch) => branch.pc <= pc);
}

/** Whether at most one of two instructions of a state is executed in a turn: they are in different arms. */
function excludes({ name, code }: State, one: Location, other: Location): boolean {
  if (one.state !== other.state || name === '') return false;
  const runsBoth = code.some(
    (fork, pc) =>
      fork.op === 'fork' &&
      [one.pc, other.pc].every((at) => at > pc && at < fork.join) &&
      branchAt(fork, one.pc) !== branchAt(fork, other.pc),
  );
  return !runsBoth && !leadsTo(code, one.pc, other.pc) && !leadsTo(code, other.pc, one.pc);
}

function leadsTo(code: readonly Instruction[], from: number, to: number): boolean {
  const seen = new Set([from]);
  for (const at of seen) {
    const one = code[at];
    if (one === undefined) continue;
    const inner = one.op === 'fork' ? one.branches.map(({ pc }) => pc) : one.op === 'fork-each' ? [one.body] : [];
    for (const next of [...successors(code, at), ...inner]) {
      if (next === to) return true;
      seen.add(next);
    }
  }
  return false;
}
