/** Executes a run with one fault: from its beginning with other ends of effects, or from a point of its record as after a crash. */
import type { RunEvent } from '../../../interpreter/events/event.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { ContinuedRecord } from '../../../runtime/run/again/continue-record.js';
import { type RunOptions, run } from '../../../runtime/run/start-run.js';
import type { VirtualTime } from '../../../runtime/virtual-time.js';
import type { FaultDrive } from '../suite.js';
import { type Call, callOf, type TestWorld } from '../test-world.js';
import type { FaultPoint } from './points.js';
import { FaultRecord } from './points.js';
import { isProcess, keyOf, type PerformedEntry, type ReferenceRun } from './reference-run.js';

interface DriveChoice {
  /** A run that does the same again is not executed to its end. */
  readonly mayStopEarly: boolean;
  /** What such a run would have recorded is needed, because the test always expects something of it. */
  readonly needsEvents: boolean;
}

/** The drives of all points of one test, which share what follows from the run without a fault. */
export class PointDrives {
  private record: ContinuedRecord | null = null;
  private readonly outcomes: ReadonlyMap<string, PerformedEntry['outcome']>;
  /** The calls of the run without a fault, in its order. */
  private readonly calls: readonly (readonly [PerformedEntry, Call])[];

  constructor(
    private readonly reference: ReferenceRun,
    readonly choice: DriveChoice,
  ) {
    const { performed, ends } = reference;
    this.outcomes = new Map(
      performed.filter((entry) => ends.has(entry)).map(({ request, outcome }) => [keyOf(request), outcome]),
    );
    this.calls = performed.flatMap((entry) =>
      isProcess(entry.request) ? [[entry, callOf(entry.request)] as const] : [],
    );
  }

  at(point: FaultPoint): PointDrive {
    return new PointDrive(this.reference, point, this);
  }

  callsOf(isWanted: (entry: PerformedEntry) => boolean): Call[] {
    return this.calls.flatMap(([entry, call]) => (isWanted(entry) ? [call] : []));
  }

  /** The record of the run without a fault. */
  recordOf(machine: Parameters<FaultDrive['drive']>[0], options: RunOptions): ContinuedRecord {
    const { events, times } = this.reference;
    this.record ??= new ContinuedRecord(machine, options, {
      events,
      outcomeOf: (request, recorded) =>
        request.kind === 'ask' || request.kind === 'signal' || !isProcess(request)
          ? recorded
          : (this.outcomes.get(keyOf(request)) ?? recorded),
      activeMs: (count) => (times[count - 1] ?? 0) - (times[0] ?? 0),
    });
    return this.record;
  }
}

export class PointDrive implements FaultDrive {
  readonly before: FaultDrive['before'];
  readonly judges = 'always';
  /** Why the end may be another one. */
  reason: string | null = null;
  defect: string | undefined;
  /** The run did the same again, and was not executed to its end. */
  isSame = false;
  private readonly settled: ReadonlySet<PerformedEntry>;

  constructor(
    readonly reference: ReferenceRun,
    readonly point: FaultPoint,
    private readonly drives: PointDrives,
  ) {
    const { events, times, performed, ends } = reference;
    const { cut } = point;
    this.settled = new Set(performed.filter((entry) => (ends.get(entry) ?? Number.POSITIVE_INFINITY) <= (cut ?? 0)));
    this.before = {
      events: cut === null ? [] : events.slice(0, cut),
      calls: drives.callsOf((entry) => this.settled.has(entry) || entry === point.performed),
      now: cut === null ? null : (times[cut - 1] ?? null),
    };
  }

  drive: FaultDrive['drive'] = async (machine, options, others, time) => {
    const { reference, settled, drives } = this;
    const { changes, cut } = this.point;
    const again = cut === null || !drives.choice.mayStopEarly ? null : new SameAgain(reference, cut);
    const onOther = (): void => again?.differ();
    const record = new FaultRecord({ performed: reference.performed, settled, changes, others, time, onOther });
    const effects = record.world;
    if (cut === null) return run(machine, { ...options, effects });
    const stopping = new AbortController();
    options.signal?.addEventListener('abort', () => stopping.abort(), { once: true });
    const onEvent: RunOptions['onEvent'] = (event, position) => {
      if (this.isSame) return;
      options.onEvent?.(event, position);
      this.isSame = again?.take(event, time.now) === true;
      if (this.isSame) stopping.abort();
    };
    const given = { ...options, effects, signal: stopping.signal, onEvent };
    const continued = await drives.recordOf(machine, options).continueAt(cut, given);
    if ('difference' in continued) {
      const { seq, recorded } = continued.difference;
      this.defect = `the replay differs at event ${seq} (\`${recorded.type}\`)`;
      return reference.report;
    }
    const [doubtful] = continued.inDoubt;
    if (doubtful !== undefined && 'text' in doubtful && 'line' in doubtful)
      this.reason = `line ${doubtful.line} \`${doubtful.text}\` is once and in doubt`;
    const [repeated] = record.repeated;
    if (repeated !== undefined)
      this.defect = `the effect ${repeated.effect} was performed again, although it has an outcome`;
    if (again === null || !this.isSame) return continued.report;
    if (drives.choice.needsEvents)
      this.addRest(again.count, { others, time, ...omitUndefined({ onEvent: options.onEvent }) });
    return reference.report;
  };

  /** What the run would have done, had it been executed to its end. */
  private addRest(
    count: number,
    { others, time, onEvent }: { readonly others: TestWorld; readonly time: VirtualTime } & Pick<RunOptions, 'onEvent'>,
  ): void {
    const { events, times } = this.reference;
    for (let at = count; at < events.length; at++) {
      const recorded = events[at] as RunEvent;
      onEvent?.(recorded, { seq: at + 1, time: new Date(times[at] ?? 0).toISOString(), recorded });
    }
    // What the last events ask for was not begun.
    others.calls.push(...this.drives.callsOf(({ requestedAfter }) => requestedAfter >= count));
    time.skipTo(times.at(-1) ?? 0);
  }
}

/** How many events have to be the same after everything that was under way has ended. */
const MORE_EVENTS = 4;

/**
 * Notices that a run that was cut does the same again. What a run does follows from its record alone: so when everything that
 * was under way at the cut has ended and each event is the one that was recorded without the fault, at the same time, the rest
 * would be the same. A run of a thousand events can be cut after each without executing a million.
 */
class SameAgain {
  private readonly until: number;
  private hasDiffered = false;

  /** `at`: how many events of the reference the run has on record. */
  constructor(
    private readonly reference: ReferenceRun,
    private at: number,
  ) {
    const { events, performed, ends } = reference;
    let until = at;
    for (const entry of performed) {
      const end = ends.get(entry);
      if (entry.requestedAfter <= at && end !== undefined) until = Math.max(until, end);
    }
    const next = events.findIndex(({ type }, index) => index >= until && type === 'effect_settled');
    this.until = (next < 0 ? events.length : next) + MORE_EVENTS;
  }

  /** How many events of the reference have happened. */
  get count(): number {
    return this.at;
  }

  /** Takes the next event of the run. True: from here on it does the same. */
  take(event: RunEvent, now: number): boolean {
    if (this.hasDiffered || event.type === 'run_resumed') return false;
    const { events, times } = this.reference;
    this.hasDiffered = times[this.at] !== now || JSON.stringify(events[this.at]) !== JSON.stringify(event);
    this.at++;
    return !this.hasDiffered && this.at > this.until;
  }

  /** A request whose end is not on record has to be the same to end at the same time. */
  differ(): void {
    this.hasDiffered = true;
  }
}
