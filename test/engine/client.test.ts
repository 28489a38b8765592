/** The client of an engine, against a server that answers as the test says. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { type EngineClient, type EngineFailure, engineClient } from '../../src/engine/client.js';
import { packText } from '../../src/engine/stored-lines.js';
import { lineOfBody } from '../../src/runtime/store/journal-line.js';

interface Asked {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly message: unknown;
}

/** The status 0 closes the connection after the request was read. */
type Answer = readonly [status: number, body: unknown];

/** Of the requests of the last server. */
const keys: unknown[] = [];

/** Gives the answers one after the other; the last one also to all later requests. */
async function withServer<T>(
  answers: readonly Answer[],
  action: (client: EngineClient, asked: readonly Asked[], url: string) => Promise<T>,
): Promise<T> {
  const asked: Asked[] = [];
  keys.length = 0;
  const server = createServer(async (request: IncomingMessage, response) => {
    const body = await text(request);
    const { authorization } = request.headers;
    const [status, answer] = (answers[asked.length] ?? answers.at(-1)) as Answer;
    asked.push({ path: request.url, authorization, message: JSON.parse(body) });
    keys.push(request.headers['idempotency-key']);
    if (status === 0) return request.socket.destroy();
    response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return await action(
      engineClient({ url: `${url}/`, namespace: 'ours', token: 'abc', patienceMs: 60_000 }),
      asked,
      url,
    );
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

async function failureOf(call: Promise<unknown>): Promise<Pick<EngineFailure, 'kind' | 'status' | 'message'>> {
  const { kind, status, message } = (await call.then(
    () => null,
    (cause: unknown) => cause,
  )) as EngineFailure;
  return { kind, status, message };
}

test('it names the run, the handler and the namespace, and sends the token', async () => {
  await withServer([[200, { seq: 3 }]], async (client, asked) => {
    const delivery = { kind: 'cancel', by: 'ann' } as const;
    await client.deliver('a/b', [delivery]);
    expect(asked).toEqual([{ path: '/ours.Run/a%2Fb/tell', authorization: 'Bearer abc', message: [delivery] }]);
  });
});

test('a delivery that is repeated after a broken connection has the same key, another delivery another one', async () => {
  await withServer(
    [
      [0, null],
      [200, { seq: 3 }],
    ],
    async (client) => {
      await client.deliver('a', [{ kind: 'signal', name: 'go', payload: null, by: 'ann' }]);
      await client.deliver('a', [{ kind: 'signal', name: 'go', payload: null, by: 'ann' }]);
      const [first, second, other] = keys;
      expect([keys.length, typeof first, first === second, second === other]).toEqual([3, 'string', true, false]);
    },
  );
});

test('a resumption and a removal that are repeated after a broken connection have the same key', async () => {
  const broken: Answer[] = [
    [0, null],
    [200, null],
  ];
  const resuming = { seq: 3, image: {} as never, events: [], by: 'ann' };
  for (const change of [(one: EngineClient) => one.resume('a', resuming), (one: EngineClient) => one.drop('a', 3)])
    await withServer(broken, async (client, asked) => {
      await change(client);
      expect([asked.length, typeof keys[0], keys[0] === keys[1]]).toEqual([2, 'string', true]);
    });
});

test('it asks again while the server starts', async () => {
  await withServer(
    [
      [503, ''],
      [502, ''],
      [200, null],
    ],
    async (client, asked) => {
      expect([await client.status('r'), asked.length]).toEqual([null, 3]);
    },
  );
});

test('it says whether there is no server, no worker, or a refusal', async () => {
  const closed = await withServer([[200, null]], async (_, __, url) => url);
  const absent = engineClient({ url: closed, namespace: 'ours', token: null, patienceMs: 0 });
  expect(await failureOf(absent.status('r'))).toEqual({
    kind: 'absent',
    status: null,
    message: `no engine answers at \`${closed}\``,
  });
  const missing: Answer = [404, { message: "service 'ours.Run' not found, make sure to register the service" }];
  await withServer([missing], async (client, _, url) => {
    expect(await failureOf(client.status('r'))).toEqual({
      kind: 'no-service',
      status: 404,
      message: `the engine at \`${url}\` has no worker of statedsl: ${(missing[1] as { message: string }).message}`,
    });
  });
  await withServer([[409, { message: 'run `r` has already returned' }]], async (client) => {
    const refused = { kind: 'refused', status: 409, message: 'run `r` has already returned' };
    expect(await failureOf(client.deliver('r', []))).toEqual(refused);
  });
  const unread = 'Failed to deserialize input: the values were encrypted with another key than the `K` of this process';
  await withServer([[400, { message: unread }]], async (client) => {
    const words = 'encrypted with another key than the `K` of the worker';
    const message = `the worker cannot read what this command sends: the values were ${words}`;
    expect(await failureOf(client.status('r'))).toEqual({ kind: 'refused', status: 400, message });
  });
  await withServer([[404, { message: 'there is no run `r`' }]], async (client) => {
    expect((await failureOf(client.deliver('r', []))).kind).toBe('refused');
  });
});

test('an answer waits until a turn has reported what it asks, but not for long', async () => {
  const busy = { status: 'running', seq: 1, turn: 1, report: null, asksUnknown: true };
  const answer = [{ kind: 'answer', name: 'ok', value: 'yes', by: 'ann' }] as const;
  const { asksUnknown: _, ...known } = busy;
  const answers: Answer[] = [
    [200, busy],
    [200, busy],
    [200, known],
    [200, { seq: 7 }],
  ];
  await withServer(answers, async (client, asked) => {
    expect([await client.deliver('r', answer), asked.length]).toEqual([7, 4]);
  });
  // A signal needs no question.
  await withServer([[200, { seq: 7 }]], async (client, asked) => {
    expect([
      await client.deliver('r', [{ kind: 'signal', name: 'GO', payload: null, by: 'ann' }]),
      asked.length,
    ]).toEqual([7, 1]);
  });
});

test('what is not an engine, or is in front of one, is told from it', async () => {
  const page = '<!DOCTYPE html><title>Sorry</title>';
  for (const [status, answer, kind, words] of [
    [500, 'not JSON', 'refused', 'refuses requests with status 500: not JSON'],
    [401, page, 'refused', 'refuses requests with status 401'],
    [413, '', 'refused', 'refuses requests with status 413'],
    [405, page, 'absent', 'is not the ingress of an engine'],
    [501, page, 'absent', 'is not the ingress of an engine'],
    [200, page, 'absent', 'is not the ingress of an engine'],
    [200, { ok: true }, 'absent', 'is not the ingress of an engine'],
  ] as const)
    await withServer([[status, answer]], async (client, _, url) => {
      const message = `what answers at \`${url}\` ${words}`;
      const calls = [client.status('r'), client.about('r'), client.list(1), client.deliver('r', [])];
      for (const call of [...calls, client.events('r').next()])
        expect(await failureOf(call)).toEqual({ kind, status, message });
    });
  await withServer([[200, '']], async (client) => {
    for (const call of [client.list(1), client.deliver('r', [])])
      expect(await failureOf(call)).toMatchObject({ kind: 'absent' });
  });
});

/** A server that accepts requests for runs and never answers them. `isWell`: whether it answers other requests. */
async function withSilence<T>(isWell: boolean, action: (client: EngineClient, url: string) => Promise<T>): Promise<T> {
  const server = createServer((request, response) => {
    if (isWell && request.method === 'GET') response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const times = { patienceMs: 60_000, answerMs: 30, healthMs: isWell ? 60_000 : 30 };
    return await action(engineClient({ url, namespace: 'ours', token: null, ...times }), url);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test('it does not wait for a server that accepts requests and never answers', async () => {
  await withSilence(false, async (client, url) => {
    const message = `what listens at \`${url}\` accepts requests, but does not answer them`;
    for (const call of [client.status('r'), client.events('r').next()])
      expect(await failureOf(call)).toEqual({ kind: 'absent', status: null, message });
  });
});

test('it waits for events without a worker, but not for the state of a run', async () => {
  await withSilence(true, async (client) => {
    const stop = new AbortController();
    const events = client.events('r', 1, stop.signal).next();
    const { kind, message } = (await failureOf(client.status('r'))) as EngineFailure;
    expect(kind).toBe('no-worker');
    expect(message).toMatch(/^no worker since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: none answers at the engine `/);
    const more = 'the engine keeps what was sent and delivers it when a worker comes, so do not send it again';
    expect(await failureOf(client.deliver('r', []))).toMatchObject({
      message: expect.stringMatching(`^no worker since .*; ${more}$`),
    });
    stop.abort(new Error('left'));
    await expect(events).rejects.toThrow('left');
  });
});

test('it follows events until the run has ended', async () => {
  const answers: Answer[] = [
    [200, { status: 'running', seq: 2, lines: ['1', '2'] }],
    // Somebody else woke it.
    [200, { status: 'running', seq: 2, lines: [] }],
    [200, { status: 'returned', seq: 4, chunks: [['2', '3']], skip: 1 }],
    [
      200,
      {
        status: 'returned',
        seq: 4,
        chunks: [{ packed: packText(Buffer.from('"type":"x"')), first: 4, count: 1, characters: 1 }],
        skip: 0,
      },
    ],
  ];
  await withServer(answers, async (client, asked) => {
    const lines: string[] = [];
    for await (const part of client.events('r')) lines.push(...part.lines);
    expect(lines).toEqual(['1', '2', '3', lineOfBody(Buffer.from('"type":"x"'), 0, 10, 4)]);
    expect(asked.map(({ message }) => (message as { from: number }).from)).toEqual([1, 3, 3, 4]);
  });
});

test('a run was removed only if the engine has had runs of its day', async () => {
  const run = '01920000-0000-7000-8000-000000000001';
  const day = new Date(Number.parseInt(run.replace('-', '').slice(0, 12), 16)).toISOString().slice(0, 10);
  await withServer(
    [
      [200, null],
      [200, [day]],
      [200, null],
      [200, ['2000-01-01']],
      [200, { seq: 1 }],
    ],
    async (client) => {
      expect([await client.isGone(run), await client.isGone(run), await client.isGone(run)]).toEqual([
        true,
        false,
        false,
      ]);
    },
  );
});
