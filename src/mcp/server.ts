/** The server of one connection: lists the tools, checks what a call brings, and answers in the form of its revision. */
import { McpServer, ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import { refusalOf } from '../app/result.js';
import { joinedClause } from '../interpreter/agents/agent-wait.js';
import type { Json } from '../machine/expression.js';
import type { ValidateCall } from '../runtime/tools/call-schema.js';
import { addResources } from './agent-resources.js';
import { type Caller, callerOf, type Era, requireRevision, TASKS } from './caller.js';
import type { Door } from './door.js';
import { refusalResult } from './findings.js';
import { listCall } from './list-call.js';
import { programTools, runArguments } from './program-tools.js';
import { failedResult } from './run-view.js';
import type { ShortMembers } from './short-answer.js';
import { addTasks } from './tasks.js';
import { answerCall, type CallResult, checkCall, controlCall, getCall, runCall } from './tool-calls.js';
import { changesNothing, TOOLS, type ToolDefinition } from './tool-definitions.js';

const INSTRUCTIONS = `statedsl runs flows: commands, agents and questions to people as states, recorded and resumable.
To write one, read the skill \`statedsl\` first; then check, mend all findings, run. Questions of a run are for the user.`;

type ToolCallOf = (door: Door, given: never, caller: Caller) => Promise<CallResult>;

const CALLS: Readonly<Record<string, ToolCallOf>> = {
  check: checkCall,
  run: runCall,
  get: getCall,
  answer: answerCall,
  list: listCall,
  control: controlCall,
};

/** Cheap and without effects: clients that only ask what there is get a server of their own. */
export async function makeServer(door: Door, era: Era): Promise<McpServer> {
  const mcp = new McpServer(
    { name: 'statedsl', title: 'statedsl', version: door.version },
    {
      instructions: INSTRUCTIONS,
      capabilities: { tools: { listChanged: true }, ...(era === 'modern' ? { extensions: { [TASKS]: {} } } : {}) },
      requestState: { verify: async (state, context) => (await door.codec()).verify(state, context) },
    },
  );
  const { server } = mcp;
  server.setRequestHandler('tools/list', (_, context) => {
    requireRevision(context, era);
    return programTools(door).then((own) => ({ tools: [...toolsOf(door), ...own.map(definitionOf)] })) as never;
  });
  server.setRequestHandler('tools/call', (request, context) => {
    requireRevision(context, era);
    return callTool(door, request.params, callerOf(context, server, era)) as never;
  });
  await addResources(door, mcp);
  if (era === 'modern') addTasks(door, mcp);
  else emptyWhatIsNoForm(server);
  return mcp;
}

/** In older revisions the library asks, and a call fails with the words of its validator if no form comes back. */
function emptyWhatIsNoForm(server: McpServer['server']): void {
  const request = server.request.bind(server) as (...given: unknown[]) => Promise<unknown>;
  const ask = (...given: unknown[]): Promise<unknown> =>
    request(...given).catch((cause: unknown) => {
      if (cause instanceof SdkError && cause.code === SdkErrorCode.InvalidResult) return {};
      throw cause;
    });
  server.request = ask as typeof server.request;
}

function toolsOf(door: Door): readonly ToolDefinition[] {
  return door.isReadOnly ? TOOLS.filter(changesNothing) : TOOLS;
}

interface ToolParameters {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

async function callTool(
  door: Door,
  { name, arguments: given = {} }: ToolParameters,
  caller: Caller,
): Promise<CallResult> {
  const own = name.startsWith('run_') ? (await programTools(door)).find((one) => one.name === name) : undefined;
  if (own !== undefined) return callProgram(door, own, given, caller);
  const tool = toolsOf(door).find((one) => one.name === name);
  const call = Object.hasOwn(CALLS, name) ? CALLS[name] : undefined;
  if (tool === undefined || call === undefined) {
    const isHidden = TOOLS.some((one) => one.name === name);
    const why = isHidden
      ? 'this server only reads'
      : `its tools are ${toolsOf(door)
          .map((one) => one.name)
          .join(', ')}`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool \`${name.slice(0, 100)}\`: ${why}`);
  }
  const validate = await validator();
  const problem = validate(tool.inputSchema as Json, given as Json);
  if (problem !== null)
    return failedResult(joinedClause(`the arguments of \`${name}\``, problem), argumentHelp(tool, problem));
  try {
    return await call(door, given as never, caller);
  } catch (cause) {
    return refusalResult(refusalOf(cause));
  }
}

type ProgramTool = Awaited<ReturnType<typeof programTools>>[number];

/** As it is listed: where it is and what its inputs are is for the call. */
const definitionOf = ({ path: _, inputs: __, ...definition }: ProgramTool): ToolDefinition => definition;

async function callProgram(
  door: Door,
  tool: ProgramTool,
  given: Readonly<Record<string, unknown>>,
  caller: Caller,
): Promise<CallResult> {
  const validate = await validator();
  const problem = validate(tool.inputSchema as Json, given as Json);
  if (problem !== null)
    return failedResult(joinedClause(`the arguments of \`${tool.name}\``, problem), argumentHelp(tool, problem));
  try {
    const written = caller.written === null ? null : { ...runArguments(tool, caller.written) };
    return await runCall(door, runArguments(tool, given as ShortMembers), { ...caller, written: written as never });
  } catch (cause) {
    return refusalResult(refusalOf(cause));
  }
}

interface ObjectSchema {
  readonly properties?: ShortMembers;
  readonly required?: string[];
}

/** What the arguments are; if `problem` is about the members of one, what these are. */
function argumentHelp({ inputSchema }: ToolDefinition, problem: string): string {
  const { properties = {}, required = [] } = inputSchema as ObjectSchema;
  const [, argument = ''] = /^, in `(\w+)`, must not have/.exec(problem) ?? [];
  const { properties: inner } = (properties[argument] ?? {}) as ObjectSchema;
  if (inner !== undefined) return `\`${argument}\` has ${Object.keys(inner).join(', ')}`;
  const names = Object.keys(properties).map((name) => (required.includes(name) ? `${name} (required)` : name));
  return `its arguments are ${names.join(', ')}`;
}

let loaded: Promise<ValidateCall> | null = null;

/** Loaded for the first call, so that a client that lists the tools does not wait for it. */
function validator(): Promise<ValidateCall> {
  loaded ??= import('../runtime/tools/call-schema.js').then(({ schemaValidator }) => schemaValidator());
  return loaded;
}
