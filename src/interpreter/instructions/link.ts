/**
 * A machine made ready to run: one flat array of linked instructions over all states. Each does its work and returns
 * the next position, or `STOP` when its thread cannot continue now. Linking is done once; any number of runs share it.
 */
import type { Instruction, Machine, Origin } from '../../machine/machine.js';
import { bindingTakeOver, withTakeOver } from '../control/take-kept.js';
import type { KeptOutcomes } from '../events/event.js';
import { linkPlan } from '../plan/plan-instruction.js';
import {
  type LinkContext,
  type Linked,
  type LinkedInstruction,
  type LinkedMachine,
  STOP,
} from '../run-state/linked-machine.js';
import { linkStepInstruction } from '../steps/link-step.js';
import { linkLateRollback, linkRollback, linkUndo } from '../undo/rollback.js';
import { operations, type ValueOperations, withOperations } from '../values/operations.js';
import { type EffectInstruction, linkEffect } from './effect-instructions.js';
import { linkBranchEnd, linkFork, linkJoinDetached } from './fork.js';
import {
  linkEach,
  linkEmit,
  linkFail,
  linkFellOff,
  linkGoto,
  linkGotoDynamic,
  linkIncrement,
  linkNext,
  linkReturn,
  linkSet,
  linkTrack,
  linkUnless,
} from './pure-instructions.js';
import { linkAsk, linkSample, linkSignal, linkSleep, linkWaitStart, linkWaitTurn } from './wait.js';

function linkInstruction(instruction: Instruction, context: LinkContext): Linked {
  switch (instruction.op) {
    case 'set':
      return linkSet(instruction, context);
    case 'track':
      return linkTrack(instruction, context);
    case 'increment':
      return linkIncrement(instruction, context);
    case 'emit':
      return linkEmit(instruction, context);
    case 'jump': {
      const to = context.base + instruction.to;
      return { instruction: () => to };
    }
    case 'unless':
      return linkUnless(instruction, context);
    case 'goto':
      return linkGoto(instruction, context);
    case 'goto-dynamic':
      return linkGotoDynamic(instruction, context);
    case 'return':
      return linkReturn(instruction);
    case 'undo':
      return linkUndo(instruction, context);
    case 'rollback':
      return linkRollback(instruction, context);
    case 'fail':
      return linkFail(instruction, context);
    case 'fell-off':
      return linkFellOff(context);
    case 'shell':
    case 'argv':
    case 'function':
    case 'agent':
      return linkEffect(instruction satisfies EffectInstruction, context);
    case 'plan':
      return linkPlan(instruction, context);
    case 'sample':
      return linkSample(instruction, context);
    case 'sleep':
      return linkSleep(instruction, context);
    case 'wait-start':
      return linkWaitStart(instruction, context);
    case 'wait-turn':
      return linkWaitTurn(instruction, context);
    case 'signal':
      return linkSignal(instruction, context);
    case 'ask':
      return linkAsk(instruction, context);
    case 'each':
      return linkEach(instruction, context);
    case 'next':
      return linkNext(instruction, context);
    case 'fork':
    case 'fork-each':
      return linkFork(instruction, context);
    case 'branch-end':
      return linkBranchEnd();
    case 'join-detached':
      return linkJoinDetached();
    default:
      return linkStepInstruction(instruction, context);
  }
}

const known = new WeakMap<Machine, LinkedMachine>();

/** Makes a machine ready to run. Linking the same machine again gives the same result. */
export function link(machine: Machine): LinkedMachine {
  const before = known.get(machine);
  if (before !== undefined) return before;
  const linked = linkAll(machine);
  known.set(machine, linked);
  return linked;
}

/** Links a machine with other operations on values. Only runs of the result use them. */
export function linkWith(machine: Machine, operations: ValueOperations): LinkedMachine {
  return withOperations(operations, () => linkAll(machine));
}

function linkAll(machine: Machine): LinkedMachine {
  const starts: number[] = [];
  let length = 0;
  for (const state of machine.states) {
    starts.push(length);
    length += state.code.length;
  }
  const all: Linked[] = [];
  const origins: Origin[] = [];
  machine.states.forEach((state, index) => {
    const base = starts[index] as number;
    state.code.forEach((instruction, at) => {
      all.push(linkInstruction(instruction, { machine, state, base, pc: base + at, starts }));
      origins.push(instruction.origin);
    });
  });
  const [first] = machine.states;
  if (first !== undefined) all.push(linkLateRollback({ machine, state: first, base: length, pc: length, starts }));
  return {
    machine,
    instructions: all.map(({ instruction }) => instruction),
    suspenders: all.map(({ suspender }) => suspender ?? null),
    layouts: new Map(all.flatMap(({ layout }, pc) => (layout === undefined ? [] : [[pc, layout] as const]))),
    origins,
    starts,
    rollback: length,
    unknownData: operations().unknownData,
  };
}

/** Makes the instructions that take over something do so. */
export function linkKeeping(linked: LinkedMachine, kept: readonly KeptOutcomes[]): LinkedMachine {
  const { machine, starts } = linked;
  const instructions = [...linked.instructions];
  const locations = new Set(kept.flatMap(({ at }) => at.map(({ state, pc }) => `${pc} ${state}`)));
  for (const location of locations) {
    const pc = Number.parseInt(location, 10);
    const index = machine.states.findIndex(({ name }) => location === `${pc} ${name}`);
    const state = machine.states[index];
    const [one, base] = [state?.code[pc], starts[index]];
    if (state === undefined || one === undefined || base === undefined) continue;
    const context = { machine, state, base, pc: base + pc, starts };
    const how = linkInstruction(one, context).takeOver ?? bindingTakeOver(one, context);
    instructions[base + pc] = withTakeOver(instructions[base + pc] as LinkedInstruction, how);
  }
  return { ...linked, instructions };
}

/**
 * Links a machine so that `observe` sees each executed instruction, with the position that it leads to; null where it waits
 * or fails. Runs of this machine are observed from then on, so pass a copy.
 */
export function linkObserved(machine: Machine, observe: (pc: number, next: number | null) => void): LinkedMachine {
  const linked = link(machine);
  const instructions = linked.instructions.map(
    (instruction, pc): LinkedInstruction =>
      (thread) => {
        let next: number | null = null;
        try {
          const followed = instruction(thread);
          next = followed === STOP ? null : followed;
          return followed;
        } finally {
          observe(pc, next);
        }
      },
  );
  const observed = { ...linked, instructions };
  known.set(machine, observed);
  return observed;
}
