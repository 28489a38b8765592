/** The door over HTTP: who may call, both revisions, sessions, and the official client. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { httpApp } from '../../src/mcp/http.js';
import { doorOf, type Frame, NEWEST } from './connection.js';

const FILES = {
  'echo.dsl': 'INPUT: a\nSTATE: A\n  RETURN: "v{a}"\n',
  'back.dsl': 'INPUT: a\nSTATE: A\n  RETURN: {a}\n',
  'hello.dsl': 'STATE: A\n  RETURN: hi\n',
  'ask.dsl': 'STATE: A\n  ASK user: "Publish?" → go choices=yes,no\n  RETURN: {go}\n',
};
const TOKEN = 'a-token-of-a-test-0123456789';
const ADDRESS = 'http://127.0.0.1:7701/mcp';
const META = 'io.modelcontextprotocol/';

function serverOf({ token = null as string | null, host = '127.0.0.1' } = {}) {
  const { app, stop } = httpApp(doorOf(FILES), { host, token, port: () => 7701 });
  onTestFinished(stop);
  const post = async (body: unknown, headers: Record<string, string> = {}, address = ADDRESS): Promise<Response> =>
    app.fetch(
      new Request(address, {
        method: 'POST',
        headers: {
          host: '127.0.0.1:7701',
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );
  return { app, post };
}

const envelope = {
  [`${META}protocolVersion`]: NEWEST,
  [`${META}clientInfo`]: { name: 'tester', version: '1' },
  [`${META}clientCapabilities`]: {},
};
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope } };
const modern = { 'mcp-protocol-version': NEWEST, 'mcp-method': 'tools/list' };
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
};

/** The frame of an answer, which is JSON or the data of one event. */
async function frameOf(response: Response): Promise<Frame> {
  const text = await response.text();
  const data = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
  return JSON.parse(data);
}

