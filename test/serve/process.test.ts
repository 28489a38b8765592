/** The service as a process: its death is not the death of runs, and nothing that it promised is lost. */
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lockHolder } from '../../src/runtime/store/run-lock.js';
import { amount, longTest } from '../amount.js';
import { type ProjectFolder, projectFolder } from '../cli/statedsl.js';
import { debugging } from '../editor/debug-client.js';
import type { Started } from '../harness/process.js';
import { until } from '../harness/until.js';

interface Client {
  readonly process: Started;
  readonly address: string;
  readonly token: string;
  call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
}

async function serve(one: ProjectFolder, args: readonly string[] = []): Promise<Client> {
  const process = one.start(['serve', '--listen', '0', '--json', ...args]);
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    process.stdout.on('data', (chunk: Buffer) => {
      text += chunk;
      if (text.includes('\n')) resolve(text);
    });
    void process.end.then(({ stderr }) => reject(new Error(stderr)));
  });
  const url = new URL(JSON.parse(line).address as string);
  const token = url.searchParams.get('token') ?? '';
  return {
    process,
    address: url.origin,
    token,
    async call(method, path, body) {
      const response = await fetch(`${url.origin}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await response.json()) as Record<string, unknown>;
    },
  };
}

const statuses = async (client: Client): Promise<string[]> =>
  ((await client.call('GET', '/runs')).runs as { status: string }[]).map(({ status }) => status);

/** The process that executes a run. */
function ownerOf(one: ProjectFolder, runId: string): number {
  const owner = lockHolder(join(one.folder, '.statedsl/runs', runId)).owner;
  if (owner === null) throw new Error(`nobody executes ${runId}`);
  return owner.pid;
}

const PROGRAM = `INPUT: n
STATE: A
  TRACK: turn
  INCREMENT: turn
  DO: echo "$STATEDSL_RUN_ID $STATEDSL_EFFECT_ID" >> log; sleep 0.05
  IF: turn < 4 → GOTO: A
  RETURN: {n}
`;

/** More than are executed at the same time. */
const RUNS = amount(3, 6);

describe('the service', () => {
  test('every answer forbids foreign scripts and frames, and only those that never change may be kept', async () => {
    const client = await serve(projectFolder({ 'p.dsl': PROGRAM }));
    const headersOf = async (path: string): Promise<Headers> =>
      (await fetch(`${client.address}${path}`, { headers: { authorization: `Bearer ${client.token}` } })).headers;
    for (const path of ['/', '/nothing', '/api/v1/runs', '/api/v1/nothing', '/api/v1/healthz']) {
      const headers = await headersOf(path);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe(path === '/' ? 'no-cache' : 'no-store');
    }
    expect((await headersOf('/api/v1/openapi.json')).get('cache-control')).toBe('private, no-cache');
    client.process.kill('SIGTERM');
    await client.process.end;
  });

  test('a request with a whole address is for the host of that address, and its answer may not be kept either', async () => {
    const one = projectFolder({ 'p.dsl': 'RETURN: 1\n' });
    const client = await serve(one);
    const { host, port } = new URL(client.address);
    const send = (path: string): Promise<[number | undefined, string | undefined]> =>
      new Promise((resolve, reject) => {
        const headers = { host, authorization: `Bearer ${client.token}` };
        const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, (answer) => {
          answer.resume();
          answer.once('end', () => resolve([answer.statusCode, answer.headers['cache-control']]));
        });
        sent.once('error', reject).end();
      });
    expect(await send(`http://${host}/api/v1/runs`)).toEqual([200, 'no-store']);
    expect(await send('http://evil.example/api/v1/runs')).toEqual([403, 'no-store']);
    client.process.kill('SIGTERM');
    await client.process.end;
  });

  test('when the process that executes a run dies, no request of its debugger stays without an answer', async () => {
    const text = 'STATE: A\n  TRACK: n = 0\n  SET: n = n + 1\n  WAIT: 10ms\n  GOTO: A\n';
    const one = projectFolder({ 'rounds.dsl': text });
    const runner = one.start(['run', 'rounds.dsl']);
    const runs = join(one.folder, '.statedsl/runs');
    const idOf = () => (existsSync(runs) ? readdirSync(runs).find((name) => /^[\w-]{36}$/.test(name)) : undefined);
    await until(() => existsSync(join(runs, idOf() ?? 'none', 'journal.ndjson')));
    const debug = await debugging({});
    const breakpoints = { source: { path: join(one.folder, 'rounds.dsl') }, breakpoints: [{ line: 3 }] };
    const given = { run: idOf(), dir: join(one.folder, '.statedsl') };
    await debug.launch(given, {}, () => debug.ask('setBreakpoints', breakpoints), 'attach');
    expect(await debug.stop()).toMatchObject({ stack: ['A:3'] });
    runner.kill('SIGSTOP');
    const why = debug.refusal('evaluate', { expression: 'n', context: 'watch' });
    runner.kill('SIGKILL');
    expect(await why).toBe('the process that executed the run has ended');
    expect(await debug.stop()).toBeNull();
    await runner.end;
  });

  test('a debugger attaches to a run, and the run goes on when it leaves', async () => {
    const last = 1_000_000;
    const text =
      'INPUT: last\nSTATE: A\n  TRACK: n = 0\n  SET: n = n + 1\n  WAIT: 10ms\n  IF: n < last → GOTO: A\n  RETURN: {n}\n';
    const one = projectFolder({ 'programs/rounds.dsl': text });
    const client = await serve(one, ['--programs', 'programs']);
    const { run_id: id } = await client.call('POST', '/runs', { program: 'rounds.dsl', inputs: { last } });
    const about = () => client.call('GET', `/runs/${id}`);
    const folder = join(one.folder, 'programs');
    await until(() => existsSync(join(folder, '.statedsl/runs', id as string, 'journal.ndjson')));
    const debug = await debugging({});
    const breakpoints = { source: { path: join(folder, 'rounds.dsl') }, breakpoints: [{ line: 4 }] };
    const given = { run: id, dir: join(folder, '.statedsl') };
    await debug.launch(given, {}, () => debug.ask('setBreakpoints', breakpoints), 'attach');
    expect(await debug.stop()).toMatchObject({ reason: 'breakpoint', stack: ['A:4'] });
    expect(await debug.moves('next', 'next', 'stepBack', 'next')).toEqual([
      'step A:5',
      'step A:6',
      'step A:5',
      'step A:6',
    ]);
    expect(await about()).toMatchObject({ status: 'running' });
    await debug.ask('evaluate', { expression: `SET: n = ${last}`, context: 'repl' });
    await debug.disconnect();
    await until(async () => (await about()).status !== 'running');
    expect(await about()).toMatchObject({ status: 'returned', returned: last });
    client.process.kill('SIGTERM');
    await client.process.end;
  });

  longTest('is killed in the middle of runs, and all of them end right', async () => {
    const one = projectFolder({ 'p.dsl': PROGRAM });
    const ids = new Set<string>();
    let client = await serve(one, ['--runs', '2', '--jobs', '2']);
    for (let n = 0; n < RUNS; n++)
      ids.add((await client.call('POST', '/runs', { program: 'p.dsl', inputs: { n } })).run_id as string);
    await until(() => existsSync(join(one.folder, 'log')));
    client.process.kill('SIGKILL');
    await client.process.end;
    client = await serve(one, ['--runs', '2', '--jobs', '2']);
    await until(async () => (await statuses(client)).every((status) => status === 'returned'));
    expect(await statuses(client)).toHaveLength(RUNS);
    const lines = readFileSync(join(one.folder, 'log'), 'utf8').trim().split('\n');
    // No process that executed a run was killed, so nothing was done twice.
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines).toHaveLength(4 * RUNS);
    expect(new Set(lines.map((line) => line.split(' ')[0]))).toEqual(ids);
    client.process.kill('SIGTERM');
    expect(await client.process.end).toMatchObject({ code: 0 });
  });

  test('stops, and continues at its next start what it had interrupted', async () => {
    const one = projectFolder({ 'p.dsl': 'DO: touch started; test -e go || sleep 60\nRETURN: done\n' });
    const first = await serve(one);
    const { run_id } = await first.call('POST', '/runs', { program: 'p.dsl' });
    await until(() => existsSync(join(one.folder, 'started')));
    first.process.kill('SIGTERM');
    // The second signal does not wait for the run.
    first.process.kill('SIGTERM');
    await until(() => {
      first.process.kill('SIGTERM');
      return first.process.hasEnded();
    });
    expect((await first.process.end).code).toBe(0);
    one.file('go', '');
    const second = await serve(one);
    await until(async () => (await second.call('GET', `/runs/${run_id}`)).status === 'returned');
    expect(await second.call('GET', `/runs/${run_id}`)).toMatchObject({ returned: 'done' });
    second.process.kill('SIGTERM');
    await second.process.end;
  });

  longTest('shares its permits among all runs, and takes them back from one that is killed', async () => {
    const one = projectFolder({
      // Each member waits for the other, so both must have a permit at the same time.
      'both.dsl': [
        'DO: in PARALLEL',
        '  - DO: touch a; until test -e b; do sleep 0.02; done',
        '  - DO: touch b; until test -e a; do sleep 0.02; done',
        'RETURN: done',
        '',
      ].join('\n'),
      'many.dsl': [
        'FOR EACH: n in [1, 2, 3] in PARALLEL:',
        '  DO: echo + >> log; sleep 0.05; echo - >> log',
        'RETURN: done',
        '',
      ].join('\n'),
      'stuck.dsl': 'DO: test -e stuck || { touch stuck; sleep 600; }\nRETURN: done\n',
    });
    const client = await serve(one, ['--runs', '8', '--jobs', '2']);
    const start = async (program: string): Promise<string> =>
      (await client.call('POST', '/runs', { program })).run_id as string;
    const ended = async (id: string): Promise<void> =>
      until(async () => (await client.call('GET', `/runs/${id}`)).status === 'returned');
    await ended(await start('both.dsl'));
    const stuck = [await start('stuck.dsl')];
    await until(() => existsSync(join(one.folder, 'stuck')));
    rmSync(join(one.folder, 'stuck'));
    stuck.push(await start('stuck.dsl'));
    await until(() => existsSync(join(one.folder, 'stuck')));
    // All permits are taken, so these wait.
    const many = [await start('many.dsl'), await start('many.dsl'), await start('many.dsl')];
    await until(async () => (await statuses(client)).filter((status) => status === 'running').length === 5);
    expect(existsSync(join(one.folder, 'log'))).toBe(false);
    for (const id of stuck) process.kill(ownerOf(one, id), 'SIGKILL');
    for (const id of [...stuck, ...many]) await ended(id);
    let atOnce = 0;
    let most = 0;
    for (const line of readFileSync(join(one.folder, 'log'), 'utf8').trim().split('\n')) {
      atOnce += line === '+' ? 1 : -1;
      most = Math.max(most, atOnce);
    }
    expect(atOnce).toBe(0);
    expect(most).toBeLessThanOrEqual(2);
    client.process.kill('SIGTERM');
    await client.process.end;
  });

  test('is alone with its runs, but others may show them', async () => {
    const one = projectFolder({ 'p.dsl': 'RETURN: 1\n' });
    const first = await serve(one);
    const second = await one.runProcess(['serve', '--listen', '0']);
    expect(second).toMatchObject({ code: 2, stderr: expect.stringContaining('another service (process') });
    const reader = await serve(one, ['--read-only']);
    expect(await reader.call('GET', '/runs')).toEqual({ runs: [] });
    expect(await reader.call('POST', '/runs', { program: 'p.dsl' })).toMatchObject({ code: 'read-only' });
    for (const { process } of [first, reader]) process.kill('SIGTERM');
    await Promise.all([first.process.end, reader.process.end]);
  });

  test('does not start where it could not be safe', async () => {
    const one = projectFolder({});
    const start = async (...args: string[]) => {
      const { code, stderr } = await one.run(['serve', ...args]);
      return { code, stderr };
    };
    expect(await start('--listen', '0.0.0.0:0')).toEqual({
      code: 2,
      stderr: expect.stringContaining('can be reached from other machines, so the service needs a token'),
    });
    writeFileSync(join(one.folder, 'token'), 'short\n', { mode: 0o600 });
    expect(await start('--token-file', 'token')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('16 letters'),
    });
    writeFileSync(join(one.folder, 'token'), `${'long'.repeat(8)}\n`);
    chmodSync(join(one.folder, 'token'), 0o644);
    expect(await start('--token-file', 'token')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('chmod 600'),
    });
    expect(await start('--token-file', 'absent')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot read'),
    });
    expect(await start('--listen', '127.0.0.1:99999')).toMatchObject({ code: 2 });
    expect(await start('--programs', 'absent')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no folder'),
    });
    expect(await start('--dir', 'token')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('error: cannot use the directory'),
    });
  });

  test('keeps the token of a file to itself', async () => {
    const one = projectFolder({});
    writeFileSync(join(one.folder, 'token'), `${'long'.repeat(8)}\n`, { mode: 0o600 });
    const process = one.start(['serve', '--listen', '0', '--token-file', 'token']);
    const line = await new Promise<string>((resolve) => process.stderr.once('data', (chunk) => resolve(String(chunk))));
    expect(line).toMatch(/^listening at http:\/\/127\.0\.0\.1:\d+\n$/);
    const response = await fetch(`${line.trim().split(' ').pop()}/api/v1/runs`, {
      headers: { authorization: `Bearer ${'long'.repeat(8)}` },
    });
    expect(response.status).toBe(200);
    process.kill('SIGTERM');
    await process.end;
  });
});
