/** The effects of runs, for programs that perform them in another way than by starting processes. */
import type { Outcome } from '../interpreter/events/event.js';
import type { AgentSettings } from '../runtime/agents/resolve.js';
import type { CommandFunction } from '../runtime/command-function.js';
import type { PerformedRequest, RunContext } from '../runtime/effect-context.js';
import { type HostOptions as InternalHostOptions, hostEffects as processEffects } from '../runtime/effects.js';
import { scriptedEffects as answersOfScript, type Script } from '../runtime/scripted-effects.js';
import type { McpServers } from '../runtime/tools/tool-host.js';

declare const resources: unique symbol;

/** State that the effects of one run share. Pass it on to `hostEffects` unchanged. */
export interface RunResources {
  readonly [resources]: true;
}

/** The context of an effect: facts about its run, and the resources of the run. */
export interface EffectContext extends RunContext {
  readonly resources: RunResources;
}

/**
 * Performs the requests of a run: commands, functions, agents, tools, time and random numbers. For `run` and `resume`.
 */
export interface Effects {
  /** Returns an outcome or a promise of one. A rejection counts as a bug in the effects and rejects `run`. */
  perform(request: PerformedRequest, context: EffectContext): Outcome | Promise<Outcome>;
}

/** Options of `hostEffects`: the commands, agents and tools that it can start. */
export interface HostOptions {
  /** The environment of commands; default the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** JavaScript functions that the program calls as commands, by name. */
  readonly commands?: Readonly<Record<string, CommandFunction>>;
  readonly agents?: AgentSettings;
  /** Servers of the Model Context Protocol by name. */
  readonly mcp?: McpServers;
  /** Folders with files that the program may name, in addition to those of its project; or all files. */
  readonly readable?: 'all' | readonly string[];
}

/**
 * Performs effects with real processes, real time and real random numbers, as `run` does by default. Wrap it to answer
 * some requests and pass on the others.
 */
export function hostEffects(options: HostOptions = {}): Effects {
  return processEffects(options as InternalHostOptions) as unknown as Effects;
}

/**
 * Performs effects from a script, for tests of programs: nothing is started and no time passes. A request without an
 * answer in the script has the outcome `not-started`, so a test never runs a command by accident.
 */
export function scriptedEffects(script: Script = {}): Effects {
  return answersOfScript(script) as unknown as Effects;
}
