/**
 * Runs JavaScript functions in this process. A function cannot be stopped from outside: its signal is aborted, and nothing
 * waits for it. The first of its end, a time limit and a stop decides; a later result is ignored.
 */
import type { Outcome } from '../interpreter/events/event.js';
import { clockMs } from './clock.js';
import { startTimer } from './timer.js';

interface InProcessLimits {
  /** Aborted when the run stops the effect. */
  readonly stop: AbortSignal;
  readonly timeoutMs: number | null;
  /** The outcome of an effect that was stopped. */
  readonly stopped: Outcome;
}

/** `work` settles with its outcome; `thrown` makes an outcome of what it rejects with. Times are in milliseconds. */
export function inProcess(
  { stop, timeoutMs, stopped }: InProcessLimits,
  work: (signal: AbortSignal, spentMs: () => number) => Promise<Outcome>,
  thrown: (cause: unknown) => Outcome,
): Promise<Outcome> {
  const controller = new AbortController();
  const begun = clockMs();
  const spentMs = (): number => Math.round(clockMs() - begun);
  return new Promise((resolve) => {
    const finish = (outcome: Outcome): void => {
      cancelTimer();
      stop.removeEventListener('abort', onStop);
      resolve(outcome);
    };
    const end = (outcome: Outcome): void => {
      controller.abort();
      finish(outcome);
    };
    const onStop = (): void => end(stopped);
    const cancelTimer =
      timeoutMs === null
        ? () => undefined
        : startTimer(timeoutMs, () =>
            end({ kind: 'timed-out', timeout_ms: timeoutMs, ...nothing, duration_ms: spentMs() }),
          );
    stop.addEventListener('abort', onStop, { once: true });
    work(controller.signal, spentMs).then(finish, (cause: unknown) => finish(thrown(cause)));
  });
}

const nothing = { stdout: { text: '', bytes: 0 }, stderr: '' } as const;
