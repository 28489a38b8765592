/** The process of a worker: programs are read once, effects share what their run uses, and secrets stay here. */
import { expect, test } from 'vitest';
import { compile } from '../../src/check/compile.js';
import type { Submission } from '../../src/engine/messages.js';
import { workerHost } from '../../src/engine/worker-host.js';
import type { RunResources } from '../../src/runtime/effect-context.js';
import { createRedactor } from '../../src/runtime/redact.js';
import { headerOf } from '../../src/runtime/run/header.js';
import { fixedOptions } from '../../src/runtime/run/run-options.js';
import { SERVICES } from './scripted-engine.js';

const RUN = '01900000-0000-7000-8000-000000000004';

function submission(): Submission {
  const { machine } = compile('RETURN\n', { name: 'test.dsl' });
  if (machine === null) throw new Error('it does not compile');
  const made = { runId: RUN, startedAt: new Date(0).toISOString(), redactor: null, fixed: fixedOptions(machine, {}) };
  return { header: headerOf(machine, {}, made), inDoubt: 'fail', by: 'ann' };
}

const request = { kind: 'uuid', effect: '1', attempt: 1, delayMs: 0 } as const;
const context = { stop: new AbortController().signal, outputLimit: 100 };

test('outcomes have no secrets, and say how much was printed', async () => {
  const used: RunResources[] = [];
  let closed = 0;
  let asked = 0;
  const host = workerHost({
    services: SERVICES,
    client: {
      about: async () => {
        asked++;
        return asked > 2 ? null : submission();
      },
    },
    cwd: '/work',
    redactor: createRedactor([{ name: 'TOKEN', value: 'geheim' }]),
    effects: {
      perform: async (_, { resources, cwd, runId }) => {
        used.push(resources);
        if (used.length === 1) resources.onEnd(async () => void closed++);
        const stdout = { text: `geheim ${cwd} ${runId}`, bytes: 40 };
        return { kind: 'exited', exit: 0, stdout, stderr: 'oh!', duration_ms: 1 };
      },
    },
  });
  const program = await host.program(RUN);
  expect(await host.program(RUN)).toBe(program);
  expect(asked).toBe(1);
  const { outcome, printed } = await host.perform(RUN, request, context);
  await host.perform(RUN, request, context);
  expect(outcome).toMatchObject({ stdout: { text: `*** /work ${RUN}` } });
  expect([printed, used[0] === used[1], used[0]?.outputs.use.limit]).toEqual([43, true, 100]);
  await host.close();
  expect(closed).toBe(1);
  await host.program('another');
  await expect(host.program('removed')).rejects.toThrow('run `removed` was removed');
});
