/** The memo of an engine: what one worker remembers, another one uses. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { StartOptions } from '../../src/app/execution-options.js';
import { openRuns } from '../../src/app/open-runs.js';
import type { Result } from '../../src/app/result.js';
import { engineClient } from '../../src/engine/client.js';
import { engineRuns } from '../../src/engine/runs/engine-runs.js';
import type { SharedEntry } from '../../src/engine/shared-object.js';
import { liveEngine, NAMESPACE } from './live-engine.js';

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  return result.value;
}

const PROGRAM = `INPUT: q = "one"
INPUT: pin = "" (secret)
DO [memo]: a = work {q}
CHECK [memo]: b = work again {pin}
DO [memo retry=1]: c = flaky
RETURN: {a} {b} {c}
`;

/** Runs on an engine, with what was called. */
async function engine(said: string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-memo-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const called: string[] = [];
  const commands = {
    work: ([text = '', more = '']: readonly string[]) => {
      called.push(text);
      return `${text} ${more === '' ? called.length : 'hidden'}`;
    },
    flaky: () => {
      called.push('flaky');
      if (called.at(-2) !== 'flaky') throw new Error('not now');
      return 5;
    },
  };
  const on = await liveEngine(commands, { warn: (message) => void said.push(message) });
  const options = { folder, on, namespace: NAMESPACE };
  const runs = engineRuns({ ...options, commands });
  const client = engineClient({ url: on, namespace: NAMESPACE, token: null, patienceMs: 0 });
  const ran = async (text: string, given: StartOptions = {}) => {
    const { started, report } = value(await runs.start({ text }, { person: 'ann', ...given }));
    const { returned, status } = await report;
    return { id: started.run_id, returned, status, called: called.splice(0) };
  };
  const remembered = async (): Promise<string[]> =>
    (await client.askShared<readonly SharedEntry[]>('memo', 'entries', null)).map(({ name }) => name);
  return { runs, ran, remembered, client, here: openRuns({ folder }), folder };
}

test('the same request is not performed again by a later run, unless that wants it', async () => {
  const { runs, ran, remembered, here, client } = await engine();
  const first = await ran(PROGRAM);
  expect(first).toMatchObject({ returned: 'one 1 again 2 5', called: ['one', 'again', 'flaky', 'flaky'] });
  const second = await ran(PROGRAM);
  // A failure is not remembered, and what follows it is asked again.
  expect(second).toMatchObject({ returned: 'one 1 again 2 5', called: [] });
  expect(await remembered()).toHaveLength(3);
  const outcomes: unknown[] = [];
  for await (const { lines } of client.events(second.id))
    for (const { type, outcome } of lines.map((line) => JSON.parse(line)))
      if (type === 'effect_settled') outcomes.push(outcome);
  expect(outcomes).toMatchObject(Array(3).fill({ memo: first.id, duration_ms: 0 }));
  expect(value(await runs.compare(second.id)).status).toBe('same');
  expect(value(await here.inspect(second.id)).status).toBe('returned');
  expect((await ran(PROGRAM, { inputs: { q: 'two' } })).called).toEqual(['two']);
  expect((await ran(PROGRAM, { memo: { fresh: true } })).called).toEqual(['one', 'again', 'flaky', 'flaky']);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await ran(PROGRAM, { memo: { maxAgeMs: 1 } })).called).toEqual(['one', 'again', 'flaky', 'flaky']);
  expect((await ran(PROGRAM, { memo: { maxAgeMs: 3_600_000 } })).called).toEqual([]);
  const only = await runs.start({ text: PROGRAM }, { memo: { only: 'MAIN' } });
  expect(only).toMatchObject({
    ok: false,
    refusal: { code: 'wrong-use', message: '`only` has no effect on an engine, whose workers execute effects' },
  });
});

test('what a removed run has remembered is forgotten', async () => {
  const { runs, ran, remembered } = await engine();
  await ran(PROGRAM);
  const { id } = await ran(PROGRAM, { inputs: { q: 'two' } });
  const before = await remembered();
  expect([before.length, before.filter((one) => one === id).length]).toEqual([4, 1]);
  value(await runs.remove({ keepLast: 1 }));
  expect(await remembered()).toEqual([id]);
  expect((await ran(PROGRAM)).called).toEqual(['one', 'again', 'flaky', 'flaky']);
});
