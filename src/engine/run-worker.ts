/** A worker: offers the services to an engine over HTTP/2, and is known to it by an address. */
import { createServer, type Http2Server, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentSettings, DailyBudget } from '../runtime/agents/resolve.js';
import type { Effects } from '../runtime/effect-context.js';
import type { Secret } from '../runtime/redact.js';
import type { TraceOptions } from '../runtime/trace/trace-options.js';
import {
  deploymentOf,
  ingressOf,
  othersExecuteRuns,
  reachFrom,
  register,
  registerForgotten,
  WorkerRefused,
} from './admin.js';
import { type EngineClient, EngineFailure, engineClient } from './client.js';
import { watchBudget } from './engine-limits.js';
import { type HandleRequest, ownAddresses, Peers } from './peers.js';
import type { RestateSdk } from './restate-sdk.js';
import { type Offer, restateServices, servicesOf } from './restate-services.js';
import { serviceNames } from './services.js';
import type { WantedWorker } from './turn-host.js';
import { AttemptRefused } from './turn-host.js';
import { valueCodec } from './value-codec.js';
import { WorkerFolders } from './worker-folders.js';
import { type EffectLine, spanSettings, type WorkerHost, workerHost } from './worker-host.js';
import { stopLeftRunning, type WorkerProcesses } from './worker-processes.js';
import { WorkerWorktrees } from './worker-worktrees.js';

