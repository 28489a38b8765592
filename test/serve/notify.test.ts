/** Who learns that a run has ended: real receivers, over HTTP and as commands, and a clock that the test moves. */
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openRuns } from '../../src/app/open-runs.js';
import { loadConfiguration, type NotifyTarget } from '../../src/runtime/configuration/load-configuration.js';
import { keyOfTarget, type Notice } from '../../src/runtime/notifications/notices.js';
import { Notifier, noticeSender } from '../../src/runtime/notifications/notifier.js';
import { lockNotices, sendNotices } from '../../src/runtime/notifications/send-notices.js';
import { serviceOf } from './service.js';

const RUN = '01975c3a-5b9e-7c2f-9d1a-3f0e6b8c4d21';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** An HTTP server that answers with these statuses in turn, and then with 204. */
async function receiver(statuses: number[] = []) {
  const received: Received[] = [];
  let notify = (): void => undefined;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body: JSON.parse(body), text: body });
      response.writeHead(statuses.shift() ?? 204).end();
      notify();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    received,
    target: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` } as NotifyTarget,
    async until(count: number): Promise<void> {
      while (received.length < count) await new Promise<void>((resolve) => (notify = resolve));
    },
  };
}

/** Time that passes only when the test says so. */
function manualClock() {
  let now = Date.parse('2030-01-01T00:00:00Z');
  const timers = new Set<{ readonly at: number; readonly action: () => void }>();
  return {
    now: () => now,
    start(ms: number, action: () => void) {
      const timer = { at: now + ms, action };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms: number): void {
      const end = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = next.at;
        next.action();
      }
      now = end;
    },
    /** Timers that were due meanwhile fire once. */
    jump(ms: number): void {
      now += ms;
      const due = [...timers].filter(({ at }) => at <= now);
      for (const timer of due) {
        timers.delete(timer);
        timer.action();
      }
    },
  };
}

function store() {
  const directory = mkdtempSync(join(tmpdir(), 'statedsl-notify-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const folder = join(directory, 'service');
  mkdirSync(folder);
  mkdirSync(join(directory, 'runs'));
  return {
    directory,
    folder,
    /** What a process appends to the index. */
    append(status: string, ended_at: string, run_id = RUN): void {
      const line = JSON.stringify({ run_id, machine: 'deploy', status, ended_at });
      writeFileSync(join(directory, 'runs/index.ndjson'), `${line}\n`, { flag: 'a' });
    },
    kept: () => readdirSync(join(folder, 'notices')),
  };
}

const settled = (notifier: Notifier): Promise<void> => until(() => notifier.waiting === 0);

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

test('an end is posted once, with its id, and what began or was interrupted is not', async () => {
  const { target, received, until } = await receiver();
  const { append, kept, ...where } = store();
  append('returned', '2029-12-31T00:00:00.000Z', '01975c3a-0000-7c2f-9d1a-3f0e6b8c4d21');
  const clock = manualClock();
  const warn = expect.unreachable;
  const notifier = new Notifier({ ...where, targets: [target], send: noticeSender('.'), warn, clock });
  append('running', '2030-01-01T00:00:00.000Z');
  append('suspended', '2030-01-01T00:00:01.000Z');
  append('interrupted', '2030-01-01T00:00:02.000Z');
  append('returned', '2030-01-01T00:00:03.000Z');
  notifier.look();
  await until(2);
  await settled(notifier);
  const ids = [`${RUN}.1893456001000`, `${RUN}.1893456003000`];
  expect(received.map(({ body }) => body)).toEqual([
    {
      id: ids[0],
      run_id: RUN,
      status: 'suspended',
      machine: 'deploy',
      at: '2030-01-01T00:00:01.000Z',
      title: 'deploy',
    },
    { id: ids[1], run_id: RUN, status: 'returned', machine: 'deploy', at: '2030-01-01T00:00:03.000Z', title: 'deploy' },
  ]);
  expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual(ids);
  expect(received[0]?.headers['content-type']).toBe('application/json');
  notifier.look();
  clock.advance(60_000);
  await notifier.stop();
  expect(received).toHaveLength(2);
  expect(kept()).toEqual([]);
});

test('a receiver that refuses gets the same id again after 1 s, 2 s, 4 s', async () => {
  const { target, received, until: receivedAtLeast } = await receiver([500, 404, 302, 503]);
  const { append, kept, ...where } = store();
  const clock = manualClock();
  const warn = expect.unreachable;
  const notifier = new Notifier({ ...where, targets: [target], send: noticeSender('.'), warn, clock });
  append('failed', '2030-01-01T00:00:00.000Z');
  notifier.look();
  for (const [tries, pause] of [1000, 2000, 4000, 8000].entries()) {
    await receivedAtLeast(tries + 1);
    await until(() =>
      kept().some((name) => readFileSync(join(where.folder, 'notices', name), 'utf8').includes(`"tries":${tries + 1}`)),
    );
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(pause - 1);
    expect(received).toHaveLength(tries + 1);
    clock.advance(1);
  }
  await receivedAtLeast(5);
  await settled(notifier);
  expect(new Set(received.map(({ body }) => body.id)).size).toBe(1);
  expect(kept()).toEqual([]);
  await notifier.stop();
});

test('what was not received survives the service, and so does what happened while there was none', async () => {
  const { target, received, until: receivedAtLeast } = await receiver([503]);
  const { append, kept, ...where } = store();
  const clock = manualClock();
  const options = { ...where, targets: [target], send: noticeSender('.'), warn: expect.unreachable, clock };
  const first = new Notifier(options);
  append('returned', '2030-01-01T00:00:00.000Z');
  first.look();
  await receivedAtLeast(1);
  await until(() => first.waiting === 1 && kept().length === 1);
  await first.stop();
  append('failed', '2030-01-01T00:00:05.000Z');
  clock.advance(10_000);
  const second = new Notifier(options);
  await receivedAtLeast(3);
  await settled(second);
  expect(
    received
      .slice(1)
      .map(({ body }) => body.status)
      .sort(),
  ).toEqual(['failed', 'returned']);
  await second.stop();
});

test('a notice says what and where the run is, and is signed by Standard Webhooks', async () => {
  const { target, received, until: receivedAtLeast } = await receiver();
  const { directory, folder } = store();
  const { target: unsigned, received: plain, until: plainAtLeast } = await receiver();
  const program = join(directory, 'release.dsl');
  const text =
    'INPUT: version\nINPUT: to = "north"\nINPUT: key (secret)\nASK user: "Publish {version}?" → go choices=yes,no\nRETURN: {go}\n';
  writeFileSync(program, text);
  const clock = manualClock();
  const secret = randomBytes(32);
  const environment: Record<string, string | undefined> = {};
  const send = noticeSender('.', { address: () => 'http://127.0.0.1:7700', environment, now: clock.now });
  const targets = [{ ...target, secret_env: 'SECRET' } as NotifyTarget, unsigned];
  const notifier = new Notifier({ directory, folder, targets, send, warn: expect.unreachable, clock });
  const runs = openRuns({ folder: directory, dir: directory });
  const started = await runs.start(program, { inputs: { version: '1.2', key: 'top-secret' } });
  const { run_id: id } = await (started.ok ? started.value.report : expect.unreachable());
  notifier.look();
  await plainAtLeast(1);
  expect(plain[0]?.headers['webhook-signature']).toBeUndefined();
  // Nothing is sent without the signature that the receiver expects; the next try may have the secret.
  await until(() => notifier.waiting === 1);
  expect(received).toEqual([]);
  environment.SECRET = `whsec_${secret.toString('base64')}`;
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(1000);
  await receivedAtLeast(1);
  await settled(notifier);
  const [got] = received;
  expect(got?.body).toMatchObject({
    run_id: id,
    status: 'suspended',
    title: 'version=1.2',
    url: `http://127.0.0.1:7700/api/v1/runs/${id}`,
    link: `http://127.0.0.1:7700/runs/${id}`,
    waiting: [{ kind: 'ask', id: 'go@1', question: 'Publish 1.2?' }],
  });
  const timestamp = String(Math.floor(clock.now() / 1000));
  const signed = `${got?.body.id}.${timestamp}.${got?.text}`;
  expect(got?.headers).toMatchObject({
    'webhook-id': got?.body.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`,
  });
  await notifier.stop();
});

test('a notice goes to its receiver, also if another one stands before it in the list', async () => {
  const one = await receiver([503]);
  const other = await receiver();
  const { append, kept, ...where } = store();
  const clock = manualClock();
  const options = { ...where, send: noticeSender('.'), warn: expect.unreachable, clock };
  const first = new Notifier({ ...options, targets: [one.target] });
  append('failed', '2030-01-01T00:00:00.000Z');
  first.look();
  await one.until(1);
  await until(() => first.waiting === 1 && kept().length === 1);
  await first.stop();
  clock.advance(10_000);
  const second = new Notifier({ ...options, targets: [other.target, one.target] });
  await one.until(2);
  await settled(second);
  expect(other.received).toEqual([]);
  await second.stop();
  // One that is not in the list any more gets nothing.
  append('returned', '2030-01-01T00:01:00.000Z');
  const third = new Notifier({ ...options, targets: [other.target] });
  await other.until(1);
  await settled(third);
  expect([one.received.length, kept()]).toEqual([2, []]);
  await third.stop();
});

test('a clock that is set back by hours holds up no notice', async () => {
  const { target, received, until: receivedAtLeast } = await receiver([503, 503]);
  const { append, kept, ...where } = store();
  const clock = manualClock();
  const options = { ...where, targets: [target], send: noticeSender('.'), warn: expect.unreachable, clock };
  const notifier = new Notifier(options);
  append('failed', '2030-01-01T00:00:00.000Z');
  notifier.look();
  await receivedAtLeast(1);
  const isTried = (tries: number): boolean =>
    kept().some(
      (name) =>
        name.endsWith('.json') &&
        readFileSync(join(where.folder, 'notices', name), 'utf8').includes(`"tries":${tries}`),
    );
  await until(() => isTried(1));
  await notifier.stop();
  clock.jump(-5 * 60 * 60 * 1000);
  const second = new Notifier(options);
  await receivedAtLeast(2);
  await until(() => isTried(2));
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(2000);
  await receivedAtLeast(3);
  await settled(second);
  expect(received).toHaveLength(3);
  await second.stop();
});

test('a receiver that takes nothing is told of once, until it has taken one', async () => {
  const { append, kept, ...where } = store();
  const clock = manualClock();
  const said: string[] = [];
  let problem: string | null = 'nobody is there';
  const targets = [{ url: 'http://127.0.0.1:1/hooks/s3cret' }];
  const onRefused = (name: string, why: string): void => void said.push(`${name}: ${why}`);
  const notifier = new Notifier({
    ...{ ...where, targets, clock, onRefused },
    ...{ send: async () => problem, warn: expect.unreachable },
  });
  const tryAll = async (): Promise<void> => {
    notifier.look();
    for (let turn = 0; turn < 5; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(600_000);
    }
  };
  append('failed', '2030-01-01T00:00:00.000Z');
  await tryAll();
  append('returned', '2030-01-01T00:00:10.000Z');
  await tryAll();
  expect(said).toEqual(['http://127.0.0.1:1: nobody is there']);
  problem = null;
  await tryAll();
  expect(kept()).toEqual([]);
  problem = 'it is ill';
  append('failed', '2030-01-01T00:10:00.000Z');
  await tryAll();
  expect(said.slice(1)).toEqual(['http://127.0.0.1:1: it is ill']);
  await notifier.stop();
});

test('a notice is given up after a day', async () => {
  const { append, kept, ...where } = store();
  const clock = manualClock();
  const warnings: string[] = [];
  let tries = 0;
  const send = async () => {
    tries++;
    return 'nobody is there';
  };
  const targets = [{ url: 'http://127.0.0.1:1/' }];
  const notifier = new Notifier({ ...where, targets, send, warn: (message) => void warnings.push(message), clock });
  append('failed', '2030-01-01T00:00:00.000Z');
  notifier.look();
  for (let seconds = 0; warnings.length === 0 && seconds < 200_000; seconds += 600) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.jump(600_000);
  }
  expect(warnings).toEqual([`notice ${RUN}.1893456000000 was given up after ${tries} tries: nobody is there`]);
  expect(clock.now() - Date.parse('2030-01-01T00:00:00Z')).toBeGreaterThanOrEqual(24 * 60 * 60 * 1000);
  expect(kept()).toEqual([]);
  await notifier.stop();
});

test('a command reads the notice, in the folder of the configuration, and each receiver gets its own', async () => {
  const { target, received, until: receivedAtLeast } = await receiver();
  const { append, kept, ...where } = store();
  const command = { run: ['sh', '-c', 'cat > got.new; test -e ready && mv got.new got'] };
  const clock = manualClock();
  const targets = [command, target];
  const send = noticeSender(where.directory);
  const notifier = new Notifier({ ...where, targets, send, warn: expect.unreachable, clock });
  append('suspended', '2030-01-01T00:00:00.000Z');
  notifier.look();
  await receivedAtLeast(1);
  await until(() => existsSync(join(where.directory, 'got.new')) && notifier.waiting === 1 && kept().length === 1);
  writeFileSync(join(where.directory, 'ready'), '');
  await until(() => {
    clock.advance(1000);
    return notifier.waiting === 0;
  });
  expect(JSON.parse(readFileSync(join(where.directory, 'got'), 'utf8'))).toMatchObject({ status: 'suspended' });
  expect(received).toHaveLength(1);
  await notifier.stop();
});

test('a disk that takes nothing loses no notice', async () => {
  const { target, received, until: receivedAtLeast } = await receiver();
  const { append, kept, ...where } = store();
  const options = { ...where, targets: [target], send: noticeSender('.'), warn: expect.unreachable };
  const notifier = new Notifier({ ...options, clock: manualClock() });
  append('failed', '2030-01-01T00:00:00.000Z');
  const obstacle = join(where.folder, 'notices', `${RUN}.1893456000000.${keyOfTarget(target)}.json.new`);
  mkdirSync(obstacle);
  notifier.look();
  expect({ waiting: notifier.waiting, received }).toEqual({ waiting: 0, received: [] });
  rmSync(obstacle, { recursive: true });
  notifier.look();
  await receivedAtLeast(1);
  await settled(notifier);
  expect(received).toHaveLength(1);
  expect(kept()).toEqual([]);
  await notifier.stop();
});

test('an index that was written anew repeats nothing that is old', async () => {
  const { target, received, until: receivedAtLeast } = await receiver();
  const { append, kept, ...where } = store();
  const clock = manualClock();
  const options = { ...where, targets: [target], send: noticeSender('.'), warn: expect.unreachable, clock };
  const notifier = new Notifier(options);
  append('returned', '2030-01-01T00:00:00.000Z');
  notifier.look();
  append('returned', '2030-01-01T00:01:00.000Z');
  notifier.look();
  await receivedAtLeast(2);
  await settled(notifier);
  const path = join(where.directory, 'runs/index.ndjson');
  const lines = readFileSync(path, 'utf8');
  writeFileSync(`${path}.new`, lines);
  rmSync(path);
  writeFileSync(path, lines);
  append('failed', '2030-01-01T00:02:00.000Z');
  notifier.look();
  await receivedAtLeast(3);
  await settled(notifier);
  const statuses = received.map(({ body }) => `${body.status} ${body.at}`);
  expect(statuses.filter((one) => one.startsWith('returned 2030-01-01T00:00:00'))).toHaveLength(1);
  expect(statuses.filter((one) => one.startsWith('failed'))).toHaveLength(1);
  expect(kept()).toEqual([]);
  await notifier.stop();
});

test('runs of the service: one that waits, one that fails, one that is cancelled', async () => {
  const { target, received, until: receivedAtLeast } = await receiver();
  const { folder, send, finish } = await serviceOf({
    'ask.dsl': 'ASK user: "Go?" → ok\nRETURN: {ok}\n',
    'fail.dsl': 'FAIL: no\n',
  });
  const directory = join(folder, '.statedsl');
  const options = { directory, folder: join(directory, 'service'), targets: [target], clock: manualClock() };
  const notifier = new Notifier({ ...options, send: noticeSender('.'), warn: expect.unreachable });
  const asked = await finish('ask.dsl');
  const failed = await finish('fail.dsl');
  await send('POST', `/api/v1/runs/${asked}/cancel`, {});
  notifier.look();
  await receivedAtLeast(3);
  await settled(notifier);
  expect(received.map(({ body }) => [body.run_id, body.status])).toEqual(
    expect.arrayContaining([
      [asked, 'suspended'],
      [failed, 'failed'],
      [asked, 'failed'],
    ]),
  );
  await notifier.stop();
});

test('a receiver that hangs holds up no other one', async () => {
  const { append, kept, ...where } = store();
  const got: string[] = [];
  const hanging = new Set<() => void>();
  const send = async (target: NotifyTarget, { id }: Notice, signal: AbortSignal): Promise<string | null> => {
    if ('url' in target) {
      got.push(id);
      return null;
    }
    await new Promise<void>((resolve) => {
      hanging.add(resolve);
      signal.addEventListener('abort', () => resolve());
    });
    return 'it hangs';
  };
  const targets: NotifyTarget[] = [{ run: ['hang'] }, { url: 'http://127.0.0.1/' }];
  const notifier = new Notifier({ ...where, targets, send, warn: expect.unreachable, clock: manualClock() });
  for (let second = 10; second < 30; second++) append('returned', `2030-01-01T00:00:${second}.000Z`);
  notifier.look();
  await until(() => got.length === 20);
  expect(hanging.size).toBe(4);
  await notifier.stop();
  expect(kept()).toHaveLength(20);
});

test.each([
  ['what a command has started', 'sleep 300'],
  ['also if it ignores the signal, what a command has started', '(trap "" TERM; exec sleep 300)'],
])('%s ends with it', async (_, started) => {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-notify-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const stop = new AbortController();
  const notice = {
    id: 'a',
    run_id: RUN,
    status: 'returned',
    machine: 'm',
    title: 'm',
    at: '2030-01-01T00:00:00.000Z',
  } as const;
  const sent = noticeSender(folder)(
    { run: ['sh', '-c', `${started} & echo $! > pid.new; sleep 0.1; mv pid.new pid; wait`] },
    notice,
    stop.signal,
  );
  await until(() => existsSync(join(folder, 'pid')));
  const stat = `/proc/${readFileSync(join(folder, 'pid'), 'utf8').trim()}/stat`;
  stop.abort();
  expect(await sent).not.toBeNull();
  await until(() => !existsSync(stat) || readFileSync(stat, 'utf8').includes(') Z '));
});

/** Runs of a folder without a service, whose configuration names the receiver. */
function ownRuns(target: NotifyTarget) {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-notify-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'statedsl.config.yaml'), JSON.stringify({ notify: target }));
  const directory = join(folder, '.statedsl');
  const runs = openRuns({ folder, env: { ...process.env, HOOK: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' } });
  const unsent: string[] = [];
  const finish = async (text = 'RETURN: 1\n') => {
    const started = await runs.start({ text }, { onUnsent: (words) => void unsent.push(words) });
    if (!started.ok) throw new Error(started.refusal.message);
    return started.value.report;
  };
  const flush = async () => {
    const { configuration } = await loadConfiguration(folder);
    return sendNotices(directory, { configuration, folder, mostMs: 8000, isAll: true });
  };
  const kept = () => readdirSync(join(directory, 'service', 'notices')).filter((name) => name.endsWith('.json'));
  return { directory, runs, finish, flush, kept, unsent };
}

test('without a service, the process of a run sends its notice, signed, and each end once', async () => {
  const one = await receiver();
  const { runs, finish, flush, kept } = ownRuns({ ...one.target, secret_env: 'HOOK' } as NotifyTarget);
  const { run_id } = await finish('ASK user: "Go?" → go\nRETURN: {go}\n');
  expect(one.received.map(({ body }) => body)).toMatchObject([{ run_id, status: 'suspended' }]);
  expect(one.received[0]?.headers['webhook-signature']).toMatch(/^v1,/);
  await runs.answer(run_id, { go: 'yes' });
  const resumed = await runs.resume(run_id);
  await (resumed.ok ? resumed.value.report : null);
  expect(one.received.map(({ body }) => body.status)).toEqual(['suspended', 'returned']);
  expect(await flush()).toEqual({ left: 0, problems: [] });
  expect([one.received.length, kept()]).toEqual([2, []]);
});

test('what no receiver has taken is left for the next run, or for `notify --flush`', async () => {
  const one = await receiver([500, 500, 500]);
  const { finish, flush, kept, unsent } = ownRuns(one.target);
  expect((await finish()).status).toBe('returned');
  expect(kept()).toHaveLength(1);
  expect(unsent).toEqual([
    expect.stringMatching(/^notice .* was not received: .* 500; `statedsl notify --flush` sends what is left$/),
  ]);
  expect(await flush()).toMatchObject({ left: 1, problems: [expect.stringContaining('500')] });
  expect(await flush()).toMatchObject({ left: 1 });
  await finish();
  expect(await flush()).toEqual({ left: 0, problems: [] });
  expect(kept()).toEqual([]);
  const ids = one.received.map(({ body }) => body.id);
  // The first notice was refused three times; the one of the second run was received at once.
  expect(new Set(ids).size).toBe(2);
  expect(ids).toHaveLength(5);
});

test('a receiver that hangs keeps no run from ending, and gets its notice later with the same id', async () => {
  const ids: unknown[] = [];
  let hangs = true;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      ids.push(JSON.parse(body).id);
      if (!hangs) response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { finish, flush, unsent } = ownRuns({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
  expect((await finish()).status).toBe('returned');
  expect(unsent).toEqual(['a notice was not received yet; `statedsl notify --flush` sends what is left']);
  hangs = false;
  expect(await flush()).toEqual({ left: 0, problems: [] });
  expect(ids).toEqual([ids[0], ids[0]]);
});

test('while a service sends the notices of the store, a run leaves its own to it', async () => {
  const one = await receiver();
  const { directory, finish, flush } = ownRuns(one.target);
  const lock = await lockNotices(directory, 0);
  expect('release' in lock).toBe(true);
  expect((await finish()).status).toBe('returned');
  expect(one.received).toEqual([]);
  await expect(flush()).rejects.toThrow('sends the notices of this store');
  if ('release' in lock) lock.release();
  expect(await flush()).toEqual({ left: 0, problems: [] });
  expect(one.received).toHaveLength(1);
});
