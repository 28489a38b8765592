/**
 * Where runs are executed, for people: workers say it beside the record, so nothing of a run depends on it. A turn that is
 * over soon says nothing, because each message costs as much as an effect.
 */
import type { Doing, WaitingFor } from './messages.js';

/** A turn that an attempt of this process executes. */
export interface TurnPresence {
  /** Something has ended. */
  noteProgress(): void;
  /** The turn needs another worker. Returns what says that it does not any more. */
  waitsFor(worker: Omit<WaitingFor, 'since'>): () => void;
}

/** Which turn an attempt executes. */
export interface AttemptOf {
  readonly runId: string;
  readonly turn: number;
  readonly invocation: string;
  /** Aborted when the attempt is over. */
  readonly over: AbortSignal;
}

/** A turn of which nothing ends for so many milliseconds says what it does, and so does one that waits for other workers. */
const QUIET_MS = 1000;
/** A turn with short effects first says it after so many more of these times: most of them are over by then. */
const MOST_DELAYS = 4;

/** `address`: that of this worker. */
export function presenceOn(
  note: (runId: string, doing: Doing) => Promise<void>,
  address: () => string,
  quietMs = QUIET_MS,
) {
  return ({ runId, turn, invocation, over }: AttemptOf): TurnPresence => {
    const since = new Date().toISOString();
    const waits = new Set<WaitingFor>();
    let timer: ReturnType<typeof setTimeout> | null = null;
    let isBusy = false;
    let delays = 0;
    const say = (): void => {
      timer = null;
      if (isBusy && waits.size === 0 && delays < MOST_DELAYS) {
        isBusy = false;
        delays++;
        return sayLater();
      }
      // From now on readers know something, which must not become wrong.
      delays = MOST_DELAYS;
      const doing: Doing = { turn, worker: address(), invocation, since, waits: [...waits] };
      note(runId, doing).catch(() => undefined);
    };
    const sayLater = (): void => {
      if (over.aborted) return;
      timer ??= setTimeout(say, quietMs).unref();
    };
    over.addEventListener('abort', () => void (timer !== null && clearTimeout(timer)), { once: true });
    sayLater();
    return {
      noteProgress() {
        isBusy = true;
      },
      waitsFor(worker) {
        const one: WaitingFor = { ...worker, since: new Date().toISOString() };
        waits.add(one);
        sayLater();
        return () => {
          if (waits.delete(one)) sayLater();
        };
      },
    };
  };
}
