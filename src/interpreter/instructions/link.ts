/**
 * A machine made ready to run: one flat array of linked instructions over all states. Each does its work and returns
 * the next position, or `STOP` when its thread cannot continue now. Linking is done once; any number of runs share it.
 */
import type { Json } from '../../machine/expression.js';
import type { Instruction, Machine, Origin } from '../../machine/machine.js';
import type { KeptOutcome, KeptOutcomes } from '../events/event.js';
import { linkPlan } from '../plan/plan-instruction.js';
import { valuesOf } from '../record/instruction-key.js';
import { endOf } from '../record/structures.js';
import {
  type LinkContext,
  type Linked,
  type LinkedInstruction,
  type LinkedMachine,
  STOP,
  type TakeOver,
} from '../run-state/linked-machine.js';
import { prefixHere } from '../run-state/open-frames.js';
import type { Thread } from '../run-state/thread.js';
import { linkStepInstruction } from '../steps/link-step.js';
import { linkKeep, linkLateRollback, linkRollback, linkUndo } from '../undo/rollback.js';
import { decode } from '../values/json.js';
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
import { linkAsk, linkSample, linkSignal, linkSleep, linkWaitStart, linkWaitTurn } from './wait-instructions.js';

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
    case 'keep':
      return linkKeep(instruction, context);
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

function ownsFile({ inputs, tracked, states, error }: Machine): boolean {
  const ofStates = states.flatMap(({ locals, entry, builtin }, at) =>
    at === error || builtin === true ? [locals] : [locals, entry],
  );
  const lists = [inputs.map(({ name }) => name), tracked, ...ofStates];
  return lists.some((names) => names.includes('file'));
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
    ownsFile: ownsFile(machine),
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

/** The instruction, which takes over what is done, once for each time. */
function withTakeOver(instruction: LinkedInstruction, { args, take }: TakeOver): LinkedInstruction {
  return (t) => {
    if (t.run.kept.entries.length === 0) return instruction(t);
    const found = takeKept(t, args(t), (kept) => take(t, kept));
    if (found === null) return instruction(t);
    t.run.linked.watch?.(t, found.kept);
    return found.next;
  };
}

/** The instruction of a thread takes over an outcome, which no other one gets then; null: it is executed. */
function takeKept(
  thread: Thread,
  args: string,
  take: (kept: KeptOutcome) => number | null,
): { readonly kept: KeptOutcome; readonly next: number } | null {
  const { run, pc, member } = thread;
  const { linked } = run;
  const state = linked.machine.states[thread.state]?.name;
  const at = pc - (linked.starts[thread.state] as number);
  for (const [index, entry] of run.kept.entries.entries()) {
    const own = entry.at.find((one) => one.pc === at && one.state === state);
    if (own === undefined) continue;
    const { outcomes, any } = entry;
    const ownTurn = member === null ? outcomes : ofTurn(outcomes, thread);
    const isFitting = (one: KeptOutcome): boolean => one.args === args;
    const elsewhere = (): KeptOutcome | undefined => (readsItem(thread, args) ? outcomes.find(isFitting) : undefined);
    const taken = any ? ownTurn[0] : (ownTurn.find(isFitting) ?? elsewhere());
    if (taken === undefined) continue;
    const rest = outcomes.filter((one) => one !== taken);
    const { entries } = run.kept;
    run.kept.entries =
      rest.length === 0 ? entries.toSpliced(index, 1) : entries.with(index, { ...entry, outcomes: rest });
    const next = take(taken);
    if (next === null) return null;
    if (own.undo) thread.unperformed = true;
    return { kept: taken, next };
  }
  return null;
}

/**
 * What a turn of parallel loops did itself, first what it did in this run of the loop; all of it, if it was done in fewer or
 * more blocks. A path alternates numbers of blocks and of members, so that a turn has the same numbers of members in the
 * loops around it; those in a PARALLEL may have become others.
 */
function ofTurn(outcomes: readonly KeptOutcome[], { path, member }: Thread): readonly KeptOutcome[] {
  const isLoop: boolean[] = [];
  for (let one = member; one !== null; one = one.fork.parent.member) isLoop.unshift(one.fork.items !== null);
  if (!isLoop.includes(true)) return outcomes;
  const turn = path.split('.');
  const near = outcomes
    .map((one) => ({ one, parts: one.effect.split('.') }))
    .filter(({ parts }) => parts.length === turn.length + 1);
  if (near.length === 0) return outcomes;
  const isHere = ({ effect }: KeptOutcome): boolean => effect.startsWith(`${path}.`);
  const own = near
    .filter(({ parts }) => isLoop.every((is, depth) => !is || parts[2 * depth + 1] === turn[2 * depth + 1]))
    .map(({ one }) => one);
  // What it did before an earlier edit has another number of the block.
  return [...own.filter(isHere), ...own.filter((one) => !isHere(one))];
}

/** Whether the values of an instruction tell in which turn it is: then that turn may have another number in an edited list. */
function readsItem({ member }: Thread, args: string): boolean {
  for (let one = member; one !== null; one = one.fork.parent.member) {
    const item = one.fork.items?.[one.index];
    if ((typeof item === 'string' && item !== '') || typeof item === 'number')
      if (args.includes(JSON.stringify(item).replace(/^"|"$/g, ''))) return true;
  }
  return false;
}

/** For an instruction that is not an effect: it binds its names again, and execution continues after all that belongs to it. */
function bindingTakeOver(instruction: Instruction, { state, base, pc }: LinkContext): TakeOver {
  const end = base + endOf(state.code, pc - base);
  return {
    args: valuesOf(instruction),
    take: (t, { args, outcome }) => {
      if (instruction.op === 'unless')
        return outcome.kind === 'value' && outcome.value === true ? end : base + instruction.to;
      const left = outcome.kind === 'value' ? (outcome.value as { readonly [name: string]: Json } | null) : null;
      for (const [name, text] of Object.entries(left ?? {})) {
        const slot = state.locals.indexOf(name);
        if (slot >= 0 && typeof text === 'string') t.locals[slot] = decode(text);
      }
      if (instruction.op === 'step-begin') moveStep(t, args, prefixHere(t) + instruction.plan.name);
      return end;
    },
  };
}

/** The keys and records of a step are those of its path. */
function moveStep({ run: { steps } }: Thread, from: string, to: string): void {
  if (from === to) return;
  for (const [path, record] of [...steps.records]) {
    if (path !== from && !path.startsWith(`${from}/`)) continue;
    steps.record({ ...record, path: to + path.slice(from.length) });
  }
  for (const sign of ['.', '/']) steps.copyKeys(from + sign, to + sign);
}
