/** Calls of tools as requests to the world: everything that a handler needs, and what the record says of it. */

import type { Json } from '../../machine/expression.js';
import type { PlanPath, ToolBinding } from '../../machine/plan.js';
import { printPath } from '../../machine/reference.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { AgentRequest, PlanCheck, ToolCall, ToolRequest } from '../request.js';
import type { PlanPending } from '../run-state/pending.js';
import { placeOf, type Thread } from '../run-state/thread.js';
import { undoing } from '../undo/register.js';
import { isObject, type Value } from '../values/value.js';
import { corrected, renderPrompt, withSchema } from './render-prompt.js';

/** A call with everything that does not depend on the try. */
export interface CallFacts {
  readonly name: string;
  readonly binding: ToolBinding;
  /** Null for everything but plans, of which only what their schema says is asked outside. */
  readonly check: PlanCheck | null;
  readonly parameters: { readonly [name: string]: Json };
  readonly arms: readonly (readonly PlanPath[])[];
  /** The line of the call; 0 is that of the instruction. */
  readonly line: number;
  readonly remarks: { readonly [name: string]: Json };
  /** Time limit of the call, over that of the tool. */
  readonly timeoutMs?: number | null;
  /** It must not run twice, whatever the tool says. */
  readonly once?: boolean;
}

export interface ToolTry {
  readonly effect: string;
  readonly attempt: number;
  readonly waits?: number;
  readonly correction?: PlanPending['correction'];
}

/** The tool's schema of its result; undefined when it says nothing about it. */
export function resultSchema({ schema }: ToolBinding): Json | undefined {
  if (!isObject(schema as Value)) return undefined;
  const { properties, _output } = schema as { readonly [name: string]: Json };
  const inside = isObject(properties as Value) ? (properties as { readonly [name: string]: Json })._output : undefined;
  return inside ?? _output;
}

export function toolRequest(thread: Thread, facts: CallFacts, next: ToolTry, delayMs = 0): ToolRequest | AgentRequest {
  const { name, binding, parameters, arms, line, once } = facts;
  const { effect, attempt, waits } = next;
  const undo = undoing(thread);
  const place = undo ?? placeOf(thread);
  const alternatives = arms.map((paths) => paths.map((path) => `†${printPath(path)}`));
  const call: ToolCall = { name, parameters, alternatives, schema: binding.schema };
  const codes = Object.keys(binding.outcomes ?? {}).map(Number);
  const common = {
    effect,
    attempt,
    delayMs,
    ...(waits ? { waits } : {}),
    tool: name,
    text: callText(name, alternatives),
    state: place.state,
    line: line > 0 && undo === null ? line : place.line,
    branch: thread.path,
    timeoutMs: facts.timeoutMs ?? binding.timeoutMs ?? thread.run.options.effectTimeoutMs,
    once: once ?? binding.idempotent === false,
    cwd: null,
    env: {},
    stdin: null,
    ok: [0, ...codes],
    needsText: true,
  };
  const { calls } = binding;
  switch (calls.kind) {
    case 'run':
    case 'module':
    case 'mcp':
      return { ...common, kind: 'tool', calls, call };
    case 'agent':
      return { ...common, kind: 'agent', agent: calls.agent, args: {}, output: null, call, ...asked(facts, next) };
    case 'plan': {
      const { check } = facts;
      if (check === null) throw new Error(`the plan \`${calls.file}\` is no request`);
      const text = `${name}: its ${check.checks} by its schema`;
      return { ...common, kind: 'tool', calls: check, call, text, timeoutMs: null, once: false };
    }
    default:
      return unreachable(calls);
  }
}

/** The prompt, and the session that a corrected answer is asked for in. */
function asked({ binding, parameters }: CallFacts, { correction }: ToolTry): Pick<AgentRequest, 'prompt' | 'session'> {
  const { calls } = binding;
  const schema = resultSchema(binding);
  const written = renderPrompt(calls.kind === 'agent' ? calls.prompt : '', parameters);
  const prompt = schema === undefined ? written : withSchema(written, schema);
  if (correction === undefined) return { prompt };
  const { problem, session } = correction;
  return { prompt: corrected(prompt, problem, session !== null), ...(session === null ? {} : { session }) };
}

/** As people read it: the tool and where its result goes. */
function callText(name: string, alternatives: readonly (readonly string[])[]): string {
  const paths = alternatives.map((together) => together.join(' && '));
  return paths.length === 0 ? name : `${name} → ${paths.join(' || ')}`;
}

/** The record of a request. Parameters are part of it like the values of a command. */
export function tellTool(
  thread: Thread,
  request: ToolRequest | AgentRequest,
  { parameters, remarks }: Pick<CallFacts, 'parameters' | 'remarks'>,
): void {
  const { effect, kind, tool, text, state, line, attempt } = request;
  const { run } = thread;
  if (run.quiet) return;
  const values =
    request.kind === 'agent'
      ? { prompt: request.prompt }
      : {
          args: [
            request.calls.kind === 'plan' && request.calls.checks === 'result'
              ? request.calls.result
              : (parameters as Json),
          ],
        };
  const undo = undoing(thread) === null ? {} : { undo: true as const };
  const written = Object.keys(remarks).length === 0 ? {} : { remarks };
  run.recordNow({
    type: 'effect_requested',
    effect,
    kind,
    tool,
    text,
    state,
    line,
    attempt,
    ...values,
    ...written,
    ...undo,
  });
}
