/**
 * The door over HTTP, at `/mcp`. Requests of the newer revision stand alone; clients of older ones get a session, without
 * which no form could be shown to them. Neither library looks at who calls, so this does, as the service does.
 */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { clockMs } from '../runtime/clock.js';
import { checkOrigin, hostsOf, isAborted, requireToken } from '../serve/access.js';
import type { Door } from './door.js';
import { watchPrograms } from './program-tools.js';
import { makeServer } from './server.js';
import { markedRequest, writtenResponse } from './written-numbers.js';

export interface HttpOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Null: everybody who reaches the address may call. */
  readonly token: string | null;
}

export interface HttpDoor {
  readonly address: string;
  stop(): Promise<void>;
}

const PATH = '/mcp';
/** A program and its inputs, with room for escapes. */
const LARGEST_BODY = 16 * 1024 * 1024;

/** Answers requests; the port is known when it listens. */
export function httpApp(
  door: Door,
  { host, token, port }: Omit<HttpOptions, 'port'> & { readonly port: () => number },
) {
  const access = {
    token: token ?? '',
    get hosts() {
      return hostsOf(host, port());
    },
    port,
  };
  const modern = createMcpHandler(({ era }) => makeServer(door, era), {
    legacy: 'reject',
    maxRequestBodySize: LARGEST_BODY,
    onerror: () => undefined,
  });
  const sessions = new OlderSessions(door);
  const unwatch = watchPrograms(door, () => {
    modern.notify.toolsChanged();
    sessions.toolsChanged();
  });
  const app = new Hono();
  app.use(checkOrigin(access));
  if (token !== null) app.use(requireToken(access));
  app.all(PATH, async ({ req }) => {
    const request = await markedRequest(req.raw, LARGEST_BODY);
    const isLegacy = await isLegacyRequest(request, undefined, { maxRequestBodySize: LARGEST_BODY });
    return writtenResponse(await (isLegacy ? sessions.answer(request) : modern.fetch(request)));
  });
  app.notFound((c) =>
    c.json({ code: 'unknown', message: 'there is nothing at this path', help: `the server is at ${PATH}` }, 404),
  );
  app.onError((cause) => {
    // Nobody gets the answer.
    if (isAborted(cause)) return problem(400, 'the request ended too early');
    process.stderr.write(`${cause.stack ?? cause.message}\n`);
    return problem(500, 'the server has a bug: its standard error has the details');
  });
  const stop = async (): Promise<void> => {
    unwatch();
    await sessions.stop();
    await modern.close();
  };
  return { app, stop };
}

/** Rejects with the system's error if the address cannot be used. */
export async function serveOverHttp(door: Door, options: HttpOptions): Promise<HttpDoor> {
  const { host } = options;
  let { port } = options;
  const { app, stop } = httpApp(door, { ...options, port: () => port });
  const server = serve({ fetch: app.fetch, hostname: host, port });
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
  });
  port = (server.address() as AddressInfo).port;
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${port}${PATH}`,
    async stop() {
      await stop();
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
    },
  };
}

const MOST_SESSIONS = 100;
const IDLE_MS = 30 * 60_000;
const LOOK_MS = 60_000;

interface Session {
  readonly server: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
  /** Requests that are being answered. */
  busy: number;
}

/** The sessions of clients of older revisions: at most a hundred, each until it was not used for half an hour. */
class OlderSessions {
  private readonly open = new Map<string, Session>();
  private readonly timer = setInterval(() => this.closeIdle(clockMs() - IDLE_MS), LOOK_MS).unref();

  constructor(private readonly door: Door) {}

  get size(): number {
    return this.open.size;
  }

  async answer(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const session = id === null ? await this.begin() : this.open.get(id);
    if (session === undefined) return problem(404, 'there is no such session: initialize a new one');
    if (session === null) return problem(503, `${MOST_SESSIONS} sessions are in use: close one, or try again later`);
    session.usedAt = clockMs();
    session.busy++;
    try {
      return await session.transport.handleRequest(request);
    } finally {
      session.busy--;
      session.usedAt = clockMs();
    }
  }

  /** Null: all sessions are in use. It is kept once its client has initialized it. */
  private async begin(): Promise<Session | null> {
    if (this.open.size >= MOST_SESSIONS && !this.closeOldest()) return null;
    const keep = (id: string): void => void this.open.set(id, session);
    const forget = (id: string): void => void this.open.delete(id);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomBytes(16).toString('hex'),
      maxRequestBodySize: LARGEST_BODY,
      onsessioninitialized: keep,
      onsessionclosed: forget,
    });
    const server = await makeServer(this.door, 'legacy');
    const session: Session = { server, transport, usedAt: clockMs(), busy: 0 };
    await server.connect(transport);
    return session;
  }

  private closeOldest(): boolean {
    const [oldest] = [...this.open].filter(([, { busy }]) => busy === 0).sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (oldest !== undefined) this.close(...oldest);
    return oldest !== undefined;
  }

  closeIdle(before: number): void {
    for (const [id, session] of this.open) if (session.busy === 0 && session.usedAt < before) this.close(id, session);
  }

  private close(id: string, { transport }: Session): void {
    this.open.delete(id);
    void transport.close();
  }

  toolsChanged(): void {
    for (const { server } of this.open.values()) server.sendToolListChanged();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all([...this.open.values()].map(({ transport }) => transport.close()));
    this.open.clear();
  }
}

function problem(status: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }, { status });
}
