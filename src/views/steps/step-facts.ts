/**
 * The facts of the steps of a run, gathered from its events: attempts with their calls, the results of the gates, and
 * the changes of a retry. A step that a loop of states repeats is one step with more attempts.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { Attempt, Recorded } from '../report/report-facts.js';

/** The status of an attempt of a step. `undone`: the run was resumed at an earlier point, so the step runs again. */
export type AttemptStatus = 'running' | 'pass' | 'fail' | 'fatal' | 'undone';

type Retry = Extract<RunEvent, { type: 'retry_triggered' }>;

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
  readonly retry: Pick<Retry, 'matched' | 'overrides'> | null;
  status: AttemptStatus;
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
  /** The event that completed it; null while it is open. */
  completedSeq: number | null;
  /** The step ran in another run, from which this one was copied. */
  copied: boolean;
}

export class StepFacts {
  /** In the order in which they began first. */
  readonly stories = new Map<string, StepStory>();
  private readonly retries = new Map<string, Retry>();

  /** The time of the event before. */
  private lastMs = 0;

  take(record: Recorded): void {
    this.follow(record);
    this.lastMs = Date.parse(record.time);
  }

  private follow({ seq, time, event }: Recorded): void {
    switch (event.type) {
      case 'step_started':
        return this.startAttempt(seq, time, event);
      case 'gate_result':
        return this.recordGate(seq, event);
      case 'retry_triggered':
        this.close(event.step, 'fail', time);
        this.retries.set(event.step, event);
        return;
      case 'step_completed': {
        const story = this.stories.get(event.step);
        if (story === undefined) return;
        this.close(event.step, event.status, time);
        story.completedSeq = seq;
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
    this.stories
      .get(step)
      ?.tries.findLast(({ status }) => status !== 'undone')
      ?.calls.push(call);
  }

  private startAttempt(seq: number, time: string, event: Extract<RunEvent, { type: 'step_started' }>): void {
    const { step: path, attempt, agent, step_type: type } = event;
    const known = this.stories.get(path);
    const story = known ?? {
      ...{ path, type, tries: [], status: 'running', completedSeq: null, copied: false },
    };
    if (known === undefined) this.stories.set(path, story);
    const retry = attempt === 1 ? undefined : this.retries.get(path);
    this.retries.delete(path);
    const decided = retry === undefined ? null : { matched: retry.matched, overrides: retry.overrides };
    const lasting = { durationMs: null, fromMs: Date.parse(time), spentMs: 0 };
    const begun = { status: 'running' as const, ...lasting, calls: [], gates: [] };
    story.tries.push({ attempt, agent, seq, time, retry: decided, ...begun });
    story.status = 'running';
    story.completedSeq = null;
    story.copied = false;
  }

  private recordGate(seq: number, event: Extract<RunEvent, { type: 'gate_result' }>): void {
    const { step, gate, kind, pass, message = null } = event;
    const story = this.stories.get(step);
    const current = story === undefined ? undefined : currentOf(story);
    if (current === undefined) return;
    const call = current.calls.findLast(({ request }) => request.kind === 'shell' && request.tool === gate) ?? null;
    current.gates.push({ seq, gate, kind, pass, message, call });
  }

  private close(path: string, status: StepStory['status'], time: string): void {
    const story = this.stories.get(path);
    const current = story === undefined ? undefined : currentOf(story);
    if (story === undefined || current === undefined) return;
    story.status = status;
    current.status = status;
    current.spentMs += Math.max(0, Date.parse(time) - current.fromMs);
    current.durationMs = current.spentMs;
  }

  /** No process executed the run between the previous event and this one. */
  private pause(nowMs: number): void {
    for (const story of this.stories.values()) {
      const current = currentOf(story);
      if (current === undefined) continue;
      if (current.durationMs === null) current.spentMs += Math.max(0, this.lastMs - current.fromMs);
      current.fromMs = nowMs;
    }
  }

  /** Everything from this event on no longer counts, but its time and money remain spent. */
  private resume(from: number, copied: boolean): void {
    for (const [path, story] of this.stories) {
      for (const one of story.tries) {
        if (one.seq >= from) one.status = 'undone';
        one.gates = one.gates.filter(({ seq }) => seq < from);
      }
      if (copied) takeOver(story);
      const kept = currentOf(story);
      if (kept === undefined) {
        if (copied) this.stories.delete(path);
        story.status = 'undone';
      } else if ((story.completedSeq ?? Number.POSITIVE_INFINITY) >= from) {
        // The attempt is open again if it was judged earlier.
        story.completedSeq = null;
        story.status = 'running';
        kept.status = 'running';
        kept.durationMs = null;
      }
    }
  }
}

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
