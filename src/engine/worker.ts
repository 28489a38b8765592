/** A worker: offers the services to an engine over HTTP/2, and is known to it by an address. */
import { createServer, type Http2Server, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Effects } from '../runtime/effect-context.js';
import type { Redactor } from '../runtime/redact.js';
import { EngineFailure, silent } from './ask-engine.js';
import { engineClient } from './client.js';
import type { RestateSdk } from './restate-sdk.js';
import { type Offer, restateServices, servicesOf } from './restate-services.js';
import { type ServiceNames, serviceNames } from './services.js';
import { type WorkerHost, workerHost } from './worker-host.js';

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
  readonly redactor: Redactor | null;
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
  readonly warn: (message: string) => void;
}

export interface Worker {
  /** The address by which the engine knows it. */
  readonly address: string;
  readonly ingress: string;
  /** Whether it executes any run: one with labels or homes leaves this to others, if there are any. */
  readonly isGeneral: boolean;
  /** Takes nothing new, waits so long for what runs, then stops it. */
  stop(graceMs: number): Promise<void>;
}

const PAUSE_MS = 250;
/** Of a message of the SDK, in characters. */
const LONGEST = 300;
/** A worker without keys listens where only this machine reaches it. */
const UNSIGNED = 'without validating request signatures';
/** How long effects that are stopped may take to end. */
const STOPPING_MS = 5000;
/** How long the admin API may take: it asks a worker that registers. Milliseconds. */
const ANSWER_MS = 60_000;
/** The oldest server that has what is used, as major and minor number. */
const OLDEST = [1, 7] as const;

/** Resolves when the engine knows the worker. Rejects with an `EngineFailure`, or with the error of listening. */
export async function startWorker(settings: WorkerSettings): Promise<Worker> {
  const { sdk, engine, namespace, token, effects, redactor, cwd, identityKeys } = settings;
  const ingress = await ingressOf(engine, settings.patienceMs);
  const client = engineClient({ url: ingress, namespace, token, patienceMs: 60_000 });
  const services = serviceNames(namespace);
  const { shared, warn } = settings;
  const knowsLabel = async (label: string): Promise<boolean> =>
    (await deploymentOf(engine, services.effects(label).service, settings.patienceMs)) !== null;
  const host = workerHost({ services, client, effects, cwd, redactor, knowsLabel, shared, warn });
  const { labels, homes } = settings;
  const isSpecial = labels.length + homes.length > 0;
  const listener = new Listener();
  const { port } = await listener.listen(settings.host, settings.port);
  const shown = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const address = settings.advertise ?? `http://${shown}:${port}`;
  const isGeneral = !isSpecial || !(await isElsewhere(engine, services, address, settings.patienceMs));
  const offer: Offer = { isGeneral, labels, homes };
  const handler = sdk.createEndpointHandler({
    services: restateServices(sdk, host, offer),
    ...(identityKeys.length > 0 ? { identityKeys } : {}),
    logger: ({ level }, ...words) => {
      const message = messageOf(words);
      // A refusal reaches the client that asked.
      const isRefusal = words.some((word) => word instanceof sdk.TerminalError);
      const isKnown = isRefusal || (message.includes(UNSIGNED) && identityKeys.length === 0);
      if ((level === 'error' || level === 'warn') && !isKnown) settings.warn(message);
    },
  });
  listener.handle = handler as Handler;
  try {
    await register(engine, address, servicesOf(services, offer), settings.patienceMs);
  } catch (cause) {
    await listener.close();
    throw cause;
  }
  return { address, ingress, isGeneral, stop: (graceMs) => stopWorker(listener, host, graceMs) };
}

function messageOf(words: readonly unknown[]): string {
  const text = words.map((word) => (word instanceof Error ? word.message : String(word))).join(' ');
  return text.replace(/\s+/g, ' ').trim().slice(0, LONGEST);
}

type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** Counts the requests that it has passed on. */
class Listener {
  private readonly server: Http2Server;
  private readonly sessions = new Set<{ destroy(): void }>();
  private active = 0;
  private isStopping = false;
  private whenIdle: (() => void) | null = null;

  /** Null: it refuses all requests. */
  handle: Handler | null = null;

