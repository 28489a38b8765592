/**
 * What a run did, as numbers that can be compared with those of another run: times, costs, ids of sessions and readings of
 * the clock do not count. Branches are compared one by one, because their order depends on the time.
 */
import type { Outcome, RunEvent } from '../../interpreter/events/event.js';
import { threadOf } from '../../interpreter/events/facts.js';
import { isMadeByRun } from '../../interpreter/events/status-after.js';
import type { Printed } from '../../interpreter/values/json.js';
import type { Json } from '../../machine/expression.js';
import type { Recorded } from '../../runtime/record/record-facts.js';

/** The comparable events of one branch, in its order. */
export interface ThreadTrace {
  readonly digests: number[];
  readonly seqs: number[];
}

/** A visit of a state, with a digest of everything that happened in it, in any order. */
export interface VisitTrace {
  readonly state: string;
  readonly seq: number;
  readonly beganMs: number;
  endedMs: number;
  effects: number;
  digest: number;
}

/** What always differs between two runs. */
const ALWAYS_DIFFERS: ReadonlySet<string> = new Set(['clock', 'uuid']);

export class RunTrace {
  readonly threads = new Map<string, ThreadTrace>();
  readonly visits: VisitTrace[] = [];
  inputs: Readonly<Record<string, Json>> = {};
  /** The JSON of inputs with numbers that were written differently. */
  printedInputs: Printed = {};
  /** The digest of the program that was executed last. */
  program = '';
  private readonly ignored = new Set<string>();
  private readonly timers = new Set<string>();

  /** Takes an event before the range that is compared: only the program and the inputs count. */
  pass({ event }: Recorded): void {
    if (event.type === 'run_started') {
      [this.program, this.inputs] = [event.digest, event.inputs];
      this.printedInputs = event.printed ?? {};
    }
    if (event.type === 'run_resumed' && event.digest !== undefined) this.program = event.digest;
  }

  take(record: Recorded): void {
    this.pass(record);
    const { seq, time, event } = record;
    const at = Date.parse(time);
    if (event.type === 'state_entered')
      this.visits.push({ state: event.state, seq, beganMs: at, endedMs: at, effects: 0, digest: 0 });
    const visit = this.visits[this.visits.length - 1];
    if (visit !== undefined) {
      visit.endedMs = at;
      if (event.type === 'effect_requested') visit.effects++;
    }
    const compared = this.comparable(event);
    if (compared === null) return;
    const number = digestOf(JSON.stringify(compared));
    const thread = threadOfEvent(event);
    const known = this.threads.get(thread);
    const trace = known ?? { digests: [], seqs: [] };
    if (known === undefined) this.threads.set(thread, trace);
    trace.digests.push(number);
    trace.seqs.push(seq);
    if (visit !== undefined) visit.digest = (visit.digest + number) | 0;
  }

  /** The part of an event that is compared; null if it says nothing about what the program did. */
  private comparable(event: RunEvent): unknown {
    switch (event.type) {
      case 'effect_requested': {
        if (ALWAYS_DIFFERS.has(event.kind)) this.ignored.add(event.effect);
        const { effect, kind, text, attempt, args, prompt, artifact } = event;
        return [event.type, effect, kind, text, attempt, args, prompt, artifact];
      }
      case 'effect_settled':
        if (this.ignored.delete(event.effect)) return null;
        // The outcome of a timer is the time at which it ended.
        if (this.timers.delete(event.effect)) return [event.type, event.effect];
        return [event.type, event.effect, event.attempt, comparableOutcome(event.outcome)];
      case 'effect_retried':
        return [event.type, event.effect, event.attempt, event.error];
      case 'asked':
        return [event.type, event.effect, event.name, event.question, event.choices];
      case 'answered':
        return [event.type, event.effect, event.name, event.value, event.printed];
      case 'signal_received':
        return [event.type, event.name, event.payload, event.printed];
      case 'timer_set':
        this.timers.add(event.effect);
        return [event.type, event.effect];
      case 'instruction_failed':
        return [event.type, event.thread, event.error_type, event.error, event.state];
      case 'step_completed':
        return [event.type, event.step, event.attempt, event.status];
      case 'run_failed':
        return [event.type, event.error.kind, event.error.message];
      // Inputs are compared by name.
      case 'run_started':
      case 'warned':
        return null;
      default:
        return isMadeByRun(event) ? withoutLine(event) : null;
    }
  }
}

/** A reader of a journal may pass on whole lines: their numbers and times do not count either. */
function withoutLine(event: RunEvent & { seq?: number; ts?: string; chain?: string; crc?: string }): object {
  const { seq: _, ts: __, crc: ___, chain: ____, ...rest } = event;
  return { ...rest, line: 0 };
}

function comparableOutcome(outcome: Outcome): unknown {
  switch (outcome.kind) {
    case 'exited':
      return [outcome.exit, outcome.signal, outcome.stdout, outcome.stderr, outcome.is_error];
    case 'timed-out':
      return [outcome.kind, outcome.stdout];
    case 'value':
      return [outcome.kind, outcome.value, outcome.printed];
    case 'changed':
      return [outcome.kind, outcome.stdout];
    default:
      return outcome;
  }
}

function threadOfEvent(event: RunEvent): string {
  switch (event.type) {
    case 'effect_requested':
    case 'effect_settled':
    case 'effect_retried':
    case 'asked':
    case 'answered':
    case 'timer_set':
      return threadOf(event.effect);
    case 'instruction_failed':
      return event.thread;
    // Steps of branches are recorded at once, and not in the order of the program.
    case 'step_started':
    case 'retry_triggered':
    case 'step_completed':
      return `step ${event.step}`;
    default:
      return '';
  }
}

/** FNV-1a: short texts get different numbers, which is enough to find where two runs differ. */
function digestOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash | 0;
}
