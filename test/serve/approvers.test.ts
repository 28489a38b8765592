/** Who may answer what, why somebody answered, and what of both is on record: over HTTP, in the page, and through `Runs`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serviceOf } from './service.js';

const PROGRAMS = {
  'two.dsl': 'DO: in PARALLEL:\n  - ASK user: "north?" → go\n  - ASK user: "south?" → other\nRETURN: over\n',
  'wait.dsl': 'DO: in PARALLEL:\n  - ASK user: "north?" → go\n  - WAIT: 20s\nRETURN: over\n',
  'statedsl.config.yaml': 'approvers:\n  go: [ada, grace]\n  "*": [alan]\n',
};

async function asked(program = 'two.dsl', files: Readonly<Record<string, string>> = PROGRAMS) {
  const service = await serviceOf(files, { userHeader: 'x-user' });
  const id = await service.finish(program);
  return {
    ...service,
    id,
    answer: (body: object, user: string, headers: Record<string, string | null> = {}) =>
      service.send('POST', `/api/v1/runs/${id}/answers`, body, { 'x-user': user, ...headers }),
    show: async () => (await service.send('GET', `/api/v1/runs/${id}`)).json,
    events: async (type: string) =>
      (await service.send('GET', `/api/v1/runs/${id}/events?follow=false`)).text
        .split('\n')
        .filter((line) => line.includes(`"type":"${type}"`))
        .map((line) => JSON.parse(line)),
  };
}

describe('an answer', () => {
  test('is on record with who gave it, through which door, and why', async () => {
    const { answer, events, runs, id, idle } = await asked();
    expect((await answer({ answers: { go: 'yes' }, reason: 'the tests passed' }, 'ada')).status).toBe(200);
    await idle();
    // A cookie, as the page has it, would come in the place of the token.
    const given = { by: 'root', reason: 'on the phone', through: 'command' } as const;
    expect(await runs.answer(id, { other: 'no' }, given)).toMatchObject({ ok: true });
    expect(await events('answered')).toMatchObject([
      { id: 'go@1', value: 'yes', by: 'ada', through: 'http', reason: 'the tests passed' },
      { id: 'other@1', value: 'no', by: 'root', through: 'command', reason: 'on the phone' },
    ]);
    // What is on record is what the run is made of again.
    expect(await runs.compare(id)).toMatchObject({ ok: true, value: { status: 'same' } });
  });

  test.each([[{ go: 'yes' }], [{ 'go@1': 'yes' }], [{ other: 'x', go: 'yes' }]])(
    'of somebody who may not give it is refused and on record, and the run waits as before: %j',
    async (answers) => {
      const { answer, events, show, runs, id, idle } = await asked();
      const before = await show();
      const refused = await answer({ answers, reason: 'I want it' }, 'mallory');
      expect(refused).toMatchObject({
        status: 403,
        json: { code: 'not-allowed', help: expect.stringMatching(/^ask /) },
      });
      expect(await events('answer_refused')).toContainEqual(
        expect.objectContaining({
          id: 'go@1',
          name: 'go',
          value: 'yes',
          by: 'mallory',
          through: 'http',
          reason: 'I want it',
        }),
      );
      expect(await events('answered')).toEqual([]);
      const { status, waiting, duration_ms } = await show();
      expect({ status, waiting, duration_ms }).toEqual({
        status: 'suspended',
        waiting: before.waiting,
        duration_ms: before.duration_ms,
      });
      expect(await runs.compare(id)).toMatchObject({ ok: true, value: { status: 'same' } });
      expect((await answer({ answers: { go: 'yes' } }, 'grace')).status).toBe(200);
      expect((await answer({ answers: { other: 'x' } }, 'alan')).status).toBe(200);
      await idle();
      expect(await show()).toMatchObject({ status: 'returned' });
    },
  );

  test('is guarded on every door that knows the person, and not on the command line', async () => {
    const { runs, id, events } = await asked();
    for (const through of ['http', 'page', 'mcp', 'form'] as const)
      expect(await runs.answer(id, { go: 'yes' }, { by: 'mallory', through })).toMatchObject({
        ok: false,
        refusal: { code: 'not-allowed', help: 'ask ada or grace' },
      });
    expect((await events('answer_refused')).map(({ through }) => through)).toEqual(['http', 'page', 'mcp', 'form']);
    expect(await runs.answer(id, { go: 'yes' }, { by: 'mallory', through: 'command' })).toMatchObject({ ok: true });
  });

  test('to a question that is not open is refused without a record', async () => {
    const { answer, events } = await asked();
    expect(await answer({ answers: { go2: 'yes' } }, 'mallory')).toMatchObject({ status: 422 });
    expect(await events('answer_refused')).toEqual([]);
  });

  test('is refused while the configuration has a mistake, which might let anybody answer', async () => {
    const { answer, folder } = await asked();
    writeFileSync(join(folder, 'statedsl.config.yaml'), 'approvers: 7\n');
    expect(await answer({ answers: { go: 'yes' } }, 'ada')).toMatchObject({ status: 422, json: { code: 'unusable' } });
  });

  test('of a list of approvers counts for every question', async () => {
    const { answer } = await asked('two.dsl', { ...PROGRAMS, 'statedsl.config.yaml': 'approvers: [ada]\n' });
    expect((await answer({ answers: { other: 'x' } }, 'alan')).status).toBe(403);
    expect((await answer({ answers: { other: 'x' } }, 'ada')).status).toBe(200);
  });
});

test('a refused answer to a run that is executed is recorded by its process', async () => {
  const service = await serviceOf(PROGRAMS, { userHeader: 'x-user' });
  const started = await service.send('POST', '/api/v1/runs', { program: 'wait.dsl' });
  const id = started.json.run_id as string;
  const path = `/api/v1/runs/${id}`;
  for (;;) if (((await service.send('GET', path)).json.waiting as unknown[] | undefined)?.length) break;
  const refused = await service.send('POST', `${path}/answers`, { answers: { go: 'yes' } }, { 'x-user': 'mallory' });
  expect(refused.status).toBe(403);
  const events = await service.send('GET', `${path}/events?follow=false`);
  expect(events.text).toMatch(/"type":"answer_refused".*"by":"mallory"/);
  await service.send('POST', `${path}/cancel`, {});
});
