/** What a frame shows: names with their values, by the scopes of the language. Values are read when they are asked for. */

import { type OpenCall, waitingCalls } from '../../interpreter/plan/open-calls.js';
import type { Pending } from '../../interpreter/run-state/pending.js';
import type { Slot, Thread } from '../../interpreter/run-state/thread.js';
import { decode, printJson } from '../../interpreter/values/json.js';
import { isList, isObject, numberOf, typeOf, type Value } from '../../interpreter/values/value.js';
import type { LocationName } from '../../language/check/code-locations.js';
import type { SlotRef } from '../../machine/expression.js';
import type { DebugFrame } from './debug-frames.js';
import type { DebugProgram } from './debug-program.js';

/** Where a value stands that can be changed. */
export type Changeable = Extract<SlotRef, { in: 'local' } | { in: 'tracked' }>;

export interface ShownVariable {
  readonly name: string;
  readonly value: Value;
  /** Null: it is fixed. */
  readonly at: Changeable | null;
}

export interface DebugScope {
  readonly title: string;
  readonly variables: () => readonly ShownVariable[];
}

/** Names of scopes that do not exist there are left out. */
export function scopesOf(program: DebugProgram, frame: DebugFrame, extra: readonly DebugScope[]): DebugScope[] {
  if (frame.openCall !== undefined) return callScopes(frame.openCall, frame.standing.thread, extra);
  const { thread } = frame.standing;
  const { machine } = thread.run.linked;
  const state = machine.states[thread.state];
  const inner = innerNames(program, frame);
  const showNamed = (
    names: readonly string[],
    slots: readonly Slot[],
    where: Changeable['in'] | null,
  ): ShownVariable[] =>
    names.flatMap((name, slot) => {
      const value = slots[slot];
      if (value === undefined || name.startsWith('$')) return [];
      return [{ name, value, at: where === null ? null : { in: where, slot } }];
    });
  const ofKind = (...kinds: LocationName['kind'][]) => inner.filter(({ kind }) => kinds.includes(kind));
  const own = new Set(inner.flatMap(({ at }) => ('slot' in at ? [at.slot] : [])));
  const locals = (): ShownVariable[] =>
    showNamed(state?.locals ?? [], localsOf(thread), 'local').filter(({ at }) => !own.has(at?.slot ?? -1));
  const secret = machine.inputs.map(({ secret: is }) => is === true);
  const step = frame.step ?? innermostStep(thread);
  const scopes: (DebugScope | null)[] = [
    { title: 'Locals', variables: locals },
    { title: 'Entry values', variables: () => showNamed(state?.entry ?? [], thread.entry, null) },
    scopeOf('Parameters', ofKind('parameters', 'workflow'), thread),
    scopeOf('Loop', ofKind('loop'), thread),
    { title: 'Tracked', variables: () => showNamed(machine.tracked, thread.tracked, 'tracked') },
    {
      title: 'Inputs',
      variables: () =>
        showNamed(
          machine.inputs.map(({ name }) => name),
          thread.inputs.map((value, at) => (secret[at] && value !== undefined ? '***' : value)),
          null,
        ),
    },
    thread.data.isUntouched ? null : { title: '†state and †data', variables: () => dataOf(thread) },
    step === null ? null : { title: 'Step', variables: () => stepOf(thread, step.path, step) },
    scopeOf('Failure', ofKind('handler'), thread) ?? causeOf(thread),
    ...extra,
    { title: 'Run', variables: () => aboutRun(thread) },
  ];
  return scopes.filter((scope) => scope !== null);
}

/** A call of a plan: what it gets, what the plan has so far, and what the other calls wait for. */
function callScopes({ parameters, data }: OpenCall, thread: Thread, extra: readonly DebugScope[]): DebugScope[] {
  const membersOf = (given: object, prefix: string): ShownVariable[] =>
    Object.entries(given).map(([name, value]) => ({ name: `${prefix}${name}`, value: value as Value, at: null }));
  const waiting = (): ShownVariable[] =>
    thread.plan === null
      ? []
      : waitingCalls(thread.plan).map(({ title, why }) => ({ name: title, value: why, at: null }));
  return [
    { title: 'Parameters', variables: () => membersOf(parameters, '') },
    { title: '†state and †data', variables: () => membersOf(data as object, '†') },
    { title: 'Calls', variables: waiting },
    ...extra,
    { title: 'Run', variables: () => aboutRun(thread) },
  ];
}

/** The names of inner scopes that a frame sees. Those of a pattern belong to its own frame. */
export function innerNames(program: DebugProgram, { standing, level }: DebugFrame): readonly LocationName[] {
  const location = program.locationAt(standing.pc);
  if (location === null) return [];
  const names = location.names();
  return level === location.calls.length
    ? names
    : names.filter(({ kind }) => kind !== 'parameters' && kind !== 'workflow');
}

/** Until a branch binds a name, it has the value of its parent. */
function localsOf(thread: Thread): Slot[] {
  const { locals, member } = thread;
  if (member === null) return locals;
  return locals.map((value, slot) => value ?? member.fork.locals[slot]);
}

