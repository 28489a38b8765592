/** `statedsl worker`: executes runs of an engine until it is stopped. */
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { configuredOptions, directoryProblem } from '../../app/project/prepare.js';
import { loadSettings } from '../../app/project/settings.js';
import { WorkerRefused } from '../../engine/admin.js';
import { EngineFailure } from '../../engine/ask-engine.js';
import { type Functions, loadFunctions } from '../../engine/engine-functions.js';
import { loadSdk, PackageProblem } from '../../engine/restate-sdk.js';
import { startWorker, type Worker, type WorkerSettings } from '../../engine/run-worker.js';
import { KEY_VARIABLE, TOKEN_VARIABLE, valueCodec } from '../../engine/value-codec.js';
import { workerPermits } from '../../engine/worker-permits.js';
import { type WorkerProcesses, workerProcesses } from '../../engine/worker-processes.js';
import { WorkerStatus } from '../../engine/worker-status.js';
import { isLoopback } from '../../prelude/is-loopback.js';
import { findLauncher } from '../../prelude/launcher.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { budgetNow } from '../../runtime/agents/daily-budget.js';
import type { Effects } from '../../runtime/effect-context.js';
import { type HostOptions, hostEffects } from '../../runtime/effects.js';
import { secretsOf } from '../../runtime/run/run-options.js';
import { makeStore } from '../../runtime/store/store-ownership.js';
import { traceOptions } from '../../runtime/trace/trace-options.js';
import { endProcess } from '../end-process.js';
import { commandLineHost } from '../files/command-line-host.js';
import { firstSignal } from '../running/configuration-line.js';
import { NAMESPACE } from '../running/engine-flags.js';
import { installedFrom } from '../running/installed-from.js';
import { STORE } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { printDiagnostics, reportInvalid } from '../terminal/report-diagnostics.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

