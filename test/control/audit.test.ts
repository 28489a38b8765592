/** The audit of a run, from its record: one entry for each thing that was done or decided, and who did it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { auditOf } from '../../src/app/folder/audit-run.js';
import { sha256Hex } from '../../src/runtime/sha256.js';
import type { StoredRun } from '../../src/runtime/store/stored-run.js';
import { writtenRecord } from '../runtime/written-record.js';
import { exited, requested, returned, settled, started } from '../views/events.js';

const ABOUT = {
  ...{ run_id: 'r', machine: 'm', program: 'p.dsl', digest: 'd0', inputs: { n: 1 }, started_at: 't0', cwd: '/x' },
  ...{ options: { started_by: 'ann', printed_inputs: { n: '1.0' } }, settings: { replay_of: 'r0' } },
  versions: { statedsl: '0.1.0', node: '20' },
};

function audit(...events: readonly object[]) {
  const { path, journal } = writtenRecord(events);
  writeFileSync(join(path, 'run.json'), JSON.stringify(ABOUT));
  return auditOf(path, { path, journal, about: ABOUT } as unknown as StoredRun);
}

/** The entries between that of the run and that of the chain, without what all of them have. */
const between = (...events: readonly object[]) =>
  audit(...events)
    .slice(1, -1)
    .map(({ ts, ...entry }) => entry);

const agent = (more: object = {}) =>
  requested('1', 'Task(a) "x"', { kind: 'agent', tool: 'a', prompt: 'Do it.', ...more });

test('the run itself comes first, with its inputs as they count, and what its chain proves last', () => {
  const [run, begun, chain] = audit({ ...started, inputs: { n: 1, m: 2 } });
  expect(run).toMatchObject({ entry: 'run', run_id: 'r', inputs: { n: 1, m: 2 }, started_by: 'ann', copy_of: 'r0' });
  expect(run).toMatchObject({ program_digest: 'd0', statedsl: '0.1.0', sources: [] });
  expect(begun).toMatchObject({ entry: 'execution', kind: 'started', by: null, program_digest: 'd', seq: 1 });
  expect(chain).toMatchObject({ entry: 'chain' });
  expect(begun).not.toHaveProperty('hash');
  const [unread] = audit();
  expect(unread).toMatchObject({ inputs: { n: 1 }, printed_inputs: { n: '1.0' } });
});

test('a command has its values, its result and the digest of what it printed', () => {
  const command = requested('1', 'make {x}', { args: ['all'], attempt: 2 });
  const done = { ...settled('1', exited(3, { stdout: { text: 'out', bytes: 3 } })), stopped: true };
  expect(between(started, command, done)[1]).toEqual({
    ...{ entry: 'command', seq: 3, requested: 2, ended_at: '2030-01-01T00:00:00.000Z', effect: '1', attempt: 2 },
    ...{ state: 'A', line: 1, step: null, kind: 'shell', tool: 'make {x}', text: 'make {x}', values: ['all'] },
    ...{ result: 'exited', exit: 3, error: null, output_sha256: sha256Hex('out'), stopped: true },
  });
  const undo = requested('2', 'rm', { undo: true, kind: 'argv' });
  expect(between(started, undo, settled('2'))[1]).toMatchObject({ undo: true, values: [], kind: 'argv' });
});

test.each([
  [
    { kind: 'value', value: { a: 1 } },
    { result: 'value', exit: null, output_sha256: sha256Hex('{"a":1}') },
  ],
  [{ kind: 'value', value: 1, printed: '1.0' }, { output_sha256: sha256Hex('1.0') }],
  [exited(0, { stdout: { base64: 'YQ==', bytes: 1 } } as object), { output_sha256: sha256Hex('a') }],
  [exited(0, { stdout: { artifact: 'f'.repeat(64), bytes: 9 } } as object), { output_sha256: 'f'.repeat(64) }],
  [exited(0, { stdout: { bytes: 0 } } as object), { output_sha256: null }],
  [{ ...exited(0), memo: 'r9' }, { remembered_from: 'r9' }],
  [{ kind: 'value', value: 1, by: 'debugger' }, { given_by: 'debugger' }],
  [
    { kind: 'failed', error_type: 'x', message: 'broken' },
    { result: 'failed', error: 'broken', output_sha256: null },
  ],
  [
    { kind: 'not-started', reason: 'gone' },
    { result: 'not-started', error: 'gone', exit: null },
  ],
])('the outcome %j is told', (outcome, expected) => {
  expect(between(started, requested('1', 'make'), settled('1', outcome as never))[1]).toMatchObject(expected);
});

