/**
 * The world of one test: answers from mocks, people and signals that the test names, and virtual time. It never starts
 * anything, except what a mock answers `for real`. Whatever it cannot answer ends the run and fails the test.
 */
import type { Outcome } from '../../interpreter/events/event.js';
import type { ToolCall, WorktreeAction } from '../../interpreter/request.js';
import { render } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import type { Expression } from '../../language/syntax/expression-nodes.js';
import type { AnswerForm, MockLine, TestAnswer } from '../../language/syntax/tests/test-tree.js';
import { readDuration } from '../../machine/duration.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { CassetteWorld } from '../../runtime/cassette/cassette-world.js';
import type { EffectContext, Effects, PerformedRequest } from '../../runtime/effect-context.js';
import {
  type AnsweredRequest,
  type GivenAnswer,
  isAnswered,
  numberedId,
  outputOf,
  performAnswer,
  pretendedWorld,
  valueOutcome,
  virtualClock,
} from '../../runtime/pretended-world.js';
import type { AskHandler } from '../../runtime/run/drive-options.js';
import { performChecked } from '../../runtime/tools/perform-tool.js';
import type { VirtualTime } from '../../runtime/virtual-time.js';
import { answers, mockLineFor, type SelectedRequest, scriptOf, specificity } from './selectors.js';

/** A request that the run made, for what a test expects of calls and prompts. */
export interface Call extends SelectedRequest {
  readonly prompt: string | null;
  /** Whether it is not made again if it may have run. */
  readonly isOnce: boolean;
}

/** Why a run cannot continue, or what was left over. */
export interface WorldProblem {
  /** The mock or answer; null: there is none. */
  readonly offset: number | null;
  readonly code?: TestFailure['code'];
  readonly message: string;
  readonly help?: string;
  readonly difference?: readonly string[];
}

export interface PersonAnswer {
  readonly name: string;
  readonly text: string;
  readonly atMs: number;
  readonly offset: number;
  isUsed: boolean;
}

interface WorldOptions {
  readonly mocks: readonly { readonly mock: MockLine; readonly isOfTest: boolean }[];
  readonly people: readonly PersonAnswer[];
  readonly time: VirtualTime;
  /** Performs what is answered `for real`; null: refused. */
  readonly real: Effects | null;
  /** Reads schemas. */
  readonly host: Effects;
  readonly evaluate: (expression: Expression) => Json;
  /** Ends the run. */
  readonly stop: () => void;
  /** The last answer of a mock is given again when all are used up. */
  readonly isLenient: boolean;
  /** Gives everything that no mock of the test answers; null: there is none. */
  readonly played: CassetteWorld | null;
}

/** The commit from which the worktree of a test starts. It exists only by name. */
export const FIRST_COMMIT = '0'.repeat(40);

export class TestWorld implements Effects {
  readonly calls: Call[] = [];
  readonly problems: WorldProblem[] = [];
  /** How many answers of each mock were given. */
  readonly used = new Map<MockLine, number>();
  private identifiers = 0;
  private randoms = 0;
  private readonly begun: number;
  private readonly world: Effects;

  constructor(private readonly options: WorldOptions) {
    const { time, host, played } = options;
    this.begun = time.now;
    this.world = pretendedWorld({
      ...(played === null
        ? {}
        : { recall: (request, context) => (isAnswered(request) ? null : played.perform(request, context)) }),
      clock: virtualClock(time),
      chance: { uuid: () => numberedId(++this.identifiers), random: () => (++this.randoms % 10) / 10 },
      answer: (request, context) => {
        if (request.kind !== 'tool') return this.answer(request, context);
        // A plan that is called as a tool is run by the interpreter; the request only checks its schema.
        return request.calls.kind === 'plan' ? null : performChecked(request.call, () => this.answer(request, context));
      },
      others: {
        perform: (request, context) =>
          request.kind === 'worktree' ? performWorktree(request.action, context.cwd) : host.perform(request, context),
      },
    });
  }

  perform(request: PerformedRequest, context: EffectContext): Outcome | Promise<Outcome> {
    return this.world.perform(request, context);
  }

