/** Starts and stops the service. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism, setPriority, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { openPrograms, openRuns } from '../app/open-runs.js';
import type { Runs } from '../app/runs.js';
import { type EngineRunsOptions, engineRuns } from '../engine/runs/engine-runs.js';
import { openEngineNotices } from '../engine/runs/notices-on-engine.js';
import { engineSchedules } from '../engine/runs/schedules-on-engine.js';
import { programsForEngine } from '../engine/runs/start-on-engine.js';
import { printJson } from '../interpreter/values/json.js';
import type { Value } from '../interpreter/values/value.js';
import type { Json } from '../machine/expression.js';
import { loadConfiguration } from '../runtime/configuration/load-configuration.js';
import { forgetPosition, targetList } from '../runtime/notifications/notices.js';
import { Notifier, noticeSender } from '../runtime/notifications/notifier.js';
import { lockNotices } from '../runtime/notifications/send-notices.js';
import { storedSchedules } from '../runtime/store/kept-schedules.js';
import { entryAt } from '../runtime/store/own-file.js';
import { lockRun } from '../runtime/store/run-lock.js';
import { RunRefused, storeError } from '../runtime/store/store-error.js';
import { makeStore, requireOwnStore } from '../runtime/store/store-ownership.js';
import { hostsOf } from './access.js';
import { createApp } from './app.js';
import { checkInProcesses } from './checking.js';
import { Readers } from './event-streams.js';
import { BEGUN, type PermitRequest } from './executions/ask-permits.js';
import { Executions } from './executions/executions.js';
import type { RunProcess } from './executions/promised-run.js';
import { makeServiceFolder, serviceFolder } from './executions/waiting-list.js';
import { openScheduler, requireScheduledInputs, startsHere, startsOnEngine } from './scheduler.js';
import { OWN_REQUEST } from './service.js';

export interface ListenOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The folder of the runs, or of copies of them. */
  readonly directory: string;
  /** The engine whose workers execute the runs; null: this service executes them. */
  readonly engine: Pick<EngineRunsOptions, 'on' | 'namespace' | 'token' | 'key'> | null;
  /** The folder of the programs. */
  readonly programs: string;
  /** Null: a new one is made. */
  readonly token: string | null;
  readonly isReadOnly: boolean;
  readonly allowText: boolean;
  readonly userHeader: string | null;
  /** Runs that are executed at once. */
  readonly atOnce: number;
  /** Effects that are performed at once, by all runs together. */
  readonly jobs: number;
  readonly version: string;
  /** Gets a sentence about something that nobody can see in an answer. */
  readonly warn: (message: string) => void;
}

/** A service that listens. */
export interface Listening {
  /** Without the token. */
  readonly address: string;
  readonly token: string;
  /** Accepts nothing more, waits so long for runs, and then interrupts them: the next service continues them. */
  stop(graceMs: number): Promise<void>;
  /** Interrupts the runs now. */
  interrupt(): void;
}

/** Throws a `StoreError` if `directory` cannot be the store of a service. */
function prepare<T>(directory: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof RunRefused) throw cause;
    throw storeError('use the directory', directory, cause);
  }
}

