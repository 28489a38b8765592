/** A function of a JavaScript module as a tool. */
import { pathToFileURL } from 'node:url';
import type { Outcome } from '../../interpreter/events/event.js';
import type { ToolRequest } from '../../interpreter/request.js';
import type { Json } from '../../machine/expression.js';
import type { ToolProgram } from '../../machine/plan.js';
import { findLauncher } from '../../prelude/launcher.js';
import type { EffectContext } from '../effect-context.js';
import { inProcess } from '../in-process.js';
import type { LazySignal } from '../stop-signal.js';
import { functionResult } from './function-result.js';
import { valueOutcome } from './value-outcome.js';

/** What a function receives in addition to its parameters. */
interface ModuleToolContext {
  readonly call: {
    readonly tool: string;
    readonly runId: string;
    /** The same when the call is repeated after a crash: use it as idempotency key. */
    readonly effectId: string;
    readonly attempt: number;
  };
  readonly alternatives: readonly (readonly string[])[];
  readonly signal: AbortSignal;
}

type ModuleTool = (parameters: { readonly [name: string]: Json }, context: ModuleToolContext) => unknown;

type ModuleTarget = Extract<ToolProgram, { kind: 'module' }>;

export async function performModuleTool(
  request: ToolRequest,
  target: ModuleTarget,
  context: EffectContext,
): Promise<Outcome> {
  const found = await findTool(target);
  if ('reason' in found) return { kind: 'not-started', reason: found.reason };
  const { timeoutMs } = request;
  const stopped: Outcome = { kind: 'failed', error_type: 'cancelled', message: 'it was stopped' };
  return inProcess(
    { context, timeoutMs, stopped },
    async (aborting, spentMs) => {
      const made = functionResult((await callModule(found.tool, request, context, aborting)) ?? null);
      if (made === null)
        return { kind: 'failed', error_type: 'not_json', message: 'it returned a value that JSON cannot represent' };
      return valueOutcome(made.text, context, spentMs());
    },
    thrownOutcome,
  );
}

/** Its own copy of the parameters, so that the function cannot change the values of others. */
async function callModule(
  tool: ModuleTool,
  { call, effect, attempt }: ToolRequest,
  { runId }: EffectContext,
  aborting: LazySignal,
): Promise<unknown> {
  return tool(structuredClone(call.parameters), {
    call: { tool: call.name, runId, effectId: `${runId}:${effect}`, attempt },
    alternatives: call.alternatives,
    get signal() {
      return aborting.signal;
    },
  });
}

async function findTool({
  file,
  name,
}: ModuleTarget): Promise<{ readonly tool: ModuleTool } | { readonly reason: string }> {
  const load = findLauncher()?.load ?? ((url: string) => import(url));
  try {
    const module = await load(pathToFileURL(file).href);
    const tool = Object.hasOwn(module, name) ? module[name] : undefined;
    if (typeof tool === 'function') return { tool: tool as ModuleTool };
    return { reason: `the module \`${file}\` exports no function \`${name}\`` };
  } catch (cause) {
    return { reason: `cannot load the module \`${file}\`: ${cause instanceof Error ? cause.message : String(cause)}` };
  }
}

/** The failure that the function threw: its code, if that is a text or a number, and its message. */
function thrownOutcome(cause: unknown): Outcome {
  const message = cause instanceof Error ? cause.message : String(cause);
  const code = (cause as { code?: unknown } | null | undefined)?.code;
  if (typeof code === 'string') return { kind: 'failed', message, tool_code: code };
  return typeof code === 'number' ? { kind: 'failed', message, exit: code } : { kind: 'failed', message };
}
