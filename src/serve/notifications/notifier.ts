/**
 * Reports ends and suspensions of runs to receivers that the configuration names, each at least once. It reads them from the
 * index of the runs, so it misses none, whichever process executes the run, and no run waits for it.
 */
import type { NotifyTarget } from '../../runtime/configuration/configuration.js';
import { StoreError } from '../../runtime/store/store-error.js';
import { startTimer } from '../../runtime/timer.js';
import { type IndexPosition, KeptNotices } from './kept-notices.js';
import { noticeOf, type PendingNotice } from './notice.js';
import { readIndexAfter } from './read-index.js';
import type { SendNotice } from './send-notice.js';

/** The time for notices; tests move it. */
export interface NoticeClock {
  now(): number;
  /** Calls `action` after `ms`; returns what cancels that. */
  start(ms: number, action: () => void): () => void;
}

export interface NotifierOptions {
  /** The folder of the runs. */
  readonly directory: string;
  /** The folder of the service in it. */
  readonly folder: string;
  readonly targets: readonly NotifyTarget[];
  readonly send: SendNotice;
  /** Gets a sentence about a notice that is given up. */
  readonly warn: (message: string) => void;
  readonly clock?: NoticeClock;
}

const SYSTEM_CLOCK: NoticeClock = { now: Date.now, start: startTimer };
/** How often the index is looked at; the end of a process of the service is known at once. */
const LOOK_MS = 500;
const FIRST_PAUSE_MS = 1000;
/** A notice that no receiver took for so long is given up. */
const LONGEST_MS = 24 * 60 * 60 * 1000;
/** How many notices are sent to one receiver at the same time: one that hangs must not hold up the others. */
const AT_ONCE = 4;

export class Notifier {
  private readonly kept: KeptNotices;
  private readonly clock: NoticeClock;
  private readonly pending = new Set<PendingNotice>();
  /** The receivers of what is being sent. */
  private readonly sending = new Map<Promise<void>, number>();
  private readonly stopping = new AbortController();
  private position: IndexPosition | null;
  private cancelLook = (): void => undefined;
  private cancelNext = (): void => undefined;

  /** Throws the system's error. */
  constructor(private readonly options: NotifierOptions) {
    this.kept = new KeptNotices(options.folder);
    this.clock = options.clock ?? SYSTEM_CLOCK;
    this.position = this.kept.position;
    for (const one of this.kept.all()) {
      if (one.target < options.targets.length) this.pending.add(one);
      else this.kept.forget(one);
    }
    this.lookAgain();
    this.sendDue();
  }

  /** How many notices have no receiver yet. */
  get waiting(): number {
    return this.pending.size + this.sending.size;
  }

  /** Finds what has happened to runs since the last look. */
  look(): void {
    if (this.stopping.signal.aborted) return;
    try {
      const part = readIndexAfter(this.options.directory, this.position);
      if (part === null) return;
      for (const entry of part.entries) {
        const notice = noticeOf(entry);
        if (notice === null) continue;
        for (const target of this.options.targets.keys()) this.add({ ...this.fresh, notice, target });
      }
      this.kept.keepPosition(part.position);
      this.position = part.position;
    } catch (cause) {
      // A full disk takes it later: the position was not moved.
      if (!(cause instanceof StoreError)) throw cause;
    }
    this.sendDue();
  }

  /** Sends nothing more. What was not received stays on disk. */
  async stop(): Promise<void> {
    this.cancelLook();
    this.cancelNext();
    this.stopping.abort();
    await Promise.all(this.sending.keys());
  }

  private get fresh(): Omit<PendingNotice, 'notice' | 'target'> {
    const now = this.clock.now();
    return { tries: 0, nextAt: now, since: now };
  }

  private add(one: PendingNotice): void {
    if (this.kept.has(one)) return;
    this.kept.keep(one);
    this.pending.add(one);
  }

  private lookAgain(): void {
    this.look();
    this.cancelLook = this.clock.start(LOOK_MS, () => this.lookAgain());
  }

  /** Starts what is due, and a timer for what is not. */
  private sendDue(): void {
    this.cancelNext();
    if (this.stopping.signal.aborted) return;
    const now = this.clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const one of this.pending) {
      if (one.nextAt > now) next = Math.min(next, one.nextAt);
      // The end of one that is being sent looks again.
      else if (this.countSending(one.target) < AT_ONCE) this.start(one);
    }
    if (next < Number.POSITIVE_INFINITY) this.cancelNext = this.clock.start(next - now, () => this.sendDue());
  }

  private countSending(target: number): number {
    return [...this.sending.values()].filter((one) => one === target).length;
  }

  private start(one: PendingNotice): void {
    this.pending.delete(one);
    const sent = this.send(one).finally(() => {
      this.sending.delete(sent);
      this.sendDue();
    });
    this.sending.set(sent, one.target);
  }

  private async send(one: PendingNotice): Promise<void> {
    const { targets, send, warn } = this.options;
    const problem = await send(targets[one.target] as NotifyTarget, one.notice, this.stopping.signal);
    // The service stops: the next one tries again.
    if (problem !== null && this.stopping.signal.aborted) return;
    if (problem === null) return this.kept.forget(one);
    const later = this.afterFailure(one);
    if (later === null) {
      warn(`notice ${one.notice.id} was given up after ${one.tries + 1} tries: ${problem}`);
      return this.kept.forget(one);
    }
    this.pending.add(later);
    try {
      this.kept.keep(later);
    } catch (cause) {
      // On a full disk the earlier number of tries stays there.
      if (!(cause instanceof StoreError)) throw cause;
    }
  }

  /** The next try after 1 s, 2 s, 4 s …, the last one after a day; null: that was the last one. */
  private afterFailure(one: PendingNotice): PendingNotice | null {
    const now = this.clock.now();
    const end = one.since + LONGEST_MS;
    if (now >= end) return null;
    const pause = FIRST_PAUSE_MS * 2 ** Math.min(one.tries, 30);
    return { ...one, tries: one.tries + 1, nextAt: Math.min(now + pause, end) };
  }
}
