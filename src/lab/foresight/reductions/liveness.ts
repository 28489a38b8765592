/** Which locals of a state are still read from a position on, and what the states that may follow still read. */
import { successors } from '../../../machine/control-flow.js';
import type { Instruction, Machine, State } from '../../../machine/machine.js';
import { readsIn, type Variable } from './reads.js';

export interface Liveness {
  /** The locals that are read from this position of a state on. */
  readonly localsAt: (state: number, pc: number) => ReadonlySet<number>;
  /** Whether this state or one that may follow it reads the variable. */
  readonly isReadLater: (state: number, variable: Variable) => boolean;
}

export function livenessOf(machine: Machine): Liveness {
  const locals = machine.states.map((state, at) => localsOf(machine, state, at));
  const reads = machine.states.map(({ code }, at) => {
    const found = readsIn(machine, at, code);
    for (const one of code) if (one.op === 'increment' && one.to.in === 'tracked') found.add(`tracked ${one.to.slot}`);
    return found;
  });
  const later = machine.states.map((_, at) => statesAfter(machine, at));
  const known = new Map<string, boolean>();
  return {
    localsAt: (state, pc) => locals[state]?.[pc] ?? new Set(),
    isReadLater: (state, variable) => {
      const key = `${state} ${variable}`;
      let isRead = known.get(key);
      if (isRead === undefined) {
        isRead = [...(later[state] ?? [])].some((one) => reads[one]?.has(variable));
        known.set(key, isRead);
      }
      return isRead;
    },
  };
}

function statesAfter({ states, error }: Machine, from: number): ReadonlySet<number> {
  const found = new Set([from]);
  for (const at of found) {
    if (error !== null) found.add(error);
    for (const one of states[at]?.code ?? []) {
      if (one.op === 'goto') found.add(one.state);
      if (one.op === 'goto-dynamic') for (const target of states.keys()) found.add(target);
    }
  }
  return found;
}

/** Members that hold a local slot which the instruction may read. */
const SLOTS = new Set([
  'slot',
  'items',
  'index',
  'deadline',
  'turns',
  'chance',
  'failures',
  'handling',
  'keep',
  'variable',
]);

function usesOf(machine: Machine, instruction: Instruction, state: number): Set<number> {
  const found = new Set<number>();
  for (const variable of readsIn(machine, state, instruction)) {
    const match = /^local \d+ (\d+)$/.exec(variable);
    if (match !== null) found.add(Number(match[1]));
  }
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) walk(item);
    else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) {
        if (name === 'origin' || name === 'places' || name === 'to' || name === 'bind') continue;
        if (typeof inner === 'number' && SLOTS.has(name)) found.add(inner);
        else walk(inner);
      }
  };
  if (instruction.op !== 'sample' && instruction.op !== 'track') walk(instruction);
  if (instruction.op === 'increment' && instruction.to.in === 'local') found.add(instruction.to.slot);
  return found;
}

/** The local that the instruction always replaces when it succeeds. */
function replacedBy(instruction: Instruction): number | null {
  switch (instruction.op) {
    case 'set':
      return instruction.to.in === 'local' ? instruction.to.slot : null;
    case 'shell':
    case 'argv':
    case 'function':
    case 'agent':
      return instruction.bind?.slot ?? null;
    case 'sample':
      return instruction.slot;
    case 'ask':
    case 'signal':
      return instruction.bind;
    default:
      return null;
  }
}

function localsOf(machine: Machine, state: State, at: number): readonly ReadonlySet<number>[] {
  const { code, handlers } = state;
  const uses = code.map((instruction) => usesOf(machine, instruction, at));
  const joins = code.flatMap((one) => (one.op === 'fork' || one.op === 'fork-each' ? [one.join] : []));
  const collected = code.flatMap((one) => {
    if (one.op === 'fork-each') return [...one.collect];
    return one.op === 'fork' ? one.branches.flatMap(({ collect }) => collect) : [];
  });
  code.forEach((one, pc) => {
    if (one.op === 'branch-end') for (const slot of collected) uses[pc]?.add(slot);
  });
  const next = code.map((one, pc) => {
    const found = one.op === 'branch-end' ? [...joins] : successors(code, pc);
    if (one.op === 'fork') found.push(...one.branches.map((branch) => branch.pc));
    if (one.op === 'fork-each') found.push(one.body);
    return found;
  });
  const caught = code.map((_, pc) => handlers.filter(({ from, to }) => from <= pc && pc < to).map((one) => one.pc));
  const live = uses.map((own) => new Set(own));
  const spread = (into: Set<number>, from: number, except: number | null): boolean => {
    const before = into.size;
    for (const slot of live[from] ?? []) if (slot !== except) into.add(slot);
    return into.size !== before;
  };
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    for (let pc = code.length - 1; pc >= 0; pc--) {
      const into = live[pc] as Set<number>;
      const replaced = replacedBy(code[pc] as Instruction);
      for (const to of next[pc] ?? [])
        isGrowing = spread(into, to, uses[pc]?.has(replaced ?? -1) ? null : replaced) || isGrowing;
      for (const to of caught[pc] ?? []) isGrowing = spread(into, to, null) || isGrowing;
    }
  }
  return live;
}
