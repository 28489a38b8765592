/**
 * Performs the agent calls of a run: looks up the name, combines the limits, and makes the call when the agent has a
 * free permit.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { agentFailed, agentText } from '../../interpreter/agents/agent-output.js';
import type { Outcome } from '../../interpreter/events/event.js';
import type { AgentRequest } from '../../interpreter/request.js';
import type { Json } from '../../machine/expression.js';
import type { EffectContext } from '../effect-context.js';
import { outputSink, VALUE_BYTES } from '../process/output.js';
import { directoryOf, type Environment } from '../process/shell.js';
import { makeFolder } from '../store/make-folder.js';
import { entryAt } from '../store/own-file.js';
import { reasonOf } from '../store/store-error.js';
import { writeWhole } from '../written-file.js';
import { openAnswerFolder } from './answer-folder.js';
import { callAgent } from './call.js';
import { type BegunSession, callInNewSession, SESSIONS_FILE } from './chosen-session.js';
import type { Permits } from './permits.js';
import type { Adapter, Guards } from './programs/adapter.js';
import type { AnswerSchema } from './programs/answer-schema.js';
import type { CallLog } from './programs/call-log.js';
import { type AgentSettings, type ResolvedAgent, resolveAgent, unknownAgent } from './resolve.js';
import { sessionOf } from './session.js';

/** A file in the folder of the run. */
const CALLS_FILE = 'fake-calls.json';

/** The context that all calls of one run share. */
export interface AgentHost {
  readonly inherited: Environment;
  readonly settings: AgentSettings;
  readonly permits: Permits;
  readonly calls: CallLog;
  /**
   * Begins to watch a folder in which an agent must not change files. The returned function reports a changed file or
   * null. If it returns no function, or if it is absent, such calls are refused, because a change could not be
   * detected.
   */
  readonly watchFiles?:
    | ((folder: string, except?: string) => Promise<(() => Promise<string | null>) | null>)
    | undefined;
  /** Reads a schema of the project; null if it cannot be used, which its gate reports. */
  readonly readSchema?: ((path: string, request: AgentRequest) => Promise<Json | null>) | undefined;
}

export async function performAgent(request: AgentRequest, context: EffectContext, host: AgentHost): Promise<Outcome> {
  const { settings } = host;
  const agent = resolveAgent(request.agent, settings);
  if (agent === null) return { kind: 'not-started', reason: unknownAgent(request.agent, settings) };
  const { key, configuration } = agent;
  const leave = await host.permits.take(key, configuration.max_concurrent ?? null, context.stop);
  if (leave === null) return { kind: 'not-started', reason: 'it was stopped' };
  try {
    const outcome = await call(request, agent, context, host);
    return request.output === null
      ? outcome
      : writeAgentOutput(request.output, outcome, request.directory ?? context.cwd);
  } finally {
    leave();
  }
}

async function call(
  request: AgentRequest,
  { adapter, configuration }: ResolvedAgent,
  context: EffectContext,
  host: AgentHost,
): Promise<Outcome> {
  const { effect, attempt, waits = 0 } = request;
  const guards = await guardsOf(request, configuration.max_cost ?? null, directoryOf(request, context), host);
  if ('reason' in guards) return { kind: 'not-started', reason: guards.reason };
  const out = context.resources.scratch.path('out');
  mkdirSync(out, { mode: 0o700 });
  const { runFolder } = context.resources;
  const inRun = (name: string): string | null => (runFolder === null ? null : join(runFolder(), name));
  const id = `${effect} ${attempt} ${waits}`;
  const session = sessionOf(request, adapter);
  const schema = await schemaOf(request, context, host);
  const answers =
    request.answerFolder === undefined ? null : openAnswerFolder(directoryOf(request, context), request.answerFolder);
  try {
    const callIn = ({ id: continued, chosen, prompt }: BegunSession): Promise<Outcome> =>
      callAgent(
        adapter,
        {
          name: request.agent,
          configuration,
          folder: host.settings.folder,
          directory: directoryOf(request, context),
          prompt,
          session: continued,
          newSession: chosen,
          fork: continued !== null && session.id !== null && request.fork === true,
          sessionTokens: session.id === null ? null : (request.sessionTokens ?? null),
          step: request.step ?? request.state,
          out,
          guards,
          schema,
          file: (text, extension) => context.resources.scratch.file(text, extension),
          callNumber: (key) => host.calls.number(key, { runId: context.runId, call: id }, inRun(CALLS_FILE)),
        },
        request,
        context,
        host.inherited,
      );
    const { id: continued, prompt } = session;
    const sessions = continued === null && adapter.sessions.chosen === true ? inRun(SESSIONS_FILE) : null;
    // In a worktree, the changes of an interrupted call were reverted.
    const again = request.again === true && context.resources.worktrees === null;
    const called =
      sessions === null
        ? await callIn({ id: continued, chosen: null, prompt })
        : await callInNewSession({ file: sessions, key: id, prompt, again }, callIn);
    const outcome = withSession(called, adapter, session.foreign);
    if (request.answerFile === undefined) return outcome;
    const path = join(out, request.answerFile);
    const written = isFile(path) ? path : (answers?.findAnswer(request.answerFile) ?? null);
    return written === null ? outcome : withAnswerFile(outcome, written, context);
  } finally {
    answers?.close();
  }
}

