/**
 * Mocks of commands, agents, tools and people: a file gives the result of each, so that a program can be tried without
 * starting anything. The file must be complete: a mock that runs one command for real by mistake would be worse than none.
 */
import { basename } from 'node:path';
import type { Outcome } from '../interpreter/events/event.js';
import type { ArgvRequest, FunctionRequest, ShellRequest } from '../interpreter/request.js';
import { render } from '../interpreter/values/json.js';
import type { Value } from '../interpreter/values/value.js';
import type { Json } from '../machine/expression.js';
import type { Machine } from '../machine/machine.js';
import type { ToolBinding } from '../machine/plan.js';
import type { StepInstruction } from '../machine/step.js';
import { writeAgentOutput } from './agents/perform.js';
import type { FileProblem } from './configuration/yaml-file.js';
import type { EffectContext, Effects, PerformedRequest } from './effect-context.js';
import { MOCK_PARTS, type Mock, type MockAnswers, type MockPart, readMockAnswer } from './mock-file.js';
import {
  type AnsweredRequest,
  type GivenAnswer,
  NamedAnswers,
  performAnswer,
  pretendedWorld,
  virtualClock,
} from './pretended-world.js';
import type { AskHandler } from './run/drive-options.js';
import { performChecked } from './tools/perform-tool.js';
import { VIRTUAL_START, type VirtualTime } from './virtual-time.js';

/** What a machine may start and the mock does not name. Found before anything runs. */
export function missingInMock(mock: Mock, machine: Machine): FileProblem[] {
  const problems: FileProblem[] = [];
  const report = (what: string, name: string, line: number, file: number): void => {
    const message = `the mock \`${mock.file}\` has no answers for the ${what} \`${name}\``;
    problems.push({ file: machine.files[file] ?? machine.name, line, column: null, message });
  };
  for (const { origin, ...instruction } of machine.states.flatMap((state) => state.code)) {
    switch (instruction.op) {
      case 'agent':
        // An agent costs money and changes files: with a mock, none is called for real, whether the mock names it or not.
        if (mock.agents === null || !Object.hasOwn(mock.agents, instruction.agent))
          report('agent', instruction.agent, origin.line, origin.file);
        break;
      case 'step-attempt':
        for (const name of stepAgents(instruction))
          if (mock.agents === null || !Object.hasOwn(mock.agents, name))
            report('agent', name, origin.line, origin.file);
        break;
      case 'shell':
        if (mock.commands !== null && commandAnswer(mock.commands, instruction.text, instruction.tool) === null)
          report('command', instruction.text, origin.line, origin.file);
        break;
      case 'argv':
      case 'function': {
        const name = instruction.op === 'function' ? instruction.name : null;
        if (mock.commands !== null && commandAnswer(mock.commands, instruction.text, name) === null)
          report('command', instruction.text, origin.line, origin.file);
        break;
      }
      case 'plan':
        for (const name of missingTools(mock, toolsUnder(machine, instruction.plan)))
          report('tool', name, origin.line, origin.file);
        break;
      default:
        break;
    }
  }
  return problems;
}

/** The agents of a step, and those that its retries name, except those that are only known during the run. */
function stepAgents({ agent, plan }: Extract<StepInstruction, { op: 'step-attempt' }>): Set<string> {
  const named = [agent, ...(plan.retry?.entries ?? []).flatMap((entry) => [entry.agent, entry.replan])];
  return new Set(
    named.flatMap((template) => {
      const [name, more] = template ?? [];
      return typeof name === 'string' && more === undefined ? [name.trim()] : [];
    }),
  );
}

/** The tools that a plan and its inner plans call. */
function toolsUnder({ plans = {} }: Machine, name: string): Map<string, ToolBinding> {
  const tools = new Map<string, ToolBinding>();
  const seen = new Set<string>();
  const visit = (inner: string): void => {
    const plan = plans[inner];
    if (plan === undefined || seen.has(inner)) return;
    seen.add(inner);
    for (const { delegate } of plan.calls) if (delegate !== null) visit(delegate);
    for (const [tool, binding] of Object.entries(plan.tools)) {
      if (binding.calls.kind === 'plan') visit(binding.calls.file);
      else tools.set(tool, binding);
    }
  };
  visit(name);
  return tools;
}

/** Tools that calls of plans need and the mock does not name, of `tools` by name. */
export function missingTools(mock: Mock, tools: ReadonlyMap<string, ToolBinding>): string[] {
  const isNamed = (name: string, { calls }: ToolBinding): boolean =>
    (mock.tools !== null && Object.hasOwn(mock.tools, name)) ||
    (calls.kind === 'agent' && mock.agents !== null && Object.hasOwn(mock.agents, calls.agent));
  return [...tools].filter(([name, binding]) => !isNamed(name, binding)).map(([name]) => name);
}

/** A mock at work: the answers that it has given so far, and who asks for them. */
export interface MockWorld {
  readonly effects: Effects;
  /** Answers questions that the mock names, and passes on others. */
  readonly ask: (others: AskHandler | null) => AskHandler;
  /** Names that nothing has asked for, and signals for which the program does not wait, with their location in the mock. */
  readonly listUnused: (machine: Machine) => FileProblem[];
}

