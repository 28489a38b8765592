/**
 * Runs JavaScript functions in this process. A function cannot be stopped from outside: its signal is aborted, and nothing
 * waits for it. The first of its end, a time limit and a stop decides.
 */
import type { Outcome } from '../interpreter/events/event.js';
import { clockMs } from './clock.js';
import type { EffectContext } from './effect-context.js';
import { LazySignal } from './stop-signal.js';
import { startTimer } from './timer.js';

interface InProcessLimits {
  /** Its `stop` is aborted when the run stops the effect. */
  readonly context: Pick<EffectContext, 'stop'>;
  readonly timeoutMs: number | null;
  /** The outcome of an effect that was stopped. */
  readonly stopped: Outcome;
}

/** `work` settles with its outcome; `thrown` makes an outcome of what it rejects with. Times are in milliseconds. */
export function inProcess(
  { context, timeoutMs, stopped }: InProcessLimits,
  work: (aborting: LazySignal, spentMs: () => number) => Promise<Outcome>,
  thrown: (cause: unknown) => Outcome,
): Promise<Outcome> {
  const aborting = new LazySignal();
  const begun = clockMs();
  const spentMs = (): number => Math.round(clockMs() - begun);
  return new Promise((resolve) => {
    let isSettled = false;
    let stop: AbortSignal | null = null;
    const finish = (outcome: Outcome): void => {
      isSettled = true;
      cancelTimer();
      stop?.removeEventListener('abort', onStop);
      resolve(outcome);
    };
    const end = (outcome: Outcome): void => {
      aborting.abort();
      finish(outcome);
    };
    const onStop = (): void => end(stopped);
    const cancelTimer =
      timeoutMs === null
        ? () => undefined
        : startTimer(timeoutMs, () =>
            end({ kind: 'timed-out', timeout_ms: timeoutMs, ...nothing, duration_ms: spentMs() }),
          );
    work(aborting, spentMs).then(finish, (cause: unknown) => finish(thrown(cause)));
    // A function that ends without waiting for anything has ended by then, and nothing can have stopped it.
    process.nextTick(() => {
      if (isSettled) return;
      stop = context.stop;
      if (stop.aborted) onStop();
      else stop.addEventListener('abort', onStop, { once: true });
    });
  });
}

const nothing = { stdout: { text: '', bytes: 0 }, stderr: '' } as const;