  /** Answers a question at its time; a question without an answer stays open. */
  readonly ask: AskHandler = async (question, signal) => {
    const { people, time, played } = this.options;
    const { name, choices } = question;
    const given = people.find((one) => one.name === name && !one.isUsed);
    if (given === undefined) return played === null ? null : played.ask(question, signal);
    played?.skipQuestion(name);
    const left = this.begun + given.atMs - time.now;
    if (left > 0) await time.sleep(time.now + left, signal);
    if (signal.aborted) return null;
    given.isUsed = true;
    if (choices !== null && !choices.includes(given.text)) {
      const help = `the choices are ${choices.join(', ')}`;
      this.fail({ offset: given.offset, message: `\`${given.text}\` is not an answer to \`${name}\``, help });
      return null;
    }
    return given.text;
  };

  /** Mocks of the test and answers that were not all used. */
  leftOver(): WorldProblem[] {
    const found: WorldProblem[] = [];
    for (const { mock, isOfTest } of this.options.mocks) {
      const used = this.used.get(mock) ?? 0;
      if (!isOfTest || used >= mock.answers.length) continue;
      const left = mock.answers.length - used;
      const count = left === 1 ? 'one answer of this mock is' : `${left} answers of this mock are`;
      const message = used === 0 ? 'nothing used this mock' : `${count} left over`;
      found.push({ offset: mock.span.start, code: 'unused-mock', message, help: 'remove what is not needed' });
    }
    for (const { isUsed, name, offset } of this.options.people)
      if (!isUsed)
        found.push({
          offset,
          code: 'unused-mock',
          message: `the run did not ask for \`${name}\``,
          help: 'remove the answer',
        });
    return found;
  }

  /** Counts the answer to a request that was answered without this world. */
  consume(request: PerformedRequest): void {
    if (!isAnswered(request)) return;
    const mock = this.mockFor(targetOf(request));
    if (mock !== null) this.used.set(mock, (this.used.get(mock) ?? 0) + 1);
  }

  /** What the cassette has and the run did not ask for. */
  unusedRecords(offset: number): WorldProblem[] {
    return (this.options.played?.listUnused() ?? []).map((problem) => ({ ...problem, offset }));
  }

  private answer(request: AnsweredRequest, context: EffectContext): Outcome | Promise<Outcome> {
    const target = targetOf(request);
    this.calls.push(callOf(request));
    const mock = this.mockFor(target);
    const { played } = this.options;
    if (played !== null) {
      if (mock === null) return played.perform(request, context);
      played.skip(request);
    }
    if (mock === null) {
      const message = `no mock answers \`${target.text}\` (state ${target.state}, line ${target.line})`;
      return this.refuse({ offset: null, message, help: mockLineFor(target) });
    }
    const at = this.used.get(mock) ?? 0;
    this.used.set(mock, at + 1);
    const answer = mock.answers[at] ?? (mock.repeats || this.options.isLenient ? mock.answers.at(-1) : undefined);
    if (answer === undefined) {
      const count = mock.answers.length === 1 ? 'one answer' : `${mock.answers.length} answers`;
      const message = `this mock has ${count}, and \`${target.text}\` (state ${target.state}, line ${target.line}) is call ${at + 1}`;
      return this.refuse({ offset: mock.span.start, message, help: 'add an answer, or `, …` to repeat the last' });
    }
    if (answer.form.kind === 'for-real') return this.performReally(request, context, mock);
    return performAnswer(this.answerOf(answer, request.kind === 'tool'), request, this.options.time, context.stop);
  }

  private mockFor(target: SelectedRequest): MockLine | null {
    let best: { readonly mock: MockLine; readonly rank: number } | null = null;
    for (const { mock, isOfTest } of this.options.mocks) {
      if (!answers(mock, target)) continue;
      const rank = 2 * specificity(mock) + (isOfTest ? 1 : 0);
      if (best === null || rank > best.rank) best = { mock, rank };
    }
    return best?.mock ?? null;
  }

  private performReally(request: AnsweredRequest, context: EffectContext, mock: MockLine): Outcome | Promise<Outcome> {
    const { real, time } = this.options;
    if (real !== null) {
      if (request.delayMs === 0) return real.perform(request, context);
      // The pause before a retry is not part of the request, so it takes time of the test alone.
      const pause = time.sleep(time.now + request.delayMs, context.stop);
      return pause.then(() => real.perform({ ...request, delayMs: 0 }, context));
    }
    const message = `\`${request.text}\` would be started for real`;
    return this.refuse({ offset: mock.span.start, message, help: 'allow it with `--no-offline`, or mock it' });
  }

