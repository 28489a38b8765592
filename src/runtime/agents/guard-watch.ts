/**
 * Limits that act while an agent works. Reported amounts are compared as they arrive, and time and files are watched.
 * The first exceeded limit stops the agent with everything it started. A limit may also be exceeded only at the end,
 * when the program reports its totals. Then there is nothing to stop, but the call fails.
 */
import type { BrokenGuard } from '../../interpreter/events/event.js';
import { startPausableTimer, startTimer } from '../timer.js';
import type { Guards } from './programs/adapter.js';
import type { AgentTally } from './tally.js';

/** The interval between checks of files, in milliseconds. */
const LOOK_MS = 500;

export interface GuardWatch {
  /** Compares the amounts so far. */
  see(tally: AgentTally): void;
  /** The exceeded guard, after a last check of the files. */
  end(tally: AgentTally): Promise<BrokenGuard | null>;
  /** Stops watching. Must be called even after an error. */
  close(): void;
}

export function watchGuards(guards: Guards, stop: () => void): GuardWatch {
  let broken: BrokenGuard | null = null;
  let closed = false;
  let cancelLook = (): void => undefined;
  const report = (guard: BrokenGuard | null): void => {
    if (guard === null || broken !== null || closed) return;
    broken = guard;
    stop();
  };
  const { maxTimeMs, changedFile } = guards;
  const time =
    maxTimeMs === null
      ? null
      : startPausableTimer(maxTimeMs, () =>
          report({ name: 'max_time', message: `it ran longer than ${seconds(maxTimeMs)}` }),
        );
  const look = async (): Promise<void> => {
    // If files cannot be examined now, the next check tries again, and the last one reports the failure.
    report(brokenByChange((await changedFile?.().catch(() => null)) ?? null));
    if (broken === null && !closed) cancelLook = startTimer(LOOK_MS, () => void look());
  };
  if (changedFile !== null) cancelLook = startTimer(LOOK_MS, () => void look());
  const close = (): void => {
    closed = true;
    time?.cancel();
    cancelLook();
  };
  return {
    see(tally) {
      // Time in which a program waits for its service does not count.
      if (tally.retrying === null) time?.resume();
      else time?.pause();
      report(brokenBy(guards, tally));
    },
    async end(tally) {
      report(ownGuard(tally) ?? brokenBy(guards, tally));
      if (broken === null && changedFile !== null) report(brokenByChange(await changedFile()));
      close();
      return broken;
    },
    close,
  };
}

function brokenBy({ maxTurns, maxCost }: Guards, { turns, cost }: AgentTally): BrokenGuard | null {
  if (maxTurns !== null && turns !== null && turns > maxTurns)
    return { name: 'max_turns', message: `it took ${turns} turns, but at most ${maxTurns} are allowed` };
  if (maxCost !== null && cost !== null && cost > maxCost)
    return { name: 'max_cost', message: `it cost ${dollars(cost)}, but at most ${dollars(maxCost)} are allowed` };
  return null;
}

/** The program knows the limit and stopped itself without exceeding it. */
function ownGuard({ ownGuard: name, error }: AgentTally): BrokenGuard | null {
  if (name === null) return null;
  const none = name === 'max_turns' ? 'its turns were used up' : 'its budget was used up';
  // An error without a message is recorded by its kind.
  return { name, message: error === null || /^\w*$/.test(error) ? none : `the program stopped: ${error}` };
}

function brokenByChange(file: string | null): BrokenGuard | null {
  return file === null ? null : { name: 'no_write', message: `it changed \`${file}\`` };
}

const seconds = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`);
const dollars = (amount: number): string => `$${amount.toFixed(amount < 0.01 ? 4 : 2)}`;
