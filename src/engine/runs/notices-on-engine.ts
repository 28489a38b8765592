/** Sends notices of runs on an engine, which keeps them: each to every receiver, whichever service or command sends it. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Result, refuse, resultWith } from '../../app/result.js';
import { clockMs } from '../../runtime/clock.js';
import type { NotifyTarget } from '../../runtime/configuration/load-configuration.js';
import { keyOfTarget, nameOfTarget } from '../../runtime/notifications/notices.js';
import type { noticeSender } from '../../runtime/notifications/notifier.js';
import type { SentNotices } from '../../runtime/notifications/send-notices.js';
import { EngineFailure, helpAfter } from '../ask-engine.js';
import { type EngineClient, engineClient } from '../client.js';
import type { TakenNotice } from '../notice-object.js';
import type { ReachedEngine } from './schedules-on-engine.js';

interface EngineNotices {
  readonly client: Pick<EngineClient, 'expectNotices' | 'countNotices' | 'takeNotices' | 'settleNotices'>;
  readonly targets: readonly NotifyTarget[];
  readonly send: ReturnType<typeof noticeSender>;
  /** Gets a sentence about what is given up or was dropped. */
  readonly warn: (message: string) => void;
  /** A receiver has not taken a notice, for the first time since it took one. */
  readonly onRefused?: (name: string, problem: string) => void;
}

/** How many notices are sent to one receiver at the same time. */
const AT_ONCE = 4;
/** Between two looks of a service. Milliseconds. */
const LOOK_MS = 1000;

class NoticeSending {
  private readonly byKey: ReadonlyMap<string, NotifyTarget>;
  /** The receivers of what is being sent. */
  private readonly sending = new Map<Promise<void>, string>();
  private readonly refusing = new Set<string>();
  private readonly stopping = new AbortController();
  /** How many notices have no receiver yet, at the last look. */
  waiting = 0;

  constructor(private readonly options: EngineNotices) {
    this.byKey = new Map(options.targets.map((one) => [keyOfTarget(one), one]));
  }

  get keys(): readonly string[] {
    return [...this.byKey.keys()];
  }

  get isSending(): boolean {
    return this.sending.size > 0;
  }

  /** Begins to send what can be sent. False: there was nothing. Rejects with an `EngineFailure`. */
  async look(isAll = false): Promise<boolean> {
    const { client, warn } = this.options;
    const { waiting, due } = await client.countNotices({ targets: this.keys, now: Date.now() });
    this.waiting = waiting;
    if (due === 0 && !(isAll && waiting > 0)) return false;
    const underWay = [...this.sending.values()];
    const wants = Object.fromEntries(
      this.keys.map((key) => [key, AT_ONCE - underWay.filter((one) => one === key).length]),
    );
    const { notices, lost } = await client.takeNotices({ wants, isAll });
    if (lost > 0) warn(`${lost} notices were dropped, because too many waited for receivers`);
    for (const one of notices) {
      const sent = this.sendOne(one).finally(() => this.sending.delete(sent));
      this.sending.set(sent, one.target);
    }
    return notices.length > 0;
  }

  untilSent(): Promise<unknown> {
    return Promise.all(this.sending.keys());
  }

  /** What is being sent breaks off. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.untilSent();
  }

  private async sendOne({ number, target, notice, tries }: TakenNotice): Promise<void> {
    const { client, send, warn, onRefused } = this.options;
    const receiver = this.byKey.get(target) as NotifyTarget;
    const problem = await send(receiver, notice, this.stopping.signal);
    if (problem === null) this.refusing.delete(target);
    else if (!this.stopping.signal.aborted) {
      if (!this.refusing.has(target)) onRefused?.(nameOfTarget(receiver), problem);
      this.refusing.add(target);
    }
    try {
      const givenUp = await client.settleNotices([{ number, isReceived: problem === null }]);
      if (givenUp.length > 0) warn(`notice ${notice.id} was given up after ${tries + 1} tries: ${problem}`);
    } catch (cause) {
      // The engine gives it to the next one who asks, in a minute.
      if (!(cause instanceof EngineFailure)) throw cause;
    }
  }
}

/** A service sends notices as long as it runs. */
function sendContinually(options: EngineNotices): { readonly waiting: () => number; stop(): Promise<void> } {
  const sending = new NoticeSending(options);
  const stopping = new AbortController();
  const looking = (async () => {
    for (let isExpected = false; !stopping.signal.aborted; ) {
      try {
        if (!isExpected) await options.client.expectNotices(sending.keys);
        isExpected = true;
        await sending.look();
      } catch (cause) {
        // It answers later, and has the notices.
        if (!(cause instanceof EngineFailure)) throw cause;
      }
      await pause(LOOK_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    waiting: () => sending.waiting,
    async stop() {
      stopping.abort();
      await sending.stop();
      await looking;
    },
  };
}

/** How long the engine may not answer: who sends looks again soon. Milliseconds. */
const PATIENCE_MS = 2000;

/** The notices of an engine, for a service. */
export function openEngineNotices(engine: ReachedEngine, options: Omit<EngineNotices, 'client'>) {
  return sendContinually({ ...options, client: clientFor(engine) });
}

/** The same for a command that sends what waits. */
export async function flushEngineNotices(
  engine: ReachedEngine,
  options: Pick<EngineNotices, 'targets' | 'send'>,
  mostMs: number,
): Promise<Result<SentNotices>> {
  try {
    return resultWith(await sendOnce({ ...options, client: clientFor(engine) }, { mostMs, isAll: true }));
  } catch (cause) {
    if (!(cause instanceof EngineFailure)) throw cause;
    return refuse('unreachable', cause.message, helpAfter(cause));
  }
}

function clientFor({ on: url, namespace = 'statedsl', token = null, key = null }: ReachedEngine): EngineClient {
  return engineClient({ url, namespace, token, key, patienceMs: PATIENCE_MS });
}

/** How often somebody looks who waits for the notice of a run. Milliseconds. */
const SOON_MS = 50;

/**
 * Sends what can be sent, for so long at most. `awaitedMs`: how long the first notice may take to come. Rejects with an
 * `EngineFailure`.
 */
export async function sendOnce(
  options: Omit<EngineNotices, 'warn' | 'onRefused'>,
  { mostMs, awaitedMs = 0, isAll = false }: SendingOnce,
): Promise<SentNotices> {
  const problems: string[] = [];
  const warn = (message: string): void => void problems.push(message);
  const send: EngineNotices['send'] = async (target, notice, signal) => {
    const problem = await options.send(target, notice, signal);
    if (problem !== null && !signal.aborted) warn(`notice ${notice.id} was not received: ${problem}`);
    return problem;
  };
  const sending = new NoticeSending({ ...options, send, warn });
  const begun = clockMs();
  let hasCome = false;
  while (clockMs() < begun + mostMs) {
    const isMore = await sending.look(isAll);
    hasCome ||= isMore;
    if (isAll && problems.length > 0) break;
    if (!isMore && !sending.isSending && (hasCome || clockMs() > begun + awaitedMs)) break;
    await pause(SOON_MS);
  }
  await sending.stop();
  const { waiting } = await options.client.countNotices({ targets: sending.keys, now: Date.now() });
  return { left: waiting, problems };
}

interface SendingOnce {
  readonly mostMs: number;
  readonly awaitedMs?: number;
  /** Tries also what has to wait for its next try. */
  readonly isAll?: boolean;
}
