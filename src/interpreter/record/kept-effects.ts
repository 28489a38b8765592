/**
 * What an edited program only moves is done: an instruction with the text of a finished one, whose position in the program is
 * gone, takes over what that one did when the run comes to it, in any arm, branch or state. What stands there in addition would
 * be repeated, and is listed.
 */
import type { Instruction, State } from '../../machine/machine.js';
import type { KeptOutcome, KeptOutcomes } from '../events/event.js';
import { exactKey } from './alignment.js';
import { instructionKey, isEffect, SAMPLES } from './instruction-key.js';
import { type Done, excludes, isPassed, type Location, locationsOf, type Moving } from './kept-locations.js';

/** An instruction of the edited program that does again what is done. */
export interface RepeatedInstruction {
  readonly text: string;
  readonly state: string;
  readonly line: number;
  readonly once: boolean;
}

/** An old instruction that was executed and has no place in the edited program any more. */
interface Source {
  readonly outcomes: readonly Done[];
  readonly hasUndo: boolean;
  readonly name: string | null;
  readonly state: State;
  readonly pc: number;
  /** An earlier edit moved it there, and the run has not come there yet. */
  readonly isAhead: boolean;
}

interface Taking {
  readonly at: KeptOutcomes['at'][number][];
  readonly from: readonly Source[];
  /** Those of the turn of a loop in which the run is, or all. */
  readonly outcomes: readonly Done[];
  readonly groups: Location[][];
  readonly isChanged: boolean;
}

export function keptEffects(moving: Moving): {
  readonly kept: readonly KeptOutcomes[];
  readonly repeated: readonly RepeatedInstruction[];
} {
  const { from, to, image, rebased, finished } = moving;
  const byKey = new Map<string, Done[]>();
  for (const one of finished.all) add(byKey, one.key, one);
  if (byKey.size === 0 && image.kept === undefined) return { kept: [], repeated: [] };

  const { sources, ahead, taken, stays } = sourcesOf(moving, byKey);
  const kept = new Map<string, Taking>();
  const repeated: RepeatedInstruction[] = [];
  const used = new Set<Source>();
  /** Null: what was done was done in an earlier turn of the loop, so this is done in each turn. */
  const assign = (key: string, from: readonly Source[], its: Location, isChanged = false): boolean | null => {
    const state = to.states[its.state] as State;
    const outcomes = inTurn(moving, from, its);
    if (outcomes.length === 0) return null;
    const id = `${key} ${from[0]?.state.name} ${outcomes[0]?.number}`;
    const entry = kept.get(id) ?? { at: [], from, outcomes, groups: [], isChanged };
    let group = entry.groups.find((others) => others.every((other) => excludes(state, other, its)));
    if (group === undefined) {
      if (entry.groups.length >= from.length) return false;
      group = [];
      entry.groups.push(group);
    }
    group.push(its);
    const follows = state.code[its.pc + 1]?.op === 'undo' && from.some(({ hasUndo }) => hasUndo);
    entry.at.push({ state: state.name, pc: its.pc, ...(follows ? { undo: true as const } : {}) });
    kept.set(id, entry);
    for (const one of from) used.add(one);
    return true;
  };
  const copies = new Map<string, { readonly state: string; readonly pc: number }[]>();
  const others: { its: Location; name: string; key: string }[] = [];
  const isKnown = new Set(from.states.flatMap(({ code }) => code.map((one) => exactKey(one, []))));
  // An instruction with other constants, as in one more use of a pattern, comes after the same ones, and is not a copy.
  const isCurrent = (at: number): boolean => to.states[at]?.name === rebased.state;
  const isDone = (state: State, pc: number): boolean =>
    state.name === rebased.state && isPassed(rebased.main, state.code, pc, false);
  // What was moved inside a state that the run has left, or to a place above the line where it resumes, is done there.
  to.states.forEach((state, at) => {
    const own = new Map(
      [...sources].map(([key, from]) => [key, from.filter((one) => one.state.name === state.name && !one.isAhead)]),
    );
    state.code.forEach((one, pc) => {
      const { key } = instructionKey(one, state, pc) ?? { key: '' };
      const isAbove = isCurrent(at) && isDone(state, pc);
      const rest = sources.get(key) ?? [];
      const from = own.get(key) ?? [];
      if (taken.has(`${at} ${pc}`) || (isCurrent(at) ? !isAbove : from.length === 0)) return;
      const used = from.find((source) => rest.includes(source)) ?? (isAbove ? rest[0] : undefined);
      if (from.length > 0 || used !== undefined) taken.add(`${at} ${pc}`);
      if (used !== undefined) rest.splice(rest.indexOf(used), 1);
    });
  });
  const order = [...to.states.keys()].sort((a, b) => Number(isCurrent(b)) - Number(isCurrent(a)));
  const visit = (wanted: boolean, isFirst = false): void => {
    for (const at of order) {
      const state = to.states[at] as State;
      state.code.forEach((one, pc) => {
        const its = instructionKey(one, state, pc);
        if (its === null || taken.has(`${at} ${pc}`) || isKnown.has(exactKey(one, [])) !== wanted) return;
        if (stays.has(`${at} ${pc}`) !== isFirst) return;
        if (isDone(state, pc)) return;
        const known = sources.get(its.key) ?? [];
        const own = known.filter((one) => one.state.name === state.name);
        const isTaken = [own, known.filter((one) => !own.includes(one))].some(
          (from) => from.length > 0 && assign(its.key, from, { state: at, pc }) !== false,
        );
        if (isTaken) return;
        // One of those that were not executed yet.
        const left = ahead.get(its.key) ?? 0;
        ahead.set(its.key, left - 1);
        if (left > 0) return;
        const before = byKey.get(its.key) ?? [];
        if (!isEffect(one)) {
          const wasExecuted = before.some(
            ({ state: name, entry }) => name === image.state && entry === image.transitions,
          );
          const text = nameOf(one);
          if (isCurrent(at) && wasExecuted && text !== null) repeated.push(repetition(one, state, text));
          else if (its.name !== null && isCurrent(at)) others.push({ its: { state: at, pc }, ...its, name: its.name });
          return;
        }
        if (before.length > 0 && !wanted && !hasValues(one)) return;
        if (before.length > 0 && hasValues(one)) {
          // With other values it is another effect, as in one more use of a pattern.
          add(copies, its.key, { state: state.name, pc });
        } else if (before.length > 0) {
          repeated.push(repetition(one, state, one.op === 'ask' ? one.name : 'text' in one ? one.text : ''));
        } else if (its.name !== null && isCurrent(at)) others.push({ its: { state: at, pc }, ...its, name: its.name });
      });
    }
  };
  visit(true, true);
  visit(false, true);
  visit(true);
  visit(false);
  // A line that was moved and changed is still known by the name that it binds.
  const renamed = [...sources.values()].flat().filter((one) => one.state.name === image.state && !used.has(one));
  for (const { its, name } of others) {
    const from = renamed.filter((one) => one.name === name);
    if (from.length > 0) assign(`= ${name}`, from, its, true);
  }
  const all = shareAlike([...kept.values()]).map(({ at, outcomes: of, isChanged }) => {
    const outcomes = [...new Map(of.map((one) => [`${one.effect} ${one.number}`, one] as const)).values()];
    const last = outcomes.at(-1) as Done;
    const isElsewhere = at.some(({ state }) => state !== last.state);
    const shown = (isChanged ? [last] : outcomes).map((one) => asKept(one, isElsewhere));
    return { at, outcomes: shown, ...(shown.length === 1 ? { any: true as const } : {}) };
  });
  const again = [...copies].map(([key, at]) => ({
    at,
    outcomes: (byKey.get(key) ?? []).map((one) => asKept(one, true)),
  }));
  return { kept: [...all, ...again], repeated };
}

