/**
 * Breakers in use: which calls of an account may begin, and who of those that wait goes next. A call that may not begin has the
 * outcome of one that reached the limit, so the same timer of the run puts it off; that timer ends when the account is free.
 */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Outcome, Unavailable } from '../../../interpreter/events/event.js';
import { isHere, type ProcessOrigin } from '../../process/process-group.js';
import type { Environment } from '../../process/shell.js';
import { isRunning, type LockOwner, thisProcess } from '../../store/run-lock.js';
import { SharedStates } from '../../store/shared-states.js';
import { reasonOf } from '../../store/store-error.js';
import { startTimer } from '../../timer.js';
import {
  type AccountCall,
  admit,
  type BreakerState,
  backOff,
  type CallNews,
  freePermits,
  hear,
  isForgotten,
  readState,
  reopen,
  waitsUntil,
} from './breaker.js';

/** How often those that wait look whether another process has changed something. */
const LOOK_MS = 1000;
/** How long a place is kept for a call that was woken. */
const GRANTED_MS = 5000;

interface BegunCall {
  readonly account: string;
  /** Names it among all calls that share the breaker. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly began: number;
  /** Whether an open breaker has let it begin. */
  readonly isProbing: boolean;
}

type Heard = BreakerState | null;

interface Queue {
  readonly waiting: Set<() => void>;
  /** When waiting calls were woken that have not asked yet. */
  granted: number[];
  cancelLook: () => void;
}

type ChangeState = (state: BreakerState | null) => BreakerState | null;

export class Breakers {
  private readonly queues = new Map<string, Queue>();
  /** Breakers that cannot be stored: they hold for this process. */
  private readonly unstored = new Map<string, BreakerState | null>();
  private readonly reported = new Set<string>();

  constructor(private readonly files: SharedStates<BreakerState>) {}

  /**
   * Asks whether a call may begin. `id` names it among all calls of the machine. The reason if it has to wait. `report` is told
   * what is wrong with the breakers.
   */
  enter(account: string, id: string, report: (problem: string) => void): AccountCall | Unavailable {
    const queue = this.queues.get(account);
    queue?.granted.shift();
    const began = Date.now();
    const { state } = this.read(account, report);
    const deliver = (news: CallNews): Heard => this.change(account, report, (now) => hear(now, news));
    if (state === null) return callOf({ account, id, began, isProbing: false }, deliver);
    let waits: Unavailable | null = null;
    this.change(account, report, (now) => {
      const admission = admit(now, { id, began_ms: began, process: thisProcess() }, isAlive);
      waits = admission.kind === 'waits' ? backOff(admission.state, admission.untilMs, began) : null;
      return admission.state;
    });
    return waits ?? callOf({ account, id, began, isProbing: true }, deliver);
  }

  /** Until when no call of the account begins; 0: one may begin. */
  until(account: string): number {
    const { state } = this.read(account, null);
    return state === null ? 0 : waitsUntil(state, Date.now());
  }

  /** Resolves when a call of the account may begin, or when stopped. */
  wait(account: string, stop: AbortSignal): Promise<void> {
    if (stop.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const queue = this.queueOf(account);
      const wake = (): void => {
        queue.waiting.delete(wake);
        stop.removeEventListener('abort', wake);
        if (queue.waiting.size === 0) queue.cancelLook();
        resolve();
      };
      queue.waiting.add(wake);
      stop.addEventListener('abort', wake, { once: true });
      // Many that wait look together.
      if (queue.waiting.size === 1) this.lookIn(account, 0);
    });
  }

  private queueOf(account: string): Queue {
    let queue = this.queues.get(account);
    if (queue === undefined) {
      queue = { waiting: new Set(), granted: [], cancelLook: () => undefined };
      this.queues.set(account, queue);
    }
    return queue;
  }

  private lookIn(account: string, ms: number): void {
    const queue = this.queueOf(account);
    queue.cancelLook();
    queue.cancelLook = startTimer(ms, () => this.look(account));
  }

  /** Wakes as many as may begin. */
  private look(account: string): void {
    const queue = this.queueOf(account);
    const now = Date.now();
    const { state } = this.read(account, null);
    queue.granted = queue.granted.filter((at) => Math.abs(now - at) < GRANTED_MS);
    let locations = freePermits(state, now, isAlive) - queue.granted.length;
    for (const wake of [...queue.waiting]) {
      if (locations-- <= 0) break;
      if (state !== null) queue.granted.push(now);
      wake();
    }
    if (queue.waiting.size === 0) return;
    const left = state === null ? 0 : waitsUntil(state, now) - now;
    this.lookIn(account, left > 0 ? Math.min(left, LOOK_MS) : LOOK_MS);
  }

  private read(account: string, report: ((problem: string) => void) | null): { readonly state: BreakerState | null } {
    const unstored = this.unstored.get(account);
    const { state, problem } = unstored === undefined ? this.files.read(account) : { state: unstored, problem: null };
    if (problem !== null && report !== null) this.say(`the breaker of \`${account}\` is ignored: ${problem}`, report);
    const now = Date.now();
    if (state === null || isForgotten(state, now)) return { state: null };
    if (reopen(state, now) === state) return { state };
    const ignore = (): void => undefined;
    return { state: this.store(account, report ?? ignore, (stored) => stored && reopen(stored, now)) };
  }

  private change(account: string, report: (problem: string) => void, change: ChangeState): BreakerState | null {
    const state = this.store(account, report, change);
    if (this.queues.get(account)?.waiting.size) this.lookIn(account, 0);
    return state;
  }

  private store(account: string, report: (problem: string) => void, change: ChangeState): BreakerState | null {
    const unstored = this.unstored.get(account);
    if (unstored === undefined) {
      try {
        return this.files.change(account, change);
      } catch (cause) {
        const reason = cause instanceof Error && !('code' in cause) ? cause.message : reasonOf(cause);
        this.say(`the breaker of \`${account}\` is not shared with other runs: ${reason}`, report);
      }
    }
    const state = change(unstored ?? null);
    this.unstored.set(account, state);
    return state;
  }

  private say(problem: string, report: (problem: string) => void): void {
    if (this.reported.has(problem)) return;
    this.reported.add(problem);
    report(`${problem}; \`statedsl limits\` shows all, and \`--clear\` removes it`);
  }
}

