/**
 * Workers that share an address, such as that of a balancer. After the death of the server, or of a connection, an attempt
 * may come to any of them, while another one still has the effects of the attempt before. So a worker passes such an attempt
 * on, byte by byte, to the one that has its effects. An object of the engine knows which workers have an address, and where
 * each of them can be reached alone.
 */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import {
  type ClientHttp2Session,
  connect,
  constants,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
} from 'node:http2';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { askEngine, type ClientOptions, EngineFailure } from './ask-engine.js';
import { serviceNames, type WorkersHandler } from './services.js';
import { MOST_ADDRESSES, type Peer } from './workers-of-address.js';

/** Where others reach a worker that listens there. */
export function ownAddresses(host: string, port: number): readonly string[] {
  const any = host === '0.0.0.0' || host === '::';
  const found = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const hosts = any
    ? found
        .filter(({ internal, family }) => !internal && (host === '::' || family === 'IPv4'))
        .map((one) => one.address)
    : [host];
  const usable = hosts.filter((one) => !one.startsWith('fe80:')).slice(0, MOST_ADDRESSES);
  return usable.map((one) => `http://${one.includes(':') ? `[${one}]` : one}:${port}`);
}

/** What the handler of a request does. */
export type HandleRequest = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

interface PeersOf {
  readonly client: ClientOptions;
  /** The address that the workers share. */
  readonly address: string;
  /** Where this one is reached alone. */
  readonly own: readonly string[];
  /** Whether this process has effects of an execution, or an attempt of it. */
  readonly holds: (invocation: string) => boolean;
  readonly warn: (message: string) => void;
}

/** Which worker passed a request on. */
const PASSED = 'x-statedsl-passed';
const HOLDS = '/statedsl/holds/';
/** How long another worker may take to accept a connection, and to answer once it has: one that is busy lives. Milliseconds. */
const CONNECT_MS = 3000;
const ANSWER_MS = 20_000;
/** A worker that does not accept connections is not tried again for so long. */
const SILENT_MS = 60_000;
/** A process that ends does not wait for long until others know it. */
const LEAVE_MS = 1000;
/** A list of workers that is so old is good enough for attempts that come together. */
const FRESH_MS = 500;
/** How often a worker that has attempts is asked whether it lives, and how long it may take to say it. */
const PING_MS = 10_000;
const PONG_MS = 30_000;

type PeerConnection = ClientHttp2Session | 'gone' | 'silent';

export class Peers {
  readonly name = randomUUID();
  private known: readonly Peer[] = [];
  private readonly connections = new Map<string, Promise<PeerConnection>>();
  private looking: Promise<void> | null = null;
  /** Resolves once others can find this worker. */
  private readonly noted: Promise<void>;
  private endWait: () => void = () => undefined;

  constructor(private readonly of: PeersOf) {
    this.noted = new Promise((resolve) => {
      this.endWait = resolve;
    });
  }

  /** Makes others find this worker, and finds them. */
  async join(): Promise<void> {
    try {
      const own = { name: this.name, addresses: this.of.own };
      this.known = await this.ask<readonly Peer[]>('join', own, Array.isArray);
    } catch (cause) {
      if (!(cause instanceof EngineFailure)) throw cause;
      this.of.warn(`other workers with the address \`${this.of.address}\` cannot find this one: ${cause.message}`);
    } finally {
      this.endWait();
    }
  }

  /** Says which other workers cannot be reached. */
  async look(): Promise<void> {
    for (const peer of this.others()) {
      if ((await this.connection(peer)) !== 'silent') continue;
      const where = peer.addresses.map((one) => `\`${one}\``).join(' or ');
      this.of.warn(
        `the worker at ${where} has the same address \`${this.of.address}\`, but this one cannot reach it: what either of them executes while the server dies is executed again by the other one; let workers reach each other`,
      );
    }
  }

  /** Others do not look for this worker any more. */
  async leave(): Promise<void> {
    if (this.others().length > 0) await this.ask('leave', this.name).catch(() => undefined);
    for (const connection of this.connections.values()) {
      const session = await connection;
      if (typeof session !== 'string') session.destroy();
    }
  }

