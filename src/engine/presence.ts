/**
 * Where runs are executed, for people: workers say it beside the record, so nothing of a run depends on it. A turn that is
 * over soon says nothing, because each message costs as much as an effect.
 */
import type { Doing, WaitingFor } from './messages.js';

/** A turn that an attempt of this process executes. */
export interface TurnPresence {
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

/** A turn that is not over after so many milliseconds, or does not change for so long, says what it does. */
const QUIET_MS = 1000;

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
    const say = (): void => {
      timer = null;
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
