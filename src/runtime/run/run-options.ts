/**
 * The options of a run, and what follows from them: secrets, limits, and the part that a later process needs to continue
 * exactly like this one, which is stored with the run.
 */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { RunEvent, Through } from '../../interpreter/events/event.js';
import { limitsOf, storedLimits } from '../../interpreter/events/stored-limits.js';
import type { EffectRequest } from '../../interpreter/request.js';
import type { InterpreterOptions, Run } from '../../interpreter/run.js';
import { fromRecord, printJson } from '../../interpreter/values/json.js';
import { isBeyondJson, type Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import type { Limits, Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { type AgentSettings, resolveAgent } from '../agents/resolve.js';
import type { CommandFunction } from '../command-function.js';
import type { EffectPermits, Effects } from '../effect-context.js';
import { boundedMatches } from '../matches.js';
import type { MemoOptions } from '../memo.js';
import type { Readable } from '../readable-file.js';
import { environmentSecrets, inputSecrets, isSecretName, redactNamed, type Secret, wholeOf } from '../redact.js';
import { sha256Hex } from '../sha256.js';
import type { StopSignal } from '../stop-signal.js';
import { digestOf } from '../store/image.js';
import type { Journal } from '../store/journal.js';
import type { RecordSigner } from '../store/record-heads.js';
import type { FixedOptions, OnBusy, ProgramText, RunKey } from '../store/run-header.js';
import type { KeyHolder } from '../store/run-keys.js';
import type { McpServers } from '../tools/mcp-tool.js';
import { type TraceOptions, traceSecrets } from '../trace/trace-options.js';
import type { VirtualTime } from '../virtual-time.js';
import type { Repository } from '../worktree/git/repository.js';
import type { AskHandler, DriveOptions } from './drive-options.js';
import type { RunReport } from './run-report.js';
import { titleOf } from './run-title.js';

/** A run that is about to execute. */
export interface Started {
  readonly runId: string;
  /** The folder of the run; null if nothing is stored. */
  readonly folder: string | null;
  /** Processes of a resumed run that are started again, although the record already has their requests. */
  readonly again?: readonly EffectRequest[];
}

export interface RunOptions {
  readonly inputs?: Readonly<Record<string, Json>>;
  /** The id of the run, which no other run of the store may have; by default a new one. */
  readonly runId?: string;
  /** The folder of the store in which the run is kept, usually `.statedsl`. */
  readonly dir?: string;
  /** Signs the record where it ends and where a person has answered. */
  readonly signer?: RecordSigner | undefined;
  /** Stores the events, instead of `dir`. Without either, nothing is stored. */
  readonly journal?: Journal;
  /** Performs requests, instead of real processes. */
  readonly effects?: Effects;
  /** JavaScript functions bound as commands; the program must be compiled with their names. */
  readonly commands?: Readonly<Record<string, CommandFunction>>;
  readonly agents?: Partial<AgentSettings>;
  /** Servers of the Model Context Protocol by name, for tools of plans. */
  readonly mcp?: McpServers;
  /** Folders outside of the project whose files the program may name, or all files. */
  readonly readable?: Readable;
  /** Aborting interrupts the run: its processes are stopped, and the run can be resumed. */
  readonly signal?: StopSignal;
  /** Aborting kills every process at once, without a grace period. */
  readonly kill?: StopSignal;
  /** Called for every event once it is durable, with secrets replaced. */
  readonly onEvent?: DriveOptions['onEvent'];
  /** Receives the output of commands as it comes, with secrets replaced. */
  readonly onOutput?: DriveOptions['onOutput'];
  /** Receives what a person should know about a running effect, such as that an agent waits for its service. */
  readonly onNotice?: DriveOptions['onNotice'];
  /** Called once, before the first event. */
  readonly onStart?: (started: Started) => void;
  /** Called with the result before the index of the store has it, so that after a crash in between `resume` reports it again. */
  readonly onEnd?: (report: RunReport) => void | Promise<void>;
  /** Makes spans of the run, sends them, and gives each command its `TRACEPARENT`. */
  readonly trace?: TraceOptions | undefined;
  /** Receives a sentence about spans or notices that could not be sent, at the end of the run. */
  readonly onUnsent?: (text: string) => void;
  /** Asks a person. Without it, a question suspends the run. */
  readonly ask?: AskHandler;
  /** Who answers, for the record. */
  readonly person?: string;
  /** The door through which `ask` gets answers, for the record. */
  readonly through?: Through;
  /** What a person calls the run; by default its program or its inputs say it. */
  readonly name?: string;
  /** Who starts the run, for the record; absent: nobody says it. */
  readonly by?: string;
  /** How many members of a PARALLEL run at once; by default the number of CPUs, and 8 if the members are agents. */
  readonly jobs?: number;
  /** The working directory of the run; by default that of the process. */
  readonly cwd?: string;
  /**
   * Gives the run its own git worktree and branch in the repository of `cwd`; this requires `dir`. May be the repository
   * itself, if the caller has already examined it.
   */
  readonly worktree?: boolean | Repository;
  /** The commit from which a worktree starts that exists only for `effects`, which perform its requests. */
  readonly worktreeBase?: string;
  /** The environment of commands; by default that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Emits STATE_ENTRY and PHASE_TRANSITION. */
  readonly autoEvents?: boolean;
  /** Limits that replace those of the program. */
  readonly limits?: Limits;
  /** The time limit of each effect that has no limit of its own, in milliseconds. */
  readonly effectTimeoutMs?: number | null;
  /**
   * A wait longer than this suspends the run; null never does. An unanswered question and a signal without a time-out always
   * suspend it. By default null, except that a run waits for a signal at most 10 seconds.
   */
  readonly suspendAfterMs?: number | null;
  /** How the memo of `dir` is used. With `effects`, there is none. */
  readonly memo?: MemoOptions;
  /** Virtual time instead of real time; `effects` must use the same clock. */
  readonly time?: VirtualTime;
  /** Limits the effects of this run together with those of other runs. */
  readonly permits?: EffectPermits;
  /** A debugger, which holds the run between two turns. */
  readonly hold?: DriveOptions['hold'];
  /** Lets a debugger of another process in. */
  readonly onDebugger?: DriveOptions['onDebugger'];
  /** The process executes only this run, so it may block while the disk writes. */
  readonly ownProcess?: boolean;
  /**
   * The JSON of inputs with numbers that JavaScript would print differently, such as `1.10`. They compute as the value in
   * `inputs` and are shown as they were written.
   */
  readonly printedInputs?: Readonly<Record<string, string>>;
  /** The folder of the program's file, for `program_dir()`; `cwd` by default. */
  readonly programDir?: string;
  /** The state to start in, with its entry values; by default the first one. */
  readonly start?: { readonly state: string; readonly with?: Readonly<Record<string, Json>> };
  /** Names of environment variables that hold secrets, in addition to those whose names say so. */
  readonly secrets?: readonly string[];
  /** The source texts of the machine, which are stored with the run. */
  readonly sources?: readonly ProgramText[];
  /** With `dir`: runs with the same key are executed one at a time. `onBusy`: what happens if another one has it, default `wait`. */
  readonly key?: (RunKey & { readonly onBusy?: OnBusy }) | undefined;
  /** Called when the run has to wait for the one that has its key, and again when that one is executed or not any more. */
  readonly onKeyBusy?: (holder: KeyHolder, key: string) => void;
  /** Data of the caller, which `run.json` keeps for when the run is resumed. */
  readonly settings?: Readonly<Record<string, Json>>;
}

const DEFAULT_TRANSITIONS = 100_000;

/** The options that decide which events a new run produces. */
export function fixedOptions(machine: Machine, options: RunOptions, base: string | null = null): FixedOptions {
  const { start } = options;
  const printedInputs = { ...writtenInputs(machine, options.inputs ?? {}), ...options.printedInputs };
  const costs = agentCosts({ agents: {}, folder: null, instead: {}, ...options.agents });
  return {
    jobs: options.jobs ?? availableParallelism(),
    // Agents wait more than they compute, so they have their own default unless a number is given for all.
    agent_jobs: options.jobs ?? null,
    limits: storedLimits({
      transitions: DEFAULT_TRANSITIONS,
      ...machine.limits,
      ...definedLimits(options.limits ?? {}),
    }),
    effect_timeout_ms: options.effectTimeoutMs ?? null,
    auto_events: options.autoEvents ?? false,
    start: start === undefined ? null : storedStart(start),
    ...omitUndefined({ worktree: base === null ? undefined : { base }, started_by: options.by }),
    ...omitUndefined({ title: titleOf(machine, wholeOf(options.inputs ?? {}, printedInputs), options.name) }),
    program_dir: resolve(options.cwd ?? '.', options.programDir ?? ''),
    ...omitUndefined({
      printed_inputs: Object.keys(printedInputs).length === 0 ? undefined : printedInputs,
      agent_max_cost: Object.keys(costs).length === 0 ? undefined : costs,
    }),
  };
}

function storedStart({ state, with: given = {} }: NonNullable<RunOptions['start']>): FixedOptions['start'] {
  const { values, printed } = redactNamed(given, undefined, (value) => value);
  return { state, with: values, ...omitUndefined({ printed }) };
}

/** The JSON text of inputs whose numbers keep how they were written. */
function writtenInputs({ inputs: declared }: Machine, inputs: Readonly<Record<string, Json>>): Record<string, string> {
  const written = Object.entries(inputs).filter(
    ([name, value]) => isBeyondJson(value as Value) && declared.some((input) => input.name === name),
  );
  return Object.fromEntries(written.map(([name, value]) => [name, printJson(value as Value)]));
}

/** The most that a call may cost according to the configuration, which is known before the call starts. */
export function agentCosts(settings: AgentSettings): Record<string, number> {
  const costs: Record<string, number> = {};
  for (const name of new Set([...Object.keys(settings.agents), ...Object.keys(settings.instead)])) {
    const cost = resolveAgent(name, settings)?.configuration.max_cost;
    if (cost !== undefined) costs[name] = cost;
  }
  return costs;
}

/** The options of the interpreter. Throws a `RangeError` if the state to start in does not exist. */
export function interpreterOptions(
  machine: Machine,
  fixed: FixedOptions,
  given: { readonly inputs: Readonly<Record<string, Json>>; readonly record: boolean; readonly version: string },
): InterpreterOptions {
  const { start, agent_jobs, worktree, started_by, agent_max_cost, printed_inputs, program_dir } = fixed;
  const first = start === null ? -1 : machine.states.findIndex(({ name }) => name === start.state);
  if (start !== null && first < 0) throw new RangeError(`there is no state \`${start.state}\` to start in`);
  return {
    ...given,
    jobs: fixed.jobs,
    ...omitUndefined({ agentJobs: agent_jobs ?? undefined }),
    autoEvents: fixed.auto_events,
    limits: limitsOf(fixed.limits),
    effectTimeoutMs: fixed.effect_timeout_ms,
    ...omitUndefined({
      start: start === null ? undefined : { state: first, with: wholeOf(start.with, start.printed) },
      worktree,
      by: started_by,
      programDir: program_dir,
      printedInputs: printed_inputs,
      agentMaxCost: agent_max_cost,
    }),
    matches: boundedMatches(),
    sha256: sha256Hex,
    digest: digestOf(machine),
  };
}

/** The secrets of the environment, of the variables that agents and servers get in addition, and of `(secret)` inputs. */
export function secretsOf(machine: Pick<Machine, 'inputs'>, options: RunOptions): Secret[] {
  const { agents, mcp = {}, secrets: named = [] } = options;
  const environments = [...Object.values(agents?.agents ?? {}), ...Object.values(mcp)].map(({ env = {} }) => env);
  const models = Object.values(agents?.agents ?? {});
  const keys = [...named, ...models.flatMap(({ key_env: name }) => name ?? [])];
  const secrets = [options.env ?? process.env, ...environments].flatMap((env) => environmentSecrets(env, keys));
  secrets.push(...models.flatMap(({ headers = {} }) => headerSecrets(headers)));
  if (options.trace !== undefined) secrets.push(...traceSecrets(options.trace));
  for (const { name, secret, value, printed } of machine.inputs) {
    if (secret !== true) continue;
    const given = options.inputs?.[name];
    const whole =
      given === undefined
        ? value === undefined
          ? undefined
          : fromRecord(value, printed)
        : fromRecord(given, options.printedInputs?.[name]);
    if (whole !== undefined) secrets.push(...inputSecrets(name, whole));
  }
  return secrets;
}

/** A service may repeat in an error what it was given: the whole header, or what comes after the scheme. */
function headerSecrets(headers: Readonly<Record<string, string>>): Secret[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    isSecretName(name) || /^(?:proxy-)?authorization$/i.test(name)
      ? [...new Set([value, value.replace(/^\S+\s+/, '')])].map((one) => ({ name, value: one }))
      : [],
  );
}

export function shortSecretWarning(name: string, state: Run): RunEvent {
  const message = `the secret \`${name}\` is too short to be replaced in records and messages`;
  return { type: 'warned', message, state: state.currentState, line: 0, by: 'runner' };
}

/** The limits without the undefined ones. */
export function definedLimits(limits: Limits): Limits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined && value !== null));
}