  /** Whether another worker has asked; then it has its answer. */
  answers(request: Http2ServerRequest, response: Http2ServerResponse): boolean {
    if (!request.url.startsWith(HOLDS)) return false;
    const holds = this.of.holds(decodeURIComponent(request.url.slice(HOLDS.length)));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ name: this.name, holds }));
    return true;
  }

  /** Whether another worker sends an attempt whose effects this one has. */
  isPassed({ headers }: Http2ServerRequest): boolean {
    return headers[PASSED] === this.name;
  }

  /** Handles a request here, or passes it on to the worker that has the effects of the attempt before it. */
  async receive(request: Http2ServerRequest, response: Http2ServerResponse, handle: () => void): Promise<void> {
    const kind = executes(request.url);
    if (kind === null || this.isPassed(request)) return handle();
    try {
      await this.noted;
      const start = await startOf(request);
      // Without an entry on record, a turn has started nothing.
      const isFirst = kind === 'turn' && start !== null && start.entries <= 1;
      const holder = start === null || isFirst || this.of.holds(start.id) ? null : await this.holderOf(start.id);
      if (request.stream.destroyed) return;
      if (holder === null) handle();
      else pass(holder.session, holder.name, request, response);
    } catch {
      // The connection broke, so the engine makes the attempt again.
      request.stream.destroy();
    }
  }

  /** The worker that has effects of an execution; null: none that lives has any. */
  private async holderOf(invocation: string): Promise<PeerSession | null> {
    const before = this.others();
    const holder = await this.firstOf(before, invocation);
    if (holder !== null) return holder;
    await this.lookUp();
    return this.firstOf(
      this.others().filter((one) => !before.some(({ name }) => name === one.name)),
      invocation,
    );
  }

  private async firstOf(peers: readonly Peer[], invocation: string): Promise<PeerSession | null> {
    const asked = peers.map(async (peer) => {
      const holder = await this.askPeer(peer, invocation);
      if (holder === null) throw new Error('it has nothing of it');
      return holder;
    });
    return Promise.any(asked).catch(() => null);
  }

  private async askPeer(peer: Peer, invocation: string): Promise<PeerSession | null> {
    const session = await this.connection(peer);
    if (typeof session === 'string') return null;
    const said = await requestText(session, `${HOLDS}${encodeURIComponent(invocation)}`);
    const { name, holds } = (said ?? {}) as { readonly name?: string; readonly holds?: boolean };
    // Another process may have its address now.
    if (said !== null && name !== peer.name) this.forget(peer);
    return name === peer.name && holds === true ? { session, name } : null;
  }

  private others(): readonly Peer[] {
    return this.known.filter(({ name }) => name !== this.name);
  }

  private async lookUp(): Promise<void> {
    this.looking ??= (async () => {
      try {
        this.known = await this.ask<readonly Peer[]>('list', null, Array.isArray);
      } catch (cause) {
        // Those that are known have been asked.
        if (!(cause instanceof EngineFailure)) throw cause;
      } finally {
        setTimeout(() => {
          this.looking = null;
        }, FRESH_MS).unref();
      }
    })();
    await this.looking;
  }

  /** It has ended without a word. */
  private forget({ name }: Peer): void {
    this.known = this.known.filter((one) => one.name !== name);
    this.connections.delete(name);
    this.ask('leave', name).catch(() => undefined);
  }

  private connection(peer: Peer): Promise<PeerConnection> {
    const known = this.connections.get(peer.name);
    if (known !== undefined) return known;
    const made = this.connect(peer);
    this.connections.set(peer.name, made);
    return made;
  }

  private async connect(peer: Peer): Promise<PeerConnection> {
    const end = (): void => void this.connections.delete(peer.name);
    const tried = await Promise.all(peer.addresses.map((address) => connectTo(address)));
    const [first, ...more] = tried.filter((one) => typeof one !== 'string');
    for (const session of more) session.destroy();
    if (first !== undefined) {
      first.once('close', end);
      if (first.destroyed) end();
      return first;
    }
    if (tried.includes('silent')) {
      setTimeout(end, SILENT_MS).unref();
      return 'silent';
    }
    this.forget(peer);
    return 'gone';
  }

  private ask<T>(handler: WorkersHandler, message: unknown, isAnswer?: (answer: unknown) => boolean): Promise<T> {
    const { client, address } = this.of;
    const { service } = serviceNames(client.namespace).workers(address, handler);
    const path = `${service}/${encodeURIComponent(address)}/${handler}`;
    const options = handler === 'leave' ? { ...client, patienceMs: 0, answerMs: LEAVE_MS } : client;
    return askEngine<T>(options, path, message, isAnswer === undefined ? {} : { isAnswer });
  }
}

interface PeerSession {
  readonly session: ClientHttp2Session;
  readonly name: string;
}

/** What a request executes that must not be executed by two workers; null: nothing. */
function executes(url: string): 'turn' | 'effect' | null {
  const [, service = '', handler] = /\/invoke\/([^/]+)\/([^/?]+)$/.exec(url) ?? [];
  if (handler === 'run' && /\.Turn(?:\.[^.]*)?$/.test(service)) return 'turn';
  return handler === 'perform' && service.includes('.Effects.') ? 'effect' : null;
}