/** Instructions that nothing tells apart share what was done: each of them takes over one of the times. */
function shareAlike(all: readonly Taking[]): Taking[] {
  const byKey = new Map<string, Taking>();
  for (const one of all) {
    const [first] = one.outcomes;
    const isAlike = !one.isChanged && one.outcomes.every(({ args }) => args === first?.args);
    const key = isAlike ? `${first?.key} ${first?.args}` : String(byKey.size);
    const other = byKey.get(key);
    const outcomes = [...(other?.outcomes ?? []), ...one.outcomes];
    byKey.set(key, other === undefined ? one : { ...other, at: [...other.at, ...one.at], outcomes });
  }
  return [...byKey.values()];
}

function repetition(one: Instruction, { name: state }: State, text: string): RepeatedInstruction {
  const once = ('once' in one && one.once === true) || (one.op === 'plan' && one.call?.once === true);
  return { text, state, line: one.origin.line, once };
}

/** What was executed and has no place any more, by its key. */
function sourcesOf(
  moving: Moving,
  byKey: ReadonlyMap<string, readonly Done[]>,
): { sources: Map<string, Source[]>; ahead: Map<string, number> } & ReturnType<typeof locationsOf> {
  const { from, to, image } = moving;
  const earlier = new Map(
    (image.kept ?? []).flatMap((one) => one.at.map((at) => [`${at.state} ${at.pc}`, one] as const)),
  );
  const locations = locationsOf(moving, (state, pc) => earlier.has(`${state} ${pc}`));
  const sources = new Map<string, Source[]>();
  const ahead = new Map<string, number>();
  const known = new Set<string>();
  const entered = new Set(image.trail.last);
  const free = withoutPending(moving, byKey);
  from.states.forEach((state, at) => {
    const isCurrent = state.name === image.state;
    state.code.forEach((one, pc) => {
      const its = instructionKey(one, state, pc);
      if (its === null || locations.partners.has(`${at} ${pc}`)) return;
      const rest = earlier.get(`${state.name} ${pc}`);
      // What was executed in an earlier version of the program is done where it stands now, if the run has passed that.
      const isPast = isCurrent ? isPassed(image.main, state.code, pc, true) : entered.has(at);
      const done = free.get(its.key) ?? [];
      const here = done.filter(
        (e) => e.state === state.name && (e.pc ?? pc) === pc && (!isCurrent || e.entry === image.transitions),
      );
      const executed =
        rest === undefined
          ? here.length > 0 || !isPast
            ? here
            : done.filter((e) => e.pc === null)
          : [
              // Another instruction may still take over what is left, if this one has taken over its part.
              ...here,
              ...rest.outcomes.map((e, number) => ({
                ...{ ...e, key: its.key, state: state.name, pc, path: '', entry: image.transitions },
                // After everything that was executed, because it belongs to the turn that is to come.
                number: Number.MAX_SAFE_INTEGER - rest.outcomes.length + number,
              })),
            ];
      if (executed.length === 0) {
        const index = to.states.findIndex(({ name }) => name === state.name);
        const fresh = to.states[index];
        const location = isCurrent && fresh !== undefined ? moving.align(state, fresh).newLocation(pc) : null;
        if (location !== null) {
          locations.taken.add(`${index} ${location}`);
          return;
        }
        ahead.set(its.key, (ahead.get(its.key) ?? 0) + 1);
        return;
      }
      // What an earlier version of the program did has no position: each instruction with this text stands for it.
      const first = `${its.key} ${executed[0]?.effect}`;
      if (executed[0]?.pc === null && known.has(first) && executed.length === 1) return;
      known.add(first);
      const hasUndo = state.code[pc + 1]?.op === 'undo';
      add(sources, its.key, {
        outcomes: executed,
        hasUndo,
        name: its.name,
        state,
        pc,
        isAhead: rest !== undefined && here.length === 0,
      });
    });
  });
  return { sources, ahead, ...locations };
}

