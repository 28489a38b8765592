/**
 * The steps of a run, from its events: attempts with their calls, the results of the gates, and the changes of a retry. A
 * step that a loop of states repeats is one step with more attempts.
 */
import type { Attempt, EventOf, Recorded } from './record-facts.js';

/** The status of an attempt of a step. `undone`: the run was resumed at an earlier point, so the step runs again. */
export type AttemptStatus = 'running' | 'pass' | 'fail' | 'fatal' | 'undone';

type RetryEvent = EventOf<'retry_triggered'>;

interface GateVerdict {
  readonly seq: number;
  readonly gate: string;
  readonly kind: string;
  readonly pass: boolean;
  readonly message: string | null;
  /** The command that decided, if there was one. */
  readonly call: Attempt | null;
}

/** One attempt of a step. */
export interface StepAttempt {
  readonly attempt: number;
  readonly agent: string | null;
  readonly seq: number;
  /** ISO 8601. */
  readonly time: string;
  /** The decision of the retry that led to this attempt; null for a first attempt. */
  readonly retry: Pick<RetryEvent, 'matched' | 'overrides'> | null;
  status: AttemptStatus;
  /** The event that judged it; null while it runs. */
  judgedSeq: number | null;
  /** When it completed the step, in ISO 8601, and US dollars of all attempts, if it has. */
  completed: string | null;
  cost: number | null;
  /** Milliseconds in which a process executed it; null while it runs. */
  durationMs: number | null;
  /** When its execution continued last, and how long it was executed before; milliseconds. */
  fromMs: number;
  spentMs: number;
  readonly calls: Attempt[];
  gates: GateVerdict[];
}

export interface StepStory {
  readonly path: string;
  readonly type: string;
  readonly tries: StepAttempt[];
  status: AttemptStatus;
  /** The event that began its first attempt that counts. */
  beganSeq: number;
  /** The step ran in another run, from which this one was copied. */
  copied: boolean;
}

/** The status of a step after an event. */
export interface RecordedStep {
  readonly path: string;
  readonly status: 'running' | 'pass' | 'fail' | 'fatal';
  readonly agent: string | null;
  readonly attempt: number;
  /** US dollars of all its attempts; null if a call did not report its cost. */
  readonly cost: number | null;
  /** When its last attempt started or ended; ISO 8601. */
  readonly since: string;
}

export class StepStories {
  /** In the order in which they began first. */
  readonly all = new Map<string, StepStory>();
  private readonly retries = new Map<string, RetryEvent>();

  /** The time of the event before. */
  private lastMs = 0;

  /** `at`: the time of the event in milliseconds. */
  take(record: Recorded, at = Date.parse(record.time)): void {
    this.follow(record);
    this.lastMs = at;
  }

  private follow({ seq, time, event }: Recorded): void {
    switch (event.type) {
      case 'step_started':
        return this.startAttempt(seq, time, event);
      case 'gate_result':
        return this.recordGate(seq, event);
      case 'retry_triggered':
        this.judge(seq, event.step, 'fail', time);
        this.retries.set(event.step, event);
        return;
      case 'step_completed': {
        const judged = this.judge(seq, event.step, event.status, time);
        if (judged !== null) Object.assign(judged, { completed: time, cost: event.cost });
        return;
      }
      case 'run_resumed':
        this.pause(Date.parse(time));
        if (event.from !== undefined) this.resume(event.from, event.of !== undefined);
        return;
      default:
    }
  }

  /** An attempt of an effect started as part of a step. */
  recordCall(step: string, call: Attempt): void {
    this.all
      .get(step)
      ?.tries.findLast(({ status }) => status !== 'undone')
      ?.calls.push(call);
  }