  private answerOf({ form, cost, tokens, after }: TestAnswer, isTool: boolean): GivenAnswer {
    const afterMs = after === undefined ? undefined : (readDuration(after.text).ms ?? undefined);
    return { result: this.resultOf(form, isTool), ...omitUndefined({ cost, tokens, afterMs }) };
  }

  private resultOf(form: AnswerForm, isTool: boolean): GivenAnswer['result'] {
    const { evaluate } = this.options;
    const textOf = (expression: Expression | null): string =>
      expression === null ? '' : render(evaluate(expression) as Value);
    switch (form.kind) {
      case 'value':
        return valueOutcome(evaluate(form.value), isTool);
      case 'exit':
        return outputOf(textOf(form.stdout), form.code, textOf(form.stderr));
      case 'fails': {
        if (form.error.text === 'timeout' && form.message === null) return 'timeout';
        const message = form.message === null ? `the test makes it fail with ${form.error.text}` : textOf(form.message);
        const code = isTool ? { tool_code: form.error.text } : { error_type: form.error.text };
        return { kind: 'failed', message, ...code };
      }
      case 'times-out':
        return 'timeout';
      case 'hangs':
        return 'hang';
      case 'for-real':
        throw new Error('a request that is performed for real has no answer');
      default:
        return unreachable(form);
    }
  }

  /** Ends the run. */
  private fail(problem: WorldProblem): void {
    this.problems.push(problem);
    this.options.stop();
  }

  /** Ends the run; the outcome comes too late to matter. */
  private refuse(problem: WorldProblem): Promise<Outcome> {
    this.fail(problem);
    return Promise.resolve({ kind: 'not-started', reason: problem.message });
  }
}

/** In a test nothing changes a file, so every difference is empty. */
function performWorktree(action: WorktreeAction, cwd: string): Outcome {
  switch (action.do) {
    case 'snapshot':
      return { kind: 'changed', commit: FIRST_COMMIT, files: [], stdout: { text: '', bytes: 0 } };
    case 'reset':
      return { kind: 'value', value: null };
    case 'fork':
      return { kind: 'value', value: { directory: cwd } };
    case 'merge':
      return { kind: 'value', value: { commit: FIRST_COMMIT } };
    default:
      return unreachable(action);
  }
}

/** What expectations know of a request. */
export function callOf(request: AnsweredRequest): Call {
  const prompt = request.kind === 'agent' ? request.prompt : request.kind === 'tool' ? argumentsOf(request.call) : null;
  return { ...targetOf(request), prompt, isOnce: request.once };
}

/** What a tool reads: its parameters in JSON. */
const argumentsOf = ({ parameters, printed }: ToolCall): string => printed ?? JSON.stringify(parameters);

function targetOf(request: AnsweredRequest): SelectedRequest {
  const { text, state, line } = request;
  const step = request.kind === 'agent' ? request.step : request.env.STATEDSL_STEP;
  const common = { text, state, line, step: step ?? null };
  if (request.kind === 'agent') return { ...common, kind: 'agent', name: request.agent };
  if (request.kind === 'tool') return { ...common, kind: 'tool', name: request.call.name };
  const script = request.kind === 'shell' ? scriptOf(text, request.template) : {};
  return { ...common, kind: 'command', name: null, ...script };
}

/** The result of a test, as reporters show it. */
export interface TestFailure {
  /** The line of the test file; 0: the test as a whole. */
  readonly line: number;
  /** What the manual calls it, if it has a name. */
  readonly code?: 'unused-mock';
  readonly message: string;
  readonly expected?: string;
  readonly got?: string;
  readonly help?: string;
  /** Lines that begin with `-`, `+` or spaces. */
  readonly difference?: readonly string[];
}

/** The message with the name of what is wrong, as text for people. */
export function failureMessage({ code, message }: Pick<TestFailure, 'code' | 'message'>): string {
  return code === undefined ? message : `${code}: ${message}`;
}

export interface TestResult {
  /** The name of the test file. */
  readonly file: string;
  readonly name: string;
  readonly line: number;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Why it was skipped. */
  readonly reason?: string;
  readonly failures: readonly TestFailure[];
  /** What is not as it should be and does not fail the test. */
  readonly warnings?: readonly TestFailure[];
  /** The last lines of the log of a run that failed its test. */
  readonly log: readonly string[];
  readonly duration_ms: number;
}