  constructor() {
    this.server = createServer((request, response) => {
      const { handle } = this;
      if (this.isStopping || handle === null) return void response.writeHead(503).end();
      this.active++;
      response.once('close', () => {
        if (--this.active === 0) this.whenIdle?.();
      });
      handle(request, response);
    });
    this.server.on('session', (session) => {
      this.sessions.add(session);
      session.once('close', () => this.sessions.delete(session));
    });
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

async function stopWorker(listener: Listener, host: WorkerHost, graceMs: number): Promise<void> {
  await listener.refuse(graceMs);
  // Without its connection, nothing that a stopped effect comes to is recorded: another worker performs it again.
  await listener.close();
  await Promise.race([host.started.stopAll(), sleep(STOPPING_MS, undefined, { ref: false })]);
  await host.close();
}

interface AdminVersion {
  readonly version: string;
  readonly ingress_endpoint: string | null;
}

/** Asks a server that may be starting. */
async function ingressOf(engine: string, patienceMs: number): Promise<string> {
  const answer = await askAdmin(`${engine}/version`, {}, engine, patienceMs);
  const facts = (await answer.json().catch(() => null)) as AdminVersion | null;
  const [major = 0, minor = 0] = (facts?.version ?? '').split('.').map(Number);
  if (facts === null || facts.version === undefined)
    throw new EngineFailure('absent', answer.status, `what answers at \`${engine}\` is not the admin API of Restate`);
  if (major !== OLDEST[0] || minor < OLDEST[1])
    throw new EngineFailure(
      'refused',
      null,
      `the engine at \`${engine}\` is Restate ${facts.version}, and a worker needs ${OLDEST.join('.')} or a later 1.x`,
    );
  if (facts.ingress_endpoint === null)
    throw new EngineFailure('refused', null, `the engine at \`${engine}\` has no ingress`);
  return facts.ingress_endpoint.replace(/\/+$/, '');
}

/**
 * Makes the engine know the address. It gives new work to the worker that it got to know last, so an address that it knew
 * before is registered again if another one came after it, or if it has services that the engine did not know then.
 */
async function register(engine: string, uri: string, services: readonly string[], patienceMs: number): Promise<void> {
  const id = await registerOnce(engine, { uri }, patienceMs);
  for (const service of services) {
    if ((await deploymentOf(engine, service, patienceMs)) === id) continue;
    await registerOnce(engine, { uri, force: true }, patienceMs);
    return;
  }
}

/** The id of the address that has the service; null: the engine does not know the service. */
async function deploymentOf(engine: string, service: string, patienceMs: number): Promise<string | null> {
  const answer = await askAdmin(`${engine}/services/${service}`, {}, engine, patienceMs);
  const known = (await answer.json().catch(() => ({}))) as { readonly deployment_id?: string };
  return known.deployment_id ?? null;
}

/** Whether a worker at another address executes runs. */
async function isElsewhere(engine: string, names: ServiceNames, uri: string, patienceMs: number): Promise<boolean> {
  const id = await deploymentOf(engine, names.turn(null).service, patienceMs);
  if (id === null) return false;
  const answer = await askAdmin(`${engine}/deployments/${id}`, {}, engine, patienceMs);
  const known = (await answer.json().catch(() => ({}))) as { readonly uri?: string };
  return known.uri === undefined || known.uri.replace(/\/+$/, '') !== uri.replace(/\/+$/, '');
}

/** Resolves with the id of the address. */
async function registerOnce(
  engine: string,
  deployment: { readonly uri: string; readonly force?: true },
  patienceMs: number,
): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(deployment) };
  const answer = await askAdmin(`${engine}/deployments`, request, engine, patienceMs);
  const { id = '', message } = (await answer.json().catch(() => ({}))) as {
    readonly id?: string;
    readonly message?: string;
  };
  if (answer.ok) return id;
  const why = message ?? `status ${answer.status}`;
  const text = `the engine at \`${engine}\` does not accept the worker \`${deployment.uri}\`: ${why}`;
  throw new EngineFailure('refused', answer.status, text);
}

async function askAdmin(url: string, request: RequestInit, engine: string, patienceMs: number): Promise<Response> {
  for (const end = Date.now() + patienceMs; ; ) {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(url, { ...request, signal }).catch(() => null);
    if (answer !== null && answer.status !== 502 && answer.status !== 503) return answer;
    if (signal.aborted) throw silent(engine);
    if (Date.now() >= end) throw new EngineFailure('absent', null, `no engine answers at \`${engine}\``);
    await sleep(PAUSE_MS);
  }
}
