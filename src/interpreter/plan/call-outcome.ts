/** Decodes the outcomes of calls: what a tool or an agent has done becomes the outcome that a plan knows. */
import type { Json } from '../../machine/expression.js';
import type { ToolBinding } from '../../machine/plan.js';
import { unreachable } from '../../prelude/unreachable.js';
import { agentText } from '../agents/agent-output.js';
import { joinedClause, readAnswer } from '../agents/agent-wait.js';
import { asFailure } from '../control/fail.js';
import type { ExitedOutcome, Outcome, TokenCounts } from '../events/event.js';
import { excerpt } from '../failure.js';
import { decodeOutcome, exitWords, timeoutWords } from '../outcome.js';
import { fromRecord, readJson } from '../values/json.js';
import { deeperThan, MAX_DEPTH, type Value } from '../values/value.js';
import type { PlanOutcome } from './scheduler/plan-outcome.js';

type FailedOutcome = Extract<Outcome, { kind: 'failed' }>;

/** For every tool but agents. `isKept`: the result is used, so there must be one. */
export function decodeToolOutcome(outcome: Outcome, binding: ToolBinding, isKept = true): PlanOutcome {
  switch (outcome.kind) {
    case 'value':
      return valueOutcome(fromRecord(outcome.value, outcome.printed), outcome.invalid);
    case 'exited':
      return exitedOutcome(outcome, binding.outcomes, isKept);
    case 'timed-out':
      return brokenOutcome(
        'timeout',
        outcome.silent === undefined
          ? `it took longer than ${outcome.timeout_ms} ms`
          : `it was ${timeoutWords(outcome)}`,
      );
    case 'not-started':
      return brokenOutcome(outcome.error_type ?? 'tool_failure', outcome.reason);
    case 'failed':
      return failedOutcome(outcome);
    case 'changed':
      throw new Error('a snapshot of a worktree is not a result of a tool');
    default:
      return unreachable(outcome);
  }
}

/** An answer that must be JSON and is not, or does not fit the schema: the agent may try once more. */
interface UnusableAnswer {
  readonly kind: 'unusable';
  readonly problem: string;
  readonly session: string | null;
  /** What the session has used by now, where its program reports only such sums. */
  readonly sessionTokens?: TokenCounts | undefined;
}

/** `wantsJson`: a schema describes the answer. */
export function decodeAgentOutcome(outcome: Outcome, tool: string, wantsJson: boolean): PlanOutcome | UnusableAnswer {
  // A mock gives the result itself.
  if (outcome.kind === 'value') return valueOutcome(fromRecord(outcome.value, outcome.printed), outcome.invalid);
  if (outcome.kind === 'failed') return failedOutcome(outcome);
  if (outcome.kind !== 'exited') {
    return decodeToolOutcome(outcome, { outcomes: null } as ToolBinding);
  }
  try {
    decodeOutcome(outcome, { decoding: 'none', ok: [0], tool, agent: true });
  } catch (thrown) {
    const { errorType, message, exit } = asFailure(thrown);
    if (errorType !== 'tool_failure') return brokenOutcome(errorType, message);
    // An agent that reports a failure may still exit with 0.
    return { kind: 'failure', code: exit === null || exit === 0 ? 'tool_failure' : exit, message };
  }
  const text = agentText(outcome);
  if (text === null) return brokenOutcome('value_too_large', 'the answer is larger than a value can be');
  if (!wantsJson) return { kind: 'result', value: text };
  const value = readAnswer(text);
  const about = { session: outcome.session_id ?? null, sessionTokens: outcome.session_tokens };
  if (value === undefined) return { kind: 'unusable', problem: 'it is not JSON', ...about };
  if (outcome.invalid !== undefined)
    return { kind: 'unusable', problem: joinedClause('it', outcome.invalid), ...about };
  return valueOutcome(value);
}

/** The answer to the correction cannot be used either. */
export function unusableOutcome({ problem }: UnusableAnswer): PlanOutcome {
  return brokenOutcome(
    problem === 'it is not JSON' ? 'not_json' : 'bad_value',
    `the answer cannot be used: ${problem}`,
  );
}

function valueOutcome(value: Json, invalid: string | undefined = undefined): PlanOutcome {
  if (invalid !== undefined) return brokenOutcome('bad_value', joinedClause('the result', invalid));
  return deeperThan(value as Value, MAX_DEPTH) ? tooDeep() : { kind: 'result', value };
}

function tooDeep(): PlanOutcome {
  return brokenOutcome('bad_value', `the result is nested deeper than ${MAX_DEPTH} levels`);
}

function exitedOutcome(outcome: ExitedOutcome, outcomes: ToolBinding['outcomes'], isKept: boolean): PlanOutcome {
  const { exit, stdout, stderr, invalid } = outcome;
  if (exit === null) return brokenOutcome('tool_failure', `it was ${exitWords(outcome)}`);
  const named = outcomes !== null && Object.hasOwn(outcomes, String(exit));
  if (exit === 0 || named) {
    // A named exit code needs no output: its path says everything. Nor does a result that is not used.
    if (!isKept && !named && stdout.text?.trim() === '') return { kind: 'result', value: null };
    if (stdout.bytes > 0 || !named) {
      const read = decodePrinted(outcome, invalid);
      if (read.kind !== 'result' || !named) return read;
      return { kind: 'failure', code: exit, message: '', exitCode: exit, value: read.value };
    }
    return { kind: 'failure', code: exit, message: failureMessage(stderr, exit), exitCode: exit };
  }
  return { kind: 'failure', code: exit, message: failureMessage(stderr, exit), exitCode: exit };
}

function decodePrinted({ stdout }: ExitedOutcome, invalid: string | undefined): PlanOutcome {
  const { text, bytes } = stdout;
  if (bytes === 0 || text?.trim() === '')
    return brokenOutcome('not_json', 'it printed nothing, but a result must be JSON');
  if (text === undefined || stdout.base64 !== undefined)
    return stdout.base64 === undefined
      ? brokenOutcome('value_too_large', `the result has ${bytes} bytes, but a value can have at most 16 MiB`)
      : brokenOutcome('not_json', 'it printed something that is not text');
  const read = readJson(text);
  if (read.ok) return valueOutcome(read.value as Json, invalid);
  if (read.why === 'too-deep') return tooDeep();
  return brokenOutcome('not_json', `it printed something that is not JSON: \`${excerpt(text)}\``);
}

function failedOutcome({ message, error_type: errorType, exit, tool_code: toolCode }: FailedOutcome): PlanOutcome {
  if (errorType === 'in_doubt') return { kind: 'in-doubt', message };
  if (errorType !== undefined) return brokenOutcome(errorType, message);
  return { kind: 'failure', code: toolCode ?? exit ?? 'tool_failure', message };
}

function failureMessage(stderr: string, exit: number): string {
  const message = stderr.endsWith('\n') ? stderr.slice(0, -1) : stderr;
  return message === '' ? `exit ${exit}` : message;
}

function brokenOutcome(code: string, message: string): PlanOutcome {
  return { kind: 'broken', code, message };
}
