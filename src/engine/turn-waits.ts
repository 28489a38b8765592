/**
 * What a turn waits for: outcomes, the clock and mail. A turn that waits for long reports its progress and begins to hear
 * mail; one with short effects does neither, because each message costs as much as an effect.
 */
import type { TimerRequest } from '../interpreter/request.js';
import type { OpenWait, Run } from '../interpreter/run.js';
import type { RunReport } from '../runtime/run/run-report.js';
import type { EndedEffect, FoundWorker } from './effect-entries.js';
import type { Entry, TurnContext } from './engine-context.js';
import type { FreedCalls, ListeningTurn, Mail, TurnProgress, TurnStart } from './messages.js';
import type { ServiceNames } from './services.js';
import type { TurnRecord } from './turn-record.js';
import { bytesOf, MOST_IMAGE, MOST_REPORT, MOST_WAITING_REPORT, type TooLarge, tooMuch } from './turn-record.js';

export type Came =
  | EndedEffect
  | FoundWorker
  | { readonly kind: 'mail'; readonly mail: readonly Mail[] }
  /** The limit of the run's time was reached. */
  | { readonly kind: 'time-up' }
  /** Nothing for the run: a timer may be due. */
  | { readonly kind: 'nothing' };

/** A wake-up at a point in time. */
interface Alarm {
  readonly until: number;
  readonly entry: Entry<Came>;
}

/** The next time to look whether to report. */
interface Flushing {
  readonly until: number;
  /** A sleep comes to nothing. All other entries of a turn come to something. */
  readonly entry: Entry<undefined>;
  /** Whether nothing has come since it began. */
  isQuiet: boolean;
}

export interface Awaited {
  readonly effects: readonly Entry<EndedEffect | FoundWorker>[];
  /** When the next timer of the run ends; null: it has none. */
  readonly timer: number | null;
  /** When the run reaches its limit of time; null: it has none. */
  readonly timeLimit: number | null;
}

/** A turn that waits so long without anything coming reports its progress and hears mail: a wish to cancel within a second. */
const FLUSH_MS = 800;
/** A turn whose effects are never that slow does so this often. */
const FLUSH_EVERY_MS = 10_000;

const nothing = { kind: 'nothing' } as const;

export class TurnWaits {
  private timer: Alarm | null = null;
  private limit: Alarm | null = null;
  private flushing: Flushing | null = null;
  private mail: Entry<Came> | null = null;
  private flushedAt: number;
  /** Whether something has come since the turn waited last. */
  private hasCome = true;
  /** Since when nothing has come. */
  private quietSince: number;
  /** The latest time that an entry says, also one that leaves no line. */
  private passed: number;

  constructor(
    private readonly context: TurnContext,
    private readonly start: Pick<TurnStart, 'runId' | 'turn'>,
    private readonly services: ServiceNames,
    private readonly record: TurnRecord,
    /** What the run asks now. */
    private readonly questions: () => readonly OpenWait[],
  ) {
    this.flushedAt = record.now;
    this.quietSince = record.now;
    this.passed = record.now;
  }

  /** What comes first, for `receive`. One asynchronous method would make another promise for each effect. */
  next(awaited: Awaited): Promise<Came | undefined> {
    return this.context.race(this.entriesFor(awaited));
  }

  /** What came first. `seen`: the number of the last delivery that the run has received. */
  receive(came: Came | undefined, seen: number): Came {
    if (came === undefined) {
      this.look(seen);
      return nothing;
    }
    if (came.kind === 'nothing') this.record.passTime(this.timer?.until ?? 0);
    if (came.kind === 'time-up') this.record.passTime(this.limit?.until ?? 0);
    if (came.kind === 'mail') this.mail = null;
    this.hasCome = true;
    if (this.flushing !== null) this.flushing.isQuiet = false;
    return came;
  }

  /** Sends what is on record and was not sent yet. `seen`: the last mail that the run has received. */
  sendLines(seen: number): void {
    const { record, context, services, start } = this;
    const { runId, turn } = start;
    for (const artifact of record.takeArtifacts()) context.send(services.run(runId, 'store'), artifact);
    const parts = record.takeParts();
    for (const [at, part] of parts.entries()) {
      const last = at === parts.length - 1 ? { questions: this.questions(), seen } : {};
      context.send(services.run(runId, 'progress'), { turn, ...part, ...last } satisfies TurnProgress);
    }
  }

  private entriesFor({ effects, timer, timeLimit }: Awaited): readonly Entry<Came | undefined>[] {
    const { record, context } = this;
    const entries: Entry<Came | undefined>[] = [...effects];
    if (this.mail !== null) entries.push(this.mail);
    if (timer !== null) {
      if (this.timer?.until !== timer) this.timer = this.alarm(timer, 'timer', nothing);
      entries.push(this.timer.entry);
    }
    if (timeLimit !== null) {
      this.limit ??= this.alarm(timeLimit, 'limit', { kind: 'time-up' });
      entries.push(this.limit.entry);
    }
    this.passed = Math.max(this.passed, record.now);
    if (this.hasCome) this.quietSince = this.passed;
    this.hasCome = false;
    if (this.flushing === null && (record.hasLines || this.mail === null)) {
      const until = Math.min(this.quietSince + FLUSH_MS, this.flushedAt + FLUSH_EVERY_MS);
      this.flushing = { until, isQuiet: true, entry: context.sleep(Math.max(0, until - this.passed), 'flush') };
    }
    if (this.flushing !== null) entries.push(this.flushing.entry);
    return entries;
  }