  /**
   * The steps that count, in the order in which they began. `costs`: US dollars of those that are not over, if the caller
   * knows more than the record.
   */
  list(costs?: ReadonlyMap<string, { readonly cost: number | null }>): RecordedStep[] {
    const known = [...this.all.values()].flatMap((story) => {
      const current = currentOf(story);
      return current === undefined ? [] : [{ story, current }];
    });
    return known
      .sort((a, b) => a.story.beganSeq - b.story.beganSeq)
      .map(({ story: { path }, current: { status: last, agent, attempt, cost, completed, time } }) => {
        const status = last === 'undone' ? 'running' : last;
        const isOver = status === 'pass' || status === 'fatal' || costs === undefined;
        const known = isOver ? cost : (costs.get(path)?.cost ?? null);
        return { path, status, agent, attempt, cost: known, since: completed ?? time };
      });
  }

  private startAttempt(seq: number, time: string, event: EventOf<'step_started'>): void {
    const { step: path, attempt, agent, step_type: type } = event;
    const story: StepStory = this.all.get(path) ?? {
      ...{ path, type, tries: [], status: 'running', beganSeq: seq, copied: false },
    };
    this.all.set(path, story);
    if (currentOf(story) === undefined) story.beganSeq = seq;
    const retry = attempt === 1 ? undefined : this.retries.get(path);
    this.retries.delete(path);
    const decided = retry === undefined ? null : { matched: retry.matched, overrides: retry.overrides };
    const lasting = { durationMs: null, fromMs: Date.parse(time), spentMs: 0 };
    const begun = { ...RUNNING, ...lasting, calls: [], gates: [] };
    story.tries.push({ attempt, agent, seq, time, retry: decided, ...begun });
    story.status = 'running';
    story.copied = false;
  }

  private recordGate(seq: number, event: EventOf<'gate_result'>): void {
    const { step, gate, kind, pass, message = null } = event;
    const story = this.all.get(step);
    const current = story === undefined ? undefined : currentOf(story);
    if (current === undefined) return;
    const call = current.calls.findLast(({ request }) => request.kind === 'shell' && request.tool === gate) ?? null;
    current.gates.push({ seq, gate, kind, pass, message, call });
  }

  /** Null: no attempt of the step is known. */
  private judge(seq: number, path: string, status: StepStory['status'], time: string): StepAttempt | null {
    const story = this.all.get(path);
    const current = story === undefined ? undefined : currentOf(story);
    if (story === undefined || current === undefined) return null;
    story.status = status;
    current.status = status;
    current.judgedSeq = seq;
    current.spentMs += Math.max(0, Date.parse(time) - current.fromMs);
    current.durationMs = current.spentMs;
    return current;
  }

  /** No process executed the run between the previous event and this one. */
  private pause(nowMs: number): void {
    for (const story of this.all.values()) {
      const current = currentOf(story);
      if (current === undefined) continue;
      if (current.durationMs === null) current.spentMs += Math.max(0, this.lastMs - current.fromMs);
      current.fromMs = nowMs;
    }
  }

  /** Everything from this event on no longer counts, but its time and money remain spent. */
  private resume(from: number, copied: boolean): void {
    for (const [path, story] of this.all) {
      for (const one of story.tries) {
        if (one.seq >= from) one.status = 'undone';
        one.gates = one.gates.filter(({ seq }) => seq < from);
      }
      if (copied) takeOver(story);
      const kept = currentOf(story);
      if (kept === undefined) {
        if (copied) this.all.delete(path);
        story.status = 'undone';
      } else {
        // If what judged the attempt no longer counts, it is open again.
        if ((kept.judgedSeq ?? Number.POSITIVE_INFINITY) >= from) Object.assign(kept, RUNNING, { durationMs: null });
        story.status = kept.status;
      }
    }
  }
}

const RUNNING = { status: 'running', judgedSeq: null, completed: null, cost: null } as const;

/** The attempt that events are about. */
function currentOf({ tries }: StepStory): StepAttempt | undefined {
  return tries.findLast(({ status }) => status !== 'undone');
}

/** The work of another run is known, but its cost and time do not belong to this run. */
function takeOver(story: StepStory): void {
  const kept = currentOf(story);
  story.tries.splice(0);
  if (kept !== undefined) story.tries.push({ ...kept, calls: [], retry: null, spentMs: 0, durationMs: 0 });
  story.copied = true;
}
