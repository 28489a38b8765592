/**
 * What whoever starts a run says about it, and what follows from that: secrets, limits, and the part that a later
 * process needs to go on exactly like this one, which is kept with the run.
 */

import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { RunEvent } from '../../interpreter/events/event.js';
import { limitsOf, storedLimits } from '../../interpreter/events/stored-limits.js';
import type { EffectRequest } from '../../interpreter/request.js';
import type { RunOptions as InterpreterOptions, Run } from '../../interpreter/run.js';
import type { Json } from '../../machine/expression.js';
import type { Limits, Machine } from '../../machine/machine.js';
import { type AgentSettings, resolveAgent } from '../agents/resolve.js';
import type { CommandFunction } from '../command-function.js';
import type { Effects } from '../effect-context.js';
import { boundedMatches } from '../matches.js';
import type { Readable } from '../readable-file.js';
import { environmentSecrets, inputSecrets, type Secret } from '../redact.js';
import { sha256Hex } from '../sha256.js';
import type { Journal } from '../store/journal.js';
import { digestOf } from '../store/machine-digest.js';
import type { FixedOptions, ProgramText } from '../store/run-header.js';
import type { McpServers } from '../tools/tool-host.js';
import type { Repository } from '../worktree/git/repository.js';
import type { AskHandler, DriveOptions } from './drive-options.js';
import type { RunReport } from './report.js';

/** A run that is about to be executed. */
export interface Started {
  readonly runId: string;
  /** The folder of the run; null when nothing is kept on disk. */
  readonly folder: string | null;
  /** Processes of a resumed run that are started again, though the record has their requests already. */
  readonly again?: readonly EffectRequest[];
}

export interface RunOptions {
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Folder of the store, usually `.statedsl`: the run is kept there. */
  readonly dir?: string;
  /** Keeps the events instead of `dir`. Without both, nothing is kept. */
  readonly journal?: Journal;
  /** Performs requests instead of real processes. */
  readonly effects?: Effects;
  /** JavaScript functions bound as commands; the program must be compiled with their names. */
  readonly commands?: Readonly<Record<string, CommandFunction>>;
  readonly agents?: Partial<AgentSettings>;
  /** Servers of the Model Context Protocol by name, for tools of plans. */
  readonly mcp?: McpServers;
  /** Folders whose files the program may name besides those of the project it works in, or all files. */
  readonly readable?: Readable;
  /** Aborting interrupts the run: what runs is stopped, and the run can be resumed. */
  readonly signal?: AbortSignal;
  /** Aborting kills every process at once, without grace. */
  readonly kill?: AbortSignal;
  /** Called for every event once it is durable, secrets replaced. */
  readonly onEvent?: DriveOptions['onEvent'];
  /** Output of commands while it comes, secrets replaced. */
  readonly onOutput?: DriveOptions['onOutput'];
  /** Called once, before the first event. */
  readonly onStart?: (started: Started) => void;
  /** Called with the result, before the index of the store says that the run is over: who dies in between tells it again. */
  readonly onEnd?: (report: RunReport) => void | Promise<void>;
  /** Asks a person; without it a question suspends the run. */
  readonly ask?: AskHandler;
  /** Who answers, for the record. */
  readonly person?: string;
  /** Members of PARALLEL at once; default the number of CPUs, and 8 where the members are agents. */
  readonly jobs?: number;
  /** The run's directory; default the process's. */
  readonly cwd?: string;
  /**
   * Gives the run a git worktree and a branch of its own, in the repository that `cwd` is in; it has to be kept in a
   * `dir` then. May be the repository itself, where somebody has found that it can be used.
   */
  readonly worktree?: boolean | Repository;
  /** Environment of commands; default the process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Emit STATE_ENTRY and PHASE_TRANSITION. */
  readonly autoEvents?: boolean;
  /** Win over those of the program. */
  readonly limits?: Limits;
  /** Time limit of each effect that has none of its own. */
  readonly effectTimeoutMs?: number | null;
  /**
   * A wait longer than this suspends the run; null never does. A question that nobody here answers and a signal without a
   * time-out always suspend it. Default: null, but a signal is waited for at most 10 seconds.
   */
  readonly suspendAfterMs?: number | null;
  /** Nothing but the run happens in this process, so that it may stand still while the disk writes. */
  readonly ownProcess?: boolean;
  /**
   * JSON of inputs that hold numbers which were written in another way than JavaScript prints them: `1.10`. They compute
   * as the value in `inputs`, and are shown as they were written.
   */
  readonly printedInputs?: Readonly<Record<string, string>>;
  /** The folder of the program's file, for `program_dir()`; default `cwd`. */
  readonly programDir?: string;
  /** The state to begin in, with its entry values; default the first. */
  readonly start?: { readonly state: string; readonly with?: Readonly<Record<string, Json>> };
  /** Names of environment variables that hold secrets, besides those whose names say so. */
  readonly secrets?: readonly string[];
  /** What the machine was compiled from, to be kept with the run. */
  readonly sources?: readonly ProgramText[];
  /** Whatever the caller wants to find in `run.json` when the run is resumed. */
  readonly settings?: Readonly<Record<string, Json>>;
}

