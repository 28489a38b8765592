/** A service in the process of the test: requests go to its functions, and it executes runs here. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openPrograms, openRuns } from '../../src/app/open-runs.js';
import type { Runs } from '../../src/app/runs.js';
import { createApp } from '../../src/serve/app.js';
import { checkWith } from '../../src/serve/checking.js';
import { Readers } from '../../src/serve/event-streams.js';
import { executeRun } from '../../src/serve/executions/execute-run.js';
import { Executions } from '../../src/serve/executions/executions.js';
import { setSafetyHeaders } from '../../src/serve/listen.js';
import { OWN_REQUEST, type Service } from '../../src/serve/service.js';
import { describedBy } from './described.js';

export const TOKEN = 'a-token-of-a-test-0123456789';
/** Runs in the process of a test share nothing. */
const unlimited = { take: () => Promise.resolve(() => undefined) };
/** The same for all services. */
let described: ReturnType<typeof describedBy> | null = null;
const DOCUMENT = { openapi: '3.1.0', info: { title: 'statedsl', version: '0' } };
const HOST = '127.0.0.1:7700';

/** The answer of a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface TestService {
  readonly folder: string;
  readonly runs: Runs;
  readonly executions: Executions;
  /** Sends a request as the service itself does to prepare for those of clients; the status of the answer. */
  prepare(path: string): Promise<number>;
  /** Sends a request with the token; `headers` replaces some. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string | null>): Promise<Answer>;
  /** The same without reading the body. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string | null>): Promise<Response>;
  /** Starts a run of a program and waits until no process executes it; its id. */
  finish(program: string, inputs?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Waits until nothing is executed. */
  idle(): Promise<void>;
}

/** As the server does, which sets them before a request reaches the application. */
function withSafetyHeaders(response: Response): Response {
  const own = new Headers(response.headers);
  setSafetyHeaders({
    setHeader(name, value) {
      if (!own.has(name)) own.set(name, String(value));
      return this as never;
    },
  });
  const { status, statusText, body } = response;
  return new Response(body, { status, statusText, headers: own });
}

export async function serviceOf(
  files: Readonly<Record<string, string>>,
  options: Partial<Service> & { readonly atOnce?: number; readonly beforeLeaving?: Promise<void> } = {},
): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-serve-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const directory = join(folder, '.statedsl');
  mkdirSync(directory, { mode: 0o700 });
  const pending = new Set<Promise<void>>();
  const executions = new Executions({
    directory,
    atOnce: options.atOnce ?? 4,
    start(runId, secret) {
      const controller = new AbortController();
      const end = executeRun({
        directory,
        programs: folder,
        runId,
        secret,
        jobs: 4,
        permits: unlimited,
        isWanted: () => true,
        signal: controller.signal,
      }).then(() => options.beforeLeaving);
      pending.add(end);
      return { end: end.finally(() => pending.delete(end)), interrupt: () => controller.abort('SIGTERM') };
    },
  });
  onTestFinished(() => executions.stop(0));
  const runs = openRuns({ folder, dir: directory });
  const app = createApp({
    runs,
    programs: openPrograms({ folder, dir: directory }),
    executions,
    access: { token: TOKEN, hosts: [HOST], port: () => 7700 },
    isReadOnly: false,
    allowText: false,
    userHeader: null,
    user: 'tester',
    version: '0',
    notices: () => 0,
    where: directory,
    isOnEngine: false,
    readers: new Readers(),
    checks: checkWith(openPrograms({ folder, dir: directory })),
    ...options,
  });
  executions.open();
  const request: TestService['request'] = async (method, path, body, headers = {}) => {
    const given = { host: HOST, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers };
    const present = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== null);
    const isStream = body instanceof ReadableStream;
    const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array || isStream;
    const sent = isRaw ? body : JSON.stringify(body);
    // As every client says over HTTP.
    if (isStream) present.push(['transfer-encoding', 'chunked']);
    else if (sent !== undefined) present.push(['content-length', String(Buffer.byteLength(sent as string))]);
    const init = { method, headers: present, body: (sent as string) ?? null };
    const response = await app.request(`http://${HOST}${path}`, isStream ? { ...init, duplex: 'half' } : init);
    return withSafetyHeaders(response);
  };
  const send: TestService['send'] = async (...given) => {
    const response = await request(...given);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const answer = { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} };
    described ??= describedBy(app.getOpenAPI31Document(DOCUMENT) as never);
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    if (given[0] !== 'HEAD')
      described({ method: given[0], path: given[1], status: answer.status, type, json: answer.json });
    return answer;
  };
  const isBusy = (): boolean =>
    executions.executing > 0 || executions.queuedRuns().some(({ status }) => status === 'queued');
  const idle = async (): Promise<void> => {
    while (isBusy()) {
      await Promise.all(pending);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    folder,
    runs,
    executions,
    async prepare(path) {
      const headers = { host: HOST, authorization: `Bearer ${TOKEN}` };
      return (await app.request(`http://${HOST}${path}`, { headers }, OWN_REQUEST)).status;
    },
    request,
    send,
    idle,
    async finish(program, inputs = {}) {
      const { status, text, json } = await send('POST', '/api/v1/runs', { program, inputs });
      if (status !== 201) throw new Error(`${status} ${text}`);
      await idle();
      return json.run_id as string;
    },
  };
}
