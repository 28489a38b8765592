/** What each line of a program did in a run: how often, how long, how much money. Built from the events one by one. */
import { costOf } from '../../interpreter/control/budget.js';
import type { Outcome } from '../../interpreter/events/event.js';
import { threadOf } from '../../interpreter/events/facts.js';
import type { Recorded, Requested } from '../../runtime/record/record-facts.js';
import { endingOf } from '../../runtime/record/run-model.js';

/** Totals of one line. */
export interface LineTotals {
  /** The state that contains the line. */
  readonly state: string;
  readonly line: number;
  /** How often it was executed, and how many attempts that took. */
  count: number;
  attempts: number;
  failed: number;
  /** Milliseconds of all its attempts together. */
  ms: number;
  /** US dollars of its agent calls. */
  cost: number;
  /** Agent calls of unknown cost. */
  unknownCosts: number;
}

interface OpenEffect {
  readonly request: Requested;
  readonly beganMs: number;
}

export class SourceLines {
  private readonly totals = new Map<string, LineTotals>();
  private readonly open = new Map<string, OpenEffect>();
  /** Waits for the time, by the effects of their timers. */
  private readonly timers = new Map<string, OpenEffect>();
  private last: LineTotals | null = null;
  /** Of each branch whose last request was a reading of the clock or a random number, that request. */
  private readonly readings = new Map<string, Requested>();

  take({ time, event }: Recorded): void {
    switch (event.type) {
      case 'effect_requested': {
        const line = this.lineOf(event.state, event.line);
        // A wait reads the clock first, and a step at its end, which are no executions of their own.
        const thread = threadOf(event.effect);
        const isEndOfStep = event.kind === 'clock' && event.step !== undefined;
        if (event.attempt === 1 && !isEndOfStep && !isRestOfWait(this.readings.get(thread), event)) line.count++;
        line.attempts++;
        if (event.kind === 'clock' || event.kind === 'random') this.readings.set(thread, event);
        else this.readings.delete(thread);
        this.last = line;
        this.open.set(event.effect, { request: event, beganMs: Date.parse(time) });
        return;
      }
      case 'timer_set': {
        const request = this.readings.get(threadOf(event.effect));
        if (request?.kind === 'clock') this.timers.set(event.effect, { request, beganMs: Date.parse(time) });
        return;
      }
      case 'effect_retried': {
        // The length of the pause was random.
        const pause = this.readings.get(threadOf(event.effect));
        if (pause?.kind !== 'random') return;
        const line = this.lineOf(pause.state, pause.line);
        line.count--;
        line.attempts--;
        return;
      }
      case 'state_entered':
        // A wait that something else ended leaves its timer.
        clear(this.timers);
        clear(this.readings);
        return;
      case 'effect_settled':
        return this.settle(event.effect, event.outcome, event.stopped === true, Date.parse(time));
      case 'emitted':
      case 'warned': {
        if (event.line === 0 || (event.type === 'emitted' && event.by === 'engine')) return;
        const line = this.lineOf(event.state, event.line);
        line.count++;
        this.last = line;
        return;
      }
      case 'instruction_failed':
        this.last = this.lineOf(event.state, event.line);
        return;
      default:
    }
  }

  /** How many lines and open effects it has. */
  get size(): number {
    return this.totals.size + this.open.size;
  }

  copy(): SourceLines {
    const copy = new SourceLines();
    for (const [key, line] of this.totals) {
      const copied = { ...line };
      copy.totals.set(key, copied);
      if (line === this.last) copy.last = copied;
    }
    for (const [effect, open] of this.open) copy.open.set(effect, open);
    for (const [effect, timer] of this.timers) copy.timers.set(effect, timer);
    for (const [thread, request] of this.readings) copy.readings.set(thread, request);
    return copy;
  }

  /** Every line that did something, in no particular order. */
  get all(): readonly LineTotals[] {
    return [...this.totals.values()];
  }

  /** The lines that the run is at: those of open effects, or the last one. */
  current(): Pick<LineTotals, 'state' | 'line'>[] {
    const open = [...this.open.values()].map(({ request: { state, line } }) => ({ state, line }));
    return open.length > 0 || this.last === null ? open : [{ state: this.last.state, line: this.last.line }];
  }

  private settle(effect: string, outcome: Outcome, stopped: boolean, at: number): void {
    const open = this.open.get(effect) ?? this.timers.get(effect);
    if (open === undefined) return;
    this.open.delete(effect);
    this.timers.delete(effect);
    const { request, beganMs } = open;
    const line = this.lineOf(request.state, request.line);
    const measured = 'duration_ms' in outcome ? outcome.duration_ms : undefined;
    line.ms += measured ?? Math.max(0, at - beganMs);
    if (endingOf(outcome, request.kind, stopped) === 'failed') line.failed++;
    if (request.kind !== 'agent') return;
    const cost = costOf(outcome);
    if (cost === null) line.unknownCosts++;
    else line.cost += cost;
  }

  private lineOf(state: string, line: number): LineTotals {
    const key = `${line} ${state}`;
    const known = this.totals.get(key);
    if (known !== undefined) return known;
    const added = { state, line, count: 0, attempts: 0, failed: 0, ms: 0, cost: 0, unknownCosts: 0 };
    this.totals.set(key, added);
    return added;
  }
}

/** Clearing a map that is empty would still make a new table. */
function clear(map: Map<string, unknown>): void {
  if (map.size > 0) map.clear();
}

/** Whether a request waits for a signal until a time that was computed from the reading of the clock before it. */
function isRestOfWait(clock: Requested | undefined, { kind, state, line }: Requested): boolean {
  return kind === 'signal' && clock?.kind === 'clock' && clock.state === state && clock.line === line;
}
