/**
 * Gates: all gates of a step run, in order, and all must pass. The result of a gate becomes a key of the step and an event.
 * After the last gate the result of the attempt is decided.
 */
import type { CheckLayout, GateLayout, StepInstructionOf } from '../../machine/step.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import { asFailure } from '../control/fail.js';
import { beginEffect, requestedEvent } from '../control/request-effects.js';
import type { Outcome, Output } from '../events/event.js';
import { exitWords, pipeWords, timeoutWords } from '../outcome.js';
import type { SchemaRequest, ShellRequest } from '../request.js';
import type { GateFinding, StepFrame } from '../run-state/frame.js';
import { type LinkContext, type Linked, STOP } from '../run-state/linked-machine.js';
import { stepOf } from '../run-state/open-frames.js';
import type { Pending } from '../run-state/pending.js';
import type { Thread } from '../run-state/thread.js';
import { compileCondition } from '../values/evaluate.js';
import { render } from '../values/json.js';
import { operations } from '../values/operations.js';
import { compileShellValues, compileTemplate } from '../values/template.js';
import { isList, isObject, member } from '../values/value.js';
import { filesMatching, filesOutside } from './glob.js';
import { writeGate } from './keys.js';
import { endOf, lastLine } from './prompt-text.js';
import { markDirty, stepRequest } from './step-requests.js';

/** Stores and records the result of a gate. */
function settleGate(t: Thread, gate: GateLayout, finding: GateFinding, artifact?: string): void {
  const frame = stepOf(t);
  frame.gates[gate.name] = finding;
  writeGate(t.run, frame, gate.name, finding);
  const message = finding.pass ? null : lastLine(finding.comments || finding.said || finding.error || '');
  t.run.recordNow(
    omitUndefined({
      type: 'gate_result',
      step: frame.path,
      attempt: frame.attempt,
      gate: gate.name,
      kind: gate.kind,
      pass: finding.pass,
      message: message === null || message === '' ? undefined : message,
      artifact,
    }),
  );
}

// ---- commands ---------------------------------------------------------------------------------------

export function linkGateCommand(instruction: StepInstructionOf<'gate-command'>, { pc }: LinkContext): Linked {
  const { gate, template, shell, strict, timeoutMs, idleMs, text } = instruction;
  const values = compileShellValues(template);
  const build = (t: Thread, next: Pick<Pending, 'effect' | 'attempt'>): ShellRequest =>
    omitUndefined({
      ...stepRequest(t, next),
      kind: 'shell',
      tool: gate.name,
      text,
      timeoutMs,
      idleMs,
      env: { STATEDSL_STEP: stepOf(t).path },
      shell,
      template,
      values: values(t),
      strict,
    });
  return {
    instruction: (t) => {
      const effect = t.nextEffect();
      let request: ShellRequest;
      try {
        request = build(t, { effect, attempt: 1 });
      } catch (thrown) {
        settleGate(t, gate, { pass: false, error: asFailure(thrown).message });
        return pc + 1;
      }
      // Files that it builds and leaves behind are not work of the step.
      markDirty(t);
      const args = request.values.map((value) => ('list' in value ? [...value.list] : value.text));
      const details = omitUndefined({
        step: stepOf(t).path,
        args: args.length === 0 ? undefined : args,
        holes: instruction.holes,
      });
      beginEffect(t, request, { event: requestedEvent(request, details), counts: true });
      return STOP;
    },
    suspender: {
      resume: (t, _pending, outcome) => {
        const artifact = outcome.kind === 'exited' ? (outcome.stderr_artifact ?? outcome.stdout.artifact) : undefined;
        settleGate(t, gate, judge(outcome, instruction), artifact);
        return pc + 1;
      },
      reissue: (t, pending) => t.run.request(build(t, pending)),
    },
  };
}

