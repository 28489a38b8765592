/**
 * Runs a machine from its first state to its end. Everything a run has is made here and belongs to it alone, so two
 * runs in one process do not meet.
 */
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import type { RunEvent } from '../interpreter/event.js';
import { link, type Run, startRun } from '../interpreter/run.js';
import type { Json } from '../machine/expression.js';
import type { Limits, Machine } from '../machine/machine.js';
import type { AgentSettings } from './agents/perform.js';
import type { CommandFunction } from './command-function.js';
import { type AskHandler, type DriveEnd, type DriveOptions, drive } from './drive.js';
import { type Effects, hostEffects, type RunResources } from './effects.js';
import { fileJournal, type Journal, type OpenJournal } from './journal.js';
import { boundedMatches } from './matches.js';
import { outputStore } from './output.js';
import { createPipePool } from './pipes.js';
import { killGroup } from './process-group.js';
import { createRedactor, environmentSecrets, inputSecrets, type Redactor, type Secret, tooShort } from './redact.js';
import { type RunReport, reportOf, storeFailure } from './report.js';
import { inputProblems } from './run-inputs.js';
import { createScratch } from './scratch.js';
import { type StateFile, stateFile } from './state-file.js';
import type { ProgramText, RunHeader } from './store.js';
import { StoreError } from './store-error.js';
import { VERSION } from './version.js';

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
  /** Aborting interrupts the run: what runs is stopped, and the run can be resumed. */
  readonly signal?: AbortSignal;
  /** Aborting kills every process at once, without grace. */
  readonly kill?: AbortSignal;
  /** Called for every event once it is durable, secrets replaced. */
  readonly onEvent?: DriveOptions['onEvent'];
  /** Output of commands while it comes, secrets replaced. */
  readonly onOutput?: DriveOptions['onOutput'];
  /** Called once, before the first event. `folder` is null when nothing is kept on disk. */
  readonly onStart?: (started: { readonly runId: string; readonly folder: string | null }) => void;
  /** Asks a person; without it a question suspends the run. */
  readonly ask?: AskHandler;
  /** Who answers, for the record. */
  readonly person?: string;
  /** Members of PARALLEL at once; default the number of CPUs, and 8 where the members are agents. */
  readonly jobs?: number;
  /** The run's directory; default the process's. */
  readonly cwd?: string;
  /** Environment of commands; default the process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Emit STATE_ENTRY and PHASE_TRANSITION. */
  readonly autoEvents?: boolean;
  /** Win over those of the program. */
  readonly limits?: Limits;
  /** Time limit of each effect that has none of its own. */
  readonly effectTimeoutMs?: number | null;
  /** A wait longer than this suspends the run; null, the default, never does. */
  readonly suspendAfterMs?: number | null;
  /** The state to begin in, with its entry values; default the first. */
  readonly start?: { readonly state: string; readonly with?: Readonly<Record<string, Json>> };
  /** Names of environment variables that hold secrets, besides those whose names say so. */
  readonly secrets?: readonly string[];
  /** What the machine was compiled from, to be kept with the run. */
  readonly sources?: readonly ProgramText[];
}

const DEFAULT_TRANSITIONS = 100_000;

/**
 * Runs a machine. Resolves with a report whatever happens to the program; rejects only with what `effects`, `onEvent`
 * and the other functions given here throw.
 */
export async function run(machine: Machine, options: RunOptions = {}): Promise<RunReport> {
  const begun = performance.now();
  const runId = uuidV7();
  const secrets = secretsOf(machine, options);
  const redactor = createRedactor(secrets);
  const journal = options.journal ?? (options.dir === undefined ? null : fileJournal(options.dir));
  // A wrong call is no run: it leaves no folder behind.
  const problems = inputProblems(machine, options.inputs ?? {});
  if (problems.length > 0) return notStarted(machine, runId, 'bad_value', problems.map((p) => p.message).join('; '));
  const startedAt = new Date().toISOString();
  let open: OpenJournal | null = null;
  try {
    open = journal?.open(headerOf(machine, options, { runId, startedAt, redactor })) ?? null;
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    return notStarted(machine, runId, 'store', cause.message);
  }
  options.onStart?.({ runId, folder: open?.folder?.path ?? null });
  const state = startRun(link(machine), interpreterOptions(machine, options, open !== null));
  for (const name of tooShort(secrets)) state.recordNow(shortSecret(name, state));
  const file = open?.folder == null ? null : stateFile(open.folder, redactor);
  const end = await driveToEnd(state, options, { runId, open, redactor, file });
  const durationMs = Math.round(performance.now() - begun);
  const report = reportOf(state, end, { runId, durationMs, redactor });
  await closeRun(state, report, startedAt, { open, file });
  return report;
}

interface OpenRun {
  readonly runId: string;
  readonly open: OpenJournal | null;
  readonly redactor: Redactor | null;
  readonly file: StateFile | null;
}

