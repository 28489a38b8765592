/**
 * Which variables decide anything: those that a condition, a list, a limit, a target or an expression that may fail
 * depends on. Of all others an exploration remembers only whether they have a value.
 */
import type { SlotRef } from '../../../machine/expression.js';
import type { Instruction, Machine } from '../../../machine/machine.js';
import type { Monitors } from '../monitors.js';
import { controlParts, LOOKING, readsIn, readsThatFail, type Variable, variableOf } from './reads.js';

interface Flow {
  readonly to: Variable;
  readonly from: ReadonlySet<Variable>;
}

export function relevantVariables(
  machine: Machine,
  { conditions, partsOf }: Pick<Monitors, 'conditions' | 'partsOf'>,
): ReadonlySet<Variable> {
  const relevant = readsIn(machine, 0, conditions);
  const flows: Flow[] = [];
  machine.states.forEach(({ code }, state) => {
    for (const instruction of code) {
      for (const part of [...controlParts(instruction), ...partsOf(instruction)])
        readsIn(machine, state, part, relevant);
      if (instruction.op !== 'unless') readsThatFail(machine, state, instruction, relevant);
      addFlows(machine, state, instruction, flows);
      addOwnSlots(machine, state, instruction, relevant);
    }
  });
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    for (const { to, from } of flows)
      if (relevant.has(to))
        for (const one of from) {
          if (relevant.has(one)) continue;
          relevant.add(one);
          isGrowing = true;
        }
  }
  return relevant;
}

function addFlows(machine: Machine, state: number, instruction: Instruction, flows: Flow[]): void {
  const reads = (part: unknown) => readsIn(machine, state, part);
  const local = (slot: number): Variable => `local ${state} ${slot}`;
  switch (instruction.op) {
    case 'set':
      flows.push({ to: variableOf(state, instruction.to), from: reads(instruction.value) });
      return;
    case 'increment':
      flows.push({ to: variableOf(state, instruction.to), from: reads(instruction.by) });
      return;
    case 'track':
      flows.push({ to: `tracked ${instruction.slot}`, from: reads(instruction.value) });
      return;
    case 'next':
      flows.push({ to: local(instruction.variable), from: new Set([local(instruction.items)]) });
      return;
    case 'each':
      flows.push({ to: local(instruction.items), from: reads(instruction.list) });
      return;
    case 'fork-each':
      flows.push({ to: local(instruction.variable), from: reads(instruction.list) });
      return;
    case 'goto':
    case 'goto-dynamic': {
      const targets = instruction.op === 'goto' ? [instruction.state] : machine.states.map((_, at) => at);
      for (const target of targets)
        for (const { name, value } of instruction.args) {
          const slot = machine.states[target]?.entry.indexOf(name) ?? -1;
          if (slot >= 0) flows.push({ to: `entry ${target} ${slot}`, from: reads(value) });
        }
      return;
    }
    default:
  }
}

/** Slots that instructions use without an expression. */
function addOwnSlots(machine: Machine, state: number, instruction: Instruction, relevant: Set<Variable>): void {
  const add = (slot: number): void => {
    relevant.add(`local ${state} ${slot}`);
  };
  switch (instruction.op) {
    case 'each':
      add(instruction.items);
      add(instruction.index);
      return;
    case 'rollback':
    case 'keep':
      if (instruction.mark !== undefined) add(instruction.mark);
      return;
    case 'wait-turn':
      add(instruction.deadline);
      return;
    case 'increment':
      if (!isAlwaysNumber(machine, state, instruction)) relevant.add(variableOf(state, instruction.to));
      return;
    case 'task-enter':
      if (instruction.slot !== null) add(instruction.slot);
      return;
    case 'tasks':
    case 'tasks-merge':
      add(instruction.slot);
      return;
    case 'workflow-leave':
      if (instruction.slot !== null) add(instruction.slot);
      return;
    default:
  }
}