function judge(outcome: Outcome, { gate, least }: StepInstructionOf<'gate-command'>): GateFinding {
  switch (outcome.kind) {
    case 'exited': {
      if (outcome.exit !== 0) {
        const how = exitWords(outcome);
        const { pipe } = outcome;
        return pipe === undefined
          ? failedFinding(outcome, how, false)
          : failedFinding(outcome, `${how}: ${pipeWords(pipe)}`, true);
      }
      const said = saidBy(outcome.stderr, outcome.stdout);
      const problem =
        gate.kind === 'coverage'
          ? coverageProblem(said, least ?? 0)
          : gate.kind === 'tests_found'
            ? noTestsProblem(said)
            : null;
      return problem === null ? { pass: true, error: '' } : failedFinding(outcome, problem, true);
    }
    case 'timed-out':
      return failedFinding(
        outcome,
        outcome.silent === undefined ? `timed out after ${outcome.timeout_ms} ms` : timeoutWords(outcome),
        true,
      );
    case 'value':
      return outcome.value === false ? { pass: false, error: 'false' } : { pass: true, error: '' };
    case 'not-started':
      return { pass: false, error: outcome.reason };
    case 'failed':
      return { pass: false, error: outcome.message };
    case 'changed':
      return { pass: true };
    default:
      return unreachable(outcome);
  }
}

/** How many characters `{gate.NAME.error}` has at most if a gate printed nothing to standard error. */
const OUTPUT_END = 2000;

/** The result of a failed gate: `problem` replaces its output if that is empty, or is added to it if `added`. */
function failedFinding({ stderr, stdout }: GateOutput, problem: string, added: boolean): GateFinding {
  const withProblem = (text: string): string => (text === '' ? problem : added ? `${text}\n${problem}` : text);
  const error = stderr.trimEnd() || endOf(printedTo(stdout).trimEnd(), OUTPUT_END);
  return { pass: false, error: withProblem(error), said: withProblem(saidBy(stderr, stdout)) };
}

type GateOutput = { readonly stderr: string; readonly stdout: Output };

const printedTo = ({ text, tail }: Output): string => text ?? tail ?? '';

/** Both streams, because some programs print errors to one and some to the other. */
function saidBy(stderr: string, stdout: Output): string {
  return [stderr.trimEnd(), printedTo(stdout).trimEnd()].filter((part) => part !== '').join('\n');
}

/** A match begins at the first digit: the output may be one huge number, and from each of its digits it would be read again. */
const percents = /(?<!\d)(\d+(?:\.\d+)?)\s*%/g;

function coverageProblem(said: string, least: number): string | null {
  const last = [...said.matchAll(percents)].at(-1)?.[1];
  if (last === undefined) return 'its output contains no percentage of coverage';
  return Number(last) >= least ? null : `coverage is ${last} %, but must be at least ${least} %`;
}

const noTests =
  /\bno tests? (?:found|ran|run|to run|were|files?|collected)|\bno test (?:files|suites) (?:found|matching)|\bcollected 0 items|\b0 tests? (?:passed|found|ran|run|collected)|\bran 0 tests|\btests?:? +0\b|# tests 0\b|\b0 passing|\[no test files\]/i;
const someTests =
  /\b[1-9]\d* (?:tests?|passed|passing|specs?|examples?|assertions?)|# tests [1-9]|\bran [1-9]\d* tests?|^ok\s+\S+/im;

function noTestsProblem(said: string): string | null {
  return noTests.test(said) && !someTests.test(said) ? 'no test was found' : null;
}

// ---- schemas ----------------------------------------------------------------------------------------

