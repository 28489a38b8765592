/**
 * Mocks of commands, agents and tools: a file gives the result of each, so that a program can be tried without starting
 * anything. The file must be complete: a mock that runs one command for real by mistake would be worse than none.
 */
import { basename } from 'node:path';
import type { Outcome } from '../interpreter/events/event.js';
import type { ArgvRequest, FunctionRequest, ShellRequest } from '../interpreter/request.js';
import type { Json } from '../machine/expression.js';
import type { Machine } from '../machine/machine.js';
import type { ToolBinding } from '../machine/plan.js';
import type { StepInstruction } from '../machine/step.js';
import { writeAgentOutput } from './agents/perform.js';
import { type FileProblem, readYamlFile } from './configuration/yaml-file.js';
import type { Effects, PerformedRequest } from './effect-context.js';
import { performChecked } from './tools/perform-tool.js';

/** A value, a failure `{fail: {code, message}}`, or a list with one of these for each call. */
type MockAnswers = Readonly<Record<string, Json>>;

export interface Mock {
  readonly file: string;
  readonly tools: MockAnswers | null;
  readonly agents: MockAnswers | null;
  readonly commands: MockAnswers | null;
}

/** Reads the file of `--mock`. */
export async function loadMock(file: string): Promise<{ mock: Mock | null; problems: readonly FileProblem[] }> {
  const read = await readYamlFile(file);
  if (read.problems.length > 0) return { mock: null, problems: read.problems };
  const problems: FileProblem[] = [];
  const report = (path: string[], message: string, help?: string): void => {
    const location = read.locationOf(path, true);
    problems.push({
      file,
      line: location?.line ?? null,
      column: location?.column ?? null,
      message,
      ...(help ? { help } : {}),
    });
  };
  const value = read.value ?? {};
  if (!isMapping(value)) {
    report([], 'a mock is a mapping with the keys `commands`, `agents` and `tools`');
    return { mock: null, problems };
  }
  for (const [key, answers] of Object.entries(value)) {
    if (!['tools', 'agents', 'commands'].includes(key))
      report([key], `there is no key \`${key}\` in a mock`, 'the keys are `commands`, `agents` and `tools`');
    else if (answers !== null && !isMapping(answers)) report([key], `\`${key}\` must be a mapping of names to answers`);
  }
  if (problems.length > 0) return { mock: null, problems };
  const part = (key: string): MockAnswers | null => (key in value ? ((value[key] ?? {}) as MockAnswers) : null);
  return { mock: { file, tools: part('tools'), agents: part('agents'), commands: part('commands') }, problems };
}

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
  const named = [agent, ...(plan.retry?.entries ?? []).map((entry) => entry.agent)];
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

/** Answers from the mock. What it does not name goes to `others`. */
export function mockEffects(mock: Mock, others: Effects): Effects {
  const calls = new Map<string, number>();
  const next = (part: string, name: string, answers: MockAnswers): Outcome => {
    const given = answers[name] as Json;
    const outcomeOf = part === 'tools' ? toolOutcomeOf : printedOutcomeOf;
    if (!Array.isArray(given)) return outcomeOf(given);
    const key = `${part}/${name}`;
    const call = calls.get(key) ?? 0;
    calls.set(key, call + 1);
    const answer = given[call];
    if (answer === undefined)
      return {
        kind: 'not-started',
        reason: `the mock has ${given.length === 1 ? 'one answer' : `${given.length} answers`} for \`${name}\`, but this is call ${given.length + 1}`,
      };
    return outcomeOf(answer);
  };
  return {
    perform(request, context) {
      if (request.kind === 'agent' && mock.agents !== null && Object.hasOwn(mock.agents, request.agent)) {
        const outcome = next('agents', request.agent, mock.agents);
        return request.output === null
          ? outcome
          : writeAgentOutput(request.output, outcome, request.directory ?? context.cwd);
      }
      if (isCommand(request) && mock.commands !== null) {
        const name = commandAnswer(mock.commands, request.text, toolOf(request));
        if (name === null)
          return { kind: 'not-started', reason: `the mock has no answer for the command \`${request.text}\`` };
        return next('commands', name, mock.commands);
      }
      if (request.kind === 'tool' && mock.tools !== null && Object.hasOwn(mock.tools, request.call.name)) {
        const { tools } = mock;
        return performChecked(request.call, () => next('tools', request.call.name, tools));
      }
      return others.perform(request, context);
    },
  };
}

function isCommand(request: PerformedRequest): request is ShellRequest | ArgvRequest | FunctionRequest {
  return request.kind === 'shell' || request.kind === 'argv' || request.kind === 'function';
}

function toolOf(request: ShellRequest | ArgvRequest | FunctionRequest): string | null {
  if (request.kind === 'function') return request.name;
  return request.kind === 'argv' ? basename(request.argv[0] ?? '') : request.tool;
}

/** The names of a command in a mock: its whole text, its program, or its first word. */
function commandAnswer(commands: MockAnswers, text: string, tool: string | null): string | null {
  const names = [text.trim(), tool, text.trim().split(/\s+/)[0]];
  return names.find((name) => typeof name === 'string' && Object.hasOwn(commands, name)) ?? null;
}

/** For a tool, every value is its result, including a text. */
function toolOutcomeOf(answer: Json): Outcome {
  if (!isMapping(answer) || !isMapping(answer.fail)) return { kind: 'value', value: answer };
  const { code = null, message } = answer.fail;
  const words = typeof message === 'string' ? message : '';
  if (typeof code === 'number') return printedOutcome('', code, words);
  const said = words || String(code ?? 'the mock makes this call fail');
  return typeof code === 'string'
    ? { kind: 'failed', message: said, tool_code: code }
    : { kind: 'failed', message: said };
}

/** A text is the output; other values are the result itself. */
function printedOutcomeOf(answer: Json): Outcome {
  if (typeof answer === 'string') return printedOutcome(answer, 0, '');
  if (isMapping(answer) && isMapping(answer.fail)) {
    const { code, message } = answer.fail;
    const words = typeof message === 'string' ? message : '';
    if (typeof code === 'number') return printedOutcome('', code, words);
    return { kind: 'failed', message: words || String(code ?? 'the mock makes this call fail') };
  }
  return { kind: 'value', value: answer };
}

function printedOutcome(text: string, exit: number, stderr: string): Outcome {
  return { kind: 'exited', exit, stdout: { text, bytes: Buffer.byteLength(text) }, stderr, duration_ms: 0 };
}

function isMapping(value: Json | undefined): value is { [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