describe('who may call', () => {
  test.each([
    [{ host: 'evil.example:7701' }, 403],
    [{ origin: 'http://evil.example' }, 403],
    [{ origin: 'http://127.0.0.1:7702' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ origin: 'http://127.0.0.1:7701' }, 200],
    [{}, 200],
  ])('%j is answered with %i', async (headers, status) => {
    const { post } = serverOf();
    const host = (headers as Record<string, string>).host ?? '127.0.0.1:7701';
    const response = await post(list, { ...modern, ...headers }, `http://${host}/mcp`);
    expect(response.status).toBe(status);
  });

  test('a token is asked of everybody if there is one', async () => {
    const { post } = serverOf({ token: TOKEN });
    const refused = await post(list, modern);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('Bearer');
    expect((await post(list, { ...modern, authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await post(list, { ...modern, authorization: `Bearer ${TOKEN}` })).status).toBe(200);
    expect((await post(initialize)).status).toBe(401);
  });
});

test('the newer revision needs its headers and gets no session', async () => {
  const { post } = serverOf();
  const response = await post(list, modern);
  expect(response.headers.get('mcp-session-id')).toBeNull();
  expect((await frameOf(response)).result.tools).toHaveLength(6);
  const wrong = await post(list, { ...modern, 'mcp-method': 'tools/call' });
  expect(wrong.status).toBe(400);
  expect((await frameOf(wrong)).error.code).toBe(-32020);
  expect((await post('{"jsonrpc": "2.0", "id"', modern)).status).toBe(400);
  expect((await post(list, modern, 'http://127.0.0.1:7701/other')).status).toBe(404);
});

test('an older client gets a session of its own, which it can close', async () => {
  const { post, app } = serverOf();
  const begun = await post(initialize);
  const id = begun.headers.get('mcp-session-id') ?? '';
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  const call = {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'run', arguments: { program: 'hello' } },
  };
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
  expect((await frameOf(await post(call, headers))).result.structuredContent.returned).toBe('hi');
  expect((await post(call, { ...headers, 'mcp-session-id': 'f'.repeat(32) })).status).toBe(404);
  const closed = await app.fetch(
    new Request(ADDRESS, { method: 'DELETE', headers: { host: '127.0.0.1:7701', ...headers } }),
  );
  expect(closed.status).toBe(200);
  expect((await post(call, headers)).status).toBe(404);
});

test('the session that was not used for the longest time leaves for the hundred and first', async () => {
  const { post } = serverOf();
  const ids: string[] = [];
  for (let number = 0; number <= 100; number++) ids.push((await post(initialize)).headers.get('mcp-session-id') ?? '');
  const ping = (id: string | undefined) =>
    post({ jsonrpc: '2.0', id: 9, method: 'ping' }, { 'mcp-session-id': id ?? '' });
  expect((await ping(ids[0])).status).toBe(404);
  expect((await ping(ids[1])).status).toBe(200);
  expect((await ping(ids[100])).status).toBe(200);
});

test.each(['auto', 'legacy'] as const)('the official client, %s: tools, a form, a result', async (mode) => {
  const { app } = serverOf({ token: TOKEN });
  const client = new Client(
    { name: 'official', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  const forms: Frame[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    forms.push(params);
    return { action: 'accept', content: { go: 'yes' } };
  });
  const transport = new StreamableHTTPClientTransport(new URL(ADDRESS), {
    requestInit: { headers: { authorization: `Bearer ${TOKEN}` } },
    fetch: async (url, init) => {
      const request = new Request(url, init);
      request.headers.set('host', '127.0.0.1:7701');
      return app.fetch(request);
    },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? NEWEST : '2025-11-25');
  expect((await client.listTools()).tools).toHaveLength(6);
  const result = await client.callTool({ name: 'run', arguments: { program: 'ask' } });
  expect(result.structuredContent).toMatchObject({ status: 'returned', returned: 'yes' });
  expect(forms).toHaveLength(1);
  await expect(client.callTool({ name: 'run', arguments: { program: 'hello' } })).resolves.toMatchObject({
    structuredContent: { returned: 'hi' },
  });
});

test('both revisions keep numbers as they were written, and refuse what is no request', async () => {
  const { post } = serverOf();
  const given = '{"file": "echo.dsl", "inputs": {"a": 1.10}, "wait_s": 20}';
  const call = (meta: string): string =>
    `{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "run", "arguments": ${given}${meta}}}`;
  const headers = { ...modern, 'mcp-method': 'tools/call', 'mcp-name': 'run' };
  const one = await frameOf(await post(call(`, "_meta": ${JSON.stringify(envelope)}`), headers));
  expect(one.result.structuredContent.returned).toBe('v1.10');
  const opened = await post(initialize);
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
  const two = await frameOf(await post(call(''), session));
  expect(two.result.structuredContent.returned).toBe('v1.10');
  const back = (meta: string): string => call(meta).replace('echo', 'back').replace('1.10', '[1.10, 9007199254740993]');
  const answers = [
    await post(back(`, "_meta": ${JSON.stringify(envelope)}`), headers),
    await post(back(''), session),
    // Progress makes a stream of it.
    await post(back(`, "_meta": ${JSON.stringify({ ...envelope, progressToken: 1 })}`), headers),
  ];
  for (const answer of answers) expect(await answer.text()).toContain('"returned":[1.10,"9007199254740993"],');
  expect(answers.map(({ headers: own }) => own.get('content-type'))).toContain('text/event-stream');
  // A batch, which the oldest revision knows.
  const batch = `[${back('')}, {"jsonrpc": "2.0", "id": 9, "method": "ping"}, ${back('').replace('"id": 2', '"id": 3').replace('1.10', '2.50')}]`;
  const oldest = { ...session, 'mcp-protocol-version': '2025-03-26' };
  const all = await (await post(batch, oldest)).text();
  for (const returned of ['[1.10,"9007199254740993"]', '[2.50,"9007199254740993"]'])
    expect(all).toContain(`"returned":${returned},`);
  expect(all).toContain('"id":9');
  for (const half of ['{"jsonrpc": "2.0", "id": 3, "method": "tools/ca', '']) {
    const refused = await post(half, headers);
    expect([refused.status, (await frameOf(refused)).error.code]).toEqual([400, -32700]);
  }
});
