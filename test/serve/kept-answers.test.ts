/** Answers that a client may keep have a tag, and are not sent again to a client that has them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serviceOf } from './service.js';

const LONG = 'INPUT: text\nTRACK: text\nSET: text = text + "!"\nRETURN: {text}\n';

test('an artifact never changes, so it may be kept forever', async () => {
  const { send, finish, folder } = await serviceOf({ 'long.dsl': LONG });
  const id = await finish('long.dsl', { text: 'x'.repeat(200_000) });
  const [hash = ''] = readdirSync(join(folder, '.statedsl', 'runs', id, 'artifacts'));
  const path = `/api/v1/runs/${id}/artifacts/${hash}`;
  const whole = await send('GET', path);
  expect(whole.status).toBe(200);
  expect(whole.headers.get('etag')).toBe(`"${hash}"`);
  expect(whole.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
  for (const known of [`"${hash}"`, `W/"${hash}"`, `"other", "${hash}"`, '*']) {
    const { status, text } = await send('GET', path, undefined, { 'if-none-match': known });
    expect({ status, text }).toEqual({ status: 304, text: '' });
  }
  expect((await send('GET', path, undefined, { 'if-none-match': '"other"' })).text).toBe(whole.text);
  const part = { range: 'bytes=0-3' };
  expect((await send('GET', path, undefined, { ...part, 'if-range': `"${hash}"` })).status).toBe(206);
  expect((await send('GET', path, undefined, { ...part, 'if-range': '"other"' })).text).toBe(whole.text);
  expect((await send('GET', path, undefined, { 'if-none-match': '*', authorization: null })).status).toBe(401);
});

test('the program of a run and the description of the API are asked for again, and not sent again', async () => {
  const { send, finish } = await serviceOf({ 'a.dsl': 'RETURN: 1\n' });
  const id = await finish('a.dsl');
  for (const path of [`/api/v1/runs/${id}/program`, '/api/v1/openapi.json', '/']) {
    const first = await send('GET', path);
    const tag = first.headers.get('etag') ?? '';
    expect([path, first.status, tag.length > 10]).toEqual([path, 200, true]);
    expect(first.headers.get('cache-control')).toMatch(/no-cache$/);
    const again = await send('GET', path, undefined, { 'if-none-match': tag });
    expect([path, again.status, again.text]).toEqual([path, 304, '']);
  }
  const { status, headers } = await send('GET', '/api/v1/runs/0000/program');
  expect([status, headers.get('cache-control')]).toEqual([404, 'no-store']);
});

test('a run, a list and a report are never kept', async () => {
  const { send, finish } = await serviceOf({ 'a.dsl': 'RETURN: 1\n' });
  const id = await finish('a.dsl');
  for (const path of [`/runs/${id}`, '/runs', '/report', `/runs/${id}/events?follow=false`]) {
    const { headers } = await send('GET', `/api/v1${path}`);
    expect([path, headers.get('cache-control'), headers.get('etag')]).toEqual([path, 'no-store', null]);
  }
});
