/** Calls of tools as requests to the world, with everything that a handler needs, and as events. */
import type { Json } from '../../machine/expression.js';
import type { PlanPath, ToolBinding } from '../../machine/plan.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { printPath } from '../../prelude/reference.js';
import { unreachable } from '../../prelude/unreachable.js';
import { type ContinuedSession, continuing } from '../agents/continued-session.js';
import { requestedEvent } from '../control/request-effects.js';
import type { RunEvent } from '../events/event.js';
import type { AgentRequest, ToolCall, ToolRequest } from '../request.js';
import type { PlanPending } from '../run-state/pending.js';
import { locationOf, type Thread } from '../run-state/thread.js';
import { entryToUndo } from '../undo/register.js';
import { printedForm, printJson, render } from '../values/json.js';
import { isBeyondJson, isList, member, plain, type Value, type ValueObject } from '../values/value.js';
import type { PlanCheck } from './engine/plan-node.js';
import { resultSchema } from './engine/plan-node.js';

/** A call, without what differs from try to try. */
export interface CallFacts {
  readonly name: string;
  readonly binding: ToolBinding;
  /** Not null when the tool is a plan: the world only checks parameters or result against its schema. */
  readonly check: PlanCheck | null;
  readonly parameters: { readonly [name: string]: Json };
  readonly arms: readonly (readonly PlanPath[])[];
  /** The line of the call; 0: that of the instruction. */
  readonly line: number;
  readonly remarks: { readonly [name: string]: Json };
  /** Takes precedence over the time limit of the tool. */
  readonly timeoutMs?: number | null;
  /** It must not run twice, whatever the tool says. */
  readonly once?: boolean;
}

export interface CallTry {
  readonly effect: string;
  readonly attempt: number;
  readonly waits?: number;
  readonly correction?: PlanPending['correction'];
  /** The session in which an agent continues that was unavailable in the middle of its work. */
  readonly continues?: ContinuedSession;
  /** What it has reserved of the budget of the run. */
  readonly reserved?: number;
  /** The process that made this request before has ended. */
  readonly again?: true;
}

export function callRequest(thread: Thread, facts: CallFacts, next: CallTry, delayMs = 0): ToolRequest | AgentRequest {
  const { name, binding, parameters, arms, line, once } = facts;
  const { effect, attempt, waits } = next;
  const undo = entryToUndo(thread);
  const location = undo ?? locationOf(thread);
  const alternatives = arms.map((paths) => paths.map((path) => `†${printPath(path)}`));
  const call: ToolCall = {
    name,
    parameters: plain(parameters as Value) as CallFacts['parameters'],
    ...(isBeyondJson(parameters as Value) ? { printed: printJson(parameters as Value) } : {}),
    alternatives,
    schema: binding.schema,
  };
  const codes = Object.keys(binding.outcomes ?? {}).map(Number);
  const common = omitUndefined({
    effect,
    attempt,
    delayMs,
    waits: waits || undefined,
    tool: name,
    text: callText(name, alternatives),
    state: location.state,
    line: line > 0 && undo === null ? line : location.line,
    branch: thread.path,
    timeoutMs: facts.timeoutMs ?? binding.timeoutMs ?? thread.run.options.effectTimeoutMs,
    once: once ?? binding.idempotent === false,
    cwd: null,
    env: {},
    stdin: null,
    ok: [0, ...codes],
    needsText: true,
  });
  const { calls } = binding;
  switch (calls.kind) {
    case 'run':
    case 'module':
    case 'mcp':
      return { ...common, kind: 'tool', calls, call };
    case 'agent':
      return { ...common, kind: 'agent', agent: calls.agent, args: {}, output: null, call, ...promptOf(facts, next) };
    case 'plan': {
      const { check } = facts;
      if (check === null) throw new Error(`the plan \`${calls.file}\` is not a request`);
      const text = `${name}: its ${check.checks} by its schema`;
      return { ...common, kind: 'tool', calls: check, call, text, timeoutMs: null, once: false };
    }
    default:
      return unreachable(calls);
  }
}