export interface WorkerSettings {
  readonly sdk: RestateSdk;
  /** The address of the engine's admin API. */
  readonly engine: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The address by which the engine reaches the worker; null: where it listens. */
  readonly advertise: string | null;
  readonly namespace: string;
  /** Sent to the ingress; null: nothing is sent. */
  readonly token: string | null;
  readonly effects: Effects;
  readonly secrets: readonly Secret[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly submitters: readonly string[] | null;
  /** SHA-256 of the module with functions; null: there is none. */
  readonly functions: string | null;
  /** The folder in which the worker records its processes and has the worktrees of runs. */
  readonly directory: string;
  readonly processes: WorkerProcesses;
  /** Encrypts what the engine stores, as 32 bytes in base64; null: it is not encrypted. */
  readonly key: string | null;
  /** The working directory of runs, absolute. */
  readonly cwd: string;
  /** Public keys of engines. If there are any, other requests are refused. */
  readonly identityKeys: readonly string[];
  /** How long the engine may not answer, in milliseconds. */
  readonly patienceMs: number;
  /** What it performs besides runs of all workers, or instead of them. */
  readonly labels: readonly string[];
  readonly homes: readonly string[];
  /** A folder that all workers have, with a working directory for each run; null: all runs work in `cwd`. */
  readonly shared: string | null;
  /** Where spans of runs go; undefined: nobody wants them. */
  readonly trace: TraceOptions | undefined;
  /** What a program may spend a day, as the configuration says it now; absent: it says nothing. */
  readonly budget?: () => Promise<DailyBudget | null>;
  /** Agents by name, as the configuration of the worker says; absent: none. */
  readonly agents?: AgentSettings | undefined;
  readonly warn: (message: string) => void;
  /** Gets a line about each effect that has ended; null: nobody reads them. */
  readonly log: ((line: EffectLine) => void) | null;
}

export interface Worker {
  /** The address by which the engine knows it. */
  readonly address: string;
  readonly ingress: string;
  /** Whether it executes any run: one with labels or homes leaves this to others, if there are any. */
  readonly isGeneral: boolean;
  /** How many effects run, or have outcomes that are not on record yet. */
  readonly running: () => number;
  /** Takes nothing new, waits so long for what runs, then stops it. */
  stop(graceMs: number): Promise<void>;
}

/** Of a message of the SDK, in characters. */
const LONGEST = 300;
/** A worker without keys listens where only this machine reaches it. */
const UNSIGNED = 'without validating request signatures';
/** How long effects that are stopped may take to end. */
const STOPPING_MS = 5000;
/** How often the worker removes worktrees of runs that the engine no longer has. Milliseconds. */
const CLEAN_MS = 3_600_000;
/** How often the worker looks whether the engine still knows it. Milliseconds. */
const LOOK_MS = 15_000;

/** Resolves when the engine knows the worker. Rejects with an `EngineFailure`, or with the error of listening. */
export async function startWorker(settings: WorkerSettings): Promise<Worker> {
  const { sdk, engine, namespace, token, key, effects, secrets, environment, cwd, identityKeys } = settings;
  const values = valueCodec(key);
  const ingress = await ingressOf(engine, settings.patienceMs);
  const clientOptions = { url: ingress, namespace, token, key, patienceMs: 60_000 };
  const client = engineClient(clientOptions);
  const services = serviceNames(namespace);
  const { shared, warn, submitters, functions, directory, processes, trace } = settings;
  const left = await stopLeftRunning(directory);
  if (left > 0) warn(`stopped ${left} ${left === 1 ? 'process' : 'processes'} of a worker that was killed`);
  const knows = async ({ kind, name }: WantedWorker): Promise<boolean> => {
    const { service } = kind === 'label' ? services.effects(name) : services.turn(name);
    return (await deploymentOf(engine, service, settings.patienceMs)) !== null;
  };
  const owner = `${ingress} ${namespace}`;
  const worktrees = new WorkerWorktrees({ cwd, folder: directory, engine: owner });
  const folders = new WorkerFolders(directory, owner);
  let address = '';
  const host = workerHost({
    services,
    client,
    effects,
    cwd,
    secrets,
    environment,
    submitters,
    functions,
    processes,
    knows,
    shared,
    worktrees,
    folders,
    warn,
    address: () => address,
    reach: reachFrom(engine, services, settings.patienceMs),
    log: settings.log,
    agents: settings.agents,
    spans: spanSettings(trace, { client, on: ingress, warn }),
  });
  const { labels, homes } = settings;
  const isSpecial = labels.length + homes.length > 0;
  const listener = new CountingServer();
  const { port } = await listener.listen(settings.host, settings.port);
  const shown = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  address = settings.advertise ?? `http://${shown}:${port}`;
  // An address of its own is that of one worker.
  if (settings.advertise !== null)
    listener.peers = new Peers({
      ...{ client: clientOptions, address, own: ownAddresses(settings.host, port), warn },
      holds: (invocation) => host.started.holds(invocation),
    });
  const { peers } = listener;
  let isGeneral = !isSpecial;
  let own: readonly string[];
  try {
    isGeneral ||= !(await othersExecuteRuns(engine, services.turn(null).service, address, settings));
    const offer: Offer = { isGeneral, labels, homes };
    const handler = sdk.createEndpointHandler({
      services: restateServices(sdk, host, offer, values),
      ...(identityKeys.length > 0 ? { identityKeys } : {}),
      logger: ({ level, context }, ...words) => {
        const message = messageOf(words);
        if (host.origins?.explain(context?.invocationId ?? '', message) === true) return;
        // A refusal reaches the client that asked, and one of an attempt was said.
        const isRefusal = words.some((word) => word instanceof sdk.TerminalError || word instanceof AttemptRefused);
        const isKnown = isRefusal || (message.includes(UNSIGNED) && identityKeys.length === 0);
        if ((level === 'error' || level === 'warn') && !isKnown) settings.warn(message);
      },
    });
    listener.handle = handler as HandleRequest;
    own = servicesOf(services, offer);
    await register(engine, address, own, settings.patienceMs);
  } catch (cause) {
    await listener.close();
    throw cause;
  }
  const clean = (): void => void removeGone({ worktrees, folders }, client, warn);
  clean();
  await peers?.join();
  void peers?.look();
  const cleaning = setInterval(clean, CLEAN_MS).unref();
  let refused = '';
  const looking = setInterval(async () => {
    try {
      if (!(await registerForgotten(engine, address, own, settings.patienceMs))) return;
      warn('the engine had forgotten this worker, as after a loss of its data, and knows it again');
      await peers?.join();
    } catch (cause) {
      if (!(cause instanceof EngineFailure)) throw cause;
      // One that cannot be reached is about to start; one that refuses the worker needs a person.
      if (cause instanceof WorkerRefused && cause.message !== refused) {
        refused = cause.message;
        warn(refused);
      }
    }
  }, LOOK_MS).unref();
  const endWatch = settings.budget === undefined ? null : watchBudget(client, settings.budget);
  const stop = (graceMs: number): Promise<void> => {
    endWatch?.();
    clearInterval(cleaning);
    clearInterval(looking);
    return stopWorker(listener, host, graceMs);
  };
  return { address, ingress, isGeneral, running: () => host.started.size, stop };
}

/** Removes what the worker keeps of runs that the engine has no longer. Work that nobody has merged stays. */
async function removeGone(
  { worktrees, folders }: { readonly worktrees: WorkerWorktrees; readonly folders: WorkerFolders },
  client: EngineClient,
  warn: (message: string) => void,
): Promise<void> {
  try {
    await folders.removeGone(client.isGone);
    const removed = await worktrees.removeGone(client.isGone);
    for (const runId of removed) warn(`removed the worktree of run \`${runId}\`, which the engine no longer has`);
  } catch (cause) {
    if (cause instanceof EngineFailure) return;
    warn(`worktrees cannot be removed: ${(cause as Error).message}`);
  }
}

function messageOf(words: readonly unknown[]): string {
  const text = words.map((word) => (word instanceof Error ? word.message : String(word))).join(' ');
  return text.replace(/\s+/g, ' ').trim().slice(0, LONGEST);
}

/** Counts the requests that it has passed on. */
class CountingServer {
  private readonly server: Http2Server;
  private readonly sessions = new Set<{ destroy(): void }>();
  private active = 0;
  private isStopping = false;
  private whenIdle: (() => void) | null = null;

