/**
 * Performs the requests of runs. The interpreter makes a request, `drive` passes it on, and an `Effects` performs it. Tests
 * and embedding programs can replace it.
 */
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Outcome } from '../interpreter/events/event.js';
import type {
  AgentRequest,
  ArgvRequest,
  FunctionRequest,
  SchemaRequest,
  ShellRequest,
  TimerRequest,
  ToolRequest,
  WorktreeRequest,
} from '../interpreter/request.js';
import { unreachable } from '../prelude/unreachable.js';
import { createCallLog } from './agents/call-log.js';
import { type AgentHost, createPermits, performAgent } from './agents/perform.js';
import type { AgentSettings } from './agents/resolve.js';
import { clockMs } from './clock.js';
import { type CommandFunction, performFunction } from './command-function.js';
import type { EffectContext, EffectPermits, Effects } from './effect-context.js';
import { type Environment, inheritedEnvironment, performArgv, performShell, shellFinder } from './process/shell.js';
import { projectOf, type Readable, whyUnreadable } from './readable-file.js';
import { stopSignalOf } from './stop-signal.js';
import { startTimer } from './timer.js';
import type { McpServers } from './tools/mcp-tool.js';
import { performAgentTool, performTool } from './tools/perform-tool.js';

export interface HostOptions {
  /** The environment of commands; by default that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** JavaScript functions bound as commands, by name. */
  readonly commands?: Readonly<Record<string, CommandFunction>> | undefined;
  readonly agents?: AgentSettings | undefined;
  /** Watches a folder in which an agent must not change anything; by default with git, if the folder is in a repository. */
  readonly watchFiles?: AgentHost['watchFiles'];
  /** Servers of the Model Context Protocol by name, for tools of plans. */
  readonly mcp?: McpServers | undefined;
  /** Files outside of the project that the program may name. */
  readonly readable?: Readable | undefined;
  /** Shared with other runs. */
  readonly permits?: EffectPermits | undefined;
}

/** Real processes, real time and real random numbers. */
export function hostEffects(options: HostOptions = {}): Effects {
  let environment: Environment | null = null;
  const findShell = shellFinder();
  // Copied for the first command only: an embedding program may hold thousands of runs that only wait.
  const inheritEnvironment = (): Environment => {
    environment ??= inheritedEnvironment(options.env ?? process.env);
    return environment;
  };
  const { agents: settings = noAgents, watchFiles } = options;
  const { permits = null } = options;
  const agentHost = { settings, permits: createPermits(), calls: createCallLog() };
  return {
    perform(request, context) {
      switch (request.kind) {
        case 'shell':
          return performLater(request, context, permits, () =>
            performShell(request, context, inheritEnvironment(), findShell),
          );
        case 'argv':
          return performLater(
            request,
            context,
            permits,
            async () =>
              refuseToPrint(request, context, options.readable) ?? performArgv(request, context, inheritEnvironment()),
          );
        case 'agent': {
          const watching = watchFiles ?? ((folder: string, except?: string) => watchWithGit(folder, context, except));
          const readSchema = async (path: string) => {
            const { readSchemaFile } = await import('./fits-schema.js');
            return readSchemaFile(path, readableNear(options.readable, request, context));
          };
          const host = {
            ...{ ...agentHost, watchFiles: watching, readSchema, servers: options.mcp },
            inherited: inheritEnvironment(),
          };
          return performLater(request, context, permits, () =>
            performAgentTool(request, () => performAgent(request, context, host)),
          );
        }
        case 'tool': {
          const host = { inherited: inheritEnvironment(), mcp: options.mcp ?? {} };
          return performLater(request, context, permits, () => performTool(request, context, host));
        }
        case 'function':
          return performLater(request, context, permits, () =>
            performFunction(request, context, options.commands ?? {}),
          );
        case 'worktree':
          return performWorktree(request, context);
        case 'schema':
          return checkSchema(request, context, options.readable);
        case 'timer':
          return request.account === undefined
            ? sleep(request, context.stop)
            : waitForAccount(request.account, { env: inheritEnvironment(), settings, context });
        case 'clock':
          return { kind: 'value', value: Date.now() };
        case 'uuid':
          return { kind: 'value', value: randomUUID() };
        case 'random':
          return { kind: 'value', value: Math.random() };
        default:
          return unreachable(request);
      }
    },
    async accountUntil(account, context) {
      if (BUDGET.test(account)) return (await budgets()).budgetUntil(account, settings, context);
      return (await breakersOf(inheritEnvironment())).until(account);
    },
  };
}

const noAgents: AgentSettings = { agents: {}, folder: null, instead: {} };

type WaitingRequest = ShellRequest | ArgvRequest | FunctionRequest | AgentRequest | ToolRequest;

/** Performs a request after the pause before its next attempt, when there is a permit for it. */
function performLater(
  request: WaitingRequest,
  context: EffectContext,
  permits: EffectPermits | null,
  perform: () => Outcome | Promise<Outcome>,
): Outcome | Promise<Outcome> {
  if (request.delayMs === 0 && context.resources.worktrees === null && permits === null) return perform();
  return performInTurn(request, context, permits, perform);
}

