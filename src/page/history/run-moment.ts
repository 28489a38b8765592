/**
 * A run as it was after an event, from its events alone: for a reader that has only the record. Values that instructions
 * bound without an event are not known here; entry values, answers, tracked variables and data are.
 */

import { costOf } from '../../interpreter/control/budget.js';
import type { RunError, RunEvent, Waiting } from '../../interpreter/events/event.js';
import { threadOf } from '../../interpreter/events/facts.js';
import { ActiveTime, countsAsEffect, type EndStatus, statusAfter } from '../../interpreter/events/status-after.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { OpenWaits } from '../../views/report/open-waits.js';
import type { Recorded } from '../../views/report/report-facts.js';

/** The status of a step, as far as events say it. */
export interface MomentStep {
  readonly path: string;
  readonly status: 'running' | 'pass' | 'fail' | 'fatal';
  readonly agent: string | null;
  readonly attempt: number;
  readonly cost: number | null;
  /** ISO 8601. */
  readonly since: string;
}

/** Members as `show --json` has them. */
export interface Moment {
  readonly seq: number;
  readonly at: string;
  readonly status: 'running' | EndStatus;
  readonly state: string | null;
  readonly states: readonly string[];
  readonly states_total: number;
  readonly tracked: Readonly<Record<string, Json>>;
  readonly bound: Readonly<Record<string, Json>>;
  /** The JSON text of values with a number that was written differently, such as `1.10`. */
  readonly printed_tracked?: Printed;
  readonly printed_bound?: Printed;
  readonly printed_returned?: string;
  readonly returned: Json;
  readonly error: RunError | null;
  readonly waiting: readonly Waiting[];
  /** Null if agents ran and none of them reported its cost. */
  readonly cost: number | null;
  readonly effects: number;
  readonly duration_ms: number;
  readonly steps: readonly MomentStep[];
}

interface WaitingFact {
  readonly kind: 'ask' | 'signal' | 'time' | 'approval';
  readonly name: string | null;
  readonly seq: number;
  readonly waiting: Waiting;
}

const MOST_STATES = 1000;

/** The run after the event with this number; null before the first one. `records`: from the first event on, in order. */
export function momentAt(records: readonly Recorded[], seq: number): Moment | null {
  const until = records.findIndex((record) => record.seq > seq);
  const all = until < 0 ? records : records.slice(0, until);
  const last = all.at(-1);
  if (last === undefined) return null;
  const state = new MomentState();
  for (const record of countedRecords(all)) state.follow(record);
  const time = new ActiveTime();
  const cost = new CostSum();
  for (const record of all) {
    time.take(Date.parse(record.time), record.event);
    cost.take(record.event);
  }
  return {
    ...state.moment(),
    seq: last.seq,
    at: last.time,
    status: statusAfter(last.event) ?? 'running',
    cost: cost.total,
    duration_ms: time.ms,
  };
}

/** Without the events that a later resume has made invalid. */
function countedRecords(records: readonly Recorded[]): Recorded[] {
  const counted: Recorded[] = [];
  for (const record of records) {
    const { event } = record;
    if (event.type === 'run_resumed' && event.from !== undefined)
      while ((counted.at(-1)?.seq ?? 0) >= event.from) counted.pop();
    counted.push(record);
  }
  return counted;
}

class CostSum {
  private readonly agents = new Set<string>();
  private known: number | null = null;
  private hasUnknown = false;

  take(event: RunEvent): void {
    if (event.type === 'effect_requested' && event.kind === 'agent') this.agents.add(event.effect);
    if (event.type !== 'effect_settled' || !this.agents.delete(event.effect)) return;
    const cost = costOf(event.outcome);
    if (cost === null) this.hasUnknown = true;
    else this.known = (this.known ?? 0) + cost;
  }

  get total(): number | null {
    return this.known ?? (this.hasUnknown ? null : 0);
  }
}

/** JSON texts by name. */
type Printed = Readonly<Record<string, string>>;

const anyOf = (printed: Printed): Printed | undefined => (Object.keys(printed).length === 0 ? undefined : printed);

class MomentState {
  private readonly states: string[] = [];
  private readonly tracked: Record<string, Json> = {};
  private bound: Record<string, Json> = {};
  private readonly printedTracked: Record<string, string> = {};
  private printedBound: Printed = {};
  private printedReturned: string | undefined;
  private readonly waits = new OpenWaits<WaitingFact>();
  private readonly steps = new Map<string, MomentStep>();
  private effects = 0;
  private returned: Json = null;
  private error: RunError | null = null;

  moment(): Omit<Moment, 'seq' | 'at' | 'status' | 'cost' | 'duration_ms'> {
    const { states, tracked, bound, returned, error, effects } = this;
    return {
      ...{ state: states.at(-1) ?? null, states: states.slice(-MOST_STATES), states_total: states.length },
      ...{ tracked, bound, returned, error, effects },
      ...omitUndefined({
        printed_tracked: anyOf(this.printedTracked),
        printed_bound: anyOf(this.printedBound),
        printed_returned: this.printedReturned,
      }),
      waiting: this.waits.all.map(({ waiting }) => waiting),
      steps: [...this.steps.values()],
    };
  }

  follow({ seq, time, event }: Recorded): void {
    switch (event.type) {
      case 'state_entered':
        this.states.push(event.state);
        this.bound = { ...event.with };
        this.printedBound = event.printed ?? {};
        this.waits.endOf('');
        return;
      case 'tracked_set':
        this.tracked[event.name] = event.value;
        if (event.printed === undefined) delete this.printedTracked[event.name];
        else this.printedTracked[event.name] = event.printed;
        return;
      case 'effect_requested': {
        this.waits.endOf(threadOf(event.effect));
        if (countsAsEffect(event)) this.effects++;
        const name = event.text.replace(/^WAIT: signal /, '');
        if (event.kind === 'signal') this.wait(event.effect, seq, { kind: 'signal', name });
        return;
      }
      case 'asked': {
        const { name, question, choices, deadline } = event;
        return this.wait(event.effect, seq, { kind: 'ask', name, question, choices, until: deadline });
      }
      case 'timer_set':
        if (!this.waits.takeDeadline(event.effect))
          this.wait(event.effect, seq, { kind: 'time', name: null, until: event.until });
        return;
      case 'answered':
        this.waits.end(event.effect);
        this.bound = { ...this.bound, [event.name]: event.value };
        return;
      case 'effect_settled':
        this.waits.end(event.effect);
        return;
      case 'signal_received':
        this.waits.receive(event.name);
        return;
      case 'step_started': {
        const { step: path, agent, attempt } = event;
        this.steps.set(path, { path, status: 'running', agent, attempt, cost: null, since: time });
        return;
      }
      case 'retry_triggered':
        return this.changeStep(event.step, { status: 'fail' });
      case 'step_completed':
        return this.changeStep(event.step, { status: event.status, cost: event.cost, since: time });
      case 'run_returned':
        this.waits.keepBefore(0);
        this.returned = event.value;
        this.printedReturned = event.printed;
        return;
      case 'run_failed':
        this.waits.keepBefore(0);
        this.error = event.error;
        return;
      default:
    }
  }

  private wait(effect: string, seq: number, waiting: Waiting): void {
    this.waits.begin(effect, { kind: waiting.kind, name: waiting.name ?? null, seq, waiting });
  }

  private changeStep(path: string, change: Partial<MomentStep>): void {
    const before = this.steps.get(path);
    if (before !== undefined) this.steps.set(path, { ...before, ...change });
  }
}