  /** Null: it refuses all requests. */
  handle: HandleRequest | null = null;
  /** Others with the same address; null: there cannot be any. */
  peers: Peers | null = null;

  constructor() {
    this.server = createServer((request, response) => {
      const { handle, peers } = this;
      if (peers?.answers(request, response) === true) return;
      if (handle === null) return void response.writeHead(503).end();
      if (peers === null) this.begin(handle, request, response);
      else void peers.receive(request, response, () => this.begin(handle, request, response));
    });
    this.server.on('session', (session) => {
      this.sessions.add(session);
      session.once('close', () => this.sessions.delete(session));
    });
  }

  private begin(handle: HandleRequest, request: Http2ServerRequest, response: Http2ServerResponse): void {
    // What another worker passes on belongs to what runs here.
    if (this.isStopping && this.peers?.isPassed(request) !== true) return void response.writeHead(503).end();
    this.active++;
    response.once('close', () => {
      if (--this.active === 0) this.whenIdle?.();
    });
    handle(request, response);
  }

  listen(host: string, port: number): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => resolve(this.server.address() as AddressInfo));
    });
  }

  /** Refuses new requests. Resolves when none is open, or after the time. */
  async refuse(graceMs: number): Promise<void> {
    this.isStopping = true;
    if (this.active === 0) return;
    const controller = new AbortController();
    const idle = new Promise<void>((resolve) => {
      this.whenIdle = resolve;
    });
    await Promise.race([idle, sleep(graceMs, undefined, { signal: controller.signal }).catch(() => undefined)]);
    controller.abort();
  }

  async close(): Promise<void> {
    this.isStopping = true;
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const session of this.sessions) session.destroy();
    await closed;
  }
}

async function stopWorker(listener: CountingServer, host: WorkerHost, graceMs: number): Promise<void> {
  await listener.refuse(graceMs);
  await listener.peers?.leave();
  // Without its connection, nothing that a stopped effect comes to is recorded: another worker performs it again.
  await listener.close();
  await Promise.race([host.started.stopAll(), sleep(STOPPING_MS, undefined, { ref: false })]);
  await host.close();
}
