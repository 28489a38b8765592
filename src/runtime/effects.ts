/**
 * The world as a run sees it: something that performs requests. The interpreter asks, `drive` passes on, and what
 * stands here answers; tests and embedding programs put their own answers in the same place.
 */
import { randomUUID } from 'node:crypto';
import type { Outcome } from '../interpreter/event.js';
import type { AskRequest, EffectRequest, SignalRequest } from '../interpreter/request.js';
import type { Json } from '../machine/expression.js';
import { createCallLog } from './agents/call-log.js';
import { type AgentHost, performAgent } from './agents/perform.js';
import { createPlaces } from './agents/places.js';
import type { AgentSettings } from './agents/resolve.js';
import { type CommandFunction, performFunction } from './command-function.js';
import type { OutputStore } from './process/output.js';
import type { PipePool } from './process/pipes.js';
import type { Scratch } from './process/scratch.js';
import { type Environment, inheritedEnvironment, performArgv, performShell, shellFinder } from './process/shell.js';
import { startTimer } from './timer.js';

/** Everything but questions and signals, which people answer and not programs. */
export type PerformedRequest = Exclude<EffectRequest, AskRequest | SignalRequest>;

export interface Effects {
  /**
   * Performs a request. An outcome that is there at once may be given without a promise. When `context.stop` is
   * aborted the outcome does not matter any more, but everything that was started must have ended when it comes.
   */
  perform(request: PerformedRequest, context: EffectContext): Outcome | Promise<Outcome>;
}

export interface EffectContext {
  readonly runId: string;
  /** The run's directory, absolute. */
  readonly cwd: string;
  readonly stop: AbortSignal;
  /** Shows output while it comes, secrets replaced; null when nobody looks. */
  readonly show: ((bytes: Uint8Array, stream: 'stdout' | 'stderr') => void) | null;
  readonly resources: RunResources;
}

/** What the effects of one run share. */
export interface RunResources {
  readonly outputs: OutputStore;
  readonly scratch: Scratch;
  readonly pipes: PipePool;
  /** Process groups that run now. */
  readonly groups: Set<number>;
  /** Remembers a process on disk, so that what a killed runner left behind can be found. */
  recordProcess(record: Readonly<Record<string, Json>>): void;
}

export interface HostOptions {
  /** Environment of commands; default that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** JavaScript functions bound as commands, by name. */
  readonly commands?: Readonly<Record<string, CommandFunction>> | undefined;
  readonly agents?: AgentSettings | undefined;
  /** Watches a folder in which an agent may change nothing; absent: such calls are refused. */
  readonly watchFiles?: AgentHost['watchFiles'];
}

/** Real processes, real time, real chance. */
export function hostEffects(options: HostOptions = {}): Effects {
  let environment: Environment | null = null;
  const findShell = shellFinder();
  // Copied when the first command needs it: an embedding program may hold thousands of runs that only wait.
  const inherited = (): Environment => {
    environment ??= inheritedEnvironment(options.env ?? process.env);
    return environment;
  };
  const { agents: settings = noAgents, watchFiles } = options;
  const watching = watchFiles === undefined ? {} : { watchFiles };
  const agentHost = { settings, places: createPlaces(), calls: createCallLog(), ...watching };
  return {
    perform(request, context) {
      switch (request.kind) {
        case 'shell':
          return delayed(request.delayMs, context, () => performShell(request, context, inherited(), findShell));
        case 'argv':
          return delayed(request.delayMs, context, () => performArgv(request, context, inherited()));
        case 'agent':
          return delayed(request.delayMs, context, () =>
            performAgent(request, context, { ...agentHost, inherited: inherited() }),
          );
        case 'function':
          return delayed(request.delayMs, context, () => performFunction(request, context, options.commands ?? {}));
        case 'worktree':
        case 'schema':
          return { kind: 'not-started', reason: 'nothing here performs it' };
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

/** The pause before a further try. */
async function delayed(
  delayMs: number,
  context: EffectContext,
  perform: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  if (delayMs > 0) await sleep(Date.now() + delayMs, context.stop);
  return context.stop.aborted ? { kind: 'not-started', reason: 'it was stopped' } : perform();
}

/** Settles with the time it is then: `until`, or earlier when stopped. */
function sleep(until: number, stop: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    const done = (): void => {
      stop.removeEventListener('abort', cancelled);
      resolve({ kind: 'value', value: Date.now() });
    };
    // Clocks step: a timer that comes early by them starts again for the rest.
    const wake = (): void => {
      if (Date.now() >= until) done();
      else cancelTimer = startTimer(until - Date.now(), wake);
    };
    let cancelTimer = startTimer(until - Date.now(), wake);
    const cancelled = (): void => {
      cancelTimer();
      done();
    };
    if (stop.aborted) cancelled();
    else stop.addEventListener('abort', cancelled, { once: true });
  });
}

function unreachable(never: never): never {
  throw new Error(`unknown request: ${JSON.stringify(never)}`);
}
