/** The words of each kind of event: the line of the log, and the gist, which also names those that the log leaves out. */
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { plain } from '../../src/views/drawing/paint.js';
import { eventGist } from '../../src/views/log/event-gist.js';
import { eventLine } from '../../src/views/log/event-line.js';
import { exited, requested, settled } from './events.js';

const UNTIL = Date.UTC(2030, 0, 1);
const where = { state: 'A', line: 3 };

/** Each event by its gist; below it its line in the log, if that says more. */
function words(type: RunEvent['type'], ...facts: readonly object[]): string {
  return facts
    .flatMap((more) => {
      const event = { type, ...more } as RunEvent;
      const [gist, line] = [eventGist(event), eventLine(event, plain)];
      return line === null ? [gist, '  (no line)'] : line.trim() === gist ? [line] : [gist, line];
    })
    .join('\n');
}

test('of a run: its beginning, its end and what it waits for', () => {
  expect(words('run_started', { machine: 'm' }, { machine: 'm', by: 'ann' })).toMatchInlineSnapshot(`
    "m
      (no line)
    m, by ann
      (no line)"
  `);
  expect(
    words('state_entered', { state: 'B' }, { state: 'B', with: { n: 1.5, t: 'x y' }, printed: { n: '1.50' } }),
  ).toMatchInlineSnapshot(`
    "B
    → B
    B
    → B with n=1.50 t=x y"
  `);
  expect(
    words('run_returned', { value: null }, { value: 'text' }, { value: [1] }, { value: 1, printed: '1.0' }),
  ).toMatchInlineSnapshot(`
    "
      (no line)
    text
      (no line)
    [1]
      (no line)
    1.0
      (no line)"
  `);
  expect(words('run_failed', { error: { message: 'no luck' } })).toMatchInlineSnapshot(`
    "no luck
      (no line)"
  `);
  expect(words('run_interrupted', { reason: 'SIGINT' })).toMatchInlineSnapshot(`
    "SIGINT
      (no line)"
  `);
  expect(words('run_cancelled', { by: 'ann' })).toMatchInlineSnapshot(`"cancelled by ann"`);
  expect(
    words('run_suspended', {
      waiting: [
        { kind: 'ask', name: 'ok', question: 'Go?', choices: ['yes', 'no'], id: 'q1' },
        { kind: 'signal', name: 'GO', until: UNTIL },
        { kind: 'time', until: UNTIL },
        { kind: 'time', account: 'work', until: UNTIL },
        { kind: 'time', account: 'budget:p.dsl@$5' },
        { kind: 'approval', path: '†state.approvals.go' },
      ],
    }),
  ).toMatchInlineSnapshot(`
    "waits for an answer to \`ok\`: Go? (yes, no) [q1]; waits for the signal \`GO\` until 2030-01-01T00:00:00.000Z; waits for the clock until 2030-01-01T00:00:00.000Z; waits for the account \`work\` until 2030-01-01T00:00:00.000Z; waits for the budget of \`p.dsl\`; waits for an approval: \`†state.approvals.go\` (\`false\` denies it)
      (no line)"
  `);
  expect(
    words(
      'run_resumed',
      { by: 'ann' },
      { by: 'ann', of: 'r1' },
      { by: 'ann', of: 'r1', without: [4] },
      { by: 'ann', of: 'r1', without: [4, 5] },
    ),
  ).toMatchInlineSnapshot(`
    "resumed by ann
    a new run by ann, which begins as r1 did
    a new run by ann, which begins as r1 did; repeats 1 effect that failed
    a new run by ann, which begins as r1 did; repeats 2 effects that failed"
  `);
  expect(
    words(
      'key_shared',
      ...['waited', 'cancelled', 'waits', 'skipped'].map((how) => ({ key: 'k', run_id: 'r1', how, waited_ms: 61_000 })),
      { key: 'k', run_id: 'r1', how: 'waited' },
    ),
  ).toMatchInlineSnapshot(`
    "waited 1 min 1 s for run r1, which had the key \`k\`
    cancelled run r1, which had the key \`k\`
    run r1 waits for the key \`k\`
    run r1 was skipped, because this run has the key \`k\`
    waited 0.00 s for run r1, which had the key \`k\`"
  `);
  expect(words('run_skipped', { key: 'k', run_id: 'r1' })).toMatchInlineSnapshot(`"skipped: run r1 has the key \`k\`"`);
});

