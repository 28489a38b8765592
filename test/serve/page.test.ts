/** The files of the page, and what a request without the token gets. */
import { expect, test } from 'vitest';
import { serviceOf } from './service.js';

const SIGNED_OUT = { authorization: null };

test('sends the same page for the list and for a run, compressed for those who take it', async () => {
  const { send } = await serviceOf({});
  const list = await send('GET', '/');
  const run = await send('GET', '/runs/01975c3a-5b9e-7c2f-9d1a-3f0e6b8c4d21');
  expect(list).toMatchObject({ status: 200, text: run.text });
  expect(list.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(list.headers.get('cache-control')).toBe('no-cache');
  const script = /<script type="module" src="([^"]+)">/.exec(list.text)?.[1] as string;
  const plain = await send('GET', script);
  expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(plain.headers.get('cache-control')).toContain('immutable');
  const zipped = await send('GET', script, undefined, { 'accept-encoding': 'gzip, br' });
  expect(zipped.headers.get('content-encoding')).toBe('gzip');
  expect(zipped.text.length).toBeLessThan(plain.text.length / 2);
});

test('the page has no script and no style of its own, and names nothing outside of the service', async () => {
  const { send } = await serviceOf({});
  const { text, headers } = await send('GET', '/');
  expect(text).not.toMatch(/<script(?![^>]* src=)|<style|style=|\son\w+=/);
  expect([...text.matchAll(/(?:src|href|content)="([^"]*\/[^"]*)"/g)].map((match) => match[1])).toSatisfy(
    (paths: string[]) => paths.length >= 4 && paths.every((path) => path.startsWith('/assets/')),
  );
  expect(headers.get('content-security-policy')).toContain("script-src 'self'");
});

test('names what it will ask for, to those who may have it', async () => {
  const { send } = await serviceOf({});
  const run = '01975c3a-5b9e-7c2f-9d1a-3f0e6b8c4d21';
  const linksOf = async (path: string, headers = {}) => {
    const link = (await send('GET', path, undefined, headers)).headers.get('link');
    return link?.match(/<[^>]*>/g)?.map((one) => one.slice('</api/v1'.length, -1));
  };
  expect(await linksOf('/')).toEqual(['/service', '/runs?limit=60', '/waiting?limit=50']);
  expect(await linksOf('/?status=failed')).toEqual(['/service']);
  expect(await linksOf(`/runs/${run}`)).toEqual(['/service', `/runs/${run}`, `/runs/${run}/program`]);
  expect(await linksOf(`/runs/${run}?event=3`)).toEqual(['/service', `/runs/${run}/program`]);
  expect(await linksOf('/runs/%22%3E,evil')).toEqual(['/service']);
  expect(await linksOf('/', SIGNED_OUT)).toBeUndefined();
});

test('without the token, the page has no data and another status, and its files are the same', async () => {
  const { send } = await serviceOf({});
  const page = await send('GET', '/', undefined, SIGNED_OUT);
  expect(page).toMatchObject({ status: 401, text: (await send('GET', '/')).text });
  const style = /<link rel="stylesheet" href="([^"]+)">/.exec(page.text)?.[1] as string;
  expect((await send('GET', style, undefined, SIGNED_OUT)).status).toBe(200);
  expect((await send('GET', '/api/v1/service', undefined, SIGNED_OUT)).status).toBe(401);
});

test.each(['/assets/nothing.js', '/assets/..%2f..%2fpackage.json', '/assets/index.html/x', '/runs/a/b'])(
  'there is nothing at %s',
  async (path) => {
    const { send } = await serviceOf({});
    expect((await send('GET', path)).status).toBe(404);
  },
);

test('says what it is, and whether it changes runs', async () => {
  const { send, folder } = await serviceOf({}, { isReadOnly: true });
  const { json } = await send('GET', '/api/v1/service');
  expect(json).toEqual({ version: '0', where: `${folder}/.statedsl`, read_only: true });
});

test('the program of a run is the one that it was started with, without its secrets', async () => {
  const text = 'INPUT: key = "hunter2-hunter2" (secret)\nDO: echo {key}\nRETURN: 1\n';
  const { send, finish } = await serviceOf({ 'a.dsl': text });
  const id = await finish('a.dsl');
  const { status, json } = await send('GET', `/api/v1/runs/${id}/program`);
  expect({ status, json }).toMatchObject({ status: 200, json: { run_id: id, program: 'a.dsl' } });
  expect(json.sources).toEqual([{ name: 'a.dsl', text: text.replace('hunter2-hunter2', '***') }]);
  expect(JSON.stringify(json.machine)).not.toContain('hunter2');
  expect((await send('GET', '/api/v1/runs/ffff/program')).status).toBe(404);
});

test('lists all runs that wait for a person, however many others wait for something else', async () => {
  const ask = 'ASK user: "Which color?" → color choices=red,blue\nRETURN: {color}\n';
  const { send, finish } = await serviceOf({ 'ask.dsl': ask, 'wait.dsl': 'WAIT: signal later\nRETURN: 1\n' });
  const id = await finish('ask.dsl');
  for (let count = 0; count < 3; count++) await finish('wait.dsl');
  // A busy machine looks at the records in several requests.
  await expect
    .poll(async () => (await send('GET', '/api/v1/waiting?limit=1')).json)
    .toMatchObject({
      runs: [{ run_id: id, status: 'suspended', waiting: [{ kind: 'ask', name: 'color', choices: ['red', 'blue'] }] }],
      complete: true,
    });
  await send('POST', `/api/v1/runs/${id}/answers`, { answers: { color: 'red' } });
  await expect.poll(async () => (await send('GET', '/api/v1/waiting')).json).toEqual({ runs: [], complete: true });
  expect((await send('GET', '/api/v1/waiting?limit=0')).status).toBe(400);
});