async function driveToEnd(state: Run, options: RunOptions, opened: OpenRun): Promise<DriveEnd> {
  const { runId, open, redactor, file } = opened;
  const scratch = createScratch();
  const pipes = createPipePool();
  const groups = new Set<number>();
  const resources: RunResources = {
    outputs: outputStore(open?.folder?.artifacts ?? null, scratch, redactor),
    scratch,
    pipes,
    groups,
    recordProcess: (record) => open?.folder?.recordProcess(record),
  };
  const onKill = (): void => groups.forEach(killGroup);
  options.kill?.addEventListener('abort', onKill);
  // One signal may serve thousands of runs, and that is no leak.
  for (const signal of [options.signal, options.kill]) if (signal !== undefined) setMaxListeners(0, signal);
  const agents: AgentSettings = { agents: {}, folder: null, instead: {}, ...options.agents };
  try {
    return await drive(state, {
      effects: options.effects ?? hostEffects({ env: options.env, commands: options.commands, agents }),
      context: { runId, cwd: resolve(options.cwd ?? process.cwd()), resources },
      journal: open,
      redactor,
      stateFile: file,
      onEvent: options.onEvent ?? null,
      onOutput: options.onOutput ?? null,
      ask: options.ask ?? null,
      person: options.person ?? 'user',
      signal: options.signal ?? null,
      timeMs: options.limits?.timeMs ?? state.linked.machine.limits.timeMs ?? null,
      suspendAfterMs: options.suspendAfterMs ?? null,
    });
  } finally {
    options.kill?.removeEventListener('abort', onKill);
    pipes.remove();
    scratch.remove();
  }
}

function interpreterOptions(machine: Machine, options: RunOptions, kept: boolean) {
  const { start } = options;
  const first = start === undefined ? -1 : machine.states.findIndex(({ name }) => name === start.state);
  if (start !== undefined && first < 0) throw new RangeError(`there is no state \`${start.state}\` to start in`);
  return {
    inputs: options.inputs ?? {},
    jobs: options.jobs ?? availableParallelism(),
    // Agents wait for others more than they compute, so they have a number of their own unless one is given for all.
    ...(options.jobs === undefined ? {} : { agentJobs: options.jobs }),
    // Nobody looks and nothing is kept: then events need not be made.
    record: kept || options.onEvent !== undefined,
    autoEvents: options.autoEvents ?? false,
    limits: { transitions: DEFAULT_TRANSITIONS, ...machine.limits, ...defined(options.limits ?? {}) },
    effectTimeoutMs: options.effectTimeoutMs ?? null,
    ...(start === undefined ? {} : { start: { state: first, with: start.with ?? {} } }),
    matches: boundedMatches(),
    digest: digestOf(machine),
    version: VERSION,
  };
}

/** The index and the state file can be made again from the journal, so a disk that fails here changes no result. */
async function closeRun(
  state: Run,
  report: RunReport,
  startedAt: string,
  { open, file }: Pick<OpenRun, 'open' | 'file'>,
): Promise<void> {
  try {
    file?.last(state);
    open?.folder?.appendIndex({
      run_id: report.run_id,
      machine: report.machine,
      status: report.status,
      state: report.state,
      started_at: startedAt,
      ended_at: new Date().toISOString(),
      duration_ms: report.duration_ms,
      cost: report.cost,
      effects: report.effects,
    });
    await open?.close();
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
  }
}

function headerOf(
  machine: Machine,
  options: RunOptions,
  { runId, startedAt, redactor }: { runId: string; startedAt: string; redactor: Redactor | null },
): RunHeader {
  const inputs = options.inputs ?? {};
  return {
    runId,
    machine,
    digest: digestOf(machine),
    inputs: redactor === null ? inputs : (redactor.value(inputs) as Record<string, Json>),
    startedAt,
    cwd: resolve(options.cwd ?? process.cwd()),
    version: VERSION,
    sources: options.sources ?? [],
  };
}

/** Secrets of the environment and of inputs declared `(secret)`. */
function secretsOf(machine: Machine, options: RunOptions): Secret[] {
  const secrets = environmentSecrets(options.env ?? process.env, options.secrets ?? []);
  for (const { name, secret, value } of machine.inputs) {
    const given = options.inputs?.[name] ?? value;
    if (secret === true && given !== undefined) secrets.push(...inputSecrets(name, given));
  }
  return secrets;
}

function shortSecret(name: string, state: Run): RunEvent {
  const message = `the secret \`${name}\` is too short to be replaced in records and messages`;
  return { type: 'warned', message, state: state.currentState, line: 0 };
}

/** A report on a run that never began. */
function notStarted(machine: Machine, runId: string, kind: 'bad_value' | 'store', message: string): RunReport {
  return {
    run_id: runId,
    status: 'failed',
    machine: machine.name,
    state: null,
    states: [],
    returned: null,
    tracked: {},
    error: { ...storeFailure(message, null), kind },
    waiting: [],
    cost: 0,
    tokens: { in: 0, out: 0, cache_read: 0, cache_write: 0 },
    duration_ms: 0,
    effects: 0,
  };
}

const digests = new WeakMap<Machine, string>();

/** SHA-256 of a machine: the same program gives the same digest. */
function digestOf(machine: Machine): string {
  const known = digests.get(machine);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(JSON.stringify(machine)).digest('hex');
  digests.set(machine, digest);
  return digest;
}

function defined(limits: Limits): Limits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined && value !== null));
}
