/**
 * The attempts of the steps of a run, so that they can be compared: agent, prompt, answer, gates, changed files, cost, and
 * why there was another one.
 */
import type { Outcome, RunEvent } from '../../interpreter/events/event.js';
import { threadOf } from '../../interpreter/events/facts.js';
import type { Recorded } from '../../runtime/record/record-facts.js';
import type { RunModel } from '../../runtime/record/run-model.js';
import type { StepStory } from '../../runtime/record/step-stories.js';
import { countOf } from '../../views/drawing/amounts.js';
import { cut, oneLine } from '../../views/drawing/visible-text.js';
import { type DetailedStep, type DetailedStepAttempt, detailStep } from '../../views/steps/step-detail.js';

/** The files that an attempt had changed, since the step began. */
interface AttemptChange {
  readonly files: readonly string[];
  /** As a unified diff, or its end; null if it is only in the artifact. */
  readonly diff: string | null;
  /** Whether `diff` is only the end. */
  readonly isEnd: boolean;
  /** The file below `artifacts/` with all of it. */
  readonly artifact: string | null;
}

export interface ComparedAttempt extends DetailedStepAttempt {
  /** One sentence; null for an attempt that no retry began. */
  readonly why: string | null;
  /** Null if its files were not recorded. */
  readonly change: AttemptChange | null;
}

interface ComparedStep extends Omit<DetailedStep, 'attempts'> {
  readonly attempts: readonly ComparedAttempt[];
}

/** A step in a list. */
interface ListedStep extends Pick<StepStory, 'path' | 'type' | 'status'> {
  readonly attempts: number;
}

export class StepHistory {
  private readonly stepOfThread = new Map<string, string>();
  /** By the number of the event that began the attempt. */
  private readonly changes = new Map<number, AttemptChange>();

  /** `run`: the model of the run, which has taken each event before. */
  constructor(private readonly run: Pick<RunModel, 'steps'>) {}

  take({ event }: Recorded): void {
    if (event.type === 'step_started') this.stepOfThread.set('', event.step);
    if (event.type === 'effect_requested' && event.step !== undefined)
      this.stepOfThread.set(threadOf(event.effect), event.step);
    if (event.type === 'effect_settled' && event.outcome.kind === 'changed')
      this.recordChange(event.effect, event.outcome);
  }

  /** In the order in which they began. */
  get steps(): ListedStep[] {
    return [...this.run.steps.all.values()].map(({ path, type, status, tries }) => ({
      ...{ path, type, status },
      attempts: tries.length,
    }));
  }

  /** A step with all its attempts; null if it has not begun. */
  find(path: string, runId: string): ComparedStep | null {
    const story = this.run.steps.all.get(path);
    if (story === undefined) return null;
    const detailed = detailStep(runId, story);
    const attempts = detailed.attempts.map((one, at) => ({
      ...one,
      why: story.tries[at]?.retry == null ? null : retryReason(detailed.attempts[at - 1] ?? null, one),
      change: this.changes.get(one.seq) ?? null,
    }));
    return { ...detailed, attempts };
  }

  /** A snapshot of files follows the work of the step in the same branch. */
  private recordChange(effect: string, { files, stdout }: Extract<Outcome, { kind: 'changed' }>): void {
    const step = this.stepOfThread.get(threadOf(effect));
    const attempt = step === undefined ? undefined : this.run.steps.all.get(step)?.tries.at(-1);
    // A step that judges this one begins with a snapshot of its own, before it has a name.
    if (attempt === undefined || (files.length === 0 && this.changes.has(attempt.seq))) return;
    const { text = null, tail = null, artifact = null } = stdout;
    this.changes.set(attempt.seq, { files, diff: text ?? tail, isEnd: text === null && tail !== null, artifact });
  }
}

const LONGEST_MESSAGE = 160;
const LONGEST_CALL = 60;

type JudgedAttempt = Pick<DetailedStepAttempt, 'attempt' | 'gates' | 'calls'>;

/** `before`: the attempt that failed; null if it is not known. */
function retryReason(before: JudgedAttempt | null, retry: Pick<DetailedStepAttempt, 'overrides'>): string {
  const changes = changeWords(retry.overrides);
  const end = changes === '' ? '' : `; this attempt has ${changes}`;
  return `${before === null ? 'The attempt before' : `Attempt ${before.attempt}`} did not pass${because(before)}${end}.`;
}

/** `text`: what was called; null if it is not known. */
export function effectRetryReason(
  { attempt, error, until_ms }: Extract<RunEvent, { type: 'effect_retried' }>,
  text: string | null,
): string {
  const called = text === null ? '' : ` of \`${cut(clause(text), LONGEST_CALL)}\``;
  if (until_ms !== undefined)
    return `The agent${called} was not available: ${clause(error)}; the attempt does not count.`;
  return `Attempt ${attempt}${called} failed: ${clause(error)}.`;
}

function because(before: JudgedAttempt | null): string {
  if (before === null) return '';
  const failed = before.gates.filter(({ pass }) => !pass);
  const [first, ...others] = failed;
  if (first !== undefined) {
    const message = first.message === null ? '' : `: ${clause(first.message)}`;
    const more = others.length === 0 ? '' : ` (and ${countOf(others.length, 'more gate')})`;
    return `, because the gate \`${first.gate}\` failed${message}${more}`;
  }
  const call = before.calls.findLast(({ ending }) => ending === 'failed');
  return call === undefined || call.outcome === null
    ? ''
    : `, because \`${clause(call.tool)}\` failed: ${clause(call.outcome)}`;
}

function clause(text: string): string {
  return cut(oneLine(text), LONGEST_MESSAGE).replace(/[.;:\s]+$/, '');
}

function changeWords({ prompt, agent, ...others }: Readonly<Record<string, string>>): string {
  const words = [
    ...(agent === undefined ? [] : [`the agent \`${agent}\``]),
    ...(prompt === undefined ? [] : ['another prompt']),
    ...Object.entries(others).map(([name, value]) => `${name} \`${value}\``),
  ];
  const last = words.pop();
  return last === undefined ? '' : words.length === 0 ? last : `${words.join(', ')} and ${last}`;
}
