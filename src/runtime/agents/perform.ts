/**
 * Performs the agent calls of a run: looks up the name, combines the limits, and makes the call when the agent has a
 * free permit.
 */

import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { agentFailed, agentText } from '../../interpreter/agents/agent-output.js';
import { costOf } from '../../interpreter/control/budget.js';
import type { Outcome } from '../../interpreter/events/event.js';
import type { AgentRequest, SessionOrigin } from '../../interpreter/request.js';
import { parseDuration } from '../../machine/duration.js';
import type { Json } from '../../machine/expression.js';
import { isJsonObject } from '../../prelude/json-object.js';
import type { EffectContext } from '../effect-context.js';
import { outputSink, VALUE_BYTES } from '../process/output.js';
import { directoryOf, type Environment, findProgram, SYSTEM_PATH } from '../process/shell.js';
import { entryAt, makeFolder, writeOwn } from '../store/own-file.js';
import { reasonOf, storeError } from '../store/store-error.js';
import type { McpServers } from '../tools/mcp-tool.js';
import { writeWhole } from '../written-file.js';
import { openAnswerFolder } from './answer-folder.js';
import { callAgent } from './call.js';
import type { CallLog } from './call-log.js';
import type { Adapter, AgentConfiguration, Conversations, Guards } from './programs/adapter.js';
import type { AnswerSchema } from './programs/answer-schema.js';
import { hasKey } from './programs/model.js';
import { type AgentSettings, modelAgent, type ResolvedAgent, resolveAgent, unknownAgent } from './resolve.js';

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
  /** Servers of tools by name. */
  readonly servers?: McpServers | undefined;
  /** Reads a schema of the project; null if it cannot be used, which its gate reports. */
  readonly readSchema?: ((path: string, request: AgentRequest) => Promise<Json | null>) | undefined;
}

export async function performAgent(request: AgentRequest, context: EffectContext, host: AgentHost): Promise<Outcome> {
  const { settings } = host;
  const agent = reachableAgent(resolveAgent(request.agent, settings), request.agent, host);
  if (agent === null) return { kind: 'not-started', reason: unknownAgent(request.agent, settings) };
  const { key, configuration } = agent;
  const leave = await host.permits.take(key, configuration.max_concurrent ?? null, context.stop);
  if (leave === null) return { kind: 'not-started', reason: 'it was stopped' };
  try {
    const outcome =
      settings.budget === undefined && settings.trial === undefined
        ? await callOfAccount(request, agent, context, host)
        : await callInBudget(request, agent, context, host);
    return request.output === null
      ? outcome
      : writeAgentOutput(request.output, outcome, request.directory ?? context.cwd);
  } finally {
    leave();
  }
}

/** The call, unless it might exceed what its program may spend today, or its trial. */
async function callInBudget(
  request: AgentRequest,
  agent: ResolvedAgent,
  context: EffectContext,
  host: AgentHost,
): Promise<Outcome> {
  const { reserveCall } = await import('./daily-budget.js');
  const most = maxCostOf(request, agent.configuration);
  const { effect, attempt } = request;
  const call = { id: `${context.runId} ${effect} ${attempt}`, agent: request.agent, key: agent.key, most };
  const reserved = await reserveCall(call, host.settings, context);
  if ('kind' in reserved) return reserved;
  let outcome: Outcome | null = null;
  try {
    outcome = await callOfAccount(request, agent, context, host);
    return outcome;
  } finally {
    await reserved.ends(outcome === null ? null : costOf(outcome));
  }
}

/** The most that the call may cost; null: it has no limit. */
function maxCostOf({ guards = {} }: Pick<AgentRequest, 'guards'>, { max_cost }: AgentConfiguration): number | null {
  const costs = [guards.maxCost, max_cost].filter((cost) => cost !== undefined);
  return costs.length === 0 ? null : Math.min(...costs);
}

/** The call, unless its account has reached a limit: then it waits like those that have noticed that. */
async function callOfAccount(
  request: AgentRequest,
  agent: ResolvedAgent,
  context: EffectContext,
  host: AgentHost,
): Promise<Outcome> {
  const [{ sharedBreakers }, { accountOf }] = await Promise.all([
    import('./breakers/breakers.js'),
    import('./breakers/account.js'),
  ]);
  const account = accountOf(agent, host.inherited, host.settings.folder);
  const { effect, attempt } = request;
  const breakers = context.resources.limits ?? sharedBreakers(host.inherited);
  const entered = await breakers.enter(account, `${context.runId} ${effect} ${attempt}`, (problem) =>
    context.notice?.(problem),
  );
  if ('cause' in entered) {
    const reason = `\`${account}\` cannot be used now: ${entered.message}`;
    return { kind: 'not-started', reason, unavailable: entered };
  }
  let outcome: Outcome = { kind: 'not-started', reason: 'it was interrupted' };
  try {
    outcome = await call(request, agent, context, { ...host, hears: entered.hears });
  } finally {
    outcome = await entered.ends(outcome);
  }
  return outcome;
}