function slotValue({ at }: LocationName, thread: Thread): Slot {
  if ('slot' in at) return localsOf(thread)[at.slot];
  return at.printed === undefined ? (at.constant as Value) : decode(at.printed);
}

function scopeOf(title: string, names: readonly LocationName[], thread: Thread): DebugScope | null {
  if (names.length === 0) return null;
  return {
    title,
    variables: () => {
      const known = new Set<string>();
      return names.flatMap((one) => {
        const value = slotValue(one, thread);
        if (value === undefined || known.has(one.name)) return [];
        known.add(one.name);
        const isOpen = one.kind === 'loop' && 'slot' in one.at;
        return [{ name: one.name, value, at: isOpen && 'slot' in one.at ? { in: 'local', slot: one.at.slot } : null }];
      });
    },
  };
}

function dataOf({ data }: Thread): ShownVariable[] {
  return ['state', 'data'].flatMap((name) => {
    const value = data.read([name]) as Value | undefined;
    return value === undefined ? [] : [{ name: `†${name}`, value, at: null }];
  });
}

function innermostStep({ frames }: Thread) {
  const found = frames.findLast(({ kind }) => kind === 'step');
  return found?.kind === 'step' ? found : null;
}

function stepOf(thread: Thread, path: string, frame: DebugFrame['step']): ShownVariable[] {
  const keys = [...thread.run.steps.keys].flatMap(([key, value]): ShownVariable[] =>
    key.startsWith(`${path}.`) ? [{ name: key.slice(path.length + 1), value, at: null }] : [],
  );
  if (frame === null) return keys;
  const { attempt, phase, session, agent, gates } = frame;
  const about = { attempt, phase, agent, session, gates: gates as unknown as Value };
  return [...Object.entries(about).map(([name, value]) => ({ name, value: value as Value, at: null })), ...keys];
}

function causeOf({ run, state }: Thread): DebugScope | null {
  const { cause } = run;
  if (cause === null || run.linked.machine.error !== state) return null;
  return {
    title: 'Failure',
    variables: () =>
      Object.entries(cause).flatMap(([name, value]) =>
        value === undefined || name === 'causes' ? [] : [{ name, value: value as Value, at: null }],
      ),
  };
}

function aboutRun({ run }: Thread): ShownVariable[] {
  const { limits, usage } = run;
  const left = Object.fromEntries(
    Object.entries({
      transitions: limits.transitions === undefined ? undefined : limits.transitions - run.transitions,
      cost: limits.cost === undefined || usage.cost === null ? undefined : limits.cost - usage.cost,
    }).filter(([, value]) => value !== undefined),
  );
  const about = {
    state: run.currentState,
    'states entered': run.statesTotal,
    states: run.linked.machine.states.length,
    transitions: run.transitions,
    effects: usage.effects,
    cost: usage.cost,
    limits: { ...limits },
    left,
    'under way': [...run.pending.values()].map(describePending),
  };
  return Object.entries(about).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: value as unknown as Value, at: null }],
  );
}

function describePending({ effect, kind, attempt, until, thread }: Pending) {
  const line = thread.run.linked.origins[thread.pc]?.line ?? null;
  return { effect, kind, attempt, line, ...(until === null ? {} : { until: new Date(until).toISOString() }) };
}

// ---- values for people --------------------------------------------------------------------------------

/** The longest text of a value, in characters. */
const LONGEST = 10_000;

/** The text of a value, as JSON. */
export function textOf(value: Value): string {
  const text = printJson(shortenValue(value, { left: LONGEST }));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** A value of which not much more is kept than is shown. */
function shortenValue(value: Value, budget: { left: number }): Value {
  budget.left -= 2;
  if (typeof value === 'string') {
    budget.left -= value.length;
    return value.length > LONGEST ? value.slice(0, LONGEST + 1) : value;
  }
  if (isList(value)) {
    const some: Value[] = [];
    for (const one of value) {
      if (budget.left < 0) break;
      some.push(shortenValue(one, budget));
    }
    return some;
  }
  if (!isObject(value)) return value;
  const some: Record<string, Value> = {};
  for (const [name, one] of Object.entries(value)) {
    if (budget.left < 0) break;
    budget.left -= name.length;
    some[name] = shortenValue(one, budget);
  }
  return some;
}

export function typeName(value: Value): string {
  return typeOf(value);
}

/** How many elements or members it has; 0: it has no parts. */
export function partCount(value: Value): number {
  if (isList(value)) return value.length;
  return isObject(value) && numberOf(value) === undefined ? Object.keys(value).length : 0;
}

export function partsOf(
  value: Value,
  start: number,
  count: number,
): { readonly name: string; readonly value: Value }[] {
  if (isList(value))
    return value.slice(start, start + count).map((one, at) => ({ name: String(start + at), value: one }));
  if (!isObject(value)) return [];
  return Object.entries(value)
    .slice(start, start + count)
    .map(([name, one]) => ({ name, value: one }));
}