interface AttemptStart {
  /** The name that the engine has for the execution. */
  readonly id: string;
  /** How many entries are on record, the message included. */
  readonly entries: number;
}

/** Reads the first message of an attempt, and leaves it in the request. Null: it is of an unknown form. */
async function startOf(request: Http2ServerRequest): Promise<AttemptStart | null> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const more = request.read() as Buffer | null;
    if (more !== null) bytes = Buffer.concat([bytes, more]);
    const start = startIn(bytes);
    if (start !== undefined) {
      request.unshift(bytes);
      return start;
    }
    await new Promise<void>((resolve, reject) => {
      const over = (): void => reject(new Error('the attempt is over'));
      if (request.stream.destroyed || request.readableEnded) return over();
      request.once('readable', resolve).once('close', over);
    });
  }
}

/** Undefined: more bytes are needed. A header of eight bytes, then a message of Protocol Buffers: id, name, number of entries. */
function startIn(bytes: Buffer): AttemptStart | null | undefined {
  if (bytes.length < 8) return undefined;
  if (bytes.readUInt16BE(0) !== 0) return null;
  const end = 8 + bytes.readUInt32BE(4);
  let at = 8;
  const number = (): number => {
    for (let value = 0, shift = 0; at < bytes.length; shift += 7) {
      const byte = bytes[at++] as number;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  let id: string | null = null;
  while (at < end) {
    const tag = number();
    if (tag === 0x18) {
      const entries = number();
      if (Number.isNaN(entries)) return undefined;
      return id === null ? null : { id, entries };
    }
    if (tag !== 0x0a && tag !== 0x12) return Number.isNaN(tag) ? undefined : null;
    const length = number();
    if (Number.isNaN(length) || at + length > bytes.length) return undefined;
    if (tag === 0x12) id = bytes.toString('utf8', at, at + length);
    at += length;
  }
  return null;
}

/** `gone`: no process has the address any more. `silent`: nobody answers there, which may be a machine that lives. */
async function connectTo(address: string): Promise<PeerConnection> {
  const session = connect(address);
  session.unref();
  const connected = new Promise<PeerConnection>((resolve) => {
    session.once('connect', () => resolve(session));
    session.on('error', (cause: NodeJS.ErrnoException) => resolve(cause.code === 'ECONNREFUSED' ? 'gone' : 'silent'));
    session.once('close', () => resolve('silent'));
  });
  const result = await Promise.race([connected, sleep(CONNECT_MS, 'silent' as const)]);
  if (typeof result === 'string') session.destroy();
  else watch(session);
  return result;
}

/** A machine that is lost does not close its connections. */
function watch(session: ClientHttp2Session): void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const asking = setInterval(() => {
    if (timer !== null || session.destroyed) return;
    timer = setTimeout(() => session.destroy(), PONG_MS).unref();
    session.ping(() => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    });
  }, PING_MS).unref();
  session.once('close', () => clearInterval(asking));
}

/** Null: there was no answer, or it is not JSON. */
async function requestText(session: ClientHttp2Session, path: string): Promise<unknown> {
  try {
    const stream = session.request({ ':path': path });
    stream.setTimeout(ANSWER_MS, () => stream.close(constants.NGHTTP2_CANCEL));
    return JSON.parse(await text(stream)) as unknown;
  } catch {
    return null;
  }
}

/** What ends on one side is ended on the other one, too. */
function pass(
  session: ClientHttp2Session,
  name: string,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): void {
  const there = session.request({ ...request.headers, [PASSED]: name });
  const here = response.stream;
  const breakOff = (): void => {
    if (!here.destroyed) here.close(constants.NGHTTP2_CANCEL);
    if (!there.destroyed) there.close(constants.NGHTTP2_CANCEL);
  };
  there.once('response', ({ ':status': status = 502, ...headers }: IncomingHttpHeaders & { ':status'?: number }) => {
    if (here.destroyed) return;
    response.writeHead(status, headers);
    there.pipe(response, { end: false });
  });
  there.once('end', () => {
    // What was broken off has not ended.
    if (there.aborted || there.rstCode !== constants.NGHTTP2_NO_ERROR || session.destroyed) breakOff();
    else response.end();
  });
  there.once('aborted', breakOff);
  request.pipe(there);
  there.once('error', breakOff);
  there.once('close', () => {
    if (!response.writableEnded) breakOff();
  });
  here.once('error', breakOff);
  here.once('close', breakOff);
}