test('of effects: what is requested, tried again, and has ended', () => {
  expect(
    words('effect_requested', requested('1', 'make'), requested('1', 'make', { attempt: 2 })),
  ).toMatchInlineSnapshot(`
    "make
      (no line)
    make (attempt 2)
      (no line)"
  `);
  expect(
    words('effect_settled', settled('1', exited(3)), settled('1', { kind: 'value', value: 1 })),
  ).toMatchInlineSnapshot(`
    "effect 1: exit 3, 0.50 s
      (no line)
    effect 1: done
      (no line)"
  `);
  const failed = { effect: '1', attempt: 2, error: 'exit 1' };
  expect(
    words(
      'effect_retried',
      { ...failed, delay_ms: 0 },
      { ...failed, delay_ms: 1500 },
      { ...failed, delay_ms: 1500, until_ms: UNTIL },
      { ...failed, delay_ms: 1500, until_ms: UNTIL, account: 'work' },
      { ...failed, delay_ms: 1500, until_ms: UNTIL, account: 'trial:t@$2.5' },
    ),
  ).toMatchInlineSnapshot(`
    "  failed (attempt 2), retrying: exit 1
      failed (attempt 2), retrying in 1.50 s: exit 1
      retrying in 1.50 s: exit 1
      waits for the account \`work\`, 1.50 s until 2030-01-01T00:00:00.000Z: exit 1
      waits for the budget of trial \`t\`, 1.50 s until 2030-01-01T00:00:00.000Z: exit 1"
  `);
  expect(words('instruction_failed', { ...where, error: 'x' })).toMatchInlineSnapshot(`
    "line 3
      (no line)"
  `);
  expect(words('timer_set', { until: UNTIL })).toMatchInlineSnapshot(`
    "until 2030-01-01T00:00:00.000Z
      (no line)"
  `);
  expect(words('worktree_committed', { commit: '0123456789abcdef', since: 7 })).toMatchInlineSnapshot(`
    "0123456789ab, as it is since event 7
      (no line)"
  `);
  expect(
    words('rolled_back', { done: 2, failed: [] }, { done: 1, failed: [{ line: 4 }, { line: 6 }] }),
  ).toMatchInlineSnapshot(`
    "2 undone
    1 undone, 2 failed (line 4, 6)"
  `);
  expect(words('rollback_started', { by: 'ann' })).toMatchInlineSnapshot(`"rollback by ann"`);
});