const DEFAULT_TRANSITIONS = 100_000;

/** The decisions of a new run. */
export function fixedOptions(machine: Machine, options: RunOptions, base: string | null = null): FixedOptions {
  const { start, printedInputs = {} } = options;
  const costs = agentCosts({ agents: {}, folder: null, instead: {}, ...options.agents });
  return {
    jobs: options.jobs ?? availableParallelism(),
    // Agents wait for others more than they compute, so they have a number of their own unless one is given for all.
    agent_jobs: options.jobs ?? null,
    limits: storedLimits({
      transitions: DEFAULT_TRANSITIONS,
      ...machine.limits,
      ...definedLimits(options.limits ?? {}),
    }),
    effect_timeout_ms: options.effectTimeoutMs ?? null,
    auto_events: options.autoEvents ?? false,
    start: start === undefined ? null : { state: start.state, with: start.with ?? {} },
    ...(base === null ? {} : { worktree: { base } }),
    program_dir: resolve(options.cwd ?? '.', options.programDir ?? ''),
    ...(Object.keys(printedInputs).length === 0 ? {} : { printed_inputs: printedInputs }),
    ...(Object.keys(costs).length === 0 ? {} : { agent_max_cost: costs }),
  };
}

/** What a call may cost at most, where the configuration says so: known before it is started. */
function agentCosts(settings: AgentSettings): Record<string, number> {
  const costs: Record<string, number> = {};
  for (const name of new Set([...Object.keys(settings.agents), ...Object.keys(settings.instead)])) {
    const cost = resolveAgent(name, settings)?.configuration.max_cost;
    if (cost !== undefined) costs[name] = cost;
  }
  return costs;
}

/** What the interpreter needs of them. Throws a `RangeError` when there is no such state to start in. */
export function interpreterOptions(
  machine: Machine,
  fixed: FixedOptions,
  given: { readonly inputs: Readonly<Record<string, Json>>; readonly record: boolean; readonly version: string },
): InterpreterOptions {
  const { start, agent_jobs, worktree, agent_max_cost, printed_inputs, program_dir } = fixed;
  const first = start === null ? -1 : machine.states.findIndex(({ name }) => name === start.state);
  if (start !== null && first < 0) throw new RangeError(`there is no state \`${start.state}\` to start in`);
  return {
    ...given,
    jobs: fixed.jobs,
    ...(agent_jobs === null ? {} : { agentJobs: agent_jobs }),
    autoEvents: fixed.auto_events,
    limits: limitsOf(fixed.limits),
    effectTimeoutMs: fixed.effect_timeout_ms,
    ...(start === null ? {} : { start: { state: first, with: start.with } }),
    ...(worktree === undefined ? {} : { worktree }),
    ...(program_dir === undefined ? {} : { programDir: program_dir }),
    ...(printed_inputs === undefined ? {} : { printedInputs: printed_inputs }),
    ...(agent_max_cost === undefined ? {} : { agentMaxCost: agent_max_cost }),
    matches: boundedMatches(),
    sha256: sha256Hex,
    digest: digestOf(machine),
  };
}

/** Secrets of the environment, of what agents and servers are given beside it, and of inputs declared `(secret)`. */
export function secretsOf(machine: Machine, options: RunOptions): Secret[] {
  const { agents, mcp = {}, secrets: named = [] } = options;
  const environments = [...Object.values(agents?.agents ?? {}), ...Object.values(mcp)].map(({ env = {} }) => env);
  const secrets = [options.env ?? process.env, ...environments].flatMap((env) => environmentSecrets(env, named));
  for (const { name, secret, value } of machine.inputs) {
    const given = options.inputs?.[name] ?? value;
    if (secret === true && given !== undefined) secrets.push(...inputSecrets(name, given));
  }
  return secrets;
}

export function shortSecretWarning(name: string, state: Run): RunEvent {
  const message = `the secret \`${name}\` is too short to be replaced in records and messages`;
  return { type: 'warned', message, state: state.currentState, line: 0, by: 'runner' };
}

/** The limits that are given. */
export function definedLimits(limits: Limits): Limits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined && value !== null));
}
