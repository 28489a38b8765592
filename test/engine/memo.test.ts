/** The memo of an engine: what one worker remembers, another one uses. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { StartOptions } from '../../src/app/execution-options.js';
import { openRuns } from '../../src/app/open-runs.js';
import type { Result } from '../../src/app/result.js';
import { engineClient } from '../../src/engine/client.js';
import { engineRuns } from '../../src/engine/runs/engine-runs.js';
import type { SharedEntry } from '../../src/engine/shared-object.js';
import type { WorkerOptions } from '../../src/engine/worker-host.js';
import { hostEffects } from '../../src/runtime/effects.js';
import { liveEngine, NAMESPACE } from './live-engine.js';

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  return result.value;
}

const PROGRAM = `INPUT: q = "one"
DO [memo]: a = work {q}
CHECK [memo]: b = work again
DO [memo retry=1]: c = flaky
RETURN: {a} {b} {c}
`;

/** Runs on an engine, with what was called. */
async function engine(said: string[] = [], worker: Partial<WorkerOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-memo-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const called: string[] = [];
  const commands = {
    work: ([text = '']: readonly string[]) => {
      called.push(text);
      return `${text} ${called.length}`;
    },
    flaky: () => {
      called.push('flaky');
      if (called.at(-2) !== 'flaky') throw new Error('not now');
      return 5;
    },
  };
  const on = await liveEngine(commands, { warn: (message) => void said.push(message), ...worker });
  const options = { folder, on, namespace: NAMESPACE };
  const runs = engineRuns({ ...options, commands });
  const client = engineClient({ url: on, namespace: NAMESPACE, token: null, patienceMs: 0 });
  const ran = async (text: string, given: StartOptions = {}) => {
    const { started, report } = value(await runs.start({ text }, { person: 'ann', ...given }));
    const { returned, status, cost } = await report;
    return { id: started.run_id, returned, status, cost, called: called.splice(0) };
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

const STEPS = `STEP: plan type=validate memo=yes
  PROMPT: "look"
  AGENT: it
  RETRY:
    EXIT 2
RETURN: {plan.comments}
`;

test('a step is remembered once it has passed, with its last answer, and costs nothing then', async () => {
  const agents = { agents: { it: { adapter: 'command', run: ['true'] } }, folder: null, instead: {} } as const;
  const own = hostEffects({ agents });
  let calls = 0;
  /** The first answer does not pass. */
  const perform: typeof own.perform = (request, context) => {
    if (request.kind !== 'agent') return own.perform(request, context);
    const text = JSON.stringify({ pass: ++calls > 1, comments: `seen ${calls}` });
    const stdout = { text, bytes: text.length };
    return { kind: 'exited', exit: 0, stdout, stderr: '', duration_ms: 1, cost: 0.5, turns: 1 };
  };
  const { ran, client, folder } = await engine([], { agents, effects: { perform } });
  const config = 'agents: {it: {adapter: command, run: ["true"]}}\n';
  writeFileSync(join(folder, 'statedsl.config.yaml'), config);
  expect(await ran(STEPS)).toMatchObject({ returned: 'seen 2', cost: 1 });
  expect(await client.askShared('begun', 'entries', null)).toEqual([]);
  expect(await ran(STEPS)).toMatchObject({ returned: 'seen 2', cost: 0 });
  expect(calls).toBe(2);
  // A step that changes files has no worktree here.
  const edits = STEPS.replace('type=validate', 'type=code').replace('{plan.comments}', 'done');
  for (let run = 0; run < 2; run++) expect(await ran(edits)).toMatchObject({ returned: 'done', cost: 0.5 });
});

test('what has a secret is not remembered, and the worker says why', async () => {
  const said: string[] = [];
  const { ran, remembered } = await engine(said, { secrets: [{ name: 'PIN', value: 'hunter2-4711' }] });
  await ran(PROGRAM, { inputs: { q: 'hunter2-4711' } });
  expect(await remembered()).toHaveLength(2);
  expect(said).toEqual([
    expect.stringMatching(/^run .*: the request contains a secret, so an engine does not remember its outcome$/),
  ]);
});
