/**
 * Which variables decide anything: those that a condition, a list, a limit, a target or an expression that may fail
 * depends on. Of all others an exploration remembers only whether they have a value.
 */
import type { Instruction, Machine } from '../../machine/machine.js';
import type { Monitors } from '../monitors.js';
import { controlParts, readsIn, readsThatFail, type Variable, variableOf } from './reads.js';

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
