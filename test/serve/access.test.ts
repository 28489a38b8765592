/** Who may talk to the service, and what it says to everybody else. */
import { describe, expect, test } from 'vitest';
import { hostsOf, userOf } from '../../src/serve/access.js';
import { serviceOf, type TestService, TOKEN } from './service.js';

/** The cookie that a browser gets at the printed address. */
async function signedIn({ send }: Pick<TestService, 'send'>, token = TOKEN): Promise<string> {
  const { headers } = await send('GET', `/?token=${token}`, undefined, { authorization: null });
  return /^[^;]*/.exec(headers.get('set-cookie') ?? '')?.[0] ?? '';
}

/** Replaced by the cookie of a session. */
const BY_COOKIE = { authorization: null, cookie: '' };

describe('access', () => {
  test('needs the token, in a header or in the cookie', async () => {
    const { send } = await serviceOf({});
    const without = await send('GET', '/api/v1/runs', undefined, { authorization: null });
    expect(without.status).toBe(401);
    expect(without.json).toMatchObject({ code: 'no-token' });
    expect(without.headers.get('www-authenticate')).toBe('Bearer realm="statedsl"');
    expect((await send('GET', '/api/v1/runs', undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await send('GET', '/api/v1/runs')).status).toBe(200);
    const session = await signedIn({ send });
    const statusWith = async (cookie: string, of = send) =>
      (await of('GET', '/api/v1/runs', undefined, { authorization: null, cookie })).status;
    expect(await statusWith(session)).toBe(200);
    // A session holds for as long as the token, also in another process of the service, and tells nobody the token.
    expect(session).not.toContain(TOKEN);
    expect(await signedIn({ send })).not.toBe(session);
    expect(await statusWith(session, (await serviceOf({})).send)).toBe(200);
    const access = { token: 'another-token-0123456789', hosts: null, port: () => 7700 };
    expect(await statusWith(session, (await serviceOf({}, { access })).send)).toBe(401);
    for (const wrong of [
      session.replace('7700', '7701'),
      `statedsl_7700=${TOKEN}`,
      session.slice(0, -1),
      session.replace(/=(.)/, (_, first) => `=${first === '-' ? '_' : '-'}`),
      'statedsl_7700=.',
    ])
      expect([wrong, await statusWith(wrong)]).toEqual([wrong, 401]);
  });

  test('the printed address sets the cookie and loses the token', async () => {
    const { send } = await serviceOf({});
    const first = await send('GET', `/?token=${TOKEN}&x=1`, undefined, { authorization: null });
    expect(first.status).toBe(303);
    expect(first.headers.get('location')).toBe('/?x=1');
    expect(first.headers.get('set-cookie')).toMatch(
      /^statedsl_7700=[\w-]{24}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const twice = await send('GET', `//evil.example/?token=${TOKEN}`, undefined, { authorization: null });
    expect(twice.headers.get('location')).toBe('/evil.example/');
    const start = await send('GET', '/', undefined, { authorization: null, cookie: await signedIn({ send }) });
    expect(start).toMatchObject({ status: 200, text: expect.stringContaining('<script type="module" src="/assets/') });
    expect((await send('GET', '/', undefined, { authorization: null })).status).toBe(401);
    expect((await send('GET', '/?token=wrong', undefined, { authorization: null })).status).toBe(401);
    // The programs of a service use the header: addresses are logged.
    expect((await send('GET', `/api/v1/runs?token=${TOKEN}`, undefined, { authorization: null })).status).toBe(401);
  });

  test.each([
    ['another name of the host', { host: 'evil.example:7700' }, 'wrong-host'],
    ['another port', { host: '127.0.0.1:80' }, 'wrong-host'],
    ['a page of another site', { origin: 'http://evil.example' }, 'foreign-origin'],
    ['a file', { origin: 'null' }, 'foreign-origin'],
    ['another port of this machine', { origin: 'http://127.0.0.1:1234' }, 'foreign-origin'],
    ['a request that another site causes', { 'sec-fetch-site': 'cross-site' }, 'foreign-origin'],
    ['a request that a page of another port causes', { 'sec-fetch-site': 'same-site' }, 'foreign-origin'],
  ])('refuses %s, also with the token', async (_, headers, code) => {
    const { send } = await serviceOf({});
    for (const path of ['/', '/api/v1/runs', '/api/v1/metrics']) {
      const { status, json } = await send('GET', path, undefined, headers);
      expect({ path, status, json }).toMatchObject({ status: 403, json: { code } });
    }
  });

  test.each([
    ['127.0.0.1', 7700, ['127.0.0.1:7700', 'localhost:7700']],
    ['::1', 7700, ['[::1]:7700', 'localhost:7700']],
    ['LocalHost', 7700, ['localhost:7700', '127.0.0.1:7700']],
    ['127.0.0.1', 80, ['127.0.0.1', '127.0.0.1:80', 'localhost', 'localhost:80']],
    ['0.0.0.0', 7700, null],
  ])('at %s and port %d, clients call it %j', (host, port, names) => {
    expect(hostsOf(host, port)).toEqual(names);
  });

  test('a link from another port of this machine leads to the page', async () => {
    const { send } = await serviceOf({});
    const link = { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' };
    expect((await send('GET', '/', undefined, link)).status).toBe(200);
    expect((await send('POST', '/api/v1/runs', {}, link)).status).toBe(403);
  });

  test.each([
    [undefined, null],
    ['  ', null],
    ['ada', 'ada'],
    [Buffer.from('Zoë Żak').toString('latin1'), 'Zoë Żak'],
    ['Zo\u00eb', 'Zoë'],
    ['x'.repeat(300), 'x'.repeat(200)],
  ])('the user of a header %j is %j', (header, user) => {
    expect(userOf(header)).toBe(user);
  });

  test('says whether it is alive to everybody', async () => {
    const { send } = await serviceOf({});
    const { status, json } = await send('GET', '/api/v1/healthz', undefined, { authorization: null, host: 'x' });
    expect({ status, json }).toEqual({ status: 200, json: { status: 'ok' } });
  });

  test('lets no page embed it and no script in', async () => {
    const { send } = await serviceOf({});
    const { headers } = await send('GET', '/api/v1/runs');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test('changes nothing when it may only read', async () => {
    const { send } = await serviceOf({ 'a.dsl': 'RETURN: 1\n' }, { isReadOnly: true });
    for (const path of ['/runs', '/runs/0/cancel', '/runs/0/answers', '/runs/0/apply', '/runs/0/resume']) {
      const { status, json } = await send('POST', `/api/v1${path}`, { program: 'a.dsl' });
      expect({ path, status, json }).toMatchObject({ status: 403, json: { code: 'read-only' } });
    }
    expect((await send('GET', '/api/v1/runs')).status).toBe(200);
    expect((await send('POST', '/api/v1/check', { program: 'a.dsl' })).json).toEqual({ valid: true, diagnostics: [] });
  });
});

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('requests that are wrong', () => {
  test.each([
    ['a member that does not exist', 'POST', '/runs', { program: 'a.dsl', input: {} }, 400, /input/],
    ['neither program nor text', 'POST', '/runs', {}, 400, /needs either `program` or `text`/],
    ['a limit that is not one', 'POST', '/runs', { program: 'a.dsl', limits: { cost: -1 } }, 400, /limits\.cost/],
    ['no JSON', 'POST', '/runs', '{"program": ', 400, /JSON/],
    ['an id that leads elsewhere', 'GET', '/runs/..%2F..%2Fetc', undefined, 404, /not the id of a run/],
    ['what is no id', 'POST', '/runs/nope/cancel', {}, 404, /not the id of a run/],
    ['a hash that leads elsewhere', 'GET', '/runs/0/artifacts/..%2F..%2Frun.json', undefined, 404, /SHA-256/],
    ['a time without a date', 'GET', '/runs?since=5', undefined, 400, /not a time/],
    [
      'a name that leads out',
      'POST',
      '/check',
      { text: 'RETURN: 1', name: '../a.dsl' },
      400,
      /leads out of the folder/,
    ],
    ['a filter that does not exist', 'GET', '/runs?state=A', undefined, 400, /state/],
    ['a number that is none', 'GET', '/runs?limit=many', undefined, 400, /^`limit` must be a number$/],
    ['a number that is too large', 'GET', '/runs?limit=1001', undefined, 400, /^`limit` must be at most 1000$/],
    [
      'a text that is too long',
      'GET',
      `/runs?q=${'x'.repeat(1001)}`,
      undefined,
      400,
      /^`q` must have at most 1000 char/,
    ],
    ['an event before the first', 'GET', '/runs/0?at=-1', undefined, 400, /^`at` must be at least 1$/],
    ['a list', 'POST', '/runs', [], 400, /^the request must be an object$/],
    ['no body', 'POST', '/runs', undefined, 400, /needs either `program` or `text`/],
    ['a status that does not exist', 'GET', '/runs?status=done', undefined, 400, /status/],
    ['a program that leads elsewhere', 'POST', '/runs', { program: '../a.dsl' }, 404, /no program/],
    ['an absolute program', 'POST', '/runs', { program: '/etc/passwd' }, 404, /no program/],
    ['a text', 'POST', '/runs', { text: 'RETURN: 1\n' }, 403, /only the programs of its folder/],
    [
      'an input twice',
      'POST',
      '/runs',
      '{"program":"a.dsl","inputs":{"n":1,"\\u006e":2}}',
      400,
      /the member `n` twice/,
    ],
    [
      'an input with a name of JavaScript',
      'POST',
      '/runs',
      '{"program":"a.dsl","inputs":{"__proto__":1}}',
      422,
      /no inp/,
    ],
    ['an answer with such a name', 'POST', '/runs/01975c3a/answers', '{"answers":{"__proto__":1}}', 404, /no run/],
    ['inputs in a list', 'POST', '/runs', { program: 'a.dsl', inputs: [1] }, 400, /^`inputs` must be an object$/],
    ['what is nested too deeply', 'POST', '/runs/0/signals', `{"name":"a","payload":${deep(300)}}`, 400, /202 levels/],
    ['bytes that are not UTF-8', 'POST', '/runs', new Uint8Array([123, 34, 255, 34, 125]), 400, /not UTF-8/],
    ['a member that apply does not have', 'POST', '/runs/01975c3a/apply', { force: true }, 400, /no member `force`/],
    [
      'a program in which the run never was',
      'GET',
      `/runs/0/program?digest=${'0'.repeat(64)}`,
      undefined,
      404,
      /no run/,
    ],
    ['an input that does not exist', 'POST', '/runs', { program: 'a.dsl', inputs: { b: 1 } }, 422, /no input `b`/],
    ['an input of another type', 'POST', '/runs', { program: 'a.dsl', inputs: { n: 'x' } }, 422, /must be a number/],
    ['a run that does not exist', 'GET', '/runs/01975c3a', undefined, 404, /run/],
    ['an address that does not exist', 'GET', '/nothing', undefined, 404, /nothing at this address/],
  ])('%s', async (_, method, path, body, status, message) => {
    const { send } = await serviceOf({ 'a.dsl': 'INPUT: n = 1 (number)\nRETURN: {n}\n' });
    const got = await send(method, `/api/v1${path}`, body);
    expect({ status: got.status, message: got.json.message }).toEqual({
      status,
      message: expect.stringMatching(message),
    });
    expect(Object.keys(got.json)).toEqual(expect.arrayContaining(['code', 'message', 'help']));
    expect(got.text).not.toMatch(/\bat .*\.[jt]s:/);
  });

  test.each([
    ['PUT', '/runs', 'GET, HEAD, POST'],
    ['DELETE', '/runs/01975c3a', 'GET, HEAD'],
    ['GET', '/runs/01975c3a/cancel', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['PATCH', '/runs/01975c3a/effects/1/output', 'GET, HEAD'],
  ])('%s %s: which methods there are', async (method, path, allow) => {
    const { send } = await serviceOf({});
    const { status, headers, json } = await send(method, `/api/v1${path}`);
    expect({ status, allow: headers.get('allow'), json }).toMatchObject({
      status: 405,
      allow,
      json: { code: 'wrong-request' },
    });
  });

  test.each([
    ['of another type', { 'content-type': 'text/plain' }, 415, 'must be JSON'],
    ['that is encoded', { 'content-encoding': 'gzip' }, 415, 'is encoded'],
    ['without a type, for a page that has the cookie', { 'content-type': null, ...BY_COOKIE }, 415, 'must be JSON'],
    [
      'that is called a form, for a page that has the cookie',
      { 'content-type': 'application/x-www-form-urlencoded', ...BY_COOKIE },
      415,
      'must be JSON',
    ],
  ])('a body %s', async (_, headers, status, message) => {
    const { send } = await serviceOf({ 'a.dsl': 'RETURN: 1\n' });
    const session: Record<string, string> = 'cookie' in headers ? { cookie: await signedIn({ send }) } : {};
    const got = await send(
      'POST',
      '/api/v1/runs',
      { program: 'a.dsl' },
      { ...(headers as Record<string, string | null>), ...session },
    );
    expect(got).toMatchObject({
      status,
      json: { message: expect.stringContaining(message), help: expect.any(String) },
    });
  });

  test('a body that is called a form, as by `curl -d`, is JSON for a client with the token', async () => {
    const { send } = await serviceOf({ 'a.dsl': 'RETURN: 1\n' });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await send('POST', '/api/v1/runs', { program: 'a.dsl' }, form)).toMatchObject({ status: 201 });
  });

  test('a body that is too large', async () => {
    const { send } = await serviceOf({ 'a.dsl': 'RETURN: 1\n' });
    const { status, json, headers } = await send('POST', '/api/v1/runs', { program: 'x'.repeat(5 * 1024 * 1024) });
    expect({ status, json }).toMatchObject({ status: 413, json: { code: 'too-large' } });
    expect(headers.get('connection')).toBe('close');
  });

  test('a body that ends early is no bug of the service', async () => {
    const { send } = await serviceOf({ 'a.dsl': 'RETURN: 1\n' });
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"prog'));
        controller.error(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
      },
    });
    const { status, json } = await send('POST', '/api/v1/runs', body);
    expect({ status, json }).toMatchObject({ status: 400, json: { message: 'the request ended too early' } });
  });

  test('a program with errors: all that is wrong with it', async () => {
    const { send } = await serviceOf({ 'a.dsl': 'GOTO: NOWHERE\n' });
    const { status, json } = await send('POST', '/api/v1/runs', { program: 'a.dsl' });
    expect(status).toBe(422);
    expect(json).toMatchObject({ code: 'invalid-program', diagnostics: [{ code: 'unknown-state', line: 1 }] });
  });
});