test('a call of an agent has the digests of its prompt and answer, and what it cost', () => {
  const tokens = { in: 1, out: 2, cache_read: 0, cache_write: 0 };
  const facts = {
    cost: 0.5,
    tokens,
    session_id: 's',
    model: 'big',
    tool_calls: [],
    stdout: { text: 'said', bytes: 4 },
  };
  const [, one] = between(started, agent(), settled('1', exited(0, facts as object)));
  expect(one).toMatchObject({ entry: 'agent', agent: 'a', model: 'big', cost: 0.5, tokens, session: 's' });
  expect(one).toMatchObject({ prompt_sha256: sha256Hex('Do it.'), answer_sha256: sha256Hex('said'), tool_calls: [] });
  const [, long] = between(started, agent({ prompt: undefined, artifact: 'f'.repeat(64) }), settled('1', exited(1)));
  expect(long).toMatchObject({ prompt_sha256: 'f'.repeat(64), cost: null, tokens: null, session: null, model: null });
  expect(long).not.toHaveProperty('tool_calls');
});

test('what was started and has no outcome is at the end, and readings of clocks are nowhere', () => {
  const clock = requested('2', 'now()', { kind: 'clock' });
  const entries = between(started, agent(), clock, requested('3', 'make'), settled('3'), returned, settled('9'));
  expect(entries.map((one) => [one.entry, one.result ?? null, one.ended_at === null])).toEqual([
    ...[
      ['execution', null, false],
      ['command', 'exited', false],
      ['end', null, false],
      ['agent', 'unknown', true],
    ],
  ]);
});

test('decisions say who made them, and how', () => {
  const answer = { name: 'go', id: 'q1', value: 1, printed: '1.0', by: 'ann', through: 'http', reason: 'fine' };
  const entries = between(
    ...[
      { type: 'answered', ...answer },
      { type: 'answer_refused', name: 'go', value: true, by: 'eve' },
    ],
    ...[
      { type: 'signal_received', name: 'S', payload: { a: 1 }, by: 'bot' },
      { type: 'run_cancelled', by: 'ann' },
    ],
    ...[
      { type: 'rollback_started', by: 'bob' },
      { type: 'variable_changed', name: 'n', value: 2, by: 'debugger' },
    ],
  );
  expect(entries.map(({ entry, seq, ...facts }) => facts)).toEqual([
    {
      kind: 'answer',
      name: 'go',
      id: 'q1',
      value: 1,
      printed_value: '1.0',
      by: 'ann',
      through: 'http',
      reason: 'fine',
    },
    { kind: 'refused_answer', name: 'go', id: null, value: true, by: 'eve', through: null, reason: null },
    { kind: 'signal', name: 'S', id: null, value: { a: 1 }, by: 'bot', through: null, reason: null },
    { kind: 'cancel', name: null, id: null, value: null, by: 'ann', through: null, reason: null },
    { kind: 'rollback', name: null, id: null, value: null, by: 'bob', through: null, reason: null },
    { kind: 'change', name: 'n', id: null, value: 2, by: 'debugger', through: null, reason: null },
  ]);
});

test('executions and ends are told as they came', () => {
  const error = { kind: 'store', message: 'full', state: 'A', line: 1 };
  const entries = between(
    ...[
      { type: 'run_suspended', waiting: [] },
      { type: 'run_resumed', by: 'ann' },
    ],
    ...[
      { type: 'run_resumed', by: 'ann', digest: 'd2', from: 5, of: 'r0' },
      { type: 'run_interrupted', reason: 'x' },
    ],
    ...[
      { type: 'run_failed', error },
      { type: 'run_skipped', key: 'k', run_id: 'r1' },
      { ...returned, value: 2 },
    ],
  );
  expect(entries.map(({ seq, ...facts }) => facts)).toEqual([
    { entry: 'execution', kind: 'suspended', by: null },
    { entry: 'execution', kind: 'resumed', by: 'ann' },
    { entry: 'execution', kind: 'resumed', by: 'ann', program_digest: 'd2', repeats_from: 5, copy_of: 'r0' },
    { entry: 'execution', kind: 'interrupted', by: null },
    { entry: 'end', status: 'failed', value: null, error: { kind: 'store', message: 'full' } },
    { entry: 'end', status: 'skipped', value: null, error: null },
    { entry: 'end', status: 'returned', value: 2, error: null },
  ]);
});
