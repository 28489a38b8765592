/**
 * All details of one step for each attempt: the agent and its prompt, the answer, the results of the gates and the
 * changes of a retry.
 */
import type { Output } from '../../interpreter/events/event.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Attempt } from '../../runtime/record/record-facts.js';
import type { RunModel } from '../../runtime/record/run-model.js';
import type { AttemptStatus, StepAttempt, StepStory } from '../../runtime/record/step-stories.js';
import { type DetailedAttempt, detailedAttempt } from '../report/detailed-attempt.js';
import { type Spending, spendingOf } from '../report/undo-rows.js';
import { turnsOf } from './step-rows.js';

/** The result of one gate. */
export interface DetailedGate {
  readonly seq: number;
  readonly gate: string;
  readonly kind: string;
  readonly pass: boolean;
  readonly message: string | null;
  /** The output of the gate's command, or its end. */
  readonly output?: string;
  /** The file below `artifacts/` with the whole output. */
  readonly artifact?: string;
}

/** One attempt of a step, with the prompt, the answer, its calls and its gates. */
export interface DetailedStepAttempt extends Spending {
  readonly attempt: number;
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly agent: string | null;
  readonly status: AttemptStatus;
  /** The indexes of the RETRY entries that applied before this attempt, and their changes to the step as written. */
  readonly matched: readonly number[];
  readonly overrides: Readonly<Record<string, string>>;
  readonly duration_ms: number | null;
  readonly turns: number | null;
  readonly session_id: string | null;
  /** The prompt of the agent; null if there is no agent. */
  readonly prompt: string | null;
  /** The agent's answer, or its end; null while there is no answer. */
  readonly answer: string | null;
  /** All commands and calls of the attempt. */
  readonly calls: readonly DetailedAttempt[];
  readonly gates: readonly DetailedGate[];
}

/** One step of a run with its attempts. */
export interface DetailedStep {
  readonly run_id: string;
  readonly path: string;
  readonly type: string;
  readonly status: AttemptStatus;
  readonly attempts: readonly DetailedStepAttempt[];
}

/** Steps by their path, or by the last part of it, which several may share. */
export function stepsCalled(name: string, run_id: string, { steps }: RunModel): DetailedStep[] {
  return [...steps.all.values()].filter(({ path }) => isCalled(path, name)).map((story) => detailStep(run_id, story));
}

function isCalled(path: string, name: string): boolean {
  return path === name || path.endsWith(`/${name}`) || path.endsWith(`.state.${name}`);
}

export function detailStep(run_id: string, { path, type, status, tries }: StepStory): DetailedStep {
  return { run_id, path, type, status, attempts: tries.map((one) => detailAttempt(run_id, one)) };
}

function detailAttempt(run_id: string, one: StepAttempt): DetailedStepAttempt {
  const { attempt, seq, time, agent, status, retry, durationMs, calls, gates } = one;
  const asked = calls.findLast(({ request }) => request.kind === 'agent' && request.text.startsWith('STEP: '));
  const outcome = asked?.outcome ?? null;
  const printed = outcome !== null && 'stdout' in outcome ? textOf(outcome.stdout) : null;
  return {
    attempt,
    seq,
    at: time,
    agent,
    status,
    matched: retry?.matched ?? [],
    overrides: { ...retry?.overrides },
    duration_ms: durationMs,
    ...spendingOf(calls),
    turns: turnsOf(calls),
    session_id: asked?.sessionId ?? null,
    prompt: asked?.request.prompt ?? null,
    answer: printed,
    calls: calls.map((call) => detailedAttempt(run_id, call)),
    gates: gates.map(({ call, ...said }) => ({ ...said, ...(call === null ? {} : outputOf(call)) })),
  };
}

/** The output, as far as the journal itself contains it. */
function textOf({ text, tail }: Output): string | null {
  return text ?? tail ?? null;
}

/** Both streams, because many programs print their errors to stdout. */
function outputOf({ outcome }: Attempt): Pick<DetailedGate, 'output' | 'artifact'> {
  if (outcome === null || (outcome.kind !== 'exited' && outcome.kind !== 'timed-out')) return {};
  const { stdout, stderr, stderr_artifact: stderrArtifact } = outcome;
  const artifact = stdout.artifact ?? stderrArtifact;
  return {
    output: (textOf(stdout) ?? '') + stderr,
    ...omitUndefined({ artifact }),
  };
}