/** Rejects with a `RunRefused`, a `StoreError`, or the system's error if the address cannot be used. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { directory, programs, host, engine } = options;
  // Several services may use one engine.
  const executes = !options.isReadOnly && engine === null;
  prepare(directory, () => makeStore(directory));
  await requireOwnStore(directory);
  if (!options.isReadOnly) await requireScheduledInputs(directory, programs);
  const locked = executes ? prepare(directory, () => lockRun(makeServiceFolder(directory))) : null;
  if (locked !== null && 'owner' in locked)
    throw new RunRefused(
      'held',
      `another service (process ${locked.owner.pid}) executes the runs of \`${directory}\``,
      'stop it, or start this one with `--read-only`',
    );
  let address: string | null = null;
  const notices = options.isReadOnly ? null : await openNotifier(options, () => address);
  const { atOnce, jobs } = options;
  const permits = new PermitPool(jobs);
  // A process that has lost its service keeps to this, so that all of them together keep within the bound.
  const share = Math.max(1, Math.floor(jobs / atOnce));
  const executions = new Executions({
    directory,
    atOnce,
    startAtOnce: Math.max(2, availableParallelism()),
    onEnd: () => notices?.look(),
    start: (runId, secret) => startRunProcess(runId, secret, { directory, programs, jobs, share, permits }),
    adopt: () => permits.reserve(share),
  });
  const token = options.token ?? randomBytes(24).toString('base64url');
  let port = options.port;
  const own = { folder: programs, dir: directory };
  const runs = engine === null ? openRuns(own) : engineRuns({ ...own, ...engine });
  const opened = engine === null ? openPrograms(own) : await programsForEngine(own);
  const checkedWith = ['--dir', directory, '--programs', programs, ...(engine === null ? [] : ['--on', engine.on])];
  const app = createApp({
    runs,
    programs: opened,
    executions,
    access: {
      token,
      get hosts() {
        return hostsOf(host, port);
      },
      port: () => port,
    },
    isReadOnly: options.isReadOnly,
    allowText: options.allowText,
    userHeader: options.userHeader,
    user: userInfo().username,
    version: options.version,
    notices: () => notices?.waiting() ?? 0,
    where: engine?.on ?? directory,
    isOnEngine: engine !== null,
    readers: new Readers(),
    checks: checkInProcesses({
      command: [process.execPath, ...ownCommand(), '--check', ...checkedWith],
      folder: programs,
    }),
  });
  const server = serve({ fetch: app.fetch, hostname: host, port });
  server.prependListener('request', (_, answer: ServerResponse) => setSafetyHeaders(answer));
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('listening', resolve);
      server.once('error', reject);
    });
  } catch (cause) {
    await notices?.stop();
    if (locked !== null) locked.lock.release();
    throw cause;
  }
  port = (server.address() as AddressInfo).port;
  address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (executes) executions.open();
  const scheduler = options.isReadOnly
    ? null
    : await openScheduler(programs, {
        warn: options.warn,
        memory: engine === null ? storedSchedules(directory) : engineSchedules({ ...own, ...engine }),
        programs: opened,
        starts: (folder) => (engine === null ? startsHere(executions) : startsOnEngine(runs, folder)),
      });
  const stopping = new AbortController();
  const sizeOf = (id: string): number => entryAt(join(directory, 'runs', id, 'journal.ndjson'))?.size ?? 0;
  let askedAt = Number.NEGATIVE_INFINITY;
  server.on('request', () => {
    askedAt = performance.now();
  });
  const quietMs = (): number => performance.now() - askedAt;
  const ownHost = hostsOf(host, port)?.[0] ?? 'localhost';
  const headers = { host: ownHost, authorization: `Bearer ${token}` };
  const show = async (id: string): Promise<unknown> =>
    app.request(`http://${ownHost}/api/v1/runs/${id}`, { headers }, OWN_REQUEST);
  if (engine === null) void warmUp({ runs, show, sizeOf, quietMs, signal: stopping.signal });
  return {
    address,
    token,
    async stop(graceMs) {
      stopping.abort();
      await scheduler?.stop();
      await executions.stop(graceMs);
      notices?.look();
      await notices?.stop();
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      locked?.lock.release();
    },
    interrupt: () => executions.interruptAll(),
  };
}

/** How long somebody else may send notices before the service does. Milliseconds. */
const SENDING_MS = 10_000;

interface OpenNotifier {
  /** Something may have happened. */
  look(): void;
  readonly waiting: () => number;
  stop(): Promise<void>;
}

