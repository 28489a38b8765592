/** A run of a test as it goes without a fault: its events, and what the world gave to each request and when. */
import type { Outcome, RunEvent } from '../../../interpreter/events/event.js';
import { WORK_EFFECTS } from '../../../interpreter/events/status-after.js';
import type { Effects, PerformedRequest } from '../../../runtime/effect-context.js';
import type { RunReport } from '../../../runtime/run/run-report.js';
import type { VirtualTime } from '../../../runtime/virtual-time.js';

/** One request and its end. */
export interface PerformedEntry {
  readonly request: PerformedRequest;
  /** The number of events on record when it was made. */
  readonly requestedAfter: number;
  /** Milliseconds since the epoch. */
  readonly requestedAt: number;
  /** Null: it never ended. */
  outcome: Outcome | null;
  endedAt: number;
  /** Its place among all ends; the first is 1. */
  rank: number;
}

/** Requests and the numbers of the events that record their ends. */
export function endsOnRecord(
  events: readonly RunEvent[],
  performed: readonly PerformedEntry[],
): Map<PerformedEntry, number> {
  const open = new Map<string, PerformedEntry[]>();
  for (const entry of performed) {
    const key = `${entry.request.effect} ${entry.request.attempt}`;
    const list = open.get(key);
    if (list === undefined) open.set(key, [entry]);
    else list.push(entry);
  }
  const ends = new Map<PerformedEntry, number>();
  for (const [at, event] of events.entries()) {
    const entry = event.type === 'effect_settled' ? open.get(`${event.effect} ${event.attempt}`)?.shift() : undefined;
    if (entry !== undefined) ends.set(entry, at + 1);
  }
  return ends;
}

export interface ReferenceRun {
  readonly events: readonly RunEvent[];
  /** The virtual time of each event. */
  readonly times: readonly number[];
  readonly performed: readonly PerformedEntry[];
  /** The numbers of the events that record the ends of requests. */
  readonly ends: ReadonlyMap<PerformedEntry, number>;
  readonly report: RunReport;
}

/** Watches a run. */
export class ReferenceRecorder {
  readonly events: RunEvent[] = [];
  readonly times: number[] = [];
  readonly performed: PerformedEntry[] = [];
  private ends = 0;

  note(event: RunEvent, time: VirtualTime): void {
    this.events.push(event);
    this.times.push(time.now);
  }

  wrap(effects: Effects, time: VirtualTime): Effects {
    return {
      perform: (request, context) => {
        const entry: PerformedEntry = {
          request,
          requestedAfter: this.events.length,
          requestedAt: time.now,
          outcome: null,
          endedAt: Number.POSITIVE_INFINITY,
          rank: 0,
        };
        this.performed.push(entry);
        const outcome = effects.perform(request, context);
        if (!(outcome instanceof Promise)) return this.end(entry, outcome, time);
        return outcome.then((ended) => (context.stop.aborted ? ended : this.end(entry, ended, time)));
      },
    };
  }

  private end(entry: PerformedEntry, outcome: Outcome, time: VirtualTime): Outcome {
    entry.outcome = outcome;
    entry.endedAt = time.now;
    entry.rank = ++this.ends;
    return outcome;
  }
}

/** Requests of two runs of one program with the same key are the same request, as long as both runs do the same. */
export function keyOf(request: PerformedRequest): string {
  const waits = request.kind === 'agent' ? (request.waits ?? 0) : 0;
  return `${request.kind} ${request.effect} ${request.attempt} ${waits}`;
}

/** Whether a program performs it, which may change something in the world. */
export function isProcess(
  request: PerformedRequest,
): request is Extract<PerformedRequest, { kind: 'shell' | 'argv' | 'function' | 'agent' | 'tool' }> {
  return WORK_EFFECTS.has(request.kind) && !(request.kind === 'tool' && request.calls.kind === 'plan');
}
