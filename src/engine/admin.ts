/** The admin API of an engine, as far as a worker uses it, and what is known of the worker that has a run. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { clockMs } from '../runtime/clock.js';
import type { AwaitedWorker } from '../runtime/run/run-whereabouts.js';
import { EngineFailure, silent } from './ask-engine.js';
import { RecentlyUsed } from './recently-used.js';
import type { ServiceNames } from './services.js';

const PAUSE_MS = 250;
/** How long the admin API may take: it asks a worker that registers. Milliseconds. */
const ANSWER_MS = 60_000;
/** How long another worker may take to accept a connection, in milliseconds. */
const REACH_MS = 5000;
/** How many addresses without a worker are remembered. */
const MOST_ABSENT = 1000;
/** The oldest server that has what is used, as major and minor number. */
const OLDEST = [1, 7] as const;

interface AdminVersion {
  readonly version: string;
  readonly ingress_endpoint: string | null;
}

/** Asks a server that may be starting. */
export async function ingressOf(engine: string, patienceMs: number): Promise<string> {
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
export async function register(
  engine: string,
  uri: string,
  services: readonly string[],
  patienceMs: number,
): Promise<void> {
  const id = await registerOnce(engine, { uri }, patienceMs);
  for (const service of services) {
    if ((await deploymentOf(engine, service, patienceMs)) === id) continue;
    await registerOnce(engine, { uri, force: true }, patienceMs);
    return;
  }
}

/**
 * Makes the engine know the address again if it has forgotten all of its services, as a server that lost its disk has. False:
 * it knows one of them.
 */
export async function registerForgotten(
  engine: string,
  uri: string,
  services: readonly string[],
  patienceMs: number,
): Promise<boolean> {
  for (const service of services) {
    const answer = await askAdmin(`${engine}/services/${encodeURIComponent(service)}`, {}, engine, patienceMs);
    await answer.body?.cancel();
    if (answer.status !== 404) return false;
  }
  await register(engine, uri, services, patienceMs);
  return true;
}

/** The id of the address that has the service; null: the engine does not know the service. */
export async function deploymentOf(engine: string, service: string, patienceMs: number): Promise<string | null> {
  const answer = await askAdmin(`${engine}/services/${encodeURIComponent(service)}`, {}, engine, patienceMs);
  const known = (await answer.json().catch(() => ({}))) as { readonly deployment_id?: string };
  return known.deployment_id ?? null;
}

/** The address that has the service; null: the engine does not know the service. */
async function addressOf(engine: string, service: string, patienceMs: number): Promise<string | null> {
  const id = await deploymentOf(engine, service, patienceMs);
  if (id === null) return null;
  const answer = await askAdmin(`${engine}/deployments/${id}`, {}, engine, patienceMs);
  return ((await answer.json().catch(() => ({}))) as Deployment).uri ?? null;
}

/** Looks for other workers, for people who ask where a run is. */
export function reachFrom(engine: string, services: ServiceNames, patienceMs: number): Reach {
  /** When each address was first found without a worker. */
  const absent = new RecentlyUsed<string>(MOST_ABSENT);
  return {
    async absentSince(uri) {
      // Anybody can say where a run is executed: only addresses of workers are tried.
      const isThere = URL.canParse(uri) && (await isKnown(engine, uri)) && (await isReachable(uri));
      const since = isThere ? null : (absent.get(uri) ?? new Date().toISOString());
      if (since === null) absent.delete(uri);
      else absent.set(uri, since, 1);
      return since;
    },
    async worker({ kind, name }) {
      const { service } = kind === 'label' ? services.effects(name) : services.turn(name);
      const uri = await addressOf(engine, service, patienceMs);
      if (uri === null) return 'none';
      return (await isReachable(uri)) ? 'there' : 'gone';
    },
  };
}

/** Whether it is an address of a worker. */
async function isKnown(engine: string, uri: string): Promise<boolean> {
  const answer = await askAdmin(`${engine}/deployments`, {}, engine, 0);
  const { deployments = [] } = (await answer.json().catch(() => ({}))) as {
    readonly deployments?: readonly Deployment[];
  };
  return deployments.some((one) => plain(one.uri) === plain(uri));
}

/** An address that the engine knows, with the services that it has there. */
interface Deployment {
  readonly id?: string;
  readonly uri?: string;
  readonly services?: readonly { readonly name?: string }[];
}

/**
 * Whether other workers execute runs, so that one with labels or homes need not. `service`: the one that executes runs.
 * `uri`: the address of the worker that asks. The engine keeps an address after its worker has ended, so the worker there
 * must accept a connection. Turns that began at the worker's own address continue there, so it must keep executing runs.
 */
export async function othersExecuteRuns(
  engine: string,
  service: string,
  uri: string,
  { patienceMs, warn }: { readonly patienceMs: number; readonly warn: (message: string) => void },
): Promise<boolean> {
  const id = await deploymentOf(engine, service, patienceMs);
  if (id === null) return false;
  const answer = await askAdmin(`${engine}/deployments`, {}, engine, patienceMs);
  const { deployments = [] } = (await answer.json().catch(() => ({}))) as {
    readonly deployments?: readonly Deployment[];
  };
  const own = deployments.filter((one) => plain(one.uri) === plain(uri));
  if (own.some(({ services = [] }) => services.some(({ name }) => name === service))) return false;
  const other = deployments.find((one) => one.id === id)?.uri;
  if (other === undefined || (await isReachable(other))) return true;
  warn(
    `the engine knows the worker \`${other}\` for all runs, but nothing answers there; this worker executes them, too`,
  );
  return false;
}

function plain(uri: string | undefined): string | undefined {
  return uri?.replace(/\/+$/, '');
}

/** Whether something accepts connections there. */
async function isReachable(uri: string): Promise<boolean> {
  // What says where it is need not be a worker.
  if (!URL.canParse(uri)) return false;
  const { hostname, port, protocol } = new URL(uri);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80), timeout: REACH_MS });
    const end = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
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
  const why = message === undefined ? `status ${answer.status}` : plainReason(message);
  const text = `the engine at \`${engine}\` does not accept the worker \`${deployment.uri}\`: ${why}`;
  throw new WorkerRefused('refused', answer.status, text, /^got status code '401/.test(why));
}