/** Null if the configuration names no receiver. */
async function openNotifier(
  { directory, programs, engine, warn }: ListenOptions,
  address: () => string | null,
): Promise<OpenNotifier | null> {
  const { configuration, problems } = await loadConfiguration(programs);
  for (const { file, line, message } of problems)
    warn(
      `${file}${line === null ? '' : `:${line}`}: ${message}; until this is corrected, no run starts and no notice is sent`,
    );
  const targets = targetList(configuration.notify);
  const folder = serviceFolder(directory);
  if (targets.length === 0) {
    if (engine === null) forgetPosition(folder);
    return null;
  }
  const send = noticeSender(configuration.folder ?? programs, { address });
  const onRefused = (name: string, problem: string): void =>
    warn(`\`${name}\` does not take notices: ${problem}; each is tried again for a day`);
  // Several services may send those of one engine.
  if (engine !== null)
    return { look: () => undefined, ...openEngineNotices(engine, { targets, send, warn, onRefused }) };
  // The process of a run, or `notify --flush`, may be sending for a moment.
  const lock = await lockNotices(directory, SENDING_MS);
  const notifier = new Notifier({ directory, folder, targets, send, warn, onRefused });
  return {
    look: () => notifier.look(),
    waiting: () => notifier.waiting,
    async stop() {
      await notifier.stop();
      if ('release' in lock) lock.release();
    },
  };
}

/** As many runs as processors: what they wait for needs none, but each is a process. */
export const defaultAtOnce = (): number => Math.max(4, availableParallelism());

/** No script but its own files, no frame, no form. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** The service speaks HTTP; a proxy with HTTPS decides about `Strict-Transport-Security` for itself. */
const HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', POLICY.join('; ')],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Origin-Agent-Cluster', '?1'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-DNS-Prefetch-Control', 'off'],
  ['X-Download-Options', 'noopen'],
  ['X-Frame-Options', 'DENY'],
  ['X-Permitted-Cross-Domain-Policies', 'none'],
  ['X-XSS-Protection', '0'],
  ['Cache-Control', 'no-store'],
];

/** A route may replace them. */
export function setSafetyHeaders(answer: Pick<ServerResponse, 'setHeader'>): void {
  for (const [name, value] of HEADERS) answer.setHeader(name, value);
}

/** How many runs are read: with what is kept of them, as many as a service keeps. */
const MOST_RUNS = 10_000;
/** So many are read at once, so that the code is compiled soon. */
const FIRST_RUNS = 200;
/** So many are shown like requests for them, which compiles also the code of answers. */
const SHOWN_RUNS = 1500;
/** Work without a pause, in milliseconds: requests come first. */
const SLICE_MS = 4;
const PAUSE_MS = 6;
/** While somebody works with the service, the rest waits until nothing was asked for so long. */
const QUIET_MS = 500;
/** Reading a longer record would keep a request waiting. */
const LONGEST_BYTES = 64 * 1024;

interface WarmUpOptions {
  readonly runs: Pick<Runs, 'list' | 'inspect'>;
  /** Answers as if a client had asked for the run. */
  readonly show: (runId: string) => Promise<unknown>;
  /** How long the record of a run is, in bytes. */
  readonly sizeOf: (runId: string) => number;
  /** How long ago the last request came, in milliseconds. */
  readonly quietMs: () => number;
  readonly signal: AbortSignal;
}

/**
 * Reads the newest runs before they are asked for. The first thousand answers take ten times as long as later ones,
 * because the code is compiled meanwhile, and requests that come faster than these would wait for each other for
 * seconds. Resolves when they are read, or when `signal` is aborted.
 */
export async function warmUp({ runs, show, sizeOf, quietMs, signal }: WarmUpOptions): Promise<void> {
  const found = await runs.list({ status: ['returned', 'failed', 'suspended'], limit: MOST_RUNS });
  if (!found.ok) return;
  let sliceEnd = Number.NEGATIVE_INFINITY;
  for (const [at, { run_id }] of found.value.runs.entries()) {
    // Also the first ones leave room for requests between them.
    if (at < FIRST_RUNS) await pause(0, undefined, { ref: false });
    else if (performance.now() >= sliceEnd) {
      await pause(PAUSE_MS, undefined, { ref: false });
      await untilQuiet(quietMs, signal);
      sliceEnd = performance.now() + SLICE_MS;
    }
    if (signal.aborted) return;
    // What is wrong with a run is said to who asks for it.
    if (sizeOf(run_id) > LONGEST_BYTES) continue;
    if (at >= FIRST_RUNS && at < FIRST_RUNS + SHOWN_RUNS) await show(run_id);
    else await runs.inspect(run_id);
  }
}

