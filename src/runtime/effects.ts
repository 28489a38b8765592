/**
 * The world as a run sees it: something that performs requests. The interpreter asks, `drive` passes on, and what
 * stands here answers; tests and embedding programs put their own answers in the same place.
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
  ToolRequest,
  WorktreeRequest,
} from '../interpreter/request.js';
import { unreachable } from '../prelude/unreachable.js';
import { type AgentHost, performAgent } from './agents/perform.js';
import { createPermits } from './agents/permits.js';
import { createCallLog } from './agents/programs/call-log.js';
import type { AgentSettings } from './agents/resolve.js';
import { type CommandFunction, performFunction } from './command-function.js';
import type { EffectContext, Effects } from './effect-context.js';
import { type Environment, inheritedEnvironment, performArgv, performShell, shellFinder } from './process/shell.js';
import { projectOf, type Readable, whyUnreadable } from './readable-file.js';
import { startTimer } from './timer.js';
import { performAgentTool, performTool } from './tools/perform-tool.js';
import type { McpServers } from './tools/tool-host.js';

export interface HostOptions {
  /** Environment of commands; default that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** JavaScript functions bound as commands, by name. */
  readonly commands?: Readonly<Record<string, CommandFunction>> | undefined;
  readonly agents?: AgentSettings | undefined;
  /** Watches a folder in which an agent may change nothing; default: git, where the folder is in a repository. */
  readonly watchFiles?: AgentHost['watchFiles'];
  /** Servers of the Model Context Protocol by name, for tools of plans. */
  readonly mcp?: McpServers | undefined;
  /** Files that the program may name, besides those of the project it works in. */
  readonly readable?: Readable | undefined;
}

/** Real processes, real time, real chance. */
export function hostEffects(options: HostOptions = {}): Effects {
  let environment: Environment | null = null;
  const findShell = shellFinder();
  // Copied when the first command needs it: an embedding program may hold thousands of runs that only wait.
  const inheritEnvironment = (): Environment => {
    environment ??= inheritedEnvironment(options.env ?? process.env);
    return environment;
  };
  const { agents: settings = noAgents, watchFiles } = options;
  const agentHost = { settings, permits: createPermits(), calls: createCallLog() };
  return {
    perform(request, context) {
      switch (request.kind) {
        case 'shell':
          return performAfterDelay(request, context, () =>
            performShell(request, context, inheritEnvironment(), findShell),
          );
        case 'argv':
          return performAfterDelay(
            request,
            context,
            () => unreadable(request, context, options.readable) ?? performArgv(request, context, inheritEnvironment()),
          );
        case 'agent': {
          const watching = watchFiles ?? ((folder: string, except?: string) => watchWithGit(folder, context, except));
          const host = { ...agentHost, watchFiles: watching, inherited: inheritEnvironment() };
          return performAfterDelay(request, context, () =>
            performAgentTool(request, () => performAgent(request, context, host)),
          );
        }
        case 'tool': {
          const host = { inherited: inheritEnvironment(), mcp: options.mcp ?? {} };
          return performAfterDelay(request, context, () => performTool(request, context, host));
        }
        case 'function':
          return performAfterDelay(request, context, () => performFunction(request, context, options.commands ?? {}));
        case 'worktree':
          return performWorktree(request, context);
        case 'schema':
          return checkSchema(request, context, options.readable);
        case 'timer':
          return sleep(request.until ?? Date.now() + (request.ms ?? 0), context.stop);
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
  };
}

const noAgents: AgentSettings = { agents: {}, folder: null, instead: {} };

/** After the pause before a further try. */
async function performAfterDelay(
  request: ShellRequest | ArgvRequest | FunctionRequest | AgentRequest | ToolRequest,
  context: EffectContext,
  perform: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const { delayMs } = request;
  if (delayMs > 0) await sleep(Date.now() + delayMs, context.stop);
  if (context.stop.aborted) return { kind: 'not-started', reason: 'it was stopped' };
  const { worktrees } = context.resources;
  if (worktrees === null) return perform();
  const leave = await worktrees.enter(request.directory ?? context.cwd, request);
  try {
    return await perform();
  } finally {
    leave();
  }
}

function performWorktree(request: WorktreeRequest, { resources }: EffectContext): Outcome | Promise<Outcome> {
  const { worktrees, outputs } = resources;
  if (worktrees !== null) return worktrees.perform(request, outputs);
  return { kind: 'not-started', reason: 'the run has no worktree' };
}

/** Loaded when a program asks: few do. */
async function checkSchema(request: SchemaRequest, context: EffectContext, readable?: Readable): Promise<Outcome> {
  const { fitsSchema } = await import('./fits-schema.js');
  const { cwd } = context;
  return fitsSchema(request, cwd, near(readable, request, context));
}

/** What a program that only prints a file would say of one that it must not print. */
function unreadable(request: ArgvRequest, context: EffectContext, readable?: Readable): Outcome | null {
  const name = request.argv.at(-1);
  if (request.reads !== true || name === undefined) return null;
  const why = whyUnreadable(resolve(request.directory ?? context.cwd, name), near(readable, request, context));
  if (why === null) return null;
  const stderr = `cannot read \`${name}\`: ${why}`;
  return { kind: 'exited', exit: 1, stdout: { text: '', bytes: 0 }, stderr, duration_ms: 0 };
}

function near(
  readable: Readable = [],
  { directory }: { readonly directory?: string },
  { cwd }: EffectContext,
): Readable {
  return readable === 'all' ? readable : [projectOf(directory ?? cwd), ...readable];
}

async function watchWithGit(folder: string, { resources }: EffectContext, except?: string) {
  const { watchFolder, watchWorktree } = await import('./worktree/watch-files.js');
  const { worktrees, outputs } = resources;
  if (worktrees !== null) return watchWorktree(worktrees.at(folder), except);
  // Artifacts lie in the folder of the run, two below the store.
  return watchFolder(folder, outputs.artifacts === null ? null : resolve(outputs.artifacts, '../../..'), except);
}

/** Settles with the time it is then: `until`, or earlier when stopped. */
function sleep(until: number, stop: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    const finish = (): void => {
      stop.removeEventListener('abort', cancel);
      resolve({ kind: 'value', value: Date.now() });
    };
    // Clocks step: a timer that comes early by them starts again for the rest.
    const wake = (): void => {
      if (Date.now() >= until) finish();
      else cancelTimer = startTimer(until - Date.now(), wake);
    };
    let cancelTimer = startTimer(until - Date.now(), wake);
    const cancel = (): void => {
      cancelTimer();
      finish();
    };
    if (stop.aborted) cancel();
    else stop.addEventListener('abort', cancel, { once: true });
  });
}
