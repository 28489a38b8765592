/** Outcomes that an edited program has moved, with the instructions that take them over. */
import type { Outcome } from '../events/event.js';
import type { Thread } from '../run-state/thread.js';

/**
 * The outcome that the instruction of a thread takes over, which no other one gets then; null: it is executed. `args`: its
 * values, as one text.
 */
export function takeKept(thread: Thread, args: string): Outcome | null {
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
    if (taken === undefined) return null;
    const rest = outcomes.filter((one) => one !== taken);
    const { entries } = run.kept;
    run.kept.entries =
      rest.length === 0 ? entries.toSpliced(index, 1) : entries.with(index, { ...entry, outcomes: rest });
    if (own.undo) thread.unperformed = true;
    return taken.outcome;
  }
  return null;
}