interface WorkerFlags {
  readonly engine: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly advertise?: string;
  readonly status?: { readonly host: string; readonly port: number };
  readonly label?: readonly string[];
  readonly home?: readonly string[];
  readonly shared?: string;
  readonly cwd?: string;
  readonly jobs?: number;
  readonly identityKey?: readonly string[];
  readonly namespace?: string;
  /** Milliseconds. */
  readonly drain: number;
  readonly dir?: string;
  /** How warnings and ended effects are logged: as text, without effects, or as one JSON object a line. */
  readonly log?: 'text' | 'json';
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Addresses that mean every address of the machine, so that nothing can connect to them. */
const ANY = new Set(['0.0.0.0', '::']);
/** 32 bytes in base58 have 43 or 44 digits, fewer if they begin with zeros. */
const IDENTITY_KEY = /^publickeyv1_[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Agents wait more than they compute. */
const AGENT_JOBS = 8;
/** How long the engine may be starting. Milliseconds. */
const PATIENCE_MS = 15_000;

export async function workerCommand(flags: WorkerFlags): Promise<ExitCode> {
  const { host } = flags.listen;
  const identityKeys = flags.identityKey ?? [];
  if (!isLoopback(host) && identityKeys.length === 0)
    return usageError(
      `\`${host}\` can be reached from other machines, so the worker must know who may use it`,
      "name the engine's public key: `--identity-key publickeyv1_…`",
    );
  if (ANY.has(host) && flags.advertise === undefined)
    return usageError(
      `\`${host}\` is not an address that the engine can connect to`,
      'name the one by which it reaches this worker: `--advertise http://…`',
    );
  const badIdentity = identityKeys.find((key) => !IDENTITY_KEY.test(key));
  if (badIdentity !== undefined)
    return usageError(
      `\`${badIdentity}\` is not the public key of an engine`,
      'write the one that the server prints when it starts: `--identity-key publickeyv1_…`',
    );
  const badKey = keyProblem();
  if (badKey !== null) return usageError(badKey);
  const cwd = resolve(flags.cwd ?? '.');
  const badDirectory = directoryProblem(cwd, flags.cwd ?? '.');
  if (badDirectory !== null) return usageError(badDirectory);
  const settings = await loadSettings({ ...commandLineHost(), folder: cwd }, '-');
  if (settings.diagnostics.length > 0) return (await reportInvalid(settings.diagnostics, settings.sources, flags)).code;
  await printDiagnostics(settings.warnings, settings.sources, flags);
  const badShared =
    flags.shared === undefined ? null : directoryProblem(resolve(flags.shared), flags.shared, 'of `--shared`');
  if (badShared !== null) return usageError(badShared);
  const configured = configuredOptions(commandLineHost(), settings.configuration, { program: '-', instead: {} });
  const jobs = flags.jobs ?? settings.configuration.defaults.jobs ?? availableParallelism();
  const { engine = {}, folder } = settings.configuration;
  const { budget } = configured.agents ?? {};
  let functions: Functions | null = null;
  try {
    if (engine.commands !== undefined) functions = await loadFunctions(resolve(folder ?? '', engine.commands));
  } catch (cause) {
    return usageError((cause as Error).message);
  }
  const directory = resolve(flags.dir ?? join(STORE, 'worker'));
  // Programs must not act as this worker.
  const { [KEY_VARIABLE]: key = null, [TOKEN_VARIABLE]: token = null, ...environment } = process.env;
  let processes: WorkerProcesses;
  try {
    // Git ignores it: the working directory may be in a checkout.
    makeStore(flags.dir === undefined ? resolve(STORE) : directory);
    processes = workerProcesses(directory);
  } catch (cause) {
    return usageError(
      `the worker cannot record its processes in \`${directory}\`: ${(cause as Error).message}`,
      'name another folder with `--dir`',
    );
  }
  // Each run belongs to the trace of its starter, not to that of the worker.
  const trace = traceOptions(environment, settings.configuration.otel, null);
  const status = new WorkerStatus();
  const logs = logsOf(flags);
  let worker: Worker;
  try {
    if (flags.status !== undefined) await status.listen(flags.status.host, flags.status.port);
  } catch (cause) {
    processes.close();
    return listenProblem(cause, flags.status as NonNullable<WorkerFlags['status']>, '--status');
  }
  try {
    worker = await startWorker({
      ...{
        engine: flags.engine,
        host,
        port: flags.listen.port,
        namespace: flags.namespace ?? NAMESPACE,
        cwd,
        identityKeys,
      },
      sdk: loadSdk(installedFrom()),
      labels: flags.label ?? [],
      homes: flags.home ?? [],
      shared: flags.shared === undefined ? null : resolve(flags.shared),
      advertise: flags.advertise ?? null,
      token,
      effects: effectsOf(
        { ...configured, env: environment, ...omitUndefined({ commands: functions?.all }) },
        jobs,
        flags.jobs ?? AGENT_JOBS,
      ),
      key,
      secrets: secretsOf({ inputs: [] }, { ...configured, trace }),
      environment,
      submitters: engine.submitters ?? null,
      functions: functions?.digest ?? null,
      directory,
      processes,
      patienceMs: PATIENCE_MS,
      trace,
      agents: configured.agents,
      ...(budget === undefined ? {} : { budget: () => budgetNow({ budget }) }),
      warn: logs.warn,
      log: (line) => {
        status.count(line);
        logs.log?.(line);
      },
    });
  } catch (cause) {
    processes.close();
    status.close();
    return startProblem(cause, flags);
  }
  status.running = worker.running;
  const stopping = firstSignal(() => endProcess(EXIT.interrupted));
  const { address, ingress } = worker;
  findLauncher()?.holdScripts();
  if (flags.json) stdout.write(`${JSON.stringify({ address, on: ingress, engine: flags.engine, pid: process.pid })}\n`);
  else if (!flags.quiet)
    stderr.write(
      `ready at ${address}${limitsOf(worker, flags)}\n  run a program with: statedsl run FILE --on ${ingress}\n`,
    );
  await stopping;
  status.running = null;
  if (!flags.quiet) stderr.write('stopping: what does not end in time is executed by another worker\n');
  await worker.stop(flags.drain);
  status.close();
  return EXIT.returned;
}

/** Where warnings and lines about effects go. */
function logsOf({ log, quiet }: WorkerFlags): Pick<WorkerSettings, 'warn' | 'log'> {
  if (log !== 'json')
    return { warn: (message) => void (quiet !== true && stderr.write(`warning: ${message}\n`)), log: null };
  const write = (line: object): void =>
    void stderr.write(`${JSON.stringify({ ts: new Date().toISOString(), pid: process.pid, ...line })}\n`);
  return { warn: (message) => write({ level: 'warning', message }), log: (line) => write({ level: 'info', ...line }) };
}

function keyProblem(): string | null {
  try {
    valueCodec(process.env[KEY_VARIABLE] ?? null);
    return null;
  } catch (cause) {
    return (cause as Error).message;
  }
}

/** What a worker executes only. */
function limitsOf({ isGeneral }: Worker, { label = [], home = [] }: WorkerFlags): string {
  const labels = label.length === 0 ? [] : [`effects with the label ${label.join(', ')}`];
  const homes = home.length === 0 ? [] : [`runs of the home ${home.join(', ')}`];
  const special = [...labels, ...homes];
  if (special.length === 0) return '';
  return isGeneral
    ? ` for all runs, ${special.join(' and ')}`
    : ` for ${special.join(' and ')}, because another worker executes runs`;
}

/** Agents have permits of their own. */
function effectsOf(options: HostOptions, jobs: number, agentJobs: number): Effects {
  const all = hostEffects({ ...options, permits: workerPermits(jobs) });
  const agents = hostEffects({ ...options, permits: workerPermits(agentJobs) });
  return {
    perform: (request, context) => (request.kind === 'agent' ? agents : all).perform(request, context),
  };
}

function startProblem(cause: unknown, { listen }: WorkerFlags): Promise<ExitCode> {
  if (cause instanceof PackageProblem) return usageError(cause.message, cause.help);
  if (cause instanceof WorkerRefused)
    return usageError(
      cause.message,
      cause.isOtherKey
        ? 'name the public key that this engine prints when it starts: `--identity-key publickeyv1_…`'
        : 'name the address by which the engine reaches this worker, over HTTP/2: `--advertise http://…`',
    );
  if (cause instanceof EngineFailure) {
    const start = 'start one with `statedsl engine`, or name the address of its admin API with `--engine`';
    return usageError(cause.message, cause.kind === 'absent' ? start : undefined);
  }
  return listenProblem(cause, listen, '--listen');
}

async function listenProblem(
  cause: unknown,
  { host, port }: WorkerFlags['listen'],
  flag: '--listen' | '--status',
): Promise<ExitCode> {
  const reason = {
    EADDRINUSE: 'something else listens there',
    EACCES: 'it is not permitted',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'there is no such address',
  }[(cause as NodeJS.ErrnoException).code ?? ''];
  if (reason === undefined) throw cause;
  return usageError(`cannot listen at ${host}:${port}: ${reason}`, `choose another address with \`${flag}\``);
}