export function linkGateSchema({ gate, path }: StepInstructionOf<'gate-schema'>, { pc }: LinkContext): Linked {
  const pathOf = compileTemplate(path).text;
  const request = (t: Thread, effect: string): SchemaRequest => {
    const { directory } = t.worktree;
    return omitUndefined({
      effect,
      kind: 'schema',
      attempt: 1,
      delayMs: 0,
      path: pathOf(t),
      text: stepOf(t).output,
      directory: directory ?? undefined,
    });
  };
  return {
    instruction: (t) => {
      beginEffect(t, request(t, t.nextEffect()), { event: null });
      return STOP;
    },
    suspender: {
      resume: (t, _pending, outcome) => {
        const problem =
          outcome.kind === 'value' ? outcome.value : 'message' in outcome ? outcome.message : 'it was not checked';
        settleGate(t, gate, problem === null ? { pass: true } : { pass: false, error: String(problem) });
        return pc + 1;
      },
      reissue: (t, { effect }) => t.run.request(request(t, effect)),
    },
  };
}

// ---- without a process ------------------------------------------------------------------------------

export function linkGateCheck({ gate, check }: StepInstructionOf<'gate-check'>, { pc }: LinkContext): Linked {
  const find = compileCheck(check);
  const { passesCheck } = operations();
  return {
    instruction: (t) => {
      let finding: GateFinding | null;
      try {
        const passes = passesCheck(check);
        finding = passes === undefined ? find(t, stepOf(t)) : { pass: passes };
      } catch (thrown) {
        finding = { pass: false, error: asFailure(thrown).message };
      }
      if (finding !== null) settleGate(t, gate, finding);
      return pc + 1;
    },
  };
}

/** Null if there is nothing to check. */
function compileCheck(check: CheckLayout): (t: Thread, frame: StepFrame) => GateFinding | null {
  switch (check.kind) {
    case 'touched':
    case 'untouched': {
      const globs = check.globs.map((glob) => compileTemplate(glob).text);
      return (t, { files }) =>
        compareFiles(
          check.kind,
          files,
          globs.map((glob) => glob(t)),
        );
    }
    case 'files':
      return (t, { files }) => ofTask(files, check.slot === undefined ? undefined : t.locals[check.slot]);
    case 'skipped':
      return () => ({ pass: true, error: '' });
    case 'unknown':
      return () => ({ pass: false, error: check.why });
    case 'shape':
      // An answer in the wrong form has already failed the attempt before its gates.
      return () => ({ pass: true });
    case 'expr': {
      const holds = compileCondition(check.condition, check.text);
      return (t) => (holds(t) ? { pass: true } : { pass: false, error: `\`${check.text}\` is not true` });
    }
    default:
      return unreachable(check);
  }
}

function compareFiles(kind: 'touched' | 'untouched', files: readonly string[], globs: readonly string[]): GateFinding {
  const found = filesMatching(files, globs);
  const words = globs.map((glob) => `\`${glob}\``).join(', ');
  if (kind === 'touched')
    return found.length > 0 ? { pass: true } : { pass: false, error: `no file that matches ${words} was changed` };
  return found.length === 0
    ? { pass: true }
    : { pass: false, error: `these files must not change: ${found.join(', ')}` };
}

/** A task that names its files must not change others. */
function ofTask(files: readonly string[], task: Thread['locals'][number]): GateFinding | null {
  const named = isObject(task) ? member(task, 'files') : undefined;
  const allowed = named !== undefined && isList(named) ? named.map(render) : [];
  if (allowed.length === 0) return null;
  const beyond = filesOutside(files, allowed);
  return beyond.length === 0
    ? { pass: true }
    : { pass: false, error: `these changed files are outside of the task: ${beyond.join(', ')}` };
}

// ---- validators -------------------------------------------------------------------------------------

/** Takes the result of the workflow that has just ended as a validator. */
export function linkGateVerdict({ gate }: StepInstructionOf<'gate-verdict'>, { pc }: LinkContext): Linked {
  return {
    instruction: (t) => {
      const frame = stepOf(t);
      const said = frame.asked ?? { pass: false, comments: '' };
      frame.asked = null;
      settleGate(t, gate, said);
      return pc + 1;
    },
  };
}
