/** What runs ask of the world, for programs that answer in another way than by starting processes. */
import type { Outcome } from '../interpreter/events/event.js';
import type { AgentSettings } from '../runtime/agents/resolve.js';
import type { CommandFunction } from '../runtime/command-function.js';
import type { PerformedRequest } from '../runtime/effect-context.js';
import { type HostOptions as InternalHostOptions, hostEffects as processEffects } from '../runtime/effects.js';
import { scriptedEffects as answersOfScript, type Script } from '../runtime/scripted-effects.js';
import type { McpServers } from '../runtime/tools/tool-host.js';

declare const resources: unique symbol;

/** What effects of one run share. Pass it on to `hostEffects` as it is. */
export interface RunResources {
  readonly [resources]: true;
}

/** What an effect knows of its run. */
export interface EffectContext {
  readonly runId: string;
  /** The run's directory, absolute. */
  readonly cwd: string;
  /** The folder of the program's file, absolute. */
  readonly programDir?: string | undefined;
  /** Aborted when the run is stopped: end what was started, then give an outcome, which does not matter any more. */
  readonly stop: AbortSignal;
  /** Aborted when the outcome is not needed any more, for other reasons than `stop`. */
  readonly unwanted?: AbortSignal;
  /** Shows output while it comes; null when nobody looks. */
  readonly show: ((bytes: Uint8Array, stream: 'stdout' | 'stderr') => void) | null;
  readonly resources: RunResources;
}

/** Performs what a run requests: commands, functions, agents, tools, time and chance. For `run` and `resume`. */
export interface Effects {
  /** Gives an outcome, now or later. A rejection is a bug of the effects and rejects `run`. */
  perform(request: PerformedRequest, context: EffectContext): Outcome | Promise<Outcome>;
}

/** Where `hostEffects` finds what it starts. */
export interface HostOptions {
  /** Environment of commands; default that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** JavaScript functions that stand for commands, by name. */
  readonly commands?: Readonly<Record<string, CommandFunction>>;
  readonly agents?: AgentSettings;
  /** Servers of the Model Context Protocol by name. */
  readonly mcp?: McpServers;
  /** Folders whose files the program may name besides those of the project it works in, or all files. */
  readonly readable?: 'all' | readonly string[];
}

/** Real processes, real time, real chance: what `run` uses. Wrap it to answer some requests and pass on the others. */
export function hostEffects(options: HostOptions = {}): Effects {
  return processEffects(options as InternalHostOptions) as unknown as Effects;
}

/**
 * Effects from a script, for tests of programs: nothing is started and no time passes. A request that the script does not
 * answer has the outcome `not-started`, so a test never runs a command by accident.
 */
export function scriptedEffects(script: Script = {}): Effects {
  return answersOfScript(script) as unknown as Effects;
}