/** A worker that the engine did not get to know. */
export class WorkerRefused extends EngineFailure {
  constructor(
    kind: EngineFailure['kind'],
    status: number | null,
    message: string,
    /** Whether the worker did not accept the signature of the engine. */
    readonly isOtherKey: boolean,
  ) {
    super(kind, status, message);
  }
}

/** Without the codes of the engine, each of which it writes twice, and without the headers of an answer. */
function plainReason(message: string): string {
  return message.replace(/^(?:\[META\d+\] )+/, '').replace(/[.,]? (?:Make sure|Response headers: |consider ).*$/s, '');
}

async function askAdmin(url: string, request: RequestInit, engine: string, patienceMs: number): Promise<Response> {
  for (const end = clockMs() + patienceMs; ; ) {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(url, { ...request, signal }).catch(() => null);
    if (answer !== null && answer.status !== 502 && answer.status !== 503) return answer;
    if (signal.aborted) throw silent(engine);
    if (clockMs() >= end) throw new EngineFailure('absent', null, `no engine answers at \`${engine}\``);
    await sleep(PAUSE_MS);
  }
}

/** What a worker finds out about others. */
export interface Reach {
  /** Since when nothing listens at the address of a worker, as far as this process knows; ISO 8601; null: something does. */
  absentSince(uri: string): Promise<string | null>;
  worker(wanted: Pick<AwaitedWorker, 'kind' | 'name'>): Promise<AwaitedWorker['worker']>;
}