async function performInTurn(
  request: WaitingRequest,
  context: EffectContext,
  permits: EffectPermits | null,
  perform: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const { delayMs } = request;
  if (delayMs > 0) {
    await sleep({ until: null, ms: delayMs }, context.stop);
    if (context.stop.aborted) return STOPPED;
  }
  const { worktrees } = context.resources;
  if (worktrees === null) return performPermitted(context, permits, perform);
  const leave = await worktrees.enter(request.directory ?? context.cwd, request);
  try {
    return await performPermitted(context, permits, perform);
  } finally {
    leave();
  }
}

const STOPPED: Outcome = { kind: 'not-started', reason: 'it was stopped' };

/** While it waits for its permit, it holds nothing that a holder of a permit could wait for. */
async function performPermitted(
  context: EffectContext,
  permits: EffectPermits | null,
  perform: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  if (permits === null) return perform();
  const giveBack = await permits.take(stopSignalOf(context));
  if (giveBack === null) return STOPPED;
  try {
    return await perform();
  } finally {
    giveBack();
  }
}

function performWorktree(request: WorktreeRequest, { resources }: EffectContext): Outcome | Promise<Outcome> {
  const { worktrees, outputs } = resources;
  if (worktrees !== null) return worktrees.perform(request, outputs);
  return { kind: 'not-started', reason: 'the run has no worktree' };
}

/** Loaded when a program needs it, which few do. */
async function checkSchema(request: SchemaRequest, context: EffectContext, readable?: Readable): Promise<Outcome> {
  const { fitsSchema } = await import('./fits-schema.js');
  const { cwd } = context;
  return fitsSchema(request, cwd, readableNear(readable, request, context));
}

/** The message of a program that only prints a file, for a file that it must not print. */
function refuseToPrint(request: ArgvRequest, context: EffectContext, readable?: Readable): Outcome | null {
  const name = request.argv.at(-1);
  if (request.reads !== true || name === undefined) return null;
  const why = whyUnreadable(resolve(request.directory ?? context.cwd, name), readableNear(readable, request, context));
  if (why === null) return null;
  const stderr = `cannot read \`${name}\`: ${why}`;
  return { kind: 'exited', exit: 1, stdout: { text: '', bytes: 0 }, stderr, duration_ms: 0 };
}

function readableNear(
  readable: Readable = [],
  { directory }: { readonly directory?: string },
  { cwd }: EffectContext,
): Readable {
  return readable === 'all' ? readable : [projectOf(directory ?? cwd), ...readable];
}

async function watchWithGit(folder: string, { resources }: EffectContext, except?: string) {
  const { watchFolder, watchWorktree } = await import('./worktree/restore-call.js');
  const { worktrees, outputs } = resources;
  if (worktrees !== null) return watchWorktree(worktrees.at(folder), except);
  // Artifacts are in the folder of the run, two levels below the store.
  return watchFolder(folder, outputs.artifacts === null ? null : resolve(outputs.artifacts, '../../..'), except);
}

/** Settles with the time at which a call of the account may begin. */
async function waitForAccount(
  account: string,
  { env, settings, context }: { env: Environment; settings: AgentSettings; context: EffectContext },
): Promise<Outcome> {
  if (BUDGET.test(account)) await (await budgets()).waitForBudget(account, settings, context);
  else await (await breakersOf(env)).wait(account, context.stop);
  return { kind: 'value', value: Date.now() };
}

/** An account that is a budget. */
const BUDGET = /^(?:budget|trial):/;
const budgets = () => import('./agents/daily-budget.js');

/** Loaded when an agent is called, or waited for. */
async function breakersOf(env: Environment) {
  const { sharedBreakers } = await import('./agents/breakers/breakers.js');
  return sharedBreakers(env);
}

/**
 * Settles with the time of its end: `until`, or earlier if it is stopped. The clock of the machine may be set while it waits: it ends
 * no earlier than `until` by that clock, but never waits longer than `ms`.
 */
function sleep({ until, ms }: Pick<TimerRequest, 'until' | 'ms'>, stop: AbortSignal): Promise<Outcome> {
  const begun = clockMs();
  const remainingMs = (): number => {
    const longest = ms === null ? Number.POSITIVE_INFINITY : ms - (clockMs() - begun);
    return Math.min(longest, until === null ? longest : until - Date.now());
  };
  return new Promise((resolve) => {
    const finish = (): void => {
      stop.removeEventListener('abort', cancel);
      resolve({ kind: 'value', value: Date.now() });
    };
    const wake = (): void => {
      const rest = remainingMs();
      if (!(rest > 0)) finish();
      else cancelTimer = startTimer(rest, wake);
    };
    let cancelTimer = startTimer(remainingMs(), wake);
    const cancel = (): void => {
      cancelTimer();
      finish();
    };
    if (stop.aborted) cancel();
    else stop.addEventListener('abort', cancel, { once: true });
  });
}
