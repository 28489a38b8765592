/**
 * The object of a run, from outside: everything that a program without the package of the engine needs, over HTTP. A server
 * that does not answer is asked again for a while, because it may be starting.
 */
import { randomUUID } from 'node:crypto';
import type { ListedRun } from '../runtime/list-runs.js';
import type { Delivery } from '../runtime/store/inbox.js';
import type { ArtifactContent, StoredArtifact, Submission } from './messages.js';
import type { EventLines, RunState } from './run-object.js';
import { type RunHandler, type RunsHandler, serviceNames } from './services.js';

export interface ClientOptions {
  /** The address of the ingress, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly namespace: string;
  /** Sent as `Authorization: Bearer …`; null: nothing is sent. */
  readonly token: string | null;
  /** How long a server may not answer, in milliseconds. */
  readonly patienceMs: number;
}

/** Why the engine did not do what was asked. */
export class EngineFailure extends Error {
  constructor(
    /** `absent`: no server answers. `no-service`: no worker has registered the services. `refused`: see `status`. */
    readonly kind: 'absent' | 'no-service' | 'refused',
    readonly status: number | null,
    message: string,
  ) {
    super(message);
  }
}

export interface EngineClient {
  /** Begins a run. Submitting it twice is the same as once. */
  submit(submission: Submission): Promise<void>;
  /** Delivers answers, signals or the wish to end the run. Resolves with the number of the last event before. */
  deliver(runId: string, deliveries: readonly Delivery[]): Promise<number>;
  /** Null: there is no such run. */
  status(runId: string): Promise<RunState | null>;
  about(runId: string): Promise<Submission | null>;
  /** The runs, newest first, at least so many if there are. */
  list(count: number): Promise<readonly ListedRun[]>;
  /** Removes a run that has ended. */
  drop(runId: string): Promise<void>;
  /** Stores an artifact of a run. */
  store(runId: string, artifact: StoredArtifact): Promise<void>;
  /** Null: the run has no artifact of this name. */
  artifact(runId: string, name: string): Promise<ArtifactContent | null>;
  /** The lines of the journal from a number on: what is there, then what comes, until the run has ended. */
  events(runId: string, from?: number, signal?: AbortSignal): AsyncGenerator<EventLines>;
}

const PAUSE_MS = 250;
/** An answer that takes longer was waited for. */
const LONG_MS = 2000;

export function engineClient(given: ClientOptions): EngineClient {
  const options = { ...given, url: given.url.replace(/\/+$/, '') };
  const services = serviceNames(options.namespace);
  const pathOf = (runId: string, handler: RunHandler): string =>
    `${services.run(runId, handler).service}/${encodeURIComponent(runId)}/${handler}`;
  const call = <T>(runId: string, handler: RunHandler, message: unknown, signal?: AbortSignal): Promise<T> =>
    post<T>(options, pathOf(runId, handler), message, { signal });
  return {
    submit: async (submission) => void (await call(submission.header.runId, 'submit', submission)),
    async deliver(runId, deliveries) {
      // A request that is repeated after a broken connection may have been accepted; the engine ignores the second one.
      const once = { 'idempotency-key': randomUUID() };
      return (await post<{ readonly seq: number }>(options, pathOf(runId, 'tell'), deliveries, { headers: once })).seq;
    },
    drop: async (runId) => void (await call(runId, 'drop', null)),
    async list(count) {
      const ask = <T>(key: string, handler: RunsHandler): Promise<T> =>
        post<T>(options, `${services.runs(key, handler).service}/${key}/${handler}`, null);
      const runs: ListedRun[] = [];
      for (const day of [...(await ask<readonly string[]>('days', 'days'))].reverse()) {
        runs.push(...(await ask<readonly ListedRun[]>(day, 'list')));
        if (runs.length >= count) break;
      }
      return runs;
    },
    status: (runId) => call(runId, 'status', null),
    about: (runId) => call(runId, 'about', null),
    store: async (runId, artifact) => void (await call(runId, 'store', artifact)),
    artifact: (runId, name) => call(runId, 'artifact', name),
    async *events(runId, from = 1, signal) {
      for (let next = from; ; ) {
        const part = await call<EventLines | null>(runId, 'events', { from: next, wait: true }, signal);
        if (part === null) return;
        next += part.lines.length;
        if (part.lines.length > 0) yield part;
        if ((part.status === 'returned' || part.status === 'failed') && next > part.seq) return;
      }
    },
  };
}

interface PostOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

async function post<T>(
  options: ClientOptions,
  path: string,
  message: unknown,
  { signal, headers: more = {} }: PostOptions = {},
): Promise<T> {
  const { url, token, patienceMs } = options;
  const address = `${url}/${path}`;
  const headers = {
    'content-type': 'application/json',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...more,
  };
  const request = {
    method: 'POST',
    headers,
    body: JSON.stringify(message),
    ...(signal === undefined ? {} : { signal }),
  };
  let absentSince: number | null = null;
  for (;;) {
    const asked = Date.now();
    const answer = await fetch(address, request).catch((cause: unknown) => {
      if (signal?.aborted) throw cause;
      return null;
    });
    if (answer?.ok) {
      const text = await answer.text();
      return (text === '' ? null : JSON.parse(text)) as T;
    }
    // A proxy between the client and the server answers like this while the server starts.
    const isAbsent = answer === null || answer.status === 502 || answer.status === 503;
    if (!isAbsent) throw await failureOf(answer, url);
    const now = Date.now();
    // A connection that broke only after a long wait says that a server was there.
    if (absentSince === null || now - asked > LONG_MS) absentSince = now;
    if (now - absentSince >= patienceMs) throw new EngineFailure('absent', null, `no engine answers at \`${url}\``);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function failureOf(answer: Response, url: string): Promise<EngineFailure> {
  const text = await answer.text();
  const message = messageIn(text);
  if (answer.status === 404 && message === null)
    return new EngineFailure('absent', 404, `what answers at \`${url}\` is not the ingress of an engine`);
  return knownFailure(answer.status, message ?? text.trim().slice(0, 500), url);
}

function knownFailure(status: number, message: string, url: string): EngineFailure {
  if (status === 404 && /service .*not found|not found/i.test(message) && !message.startsWith('there is no run'))
    return new EngineFailure('no-service', 404, `the engine at \`${url}\` has no worker of statedsl: ${message}`);
  return new EngineFailure('refused', status, message);
}

/** Null: this is no answer of an engine. */
function messageIn(text: string): string | null {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' ? message : null;
  } catch {
    return null;
  }
}