/** The prompt, and the session in which a corrected answer is asked for. */
function promptOf(
  { binding, parameters }: CallFacts,
  { correction, continues, again }: CallTry,
): ReturnType<typeof continuing> {
  const { calls } = binding;
  const schema = resultSchema(binding);
  const written = renderPrompt(calls.kind === 'agent' ? calls.prompt : '', parameters);
  const prompt = schema === undefined ? written : withSchema(written, schema);
  const { problem, session, sessionTokens } = correction ?? { session: null };
  const asked = problem === undefined ? prompt : correctionPrompt(prompt, problem, session !== null);
  if (continues !== undefined) return continuing(asked, continues, again === true);
  return omitUndefined({ prompt: asked, session: session ?? undefined, sessionTokens, again });
}

/** The call for people: the tool and where its result goes. */
function callText(name: string, alternatives: readonly (readonly string[])[]): string {
  const paths = alternatives.map((together) => together.join(' && '));
  return paths.length === 0 ? name : `${name} → ${paths.join(' || ')}`;
}

/** Whether a request is that of a CALL, also if its tool is an agent. */
export function isToolCall({
  kind,
  tool,
  text,
}: {
  readonly kind: string;
  readonly tool: string | null;
  readonly text: string;
}): boolean {
  return kind === 'tool' || (kind === 'agent' && tool !== null && (text === tool || text.startsWith(`${tool} → †`)));
}

/** The record of a request. The parameters are part of it, like the values of a command. */
export function requestEvent(
  thread: Thread,
  request: ToolRequest | AgentRequest,
  { parameters, remarks }: Pick<CallFacts, 'parameters' | 'remarks'>,
): RunEvent | null {
  if (thread.run.quiet) return null;
  const details = omitUndefined({
    ...valuesOf(request, parameters),
    remarks: Object.keys(remarks).length > 0 ? remarks : undefined,
    undo: entryToUndo(thread) === null ? undefined : true,
  });
  return requestedEvent(request, details);
}

/** What the request sends, as its event has it. */
function valuesOf(
  request: ToolRequest | AgentRequest,
  parameters: Json,
): { prompt: string } | { args: [Json]; printed?: string } {
  if (request.kind === 'agent') return { prompt: request.prompt };
  const { calls } = request;
  const sent = (calls.kind === 'plan' && calls.checks === 'result' ? calls.result : parameters) as Value;
  return { args: [plain(sent)], ...omitUndefined({ printed: printedForm(sent) }) };
}

type CallParameters = { readonly [name: string]: Json };

const HOLE = /\{(\{[A-Za-z_]\w*(?:\.\w+)*\})\}|\{([A-Za-z_]\w*(?:\.\w+)*)\}/g;

/**
 * The prompt of an agent that is the tool of a call. `{name}` is a parameter of the call, `{name.part}` something in it,
 * `{{name}}` the text `{name}`; other braces, as in an example of JSON, are text. An inserted value is not read again.
 */
function renderPrompt(prompt: string, parameters: CallParameters): string {
  return prompt.replace(HOLE, (found, escaped: string | undefined, path: string | undefined) => {
    if (path === undefined) return escaped ?? found;
    const value = valueAt(parameters as ValueObject, path.split('.'));
    return value === undefined ? found : render(value);
  });
}

/** Adds which JSON the answer must be. */
function withSchema(prompt: string, schema: Json): string {
  return `${prompt}\n\nAnswer with JSON and nothing else. It has to fit this JSON Schema:\n${JSON.stringify(schema)}`;
}

/** Asks again after an answer that cannot be used. In a session the agent has the first prompt already. */
function correctionPrompt(prompt: string, problem: string, inSession: boolean): string {
  const words = `Your answer cannot be used: ${problem}. Answer once more, with JSON and nothing else.`;
  return inSession ? words : `${prompt}\n\nThis was asked before. ${words}`;
}

function valueAt(value: Value, path: readonly string[]): Value | undefined {
  let at: Value | undefined = value;
  for (const segment of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = isList(at) ? at[Number(segment)] : member(at as ValueObject, segment);
  }
  return at;
}