/** What a call tells of its account. `deliver`: where the breaker is, which then is as it returns. */
export function callOf(
  { account, id, began, isProbing }: BegunCall,
  deliver: (news: CallNews) => Heard | Promise<Heard>,
): AccountCall {
  let isOpen = isProbing;
  const settle = (kind: 'answered' | 'left'): Heard | Promise<Heard> => {
    if (!isOpen) return null;
    isOpen = false;
    return deliver({ kind, id });
  };
  const endsAfter = (heard: Heard | Promise<Heard>, end: (state: Heard) => Outcome): Outcome | Promise<Outcome> =>
    heard instanceof Promise ? heard.then(end) : end(heard);
  return {
    hears: () => void settle('answered'),
    ends: (outcome) => {
      const unavailable = unavailableOf(outcome);
      const { cause } = unavailable ?? {};
      if (unavailable === null || (cause !== 'usage' && cause !== 'overload')) {
        const isAnswer = unavailable === null && hasAnswered(outcome);
        return endsAfter(settle(isAnswer ? 'answered' : 'left'), () => outcome);
      }
      isOpen = false;
      const limit = { kind: 'limit', account, beganMs: began, id, unavailable: { ...unavailable, cause } } as const;
      return endsAfter(deliver(limit), (state) => {
        const until = state === null ? null : Math.max(waitsUntil(state, Date.now()), unavailable.at_ms + 1);
        return { ...outcome, unavailable: { ...unavailable, until_ms: until, account } } as Outcome;
      });
    },
  };
}

function unavailableOf(outcome: Outcome): Unavailable | null {
  if (outcome.kind !== 'exited' && outcome.kind !== 'timed-out') return null;
  return outcome.guard === undefined ? (outcome.unavailable ?? null) : null;
}

/** Whether the model has answered, or at least worked. */
function hasAnswered(outcome: Outcome): boolean {
  if (outcome.kind !== 'exited') return false;
  return (outcome.turns ?? 0) > 0 || (outcome.exit === 0 && outcome.is_error !== true);
}

/** A process of another machine that shares the folder counts as alive until its call has been silent for long. */
export function isAlive(process: unknown): boolean {
  if (process === null || typeof process !== 'object') return false;
  const owner = process as LockOwner & ProcessOrigin;
  if (!Number.isSafeInteger(owner.pid) || owner.pid < 1) return false;
  return isHere(owner) ? isRunning(owner) : owner.host !== thisProcess().host;
}

/** The folder of all breakers: that of the user, so that all runs of the machine share them, whichever store they have. */
export function breakersFolder(env: Readonly<Record<string, string | undefined>>): string {
  const { XDG_STATE_HOME: state = '' } = env;
  return join(isAbsolute(state) ? state : join(env.HOME ?? homedir(), '.local/state'), 'statedsl/breakers');
}

export const breakerFiles = (folder: string): SharedStates<BreakerState> =>
  new SharedStates(folder, 'breaker', readState);

const shared = new Map<string, Breakers>();

/** The breakers of the user whose environment this is. */
export function sharedBreakers(env: Environment): Breakers {
  const folder = breakersFolder(env);
  let breakers = shared.get(folder);
  if (breakers === undefined) {
    breakers = new Breakers(breakerFiles(folder));
    shared.set(folder, breakers);
  }
  return breakers;
}