async function untilQuiet(quietMs: () => number, signal: AbortSignal): Promise<void> {
  for (let left = QUIET_MS - quietMs(); left > 0 && !signal.aborted; left = QUIET_MS - quietMs())
    await pause(left, undefined, { ref: false });
}

/** A tenth of the processor time that the service gets if both need all of it: the service needs little, but at once. */
const RUN_PRIORITY = 10;

interface ProcessOptions {
  readonly directory: string;
  readonly programs: string;
  /** How many effects a run may perform at once, if there are permits for them. */
  readonly jobs: number;
  /** How many effects it performs at once without the service. */
  readonly share: number;
  readonly permits: PermitPool;
}

/** Another process of this command. */
const ownCommand = (): string[] => [...process.execArgv, process.argv[1] as string, 'serve'];

/**
 * Starts a process that executes a run: the same program, in a process group of its own, which survives the service.
 * `secret`: inputs that must not be on disk, in arguments or in an environment.
 */
function startRunProcess(
  runId: string,
  secret: Readonly<Record<string, Json>>,
  { directory, programs, jobs, share, permits }: ProcessOptions,
): RunProcess {
  const own = ownCommand();
  const words = ['--execute', runId, '--dir', directory, '--programs', programs, '--jobs', String(jobs)];
  // With an open channel to it: execa would keep all messages until the end.
  const child = spawn(process.execPath, [...own, ...words], {
    cwd: programs,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  });
  lowerPriority(child.pid);
  const holder = permits.open(() => {
    // A process that has just ended gives its permits back when its end is known.
    if (child.connected) child.send('permit', () => undefined);
  });
  let onBegun: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    onBegun = resolve;
  });
  child.on('message', (message) => {
    if (message === BEGUN) onBegun();
    if (message === 'take' || message === 'give' || message === 'cancel') holder[message satisfies PermitRequest]();
  });
  const end = new Promise<void>((resolve) => {
    child.once('exit', resolve);
    // It could not be started.
    child.once('error', () => {
      if (child.pid === undefined) resolve();
    });
  });
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(printJson({ secret, parent: process.pid, share } as Value));
  return { begun, end: end.finally(() => holder.close()), interrupt: () => void child.kill('SIGTERM') };
}

/** The service answers also while runs use all processors. What they start inherits it. */
function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, RUN_PRIORITY);
  } catch {
    // It has just ended.
  }
}

/** One process that executes a run. */
interface PermitHolder {
  take(): void;
  /** Gives a permit back. */
  give(): void;
  /** One fewer is wanted. A permit that is on its way already comes nevertheless. */
  cancel(): void;
  /** The process has ended. */
  close(): void;
}

interface PermitGrant {
  readonly grant: () => void;
  held: number;
}

export class PermitPool {
  private free: number;
  /** In the order of their requests. */
  private waiting: PermitGrant[] = [];

  constructor(total: number) {
    this.free = total;
  }

  /** `grant` is called for each permit. */
  open(grant: () => void): PermitHolder {
    const holder: PermitGrant = { grant, held: 0 };
    return {
      take: () => {
        this.waiting.push(holder);
        this.grantFree();
      },
      give: () => {
        if (holder.held === 0) return;
        holder.held--;
        this.returnFree(1);
      },
      cancel: () => {
        const at = this.waiting.lastIndexOf(holder);
        if (at >= 0) this.waiting.splice(at, 1);
      },
      close: () => {
        this.waiting = this.waiting.filter((one) => one !== holder);
        const { held } = holder;
        holder.held = 0;
        this.returnFree(held);
      },
    };
  }

  /** Takes permits away at once, for a process that cannot ask: it may use so many. Returns what gives them back. */
  reserve(count: number): () => void {
    this.free -= count;
    let isReserved = true;
    return () => {
      if (isReserved) this.returnFree(count);
      isReserved = false;
    };
  }

  private returnFree(count: number): void {
    this.free += count;
    this.grantFree();
  }

  private grantFree(): void {
    while (this.free > 0) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      this.free--;
      next.held++;
      next.grant();
    }
  }
}
