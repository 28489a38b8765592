/**
 * What a turn waits for: outcomes, the clock and mail. A turn that waits for long reports its progress and begins to hear
 * mail; one with short effects does neither, because each message costs as much as an effect.
 */
import type { EndedEffect, FoundWorker } from './effect-entries.js';
import type { Entry, TurnContext } from './engine-context.js';
import type { Listening, Mail, Progress, TurnStart } from './messages.js';
import type { ServiceNames } from './services.js';
import type { TurnRecord } from './turn-record.js';

type Came =
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
  readonly entry: Entry<Came | { readonly kind: 'flush' }>;
}

interface Awaited {
  readonly effects: readonly Entry<EndedEffect | FoundWorker>[];
  /** How many effects the turn has settled. */
  readonly settled: number;
  /** The number of the last delivery that the run has received. */
  readonly seen: number;
  /** When the next timer of the run ends; null: it has none. */
  readonly timer: number | null;
  /** When the run reaches its limit of time; null: it has none. */
  readonly timeLimit: number | null;
}

/** A turn that waits so long without an outcome reports its progress and hears mail: a wish to cancel within a second. */
const FLUSH_MS = 800;
/** A turn whose effects are never that slow reports its progress this often. */
const FLUSH_EVERY_MS = 10_000;

const nothing = { kind: 'nothing' } as const;

export class TurnWaits {
  private timer: Alarm | null = null;
  private limit: Alarm | null = null;
  private flushing: { readonly entry: Alarm['entry']; readonly settled: number } | null = null;
  private mail: Entry<Came> | null = null;
  private flushedAt: number;

  constructor(
    private readonly context: TurnContext,
    private readonly start: Pick<TurnStart, 'runId' | 'turn'>,
    private readonly services: ServiceNames,
    private readonly record: TurnRecord,
  ) {
    this.flushedAt = record.now;
  }

  /** What comes first. */
  async first(awaited: Awaited): Promise<Came> {
    const came = await this.context.race(this.entriesFor(awaited));
    switch (came.kind) {
      case 'flush':
        this.flush(awaited);
        return nothing;
      case 'nothing':
        this.record.passTime(this.timer?.until ?? 0);
        return nothing;
      case 'time-up':
        this.record.passTime(this.limit?.until ?? 0);
        return came;
      case 'mail':
        this.mail = null;
        return came;
      case 'performed':
      case 'found':
        return came;
    }
  }

  /** Sends what is on record and was not sent yet. */
  sendLines(): void {
    const { record, context, services, start } = this;
    const { runId, turn } = start;
    for (const artifact of record.takeArtifacts()) context.send(services.run(runId, 'store'), artifact);
    for (const part of record.takeParts())
      context.send(services.run(runId, 'progress'), { turn, ...part } satisfies Progress);
  }

  private entriesFor({ effects, settled, timer, timeLimit }: Awaited): readonly Alarm['entry'][] {
    const { record, context } = this;
    const entries: Alarm['entry'][] = [...effects];
    if (this.mail !== null) entries.push(this.mail);
    if (timer !== null) {
      if (this.timer?.until !== timer) this.timer = this.alarm(timer, 'timer', nothing);
      entries.push(this.timer.entry);
    }
    if (timeLimit !== null) {
      this.limit ??= this.alarm(timeLimit, 'limit', { kind: 'time-up' });
      entries.push(this.limit.entry);
    }
    if (this.flushing === null && (record.hasLines || this.mail === null)) {
      const entry = context.sleep(FLUSH_MS, 'flush').map(() => ({ kind: 'flush' }) as const);
      this.flushing = { entry, settled };
    }
    if (this.flushing !== null) entries.push(this.flushing.entry);
    return entries;
  }

  private alarm(until: number, name: string, came: Came): Alarm {
    const entry = this.context.sleep(Math.max(0, until - this.record.now), name).map(() => came);
    return { until, entry };
  }

  private flush({ settled, seen }: Awaited): void {
    const { record, context, services, start } = this;
    const { runId, turn } = start;
    const isQuiet = this.flushing?.settled === settled;
    this.flushing = null;
    if (isQuiet || record.now - this.flushedAt > FLUSH_EVERY_MS) {
      this.flushedAt = record.now;
      this.sendLines();
    }
    if (this.mail !== null) return;
    const { id, entry } = context.awakeable<readonly Mail[]>();
    this.mail = entry.map((mail): Came => ({ kind: 'mail', mail: mail ?? [] }));
    const listening: Listening = { turn, awakeable: id, seen };
    context.send(services.run(runId, 'listening'), listening);
  }
}
