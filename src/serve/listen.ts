/** Starts and stops the service. */

import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism, userInfo } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { type EngineRunsOptions, engineRuns } from '../control/engine/engine-runs.js';
import { programsForEngine } from '../control/engine/start.js';
import { openPrograms } from '../control/open-programs.js';
import { openRuns } from '../control/open-runs.js';
import { loadConfiguration } from '../runtime/configuration/configuration.js';
import { entryAt } from '../runtime/store/own-file.js';
import { lockRun } from '../runtime/store/run-lock.js';
import { RunRefused } from '../runtime/store/run-refused.js';
import { storeError } from '../runtime/store/store-error.js';
import { makeStore, requireOwnStore } from '../runtime/store/store-ownership.js';
import { hostsOf } from './access.js';
import { createApp } from './app.js';
import { Executions } from './executions/executions.js';
import { PermitPool } from './executions/permit-pool.js';
import { startRunProcess } from './executions/run-process.js';
import { makeServiceFolder, serviceFolder } from './executions/waiting-list.js';
import { forgetPosition } from './notifications/kept-notices.js';
import { targetList } from './notifications/notice.js';
import { Notifier } from './notifications/notifier.js';
import { noticeSender } from './notifications/send-notice.js';
import { setSafetyHeaders } from './safety-headers.js';
import { OWN_REQUEST } from './service.js';
import { warmUp } from './warm-up.js';

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
  const locked = executes ? prepare(directory, () => lockRun(makeServiceFolder(directory))) : null;
  if (locked !== null && 'owner' in locked)
    throw new RunRefused(
      'held',
      `another service (process ${locked.owner.pid}) executes the runs of \`${directory}\``,
      'stop it, or start this one with `--read-only`',
    );
  const notifier = locked === null ? null : await openNotifier(options);
  const { atOnce, jobs } = options;
  const permits = new PermitPool(jobs);
  // A process that has lost its service keeps to this, so that all of them together keep within the bound.
  const share = Math.max(1, Math.floor(jobs / atOnce));
  const executions = new Executions({
    directory,
    atOnce,
    startAtOnce: Math.max(2, availableParallelism()),
    onEnd: () => notifier?.look(),
    start: (runId, secret) => startRunProcess(runId, secret, { directory, programs, jobs, share, permits }),
    adopt: () => permits.reserve(share),
  });
  const token = options.token ?? randomBytes(24).toString('base64url');
  let port = options.port;
  const own = { folder: programs, dir: directory };
  if (engine !== null) await warnOfNotices(options);
  const runs = engine === null ? openRuns(own) : engineRuns({ ...own, ...engine });
  const app = createApp({
    runs,
    programs: engine === null ? openPrograms(own) : await programsForEngine(own),
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
    notices: () => notifier?.waiting ?? 0,
    where: engine?.on ?? directory,
    isOnEngine: engine !== null,
  });
  const server = serve({ fetch: app.fetch, hostname: host, port });
  server.prependListener('request', (_, answer: ServerResponse) => setSafetyHeaders(answer));
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('listening', resolve);
      server.once('error', reject);
    });
  } catch (cause) {
    await notifier?.stop();
    if (locked !== null) locked.lock.release();
    throw cause;
  }
  port = (server.address() as AddressInfo).port;
  if (executes) executions.open();
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
    address: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    token,
    async stop(graceMs) {
      stopping.abort();
      await executions.stop(graceMs);
      notifier?.look();
      await notifier?.stop();
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      locked?.lock.release();
    },
    interrupt: () => executions.interruptAll(),
  };
}

/** The ends of runs on an engine are on record there, and this service does not look for them. */
async function warnOfNotices({ programs, warn }: ListenOptions): Promise<void> {
  const { configuration } = await loadConfiguration(programs);
  if (targetList(configuration.notify).length > 0)
    warn('nobody is notified of the ends of runs on an engine; follow them with `statedsl show --follow`');
}

/** Null if the configuration names no receiver. */
async function openNotifier({ directory, programs, warn }: ListenOptions): Promise<Notifier | null> {
  const { configuration, problems } = await loadConfiguration(programs);
  for (const { file, line, message } of problems)
    warn(
      `${file}${line === null ? '' : `:${line}`}: ${message}; until this is corrected, no run starts and nobody is notified`,
    );
  const targets = targetList(configuration.notify);
  const folder = serviceFolder(directory);
  if (targets.length === 0) {
    forgetPosition(folder);
    return null;
  }
  return new Notifier({ directory, folder, targets, send: noticeSender(configuration.folder ?? programs), warn });
}

/** As many runs as processors: what they wait for needs none, but each is a process. */
export const defaultAtOnce = (): number => Math.max(4, availableParallelism());