/** Answers from the mock. What it does not name goes to `others`. `time`: null means that answers take no time. */
export function createMockWorld(mock: Mock, others: Effects, time: VirtualTime | null = null): MockWorld {
  const answers = new MockCalls(mock);
  const isNamed = (part: MockPart, name: string): boolean => mock[part] !== null && Object.hasOwn(mock[part], name);
  scheduleSignals(mock, time);
  const give = (part: MockPart, name: string, request: AnsweredRequest, context: EffectContext) =>
    performAnswer(answers.next(part, name), request, time, context.stop);
  const answer = (request: AnsweredRequest, context: EffectContext): Outcome | Promise<Outcome> | null => {
    if (request.kind === 'agent' && isNamed('agents', request.agent)) {
      const { output, directory = context.cwd } = request;
      const write = (outcome: Outcome) => (output === null ? outcome : writeAgentOutput(output, outcome, directory));
      const outcome = give('agents', request.agent, request, context);
      return outcome instanceof Promise ? outcome.then(write) : write(outcome);
    }
    if (isCommand(request) && mock.commands !== null) {
      const name = commandAnswer(mock.commands, request.text, toolOf(request));
      if (name === null)
        return { kind: 'not-started', reason: `the mock has no answer for the command \`${request.text}\`` };
      return give('commands', name, request, context);
    }
    if (request.kind === 'tool' && isNamed('tools', request.call.name))
      return performChecked(request.call, () => give('tools', request.call.name, request, context));
    return null;
  };
  const clock = time === null ? null : virtualClock(time);
  const ask =
    (other: AskHandler | null): AskHandler =>
    async (question, signal) => {
      if (!isNamed('asks', question.name)) return other === null ? null : other(question, signal);
      const given = answers.next('asks', question.name);
      if (time !== null && given.afterMs !== undefined) await time.sleep(time.now + given.afterMs, signal);
      return textOf(given);
    };
  return {
    effects: pretendedWorld({ clock, chance: null, answer, others }),
    ask,
    listUnused: (machine) => answers.listUnused(signalsOf(machine)),
  };
}

/** Signals arrive at the beginning or after their time; with real time there is no point at which they could arrive. */
function scheduleSignals({ signals }: Mock, time: VirtualTime | null): void {
  if (time === null) return;
  for (const [name, given] of Object.entries(signals ?? {}))
    for (const one of Array.isArray(given) ? given : [given]) {
      const { result, afterMs = 0 } = readMockAnswer(one, true);
      const payload = typeof result === 'object' && result.kind === 'value' ? result.value : null;
      time.deliverAt(VIRTUAL_START + afterMs, { kind: 'signal', name, payload, by: 'mock' });
    }
}

/** Which answers were given. */
class MockCalls {
  private readonly named = new NamedAnswers<Json>('mock');

  constructor(private readonly mock: Mock) {}

  next(part: MockPart, name: string): GivenAnswer {
    const given = (this.mock[part] as MockAnswers)[name] as Json;
    const next = this.named.next(given, name, `${part}/${name}`);
    if ('reason' in next) return { result: { kind: 'not-started', ...next } };
    return readMockAnswer(next.answer, part === 'tools');
  }

  /** Signals come by themselves, so they are unused only if the program waits for none of that name. */
  listUnused(signals: ReadonlySet<string>): FileProblem[] {
    const { file, locationOf } = this.mock;
    return MOCK_PARTS.flatMap((part) =>
      Object.keys(this.mock[part] ?? {})
        .filter((name) => (part === 'signals' ? !signals.has(name) : !this.named.hasUsed(`${part}/${name}`)))
        .map((name) => {
          const { line = null, column = null } = locationOf([part, name], true) ?? {};
          const message =
            part === 'signals'
              ? `the program waits for no signal \`${name}\``
              : `the run did not use any of the answers of \`${name}\``;
          return { file, line, column, message };
        }),
    );
  }
}

function signalsOf({ states }: Machine): ReadonlySet<string> {
  return new Set(states.flatMap(({ code }) => code.flatMap((one) => (one.op === 'signal' ? [one.name] : []))));
}

/** The text of an answer; null where the mock has none left, so that the question stays open. */
function textOf({ result }: GivenAnswer): string | null {
  if (typeof result === 'string') return null;
  if (result.kind === 'exited') return result.stdout.text ?? '';
  return result.kind === 'value' ? render(result.value as Value) : null;
}

function isCommand(request: PerformedRequest): request is ShellRequest | ArgvRequest | FunctionRequest {
  return request.kind === 'shell' || request.kind === 'argv' || request.kind === 'function';
}

function toolOf(request: ShellRequest | ArgvRequest | FunctionRequest): string | null {
  if (request.kind === 'function') return request.name;
  return request.kind === 'argv' ? basename(request.argv[0] ?? '') : request.tool;
}

/** A one-line command without the comment of the shell at its end. */
export function withoutComment(text: string): string {
  if (!text.includes(' #') || text.includes('\n')) return text.trim();
  return (/^((?:[^"'#\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*'|(?<!\s)#)*?)\s+#/.exec(text)?.[1] ?? text).trim();
}

/** The names of a command in a mock: its whole text, with and without a comment, its program, or its first word. */
function commandAnswer(commands: MockAnswers, text: string, tool: string | null): string | null {
  const names = [text.trim(), withoutComment(text), tool, text.trim().split(/\s+/)[0]];
  return names.find((name) => typeof name === 'string' && Object.hasOwn(commands, name)) ?? null;
}