  private alarm(until: number, name: string, came: Came): Alarm {
    const entry = this.context.sleep(Math.max(0, until - this.record.now), name).map(() => came);
    return { until, entry };
  }

  /** Reports and begins to hear mail, unless something came a moment ago. */
  private look(seen: number): void {
    const { until = 0, isQuiet = false } = this.flushing ?? {};
    this.flushing = null;
    this.passed = Math.max(this.passed, until);
    if (!isQuiet && this.passed - this.flushedAt < FLUSH_EVERY_MS) return;
    this.flushedAt = this.passed;
    this.sendLines(seen);
    if (this.mail !== null) return;
    const { context, services, start } = this;
    const { runId, turn } = start;
    const { id, entry } = context.awakeable((mail: readonly Mail[]): Came => ({ kind: 'mail', mail }));
    this.mail = entry;
    context.send(services.run(runId, 'listening'), { turn, awakeable: id, seen } satisfies ListeningTurn);
  }
}

interface TurnTimer {
  readonly until: number;
  /** What a call waits for that the run has put off. */
  readonly account: string | undefined;
}

/** The timers of a run. One that waits for an account may end earlier. */
export class TurnTimers {
  private readonly timers = new Map<string, TurnTimer>();
  /** How many calls of an account may begin whose timers the run has not set yet: it was told before. */
  private readonly freed = new Map<string, number>();

  /** `now`: the time on record. */
  add({ effect, until, ms, account }: TimerRequest, now: number): void {
    const left = account === undefined ? 0 : (this.freed.get(account) ?? 0);
    if (account !== undefined && left > 0) this.freed.set(account, left - 1);
    this.timers.set(effect, { until: left > 0 ? now : (until ?? now + (ms ?? 0)), account });
  }

  delete(effect: string): void {
    this.timers.delete(effect);
  }

  free({ account, count }: FreedCalls): void {
    const waiting = [...this.timers].filter(([, one]) => one.account === account).slice(0, count);
    for (const [effect] of waiting) this.timers.set(effect, { until: 0, account });
    this.freed.set(account, (this.freed.get(account) ?? 0) + count - waiting.length);
  }

  soonest(): { readonly effect: string; readonly until: number } | null {
    let first: { readonly effect: string; readonly until: number } | null = null;
    for (const [effect, { until }] of this.timers) if (first === null || until < first.until) first = { effect, until };
    return first;
  }

  /** The effect of a timer that is due, which is over then; null: there is none. */
  takeDue(now: number): string | null {
    const soonest = this.soonest();
    if (soonest === null || soonest.until > now) return null;
    this.timers.delete(soonest.effect);
    return soonest.effect;
  }
}

/** How long a refused turn waits, in milliseconds. */
const AGAIN_MS = 3000;

/** Passes a turn on that the worker cannot read, so that it can do nothing else. */
export async function passOn(
  context: TurnContext,
  start: TurnStart,
  services: ServiceNames,
  home: string | null,
): Promise<void> {
  await context.sleep(AGAIN_MS, 'refused');
  context.send(services.turn(home), start);
}

/** The turn with the wish to end its run; null: the turn was passed on. `home`: whose workers execute the run. */
export async function passOnOrEnd(
  context: TurnContext,
  start: TurnStart,
  services: ServiceNames,
  home: string | null,
): Promise<TurnStart | null> {
  let { mail } = start;
  const isCanceled = (): boolean =>
    mail.some(({ number, delivery }) => number > start.seen && delivery.kind === 'cancel');
  if (isCanceled()) return start;
  const later = context.sleep(AGAIN_MS, 'refused').map(() => null);
  for (;;) {
    const { id, entry } = context.awakeable<readonly Mail[]>();
    const seen = mail.at(-1)?.number ?? start.seen;
    context.send(services.run(start.runId, 'listening'), {
      turn: start.turn,
      awakeable: id,
      seen,
    } satisfies ListeningTurn);
    const came = await context.race<readonly Mail[] | null>([entry, later]);
    if (came === null) {
      context.send(services.turn(home), { ...start, mail });
      return null;
    }
    mail = [...mail, ...came];
    if (isCanceled()) return { ...start, mail };
  }
}

/** What the run returned, if that is too large; otherwise null. */
export function tooLargeResult({ result }: Run): TooLarge | null {
  return result === null ? null : tooMuch(bytesOf(result.value), MOST_IMAGE);
}

/** The report without its largest variables, if it has too many bytes with them. The record has them. */
export function storedReport(report: RunReport, isOver: boolean): RunReport {
  let left = bytesOf(report) - (isOver ? MOST_REPORT : MOST_WAITING_REPORT);
  if (left <= 0) return report;
  const sizes = Object.entries(report.tracked).map(([name, value]) => ({ name, bytes: bytesOf(value) }));
  const dropped = new Set<string>();
  for (const { name, bytes } of sizes.sort((a, b) => b.bytes - a.bytes)) {
    if (left <= 0) break;
    dropped.add(name);
    left -= bytes;
  }
  const tracked = Object.fromEntries(Object.entries(report.tracked).filter(([name]) => !dropped.has(name)));
  return { ...report, tracked };
}