/** The model itself, if the program for it is not installed, and the environment has a key for it. */
function reachableAgent(
  agent: ResolvedAgent | null,
  name: string,
  { settings, inherited }: AgentHost,
): ResolvedAgent | null {
  const program = agent?.adapter.program ?? null;
  if (program === null || Object.hasOwn(settings.agents, name)) return agent;
  if (findProgram(program, inherited.PATH ?? SYSTEM_PATH) !== null) return agent;
  const model = modelAgent(settings.instead[name] ?? name);
  return model === null || !hasKey(model.configuration, inherited) ? agent : model;
}

async function call(
  request: AgentRequest,
  { adapter, configuration }: ResolvedAgent,
  context: EffectContext,
  host: AgentHost & { readonly hears: () => void },
): Promise<Outcome> {
  const { effect, attempt, waits = 0 } = request;
  const guards = await guardsOf(request, configuration, directoryOf(request, context), host);
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
          hears: host.hears,
          out,
          guards,
          schema,
          servers: host.servers ?? {},
          conversations: runFolder === null ? null : keptConversations(join(runFolder(), CONVERSATIONS), context),
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
    const outcome = withModel(withSession(called, adapter, session.foreign), adapter, configuration);
    if (request.answerFile === undefined) return outcome;
    const path = join(out, request.answerFile);
    const written = isFile(path) ? path : (answers?.findAnswer(request.answerFile) ?? null);
    return written === null ? outcome : withAnswerFile(outcome, written, context);
  } finally {
    answers?.close();
  }
}

/** A folder in the folder of the run, with one file for each session. */
const CONVERSATIONS = 'conversations';

function keptConversations(folder: string, { resources }: EffectContext): Conversations {
  const { redactor } = resources.outputs;
  const fileOf = (session: string): string => join(folder, `${session.replace(/[^\w-]/g, '_')}.json`);
  return {
    read(session) {
      try {
        return readFileSync(fileOf(session), 'utf8');
      } catch {
        return null;
      }
    },
    write(session, text) {
      const file = fileOf(session);
      try {
        makeFolder(folder);
        writeOwn(`${file}.new`, redactor?.text(text) ?? text);
        renameSync(`${file}.new`, file);
      } catch (cause) {
        throw storeError('write', file, cause);
      }
    },
  };
}

