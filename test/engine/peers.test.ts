/** Workers that share an address: which of them gets an attempt, and what it does when the other one is gone. */
import { Buffer } from 'node:buffer';
import { createServer as createIngress } from 'node:http';
import { type ClientHttp2Session, connect, createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { ownAddresses, Peers } from '../../src/engine/peers.js';
import { StartedEffects } from '../../src/engine/started-effects.js';
import { type Peer, workersHandlers, workersReaders } from '../../src/engine/workers-of-address.js';

const SHARED = 'http://shared:9180';

/** The ingress of an engine that only knows the object of one address. */
async function ingress(): Promise<{ readonly url: string; peers(): readonly Peer[] }> {
  let state: unknown = null;
  const context = { get: async () => state, set: (_: string, value: unknown) => (state = value) } as never;
  const handlers = { ...workersHandlers(), ...workersReaders() };
  const server = createIngress(async (request, response) => {
    const [, service, key, handler] = (request.url ?? '').split('/').map(decodeURIComponent);
    if (service !== 'test.Workers' || key !== SHARED) return void response.writeHead(404).end();
    const message = JSON.parse(await text(request)) as never;
    response.end(JSON.stringify((await handlers[handler as 'join'](context, message)) ?? null));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    peers: () => (state ?? []) as readonly Peer[],
  };
}

interface TestWorker {
  readonly peers: Peers;
  readonly warnings: string[];
  /** Where it listens. */
  readonly url: string;
  /** What it has executed. */
  readonly handled: string[];
  readonly holds: Set<string>;
  stop(): Promise<void>;
}

/** A worker that answers an attempt with its name and the bytes of the attempt. */
async function worker(name: string, url: string, addresses?: readonly string[]): Promise<TestWorker> {
  const [handled, warnings]: [string[], string[]] = [[], []];
  const holds = new Set<string>();
  const sessions = new Set<{ destroy(): void }>();
  const server: Http2Server = createServer((request, response) => {
    if (peers.answers(request, response)) return;
    void peers.receive(request, response, async () => {
      handled.push(request.url);
      response.writeHead(200, { 'x-name': name });
      response.write(`${name} begins,`);
      const all = await buffer(request).catch(() => null);
      if (all !== null) response.end(`${all.length} bytes`);
    });
  });
  server.on('session', (session) => sessions.add(session));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const peers = new Peers({
    client: { url, namespace: 'test', token: null, patienceMs: 0 },
    ...{ address: SHARED, own: addresses ?? [own], holds: (invocation) => holds.has(invocation) },
    warn: (message) => void warnings.push(message),
  });
  const stop = async (): Promise<void> => {
    for (const session of sessions) session.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  await peers.join();
  return { peers, warnings, url: own, handled, holds, stop };
}

/** The first message of an attempt, as the engine sends it. */
function attempt(id: string, entries: number): Buffer {
  const field = (tag: number, bytes: Buffer): Buffer => Buffer.concat([Buffer.from([tag, bytes.length]), bytes]);
  const body = Buffer.concat([
    field(0x0a, Buffer.from('id')),
    field(0x12, Buffer.from(id)),
    Buffer.from(entries < 128 ? [0x18, entries] : [0x18, (entries & 127) | 128, entries >> 7]),
    field(0x22, Buffer.from('state')),
  ]);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body, Buffer.from('the record')]);
}

let session: ClientHttp2Session | null = null;

/** Sends an attempt in pieces. Resolves with what comes back. */
async function send(
  to: TestWorker,
  bytes: Buffer,
  path = '/invoke/test.Turn/run',
  piece = bytes.length,
): Promise<string> {
  session?.destroy();
  session = connect(to.url);
  session.on('error', () => undefined);
  const stream = session.request({ ':method': 'POST', ':path': path });
  for (let at = 0; at < bytes.length; at += piece) stream.write(bytes.subarray(at, at + piece));
  stream.end();
  const answer = await text(stream).catch(() => 'broken');
  session.destroy();
  return answer;
}

test('an attempt goes to the worker that has effects of it, whichever gets it', async () => {
  const engine = await ingress();
  const [a, b] = [await worker('a', engine.url), await worker('b', engine.url)];
  a.holds.add('inv_1');
  const bytes = attempt('inv_1', 5);
  const whole = `${bytes.length} bytes`;
  // Also the one that did not know of the other one when it began.
  expect(await send(b, bytes)).toBe(`a begins,${whole}`);
  expect(await send(b, bytes, '/invoke/test.Turn.lab/run', 3)).toBe(`a begins,${whole}`);
  expect(await send(b, attempt('inv_1', 300), '/at/invoke/test.Effects.gpu/perform')).toMatch(/^a begins/);
  expect(await send(a, bytes)).toBe(`a begins,${whole}`);
  a.holds.clear();
  b.holds.add('inv_1');
  expect(await send(a, bytes)).toBe(`b begins,${whole}`);
  // Nobody has it.
  expect(await send(a, attempt('inv_2', 5))).toMatch(/^a begins/);
  expect([a.warnings, b.warnings]).toEqual([[], []]);
});

test('an attempt that has begun nothing, or nothing that must not be executed twice, stays', async () => {
  const engine = await ingress();
  const [a, b] = [await worker('a', engine.url), await worker('b', engine.url)];
  a.holds.add('inv_1');
  expect(await send(b, attempt('inv_1', 1))).toMatch(/^b begins/);
  // The effect of a label begins with its first entry.
  expect(await send(b, attempt('inv_1', 1), '/invoke/test.Effects.gpu/perform')).toMatch(/^a begins/);
  expect(await send(b, attempt('inv_1', 5), '/invoke/test.Run/submit')).toMatch(/^b begins/);
  expect(await send(b, attempt('inv_1', 5), '/invoke/test.Turn/passToHome')).toMatch(/^b begins/);
  // Of another form, which only the handler understands.
  expect(await send(b, Buffer.from('0001000000000000', 'hex'))).toMatch(/^b begins/);
});

test('an attempt of a worker that was killed stays, and the engine forgets that worker', async () => {
  const engine = await ingress();
  const [a, b] = [await worker('a', engine.url), await worker('b', engine.url)];
  a.holds.add('inv_1');
  expect(engine.peers()).toHaveLength(2);
  await a.stop();
  expect(await send(b, attempt('inv_1', 5))).toMatch(/^b begins/);
  await expect.poll(() => engine.peers().map(({ name }) => name)).toEqual([b.peers.name]);
  await b.peers.leave();
  expect(engine.peers()).toHaveLength(1);
});

test('an attempt does not go to another process that has the address of a killed worker', async () => {
  const engine = await ingress();
  const [a, b] = [await worker('a', engine.url), await worker('b', engine.url)];
  const before = { name: 'killed', addresses: [a.url, 'http://127.0.0.1:1'] };
  await workersHandlers().join({ get: async () => null, set: () => undefined } as never, before);
  const stranger = new Peers({
    client: { url: engine.url, namespace: 'test', token: null, patienceMs: 0 },
    ...{ address: SHARED, own: before.addresses, holds: () => false, warn: () => undefined },
  });
  await stranger.join();
  a.holds.add('inv_1');
  // `a` is found by its own name only.
  await a.peers.join();
  expect(await send(b, attempt('inv_1', 5))).toBe(`a begins,${attempt('inv_1', 5).length} bytes`);
});

test('a connection that breaks on one side breaks on the other one', async () => {
  const engine = await ingress();
  const [a, b] = [await worker('a', engine.url), await worker('b', engine.url)];
  a.holds.add('inv_1');
  session = connect(b.url);
  session.on('error', () => undefined);
  const stream = session.request({ ':method': 'POST', ':path': '/invoke/test.Turn/run' });
  stream.write(attempt('inv_1', 5));
  const ended = new Promise((resolve) => stream.once('close', resolve));
  stream.on('error', () => undefined);
  await new Promise((resolve) => stream.once('data', resolve));
  await a.stop();
  await ended;
  session.destroy();
  expect(a.handled).toHaveLength(1);
  // Now nobody has it.
  expect(await send(b, attempt('inv_1', 5))).toMatch(/^b begins/);
});

test('without an engine the workers that are known are asked', async () => {
  const engine = await ingress();
  const a = await worker('a', engine.url);
  const b = await worker('b', engine.url);
  a.holds.add('inv_1');
  const lonely = await worker('c', 'http://127.0.0.1:1');
  expect(lonely.warnings).toEqual([
    `other workers with the address \`${SHARED}\` cannot find this one: no engine answers at \`http://127.0.0.1:1\``,
  ]);
  expect(await send(lonely, attempt('inv_1', 5))).toMatch(/^c begins/);
  expect(await send(b, attempt('inv_1', 5))).toMatch(/^a begins/);
});

test('what a worker says about itself has little room', async () => {
  const state = new Map<string, unknown>();
  const context = {
    get: async (name: string) => state.get(name) ?? null,
    set: (name: string, value: unknown) => void state.set(name, value),
  } as never;
  const { join, leave } = workersHandlers();
  for (const bad of [
    null,
    {},
    { name: 'x'.repeat(301), addresses: [] },
    { name: 'a', addresses: ['nowhere'] },
    { name: 'a', addresses: new Array(17).fill('http://a') },
  ])
    await expect(join(context, bad as never)).rejects.toThrow('this is not what a worker says about itself');
  for (let at = 0; at < 70; at++) await join(context, { name: `${at}`, addresses: [`http://host-${at}`] });
  const known = await join(context, { name: 'new', addresses: ['http://host-69'] });
  expect([known.length, known[0]?.name, known.at(-1)?.name]).toEqual([64, '6', 'new']);
  await leave(context, 'new');
  expect(await workersReaders().list(context)).toHaveLength(63);
});

test('a worker that listens at every address of its machine names those that others reach', () => {
  expect(ownAddresses('127.0.0.1', 9180)).toEqual(['http://127.0.0.1:9180']);
  expect(ownAddresses('::1', 9180)).toEqual(['http://[::1]:9180']);
  for (const one of ownAddresses('0.0.0.0', 9180)) expect(one).toMatch(/^http:\/\/(?!127\.|0\.)\d+(?:\.\d+){3}:9180$/);
});

test('a process has an execution while an attempt lasts, an effect of it runs, or one is about to begin', async () => {
  const started = new StartedEffects(0);
  const [attempt1, attempt2] = [new AbortController(), new AbortController()];
  started.enter('inv_1', attempt1.signal);
  started.enter('inv_1', attempt2.signal);
  attempt1.abort();
  expect(started.holds('inv_1')).toBe(true);
  attempt2.abort();
  expect(started.holds('inv_1')).toBe(false);
  const over = new AbortController();
  started.intend('key', 'attempt 1', { invocation: 'inv_1', attemptOver: over.signal } as never);
  expect([started.holds('inv_1'), started.isIntendedBy('key', 'attempt 1')]).toEqual([true, true]);
  expect(started.isIntendedBy('key', 'attempt of another process')).toBe(false);
  await started.join('key', 'inv_1', async () => ({ outcome: { kind: 'value', value: 1 }, at: 0, printed: 0 }));
  expect([started.holds('inv_1'), started.isIntendedBy('key', 'attempt 1')]).toEqual([true, false]);
  started.forget('key');
  expect(started.holds('inv_1')).toBe(false);
  started.intend('key', 'attempt 2', { invocation: 'inv_1', attemptOver: over.signal } as never);
  over.abort();
  await expect.poll(() => started.holds('inv_1')).toBe(false);
});
