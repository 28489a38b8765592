/**
 * Requests to the ingress of an engine. A server that cannot be reached is asked again for a while, because it may be
 * starting. One that accepts a request and does not answer is asked whether it is well: either it is silent, or it waits
 * for a worker, because workers answer all requests about runs.
 */

import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { clockMs } from '../runtime/clock.js';
import { TOKEN_VARIABLE, type ValueCodec, valueCodec } from './value-codec.js';

/** Where the engine is, and how long to wait for it. */
export interface ClientOptions {
  /** The address of the ingress, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly namespace: string;
  /** Sent as `Authorization: Bearer …`; null: nothing is sent. */
  readonly token: string | null;
  /** Encrypts values, as 32 bytes in base64; absent or null: they are not encrypted. */
  readonly key?: string | null;
  /** How long a server may not be reached, in milliseconds. */
  readonly patienceMs: number;
  /** How long a worker may take to answer, in milliseconds; default 10 s. */
  readonly answerMs?: number;
  /** The server is asked this often whether it is well, and may take so long to say it, in milliseconds; default 5 s. */
  readonly healthMs?: number;
}

/** Why the engine did not do what was asked. */
export class EngineFailure extends Error {
  constructor(
    /**
     * `absent`: no server answers. `no-service`: no worker has registered the services. `no-worker`: one has, but none
     * answers. `refused`: see `status`.
     */
    readonly kind: 'absent' | 'no-service' | 'no-worker' | 'refused',
    readonly status: number | null,
    message: string,
  ) {
    super(message);
  }
}

interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer may come at any time, so that a server that is well is waited for. */
  readonly waits?: boolean;
  /** Whether this can be the answer. Something else may listen there, and answer everything. */
  readonly isAnswer?: (answer: unknown) => boolean;
}

interface EngineAnswer {
  readonly status: number;
  readonly text: string;
}

const PAUSE_MS = 250;
/** An answer that takes longer was waited for. */
const LONG_MS = 2000;
const ANSWER_MS = 10_000;
const HEALTH_MS = 5_000;
/** What a proxy between the client and the server answers while the server starts, or when it waited for too long. */
const GATEWAY = new Set([502, 503, 504]);

/** Sends a message to a handler. Rejects with an `EngineFailure`, or with the reason of the signal. */
export async function askEngine<T>(
  options: ClientOptions,
  path: string,
  message: unknown,
  asking: AskOptions = {},
): Promise<T> {
  const { url, token, patienceMs } = options;
  const headers = {
    'content-type': 'application/json',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...asking.headers,
  };
  const values = valuesOf(options);
  const request = { method: 'POST', headers, body: values.serialize(message ?? null) as Uint8Array<ArrayBuffer> };
  let absentSince: number | null = null;
  for (;;) {
    const asked = clockMs();
    const answer = await answerTo(`${url}/${path}`, request, options, asking);
    if (answer !== null && answer.status >= 200 && answer.status < 300) {
      const value = valueIn(answer.text, values, url);
      if (asking.isAnswer?.(value) === false) throw notAnEngine(url, answer.status);
      return value as T;
    }
    if (answer !== null && !GATEWAY.has(answer.status)) throw failureOf(answer, url);
    const now = clockMs();
    // A connection that broke only after a long wait says that a server was there.
    if (absentSince === null || now - asked > LONG_MS) absentSince = now;
    if (now - absentSince >= patienceMs) throw new EngineFailure('absent', null, `no engine answers at \`${url}\``);
    await sleep(PAUSE_MS);
  }
}

function valuesOf({ key = null }: ClientOptions): ValueCodec {
  try {
    return valueCodec(key);
  } catch (cause) {
    throw new EngineFailure('refused', null, (cause as Error).message);
  }
}

function valueIn(text: string, values: ValueCodec, url: string): unknown {
  try {
    return values.deserialize(Buffer.from(text)) ?? null;
  } catch (cause) {
    // Something that answers all requests with a page.
    if (cause instanceof SyntaxError) throw notAnEngine(url, 200);
    throw new EngineFailure('refused', null, `the answer of the engine cannot be read: ${(cause as Error).message}`);
  }
}