/** Only objects, because programs receive the answer as the arguments of a tool. */
async function schemaOf(request: AgentRequest, context: EffectContext, host: AgentHost): Promise<AnswerSchema | null> {
  const { answerSchema, answerSchemaFile } = request;
  const schema =
    answerSchemaFile === undefined
      ? answerSchema
      : await host.readSchema?.(resolve(directoryOf(request, context), answerSchemaFile), request);
  if (!isJsonObject(schema)) return null;
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

/** The model of a fake agent is the file with its answers. */
function withModel(outcome: Outcome, { name }: Adapter, { model }: ResolvedAgent['configuration']): Outcome {
  if ((outcome.kind !== 'exited' && outcome.kind !== 'timed-out') || model === undefined || name === 'fake')
    return outcome;
  return { ...outcome, model };
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
  { guards = {}, answerFolder, idleMs }: AgentRequest,
  configured: AgentConfiguration,
  folder: string,
  { watchFiles }: AgentHost,
): Promise<Guards | { readonly reason: string }> {
  const idle = [guards.idleMs, idleMs, parseDuration(configured.idle ?? '')].filter((ms) => ms != null);
  const changedFile = guards.noWrite ? ((await watchFiles?.(folder, answerFolder)) ?? null) : null;
  if (guards.noWrite && changedFile === null)
    return { reason: '`no_write` needs a git repository, because it detects changes with git' };
  return {
    maxTurns: guards.maxTurns ?? null,
    maxCost: maxCostOf({ guards }, configured),
    maxTimeMs: guards.maxTimeMs ?? null,
    idleMs: idle.length === 0 ? null : Math.min(...idle),
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

/** A file in the folder of the run, with the sessions of calls that have not ended. */
const SESSIONS_FILE = 'agent-sessions.json';

interface BegunSession {
  /** The session to continue; null begins a new one. */
  readonly id: string | null;
  /** The id of the new session; null: the program chooses it. */
  readonly chosen: string | null;
  readonly prompt: string;
}

interface NewCall {
  /** Where the ids are stored. */
  readonly file: string;
  /** Identifies the call in its run. */
  readonly key: string;
  readonly prompt: string;
  /** It may have begun before, and files are as it left them. */
  readonly again: boolean;
}

type Sessions = Readonly<Record<string, string>>;

/** The program does not know the session, because it had stored nothing before it was interrupted. */
const UNKNOWN = /no (?:conversation|saved session|previous sessions?) found|invalid session identifier/i;
/** An older version has no option for the id. */
const NO_OPTION = /unknown (?:arguments?|options?)\b.*session-?id/is;

/**
 * Calls an agent in a new session whose id is chosen here, if its program allows that. The id is on disk before the
 * program starts, so that a call that was interrupted together with this process continues in its session, unless its
 * changes of files were reverted.
 */
async function callInNewSession(
  { file, key, prompt, again }: NewCall,
  call: (session: BegunSession) => Promise<Outcome>,
): Promise<Outcome> {
  const begun = again ? readSessions(file)[key] : undefined;
  const continued =
    begun === undefined ? null : await call({ id: begun, chosen: null, prompt: withInterruption(prompt) });
  const outcome = continued === null || saysBeforeWork(continued, UNKNOWN) ? await begin() : continued;
  if (outcome.kind === 'exited' || outcome.kind === 'timed-out') writeSession(file, key, null);
  return outcome;

  async function begin(): Promise<Outcome> {
    const chosen = randomUUID();
    writeSession(file, key, chosen);
    const called = await call({ id: null, chosen, prompt });
    return saysBeforeWork(called, NO_OPTION) ? call({ id: null, chosen: null, prompt }) : called;
  }
}

/** Whether the program ended with these words before it asked its model. */
function saysBeforeWork(outcome: Outcome, words: RegExp): boolean {
  if (outcome.kind === 'not-started') return words.test(outcome.reason);
  if (outcome.kind !== 'exited' || outcome.exit === 0 || (outcome.turns ?? 0) > 0) return false;
  return words.test(`${outcome.stdout.text ?? ''}\n${outcome.stderr}`);
}

function readSessions(file: string): Sessions {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Sessions;
  } catch {
    return {};
  }
}

function writeSession(file: string, key: string, id: string | null): void {
  const { [key]: _, ...others } = readSessions(file);
  const sessions = id === null ? others : { ...others, [key]: id };
  try {
    if (Object.keys(sessions).length === 0) return rmSync(file, { force: true });
    writeOwn(`${file}.new`, JSON.stringify(sessions));
    renameSync(`${file}.new`, file);
  } catch (cause) {
    throw storeError('write', file, cause);
  }
}

interface CallSession {
  /** Null begins a new one. */
  readonly id: string | null;
  readonly prompt: string;
  /** The adapter that created the requested session, if it is another one. */
  readonly foreign: string | null;
}

/**
 * Chooses the session of a call: one that its program can continue or branch off from, or else a new one that begins
 * with the conversation of the unusable session.
 */
function sessionOf(request: AgentRequest, { name, sessions }: Adapter): CallSession {
  const { session = null, sessionAdapter = name, sessionOrigin: origin, prompt } = request;
  if (session === null) return { id: null, prompt, foreign: null };
  if (sessionAdapter !== name) return { id: null, prompt, foreign: sessionAdapter };
  const { directory = null } = request;
  const isElsewhere = origin !== undefined && origin.directory !== directory;
  if ((request.fork === true && !sessions.fork) || (isElsewhere && !sessions.elsewhere))
    return { id: null, prompt: origin === undefined ? prompt : withOrigin(origin, prompt), foreign: null };
  if (request.again === true && request.fork !== true)
    return { id: session, prompt: withInterruption(prompt), foreign: null };
  return { id: session, prompt, foreign: null };
}

function withOrigin({ prompt, answer }: SessionOrigin, next: string): string {
  return [
    'This continues an earlier conversation that you do not see. It ended with this prompt and this answer.',
    `## The prompt before\n\n${prompt.trim()}`,
    `## Your answer to it\n\n${answer.trim()}`,
    `## Now\n\n${next}`,
  ].join('\n\n');
}

/** The session may contain the beginning of the same work, and its files may be gone. */
function withInterruption(prompt: string): string {
  const note =
    'You may have begun with this before: then you were interrupted, and your changes of files may have been undone. Look at the files first.';
  return `${note}\n\n${prompt}`;
}

interface Permits {
  /** Resolves with a function that returns the permit, when one is free; resolves with null if stopped before. */
  take(agent: string, limit: number | null, stop: AbortSignal): Promise<(() => void) | null>;
}

/** Limits the number of calls of one agent at the same time. Waiting calls continue in the order of their requests. */
export function createPermits(): Permits {
  const taken = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();

  const leave = (agent: string): void => {
    const next = waiting.get(agent)?.shift();
    // The permit passes directly to the next waiting call, so a new call cannot take it first.
    if (next !== undefined) next();
    else taken.set(agent, (taken.get(agent) ?? 1) - 1);
  };
  const leaveOnce = (agent: string): (() => void) => {
    let taken = true;
    return () => {
      if (taken) leave(agent);
      taken = false;
    };
  };
  return {
    take(agent, limit, stop) {
      if (stop.aborted) return Promise.resolve(null);
      const count = taken.get(agent) ?? 0;
      if (limit === null || count < limit) {
        taken.set(agent, count + 1);
        return Promise.resolve(leaveOnce(agent));
      }
      return new Promise((resolve) => {
        const queue = waiting.get(agent) ?? [];
        waiting.set(agent, queue);
        const give = (): void => {
          stop.removeEventListener('abort', giveUp);
          resolve(leaveOnce(agent));
        };
        const giveUp = (): void => {
          const at = queue.indexOf(give);
          if (at >= 0) queue.splice(at, 1);
          resolve(null);
        };
        queue.push(give);
        stop.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