/** Whether everything that writes the variable writes numbers, so that INCREMENT cannot fail. */
function isAlwaysNumber(machine: Machine, state: number, { to }: Extract<Instruction, { op: 'increment' }>): boolean {
  const variable = variableOf(state, to);
  return machine.states.every(({ code }, at) =>
    code.every((one) => {
      if (one.op === 'set' && variableOf(at, one.to) === variable)
        return one.value.op === 'const' && typeof one.value.value === 'number';
      if (one.op === 'track' && `tracked ${one.slot}` === variable)
        return one.value.op === 'const' && typeof one.value.value === 'number';
      if (one.op === 'increment' && variableOf(at, one.to) === variable)
        return one.by.op === 'const' && typeof one.by.value === 'number';
      return !('bind' in one && to.in === 'local' && at === state && bindsSlot(one.bind, to.slot));
    }),
  );
}

function bindsSlot(bind: unknown, slot: number): boolean {
  if (typeof bind === 'number') return bind === slot;
  return typeof bind === 'object' && bind !== null && 'slot' in bind && bind.slot === slot;
}

/** Instructions that show values: only what they compute with decides something. */
const SHOWING: ReadonlySet<Instruction['op']> = new Set<Instruction['op']>([
  'emit',
  'shell',
  'argv',
  'function',
  'agent',
  'step-begin',
  'step-attempt',
  'step-collect',
  'step-verdict',
  'step-retry',
  'return',
]);

/**
 * Which results of steps decide anything. Of all others, which only appear in prompts and other texts, an exploration
 * remembers only that they are there.
 */
export interface StepFields {
  /** What conditions and the like read. */
  readonly deciding: ReadonlySet<string>;
  /** What is read at all: reading a result that is not there fails. */
  readonly mentioned: ReadonlySet<string>;
}

/** Keys such as `make.output`, and values of the attempt before such as `error`, `gate.test` and `prev.output`. */
export function stepFieldsOf(
  { states }: Machine,
  relevant: ReadonlySet<Variable>,
  { partsOf }: Pick<Monitors, 'partsOf'>,
): StepFields {
  const deciding = new Set<string>();
  const mentioned = new Set<string>();
  const collect = (value: unknown, isShown: boolean): void => {
    if (Array.isArray(value)) for (const item of value) collect(item, isShown);
    else if (typeof value === 'object' && value !== null) {
      const { op, field, path } = value as { readonly op?: unknown; readonly field?: unknown; readonly path?: unknown };
      if (typeof field === 'string') {
        const key = typeof path === 'string' ? `${path}.${field}` : field;
        mentioned.add(key);
        if (!isShown) deciding.add(key);
      }
      const looks = typeof op === 'string' && LOOKING.has(op);
      for (const [name, inner] of Object.entries(value)) if (name !== 'origin') collect(inner, isShown && !looks);
    }
  };
  states.forEach(({ code }, state) => {
    const isWanted = (to: SlotRef): boolean => relevant.has(variableOf(state, to));
    for (const one of code) {
      if (one.op === 'set') collect(one.value, !isWanted(one.to));
      else if (one.op === 'track') collect(one.value, !isWanted({ in: 'tracked', slot: one.slot }));
      else if (one.op === 'step-agent') {
        const { guards, ...shown } = one;
        collect(guards, false);
        collect(shown, partsOf(one).length === 0);
      } else collect(one, SHOWING.has(one.op) && partsOf(one).length === 0);
    }
  });
  return { deciding, mentioned };
}

/** Whether a key of a run is one of these. The path of a step begins with those of the scopes around it. */
export function isField(fields: ReadonlySet<string>, key: string): boolean {
  if (key.startsWith('prev.')) return hasEnding(fields, key.slice(5), '.', 'prev.');
  return fields.has(key) || hasEnding(fields, key, '/', '');
}

function hasEnding(fields: ReadonlySet<string>, key: string, separator: string, before: string): boolean {
  for (let at = key.indexOf(separator); at >= 0; at = key.indexOf(separator, at + 1))
    if (fields.has(before + key.slice(at + 1))) return true;
  return false;
}
