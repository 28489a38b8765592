/** Whether other workers execute runs, as a worker with a label or a home asks when it starts. */
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createListener, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { othersExecuteRuns, reachFrom, register, registerForgotten } from '../../src/engine/admin.js';
import { serviceNames } from '../../src/engine/services.js';

const SERVICE = 'test.Turn';

async function addressOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The admin API of an engine. `newest`: the address that has the service, if any. */
async function engineWith(newest: string | null, known: Readonly<Record<string, readonly string[]>>) {
  const deployments = Object.entries(known).map(([uri, names]) => ({
    ...{ id: `id of ${uri}`, uri, services: names.map((name) => ({ name, revision: 1 })) },
  }));
  const admin = createServer(({ url }, response) => {
    const service = newest === null ? null : { name: SERVICE, deployment_id: `id of ${newest}` };
    const answer = url === '/deployments' ? { deployments } : url === `/services/${SERVICE}` ? service : null;
    response.writeHead(answer === null ? 404 : 200).end(JSON.stringify(answer ?? { message: 'not found' }));
  });
  const engine = await addressOf(admin);
  onTestFinished(() => {
    admin.closeAllConnections();
    admin.close();
  });
  return engine;
}

/** What a worker at `http://own` hears from such an engine. */
async function ask(...given: Parameters<typeof engineWith>) {
  const engine = await engineWith(...given);
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  return [await othersExecuteRuns(engine, SERVICE, 'http://own', { patienceMs: 0, warn }), warnings];
}

test('a worker leaves runs to another one that is there', async () => {
  expect(await ask(null, {})).toEqual([false, []]);
  const listener = createListener();
  onTestFinished(() => void listener.close());
  const other = `${await addressOf(listener)}/`;
  expect(await ask(other, { [other]: [SERVICE], 'http://own/': ['test.Effects.gpu'] })).toEqual([true, []]);
  // Turns that began here continue here.
  expect(await ask(other, { [other]: [SERVICE], 'http://own/': [SERVICE] })).toEqual([false, []]);
  expect(await ask('http://own/', { 'http://own/': [SERVICE] })).toEqual([false, []]);
});

test('a worker does not leave runs to one that is gone', async () => {
  const gone = 'http://127.0.0.1:1';
  expect(await ask(gone, { [gone]: [SERVICE] })).toEqual([
    false,
    [`the engine knows the worker \`${gone}\` for all runs, but nothing answers there; this worker executes them, too`],
  ]);
});

test.each([
  [
    `[META0003] [META0003] got status code '401 Unauthorized'. Response headers: {"date": "now"}. Body: {"message":"no"}`,
    "got status code '401 Unauthorized'",
    true,
  ],
  ['[META0003] [META0003] error when calling: Connection refused', 'error when calling: Connection refused', false],
  [
    '[META0014] [META0014] server possibly supports only HTTP1.1, consider discovery with --use-http1.1.',
    'server possibly supports only HTTP1.1',
    false,
  ],
  [
    "[META0003] got status code '404'. Make sure the provided URI is right. Response headers: {}. Body: ",
    "got status code '404'",
    false,
  ],
])('a worker that the engine refuses learns why: %s', async (message, reason, isOtherKey) => {
  const admin = createServer((_, response) => void response.writeHead(400).end(JSON.stringify({ message })));
  const engine = await addressOf(admin);
  onTestFinished(() => {
    admin.closeAllConnections();
    admin.close();
  });
  const text = `the engine at \`${engine}\` does not accept the worker \`http://own\`: ${reason}`;
  await expect(register(engine, 'http://own', [], 0)).rejects.toMatchObject({ message: text, isOtherKey });
});

test('what is no address is not reachable', async () => {
  const { absentSince } = reachFrom('http://127.0.0.1:1', serviceNames('test'), 0);
  const since = await absentSince('nowhere');
  expect(since).toMatch(/^\d{4}-\d\d-\d\dT/);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await absentSince('nowhere')).toBe(since);
  expect(await absentSince({} as string)).not.toBe(null);
});

test('only addresses of workers are tried, because anybody can name one', async () => {
  let tries = 0;
  const listener = createListener(() => void tries++);
  onTestFinished(() => void listener.close());
  const there = await addressOf(listener);
  const stranger = reachFrom(await engineWith(null, { 'http://own': [SERVICE] }), serviceNames('test'), 0);
  expect([(await stranger.absentSince(there)) === null, tries]).toEqual([false, 0]);
  const worker = reachFrom(await engineWith(null, { [`${there}/`]: [SERVICE] }), serviceNames('test'), 0);
  expect(await worker.absentSince(there)).toBe(null);
  // A name cannot be a path of the admin API.
  expect(await worker.worker({ kind: 'label', name: '/../../../deployments' })).toBe('none');
});

test('an engine that lost its data gets to know a worker again', async () => {
  const known = new Set<string>();
  const posted: string[] = [];
  const admin = createServer(async (request, response) => {
    const { url = '', method } = request;
    if (method === 'POST') {
      posted.push(url);
      known.add('test.Turn').add('test.Run');
      return void response.writeHead(201).end(JSON.stringify({ id: 'own' }));
    }
    const isKnown = known.has(url.replace('/services/', ''));
    response.writeHead(isKnown ? 200 : 404).end(JSON.stringify(isKnown ? { deployment_id: 'own' } : {}));
  });
  const engine = await addressOf(admin);
  onTestFinished(() => {
    admin.closeAllConnections();
    admin.close();
  });
  const look = () => registerForgotten(engine, 'http://own', ['test.Run', 'test.Turn'], 0);
  expect([await look(), posted]).toEqual([true, ['/deployments']]);
  expect([await look(), posted.length]).toEqual([false, 1]);
  // Another worker may have one of them.
  known.delete('test.Run');
  expect([await look(), posted.length]).toEqual([false, 1]);
});