/** Only objects, because programs receive the answer as the arguments of a tool. */
async function schemaOf(request: AgentRequest, context: EffectContext, host: AgentHost): Promise<AnswerSchema | null> {
  const { answerSchema, answerSchemaFile } = request;
  const schema =
    answerSchemaFile === undefined
      ? answerSchema
      : await host.readSchema?.(resolve(directoryOf(request, context), answerSchemaFile), request);
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return null;
  return (schema as AnswerSchema).type === 'object' ? (schema as AnswerSchema) : null;
}

const isFile = (path: string): boolean => entryAt(path)?.isFile() === true;

/** Reports a session of another adapter, which the agent cannot continue, together with the agent that owns it. */
function withSession(outcome: Outcome, { name, sessions }: Adapter, made: string | null): Outcome {
  if (outcome.kind !== 'exited' && outcome.kind !== 'timed-out') return outcome;
  const isBound = sessions.fork && sessions.elsewhere ? {} : { session_bound: true as const };
  if (made !== null) return { ...outcome, adapter: name, session_of: made, ...isBound };
  return outcome.session_id === undefined ? outcome : { ...outcome, adapter: name, ...isBound };
}

/** If an agent wrote the file for its answer, that file is the answer, whatever the agent printed. */
async function withAnswerFile(outcome: Outcome, path: string, context: EffectContext): Promise<Outcome> {
  if (outcome.kind !== 'exited' || agentFailed(outcome)) return outcome;
  const stat = entryAt(path);
  if (!stat?.isFile()) return outcome;
  if (stat.size > VALUE_BYTES) {
    const message = `\`${basename(path)}\` has ${stat.size} bytes, but an answer may have at most 16 MiB`;
    return { kind: 'failed', message, error_type: 'value_too_large' };
  }
  const answer = outputSink(context.resources.outputs, null);
  answer.write(readFileSync(path));
  return { ...outcome, is_error: false, stdout: await answer.finish(true) };
}

/** The smaller of two limits applies. */
async function guardsOf(
  { guards = {}, answerFolder }: AgentRequest,
  configured: number | null,
  folder: string,
  { watchFiles }: AgentHost,
): Promise<Guards | { readonly reason: string }> {
  const costs = [guards.maxCost ?? null, configured].filter((cost) => cost !== null);
  const changedFile = guards.noWrite ? ((await watchFiles?.(folder, answerFolder)) ?? null) : null;
  if (guards.noWrite && changedFile === null)
    return { reason: '`no_write` needs a git repository, because it detects changes with git' };
  return {
    maxTurns: guards.maxTurns ?? null,
    maxCost: costs.length === 0 ? null : Math.min(...costs),
    maxTimeMs: guards.maxTimeMs ?? null,
    changedFile,
  };
}

/** `> file`: the answer is in the file before the run continues. */
export function writeAgentOutput(file: string, outcome: Outcome, directory: string): Outcome {
  const text = agentText(outcome);
  if (text === null) return outcome;
  const path = resolve(directory, file);
  try {
    makeFolder(dirname(path));
    const why = writeWhole(path, text, 'all');
    return why === null ? outcome : failedToWrite(file, why);
  } catch (cause) {
    return failedToWrite(file, reasonOf(cause));
  }
}

function failedToWrite(file: string, why: string): Outcome {
  return { kind: 'failed', message: `cannot write the agent's answer to \`${file}\`: ${why}` };
}