/** Null: the connection broke, or there was none. */
async function answerTo(
  address: string,
  request: RequestInit,
  { url, answerMs = ANSWER_MS, healthMs = HEALTH_MS }: ClientOptions,
  { signal, waits = false }: AskOptions,
): Promise<EngineAnswer | null> {
  const over = new AbortController();
  const leaving = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
  let failure: EngineFailure | null = null;
  let hasBegun = false;
  const begun = new Date();
  const pause = Math.min(answerMs, healthMs);
  let waited = 0;
  let isLooking = false;
  const look = async (): Promise<void> => {
    isLooking = true;
    waited += pause;
    if (!(await isWell(url, healthMs, leaving))) failure = silent(url);
    else if (!waits && !hasBegun && waited >= answerMs) failure = withoutWorker(url, begun);
    isLooking = false;
    if (failure !== null) over.abort();
    else if (!over.signal.aborted) timer = setTimeout(look, pause);
  };
  // Most answers come at once. To abort something each time would take longer than to ask.
  let timer = setTimeout(look, pause);
  try {
    const answer = await fetch(address, { ...request, signal: leaving });
    hasBegun = true;
    return { status: answer.status, text: await answer.text() };
  } catch (cause) {
    if (failure !== null) throw failure;
    if (signal?.aborted) throw cause;
    return null;
  } finally {
    clearTimeout(timer);
    if (isLooking) over.abort();
  }
}

/** Any answer will do: a proxy may refuse to pass this request on. */
async function isWell(url: string, healthMs: number, leaving: AbortSignal): Promise<boolean> {
  const signal = AbortSignal.any([leaving, AbortSignal.timeout(healthMs)]);
  const answer = await fetch(`${url}/restate/health`, { signal }).catch(() => null);
  await answer?.body?.cancel().catch(() => undefined);
  return answer !== null || leaving.aborted;
}

/** Something else may listen there, or the server hangs. */
export function silent(url: string): EngineFailure {
  return new EngineFailure('absent', null, `what listens at \`${url}\` accepts requests, but does not answer them`);
}

function withoutWorker(url: string, since: Date): EngineFailure {
  const time = since.toISOString().replace(/\.\d+/, '');
  return new EngineFailure('no-worker', null, `no worker since ${time}: none answers at the engine \`${url}\``);
}

function failureOf({ status, text }: EngineAnswer, url: string): EngineFailure {
  const message = messageIn(text);
  if (message !== null) return knownFailure(status, message, url);
  return UNKNOWN_PATH.has(status) ? notAnEngine(url, status) : refusedOnTheWay(status, text.trim(), url);
}

/** How servers of other kinds answer requests that they do not know. */
const UNKNOWN_PATH = new Set([404, 405, 501]);

function notAnEngine(url: string, status: number): EngineFailure {
  return new EngineFailure('absent', status, `what answers at \`${url}\` is not the ingress of an engine`);
}

/** By a proxy, whose page would say no more than the status does. */
function refusedOnTheWay(status: number, text: string, url: string): EngineFailure {
  const words = text === '' || text.startsWith('<') ? '' : `: ${text.slice(0, 500)}`;
  return new EngineFailure(
    'refused',
    status,
    `what answers at \`${url}\` refuses requests with status ${status}${words}`,
  );
}

function knownFailure(status: number, message: string, url: string): EngineFailure {
  if (status === 404 && /not found/i.test(message) && !message.startsWith('there is no run'))
    return new EngineFailure('no-service', 404, `the engine at \`${url}\` has no worker of statedsl: ${message}`);
  return new EngineFailure('refused', status, readProblem(message) ?? message);
}

/** What a worker says that could not read a request, in the words of this side; null: the message is another one. */
function readProblem(message: string): string | null {
  const reason = /^Failed to deserialize input: (.*)$/s.exec(message)?.[1];
  return reason === undefined
    ? null
    : `the worker cannot read what this command sends: ${reason.replace(/ of this process$/, ' of the worker')}`;
}

/** Null: this is not the answer of an engine. */
function messageIn(text: string): string | null {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' ? message : null;
  } catch {
    return null;
  }
}

/** The next step after a failure. */
export function helpAfter({ kind, status }: EngineFailure): string | undefined {
  switch (kind) {
    case 'absent':
      return 'start an engine with `statedsl engine`, or check the address';
    case 'no-service':
      return 'start a worker with `statedsl worker`, or name its `--namespace`';
    case 'no-worker':
      return 'start a worker with `statedsl worker`; what is on record waits for one';
    case 'refused':
      return status === 401 ? `set \`${TOKEN_VARIABLE}\` to a token that it accepts` : undefined;
  }
}