test('of values: names that are set or changed, and what is emitted', () => {
  expect(
    words('tracked_set', { name: 'n', value: 1, printed: '1.0' }, { name: 't', value: 'x' }),
  ).toMatchInlineSnapshot(`
    "n = 1.0
      (no line)
    t = "x"
      (no line)"
  `);
  expect(words('state_set', { path: '†state.n', value: { a: 1 } })).toMatchInlineSnapshot(`
    "†state.n = {"a":1}
      (no line)"
  `);
  expect(words('variable_changed', { name: 'n', value: 2, by: 'debugger' })).toMatchInlineSnapshot(`
    "n = 2
    changed by debugger: n = 2"
  `);
  const emitted = { by: 'author', fields: {}, message: null, ...where };
  expect(
    words(
      'emitted',
      { ...emitted, event: null, message: 'all\ndone' },
      { ...emitted, event: 'READY', fields: { n: 1, t: 'x', none: null }, printed: { n: '1.00' } },
      { ...emitted, event: 'READY', message: 'well' },
      { ...emitted, event: 'TOOL_FAILURE', by: 'engine', fields: { tool: null, error: 'gone' } },
      { ...emitted, event: 'TOOL_FAILURE', by: 'engine', fields: { tool: 'make', error: 'gone' } },
    ),
  ).toMatchInlineSnapshot(`
    "EMIT all done
    EMIT READY n=1.00 t=x none=
    EMIT READY well
    failed: gone (A, line 3)
    EMIT TOOL_FAILURE tool=make error=gone"
  `);
  expect(
    words('warned', { message: 'careful', ...where }, { message: 'careful', state: 'A', line: 0 }),
  ).toMatchInlineSnapshot(`
    "warning: careful (A, line 3)
    warning: careful"
  `);
  expect(
    words(
      'budget_exceeded',
      ...['time', 'journal', 'output', 'image'].map((scope) => ({ scope, limit: 3_000_000 })),
      ...['cost', 'tokens', 'transitions'].map((scope) => ({ scope, limit: 3 })),
    ),
  ).toMatchInlineSnapshot(`
    "limit reached: time 50m
    limit reached: journal 3 MB
    limit reached: output 3 MB
    limit reached: image 3 MB
    limit reached: cost $3.00
    limit reached: tokens 3
    limit reached: transitions 3"
  `);
});

test('of people: questions, answers and signals', () => {
  const asked = { effect: '1', name: 'ok', question: 'Go?', ...where };
  expect(
    words(
      'asked',
      { ...asked, choices: null },
      { ...asked, choices: [] },
      { ...asked, choices: ['yes', 'no'], id: 'q1', show: { diff: 'a b' } },
    ),
  ).toMatchInlineSnapshot(`
    "  ? Go?
      ? Go?
      ? Go? (yes, no) [q1] diff=a b"
  `);
  const answered = { name: 'ok', value: 1, by: 'ann' };
  expect(
    words('answered', answered, { ...answered, printed: '1.0', id: 'q1', reason: 'because' }),
  ).toMatchInlineSnapshot(`
    "  ok = 1 (ann)
      ok = 1.0 (ann) [q1]: because"
  `);
  expect(words('answer_refused', answered, { ...answered, id: 'q1' })).toMatchInlineSnapshot(`
    "refused: ok = 1 (ann, who may not answer)
    refused: ok = 1 (ann, who may not answer) [q1]"
  `);
  expect(
    words('signal_received', { name: 'GO', payload: null }, { name: 'GO', payload: { a: 1 }, id: 's1' }),
  ).toMatchInlineSnapshot(`
    "  signal GO
      signal GO {"a":1} [s1]"
  `);
});

test('of steps: attempts, gates and retries', () => {
  const step = { step: 'A/s', attempt: 1, agent: null };
  expect(words('step_started', step, { ...step, agent: 'maker', attempt: 2 })).toMatchInlineSnapshot(`
    "▸ A/s
    ▸ A/s maker, attempt 2"
  `);
  const gate = { step: 'A/s', gate: 'tests', pass: true };
  expect(
    words('gate_result', gate, { ...gate, pass: false }, { ...gate, pass: false, message: 'red' }),
  ).toMatchInlineSnapshot(`
    "gate tests passed
    gate tests failed
    gate tests failed: red"
  `);
  expect(
    words('retry_triggered', { ...step, overrides: {} }, { ...step, overrides: { agent: 'b', prompt: 'long' } }),
  ).toMatchInlineSnapshot(`
    "A/s: attempt 1
    A/s: attempt 1 with agent=b prompt=another"
  `);
  expect(
    words('step_completed', { ...step, status: 'pass' }, { ...step, status: 'fail', attempt: 3 }),
  ).toMatchInlineSnapshot(`
    "A/s passed
    A/s: fail after attempt 3"
  `);
});