/** What was executed, except what an earlier edit moved to a place to which the run has not come yet. */
function withoutPending(
  { from, image }: Moving,
  byKey: ReadonlyMap<string, readonly Done[]>,
): ReadonlyMap<string, readonly Done[]> {
  const free = new Map(byKey);
  for (const { at, outcomes } of image.kept ?? []) {
    const state = from.states.find(({ name }) => name === at[0]?.state);
    const pc = at[0]?.pc ?? 0;
    const one = state?.code[pc];
    const its = one === undefined ? null : instructionKey(one, state as State, pc);
    if (its === null) continue;
    const rest = [...(free.get(its.key) ?? [])];
    for (const { effect } of outcomes) {
      const index = rest.findIndex((done) => done.pc === null && done.effect === effect);
      if (index >= 0) rest.splice(index, 1);
    }
    free.set(its.key, rest);
  }
  return free;
}

/**
 * The outcomes that an instruction takes over. If it stays in a loop of which a thread executes a turn, only what was done
 * in this turn is done.
 */
function inTurn({ to, image, rebased, align, finished }: Moving, from: readonly Source[], its: Location): Done[] {
  const fresh = to.states[its.state] as State;
  return from.flatMap(({ outcomes, state, pc }) => {
    if (fresh.name !== image.state || state.name !== image.state) return outcomes;
    const alignment = align(state, fresh);
    const loops = state.code.flatMap((one, at) =>
      one.op === 'next' && at < pc && pc < one.exit ? [{ at, ...one }] : [],
    );
    return outcomes.filter(({ path, number }) =>
      loops.every(({ at, exit }) => {
        const other = alignment.of(at);
        const loop = other === null ? undefined : fresh.code[other];
        if (other === null || loop?.op !== 'next' || its.pc <= other || its.pc >= loop.exit) return true;
        // The thread begins the loop again.
        if (rebased.main.pc <= other || rebased.main.pc >= loop.exit) return true;
        const first = finished.turnOf(path, at, exit);
        return first === null || number >= first;
      }),
    );
  });
}

/** An instruction that does something again when it is executed again, for people. */
function nameOf(one: Instruction): string | null {
  switch (one.op) {
    case 'plan':
      return one.text;
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

/** `isElsewhere`: its names have no values there yet. Where it was, a counter has gone on since. */
function asKept({ effect, args, outcome, key }: Done, isElsewhere: boolean): KeptOutcome {
  const isCounted = /"op":"(?:increment|set)"/.test(key) && !isElsewhere && !SAMPLES.test(key);
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
