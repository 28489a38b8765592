/**
 * Performs calls of tools. Parameters are checked against the tool's schema before anything is started, and results before
 * they are passed on. A result that does not match is not an answer of the tool, so it never selects an outcome.
 */
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { joinedClause, readAnswer } from '../../interpreter/agents/agent-wait.js';
import type { Outcome } from '../../interpreter/events/event.js';
import type { PlanCheck } from '../../interpreter/plan/engine/plan-node.js';
import type { AgentRequest, ToolCall, ToolRequest } from '../../interpreter/request.js';
import type { Json } from '../../machine/expression.js';
import type { ToolProgram } from '../../machine/plan.js';
import { isJsonObject } from '../../prelude/json-object.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { EffectContext } from '../effect-context.js';
import { argumentProblem, cannotStart, directoryOf, type Environment, performCommand } from '../process/shell.js';
import type { ValidateCall } from './call-schema.js';
import type { ToolHost } from './mcp-tool.js';

type CommandTarget = Extract<ToolProgram, { kind: 'run' }>;

export async function performTool(request: ToolRequest, context: EffectContext, host: ToolHost): Promise<Outcome> {
  const { calls, call } = request;
  if (calls.kind === 'plan') return checkPlanCall(call, calls);
  return performChecked(call, () => performTarget(request, calls, context, host));
}

async function checkPlanCall(call: ToolCall, { checks, result }: PlanCheck): Promise<Outcome> {
  const sound = { kind: 'value', value: result, durationMs: 0 } as const;
  if (checks === 'parameters') return (await checkParameters(call)) ?? sound;
  return checkResult(call, sound);
}

/** Checks a call against its schema, for every kind of tool. */
export async function performChecked(call: ToolCall, perform: () => Outcome | Promise<Outcome>): Promise<Outcome> {
  return (await checkParameters(call)) ?? checkResult(call, await perform());
}

function performTarget(
  request: ToolRequest,
  calls: Exclude<ToolRequest['calls'], PlanCheck>,
  context: EffectContext,
  host: ToolHost,
): Promise<Outcome> {
  switch (calls.kind) {
    case 'run':
      return performCommandTool(request, wordsOf(calls, context), context, host.inherited);
    case 'module':
      return import('./module-tool.js').then(({ performModuleTool }) =>
        performModuleTool(
          request,
          { ...calls, file: calls.near ? pathOnWorker(calls.file, context) : calls.file },
          context,
        ),
      );
    case 'mcp':
      return import('./mcp-tool.js').then(({ performMcpTool }) => performMcpTool(request, calls, context, host));
    default:
      return unreachable(calls);
  }
}

/** A file of the project has a relative path if another machine sent the program. */
function pathOnWorker(path: string, { cwd, toolFolders = [cwd] }: EffectContext): string {
  const candidates = toolFolders.map((folder) => resolve(folder, path));
  const [first = path] = candidates;
  return isAbsolute(path) || candidates.length === 1
    ? first
    : (candidates.find((candidate) => existsSync(candidate)) ?? first);
}

function wordsOf({ argv, near }: CommandTarget, context: EffectContext): readonly string[] {
  if (near === undefined) return argv;
  return argv.map((word, at) => (near.includes(at) ? pathOnWorker(word, context) : word));
}

/** An agent as the tool of a call: it is called like any other, and its answer is checked against the schema. */
export async function performAgentTool(
  { call }: Pick<AgentRequest, 'call'>,
  ask: () => Promise<Outcome>,
): Promise<Outcome> {
  if (call === undefined) return ask();
  return (await checkParameters(call)) ?? checkResult(call, await ask(), readAnswer);
}

let validator: { validate: ValidateCall; schemas: typeof import('./call-schema.js') } | null = null;

/** Loaded for the first tool with a schema, because loading takes longer than a small plan. */
async function loadValidator(): Promise<NonNullable<typeof validator>> {
  if (validator === null) {
    const schemas = await import('./call-schema.js');
    validator = { schemas, validate: schemas.schemaValidator() };
  }
  return validator;
}

const prepared = new WeakMap<object, Json>();

async function checkParameters({ name, parameters, printed, schema }: ToolCall): Promise<Outcome | null> {
  if (typeof schema !== 'object' || schema === null) return null;
  const { validate, schemas } = await loadValidator();
  const own = prepared.get(schema) ?? schemas.parameterSchema(schema);
  prepared.set(schema, own);
  const problem = validate(own, asNumbers(parameters as Json, printed), schema);
  if (problem === null) return null;
  return {
    kind: 'not-started',
    reason: joinedClause(`the call of \`${name}\``, problem),
    error_type: 'bad_value',
  };
}

/** `read`: makes a value of the text of a result. */
async function checkResult(
  { schema }: ToolCall,
  outcome: Outcome,
  read: (text: string) => Json | undefined = readJson,
): Promise<Outcome> {
  if (schema === null || (outcome.kind !== 'value' && !(outcome.kind === 'exited' && outcome.exit === 0)))
    return outcome;
  const { validate, schemas } = await loadValidator();
  const wanted = schemas.memberSchema(schema, '_output');
  if (wanted === undefined) return outcome;
  const value = outcome.kind === 'value' ? asNumbers(outcome.value, outcome.printed) : read(outcome.stdout.text ?? '');
  const problem = value === undefined ? null : validate(wanted, resultIn(value), schema);
  return problem === null ? outcome : { ...outcome, invalid: problem };
}

/** With whole numbers of any length as numbers, which schemas see. */
function asNumbers(value: Json, printed: string | undefined): Json {
  return printed === undefined ? value : (JSON.parse(printed) as Json);
}

/** A result that names its path has the value next to it. */
function resultIn(value: Json): Json {
  if (!isJsonObject(value) || !Object.hasOwn(value, '_path')) return value;
  return Object.hasOwn(value, '_output') ? (value._output as Json) : null;
}

/** Undefined for a text that is not JSON, which is reported elsewhere. */
function readJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/**
 * A command as a tool: its words come from the tools file, and its parameters are one JSON object on its standard input.
 * No part of a parameter is ever in a command line.
 */
async function performCommandTool(
  request: ToolRequest,
  argv: readonly string[],
  context: EffectContext,
  inherited: Environment,
): Promise<Outcome> {
  const problem = argumentProblem(argv);
  if (problem !== null) return problem;
  const text = request.call.printed ?? JSON.stringify(request.call.parameters);
  const stdin = { text, bytes: Buffer.byteLength(text) };
  // An environment has a maximum size. Paths are short, and compiling limits their number.
  const env = { STATEDSL_ALTERNATIVES: JSON.stringify(request.call.alternatives) };
  const ended = await performCommand({ argv, env }, { ...request, stdin }, context, inherited);
  return 'code' in ended ? cannotStart(ended, argv[0] ?? '', directoryOf(request, context)) : ended;
}
