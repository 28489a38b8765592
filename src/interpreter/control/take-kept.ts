/** What an edited program has moved: the instructions that take it over instead of doing it again. */
import type { Json } from '../../machine/expression.js';
import type { Instruction } from '../../machine/machine.js';
import type { KeptOutcome } from '../events/event.js';
import { endOf } from '../record/alignment.js';
import { valuesOf } from '../record/instruction-key.js';
import type { LinkContext, LinkedInstruction, TakeOver } from '../run-state/linked-machine.js';
import { prefixHere } from '../run-state/open-frames.js';
import type { Thread } from '../run-state/thread.js';
import { decode } from '../values/json.js';

/** The instruction, which takes over what is done, once for each time. */
export function withTakeOver(instruction: LinkedInstruction, { args, take }: TakeOver): LinkedInstruction {
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
  const { run, pc, path, member } = thread;
  const { linked } = run;
  const state = linked.machine.states[thread.state]?.name;
  const at = pc - (linked.starts[thread.state] as number);
  for (const [index, entry] of run.kept.entries.entries()) {
    const own = entry.at.find((one) => one.pc === at && one.state === state);
    if (own === undefined) continue;
    const { outcomes, any } = entry;
    // Turns of the same loop take over only what they did themselves.
    const fork = member === null ? null : `${member.fork.id}.`;
    const isTurn = fork !== null && member?.fork.items !== null && outcomes.some((one) => one.effect.startsWith(fork));
    const fitting = outcomes.filter((one) => !isTurn || one.effect.startsWith(`${path}.`));
    const taken = any ? fitting[0] : fitting.find((one) => one.args === args);
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

/** For an instruction that is not an effect: it binds its names again, and execution continues after all that belongs to it. */
export function bindingTakeOver(instruction: Instruction, { state, base, pc }: LinkContext): TakeOver {
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
