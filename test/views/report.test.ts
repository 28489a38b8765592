/** What a report counts, from records written by hand: what was paid for twice, waited for, or never known. */
import { describe, expect, test } from 'vitest';
import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import type { Machine } from '../../src/machine/machine.js';
import type { Attempt } from '../../src/runtime/record/record-facts.js';
import { RunModel } from '../../src/runtime/record/run-model.js';
import { reportOn } from '../../src/views/report/report.js';
import { drawSummary } from '../../src/views/report/report-summary.js';
import { spendingWords } from '../../src/views/report/report-table.js';
import { type Spending, spendingOf } from '../../src/views/report/undo-rows.js';
import { machine as machineFixture } from './machine-fixture.js';

/** Events with the second each was recorded at. */
function factsOf(events: readonly (readonly [second: number, event: RunEvent])[]): RunModel {
  const facts = new RunModel();
  events.forEach(([second, event], at) => {
    facts.take({ seq: at + 1, time: new Date(second * 1000).toISOString(), event });
  });
  return facts;
}

function report(...events: readonly (readonly [number, RunEvent])[]) {
  return reportOn([{ run_id: 'r', status: 'returned', started_at: '', facts: factsOf([[0, started], ...events]) }]);
}

const started: RunEvent = { type: 'run_started', machine: 'm', digest: '', inputs: {}, version: '' };
const entered = (state: string): RunEvent => ({ type: 'state_entered', state });
const exited = (exit: number, more: Partial<Extract<Outcome, { kind: 'exited' }>> = {}): Outcome => ({
  kind: 'exited',
  exit,
  stdout: { text: '', bytes: 0 },
  stderr: '',
  duration_ms: 500,
  ...more,
});

function requested(effect: string, tool: string, more: Partial<Extract<RunEvent, { type: 'effect_requested' }>> = {}) {
  const event = { type: 'effect_requested', effect, kind: 'shell', tool, text: tool, state: 'A', line: 1, attempt: 1 };
  return { ...event, ...more } as RunEvent;
}

const settled = (effect: string, outcome: Outcome, attempt = 1): RunEvent => ({
  type: 'effect_settled',
  effect,
  attempt,
  outcome,
});

describe('time', () => {
  test('belongs to the state of the run; no process executes a suspended run', () => {
    const { states, duration_ms } = report(
      [0, entered('A')],
      [2, entered('B')],
      [3, { type: 'run_suspended', waiting: [] }],
      [100, { type: 'run_resumed', by: 'x' }],
      [104, entered('A')],
      [105, { type: 'run_returned', state: 'A', value: null }],
    );
    expect(duration_ms).toBe(8000);
    expect(states).toMatchObject([
      { state: 'A', entries: 2, time_ms: 3000 },
      { state: 'B', entries: 1, time_ms: 5000 },
    ]);
  });

  test('belongs to the earlier state when a run was resumed before its failure', () => {
    const { states } = report(
      [0, entered('A')],
      [1, entered('ERROR')],
      [
        2,
        {
          type: 'run_failed',
          error: { kind: 'x', message: '', state: null, line: null, file: null, tool: null, exit_code: null },
        },
      ],
      [50, { type: 'run_resumed', by: 'x', from: 3 }],
      [54, { type: 'run_returned', state: 'A', value: null }],
    );
    expect(states).toMatchObject([
      { state: 'A', entries: 1, time_ms: 5000 },
      { state: 'ERROR', entries: 1, time_ms: 1000 },
    ]);
  });
});

describe('tools', () => {
  test('a call is one however often it is tried', () => {
    const { tools, retries, effects } = report(
      [0, entered('A')],
      [1, requested('1', 'curl')],
      [2, settled('1', exited(7))],
      [2, { type: 'effect_retried', effect: '1', attempt: 1, error: 'exit 7', delay_ms: 0 }],
      [2, requested('1', 'curl', { attempt: 2 })],
      [5, settled('1', exited(0, { duration_ms: 900 }), 2)],
    );
    expect([effects, retries]).toEqual([1, 1]);
    expect(tools).toMatchObject([
      {
        tool: 'curl',
        calls: 1,
        attempts: 2,
        failed: 1,
        stopped: 0,
        open: 0,
        time_ms: 1400,
        median_ms: 500,
        max_ms: 900,
      },
    ]);
  });

  test('what was stopped did not fail, what never started took no time, and a crash leaves an attempt open', () => {
    const { tools } = report(
      [0, entered('A')],
      [0, requested('1', 'a')],
      [0, requested('2', 'b')],
      [0, requested('3', 'c')],
      [4, { ...settled('1', { kind: 'failed', message: '', error_type: 'cancelled' }), stopped: true } as RunEvent],
      [4, settled('2', { kind: 'not-started', reason: 'no such program' })],
      [5, { type: 'run_resumed', by: 'x' }],
    );
    expect(tools).toMatchObject([
      { tool: 'a', failed: 0, stopped: 1, time_ms: 4000 },
      { tool: 'b', failed: 1, time_ms: 0, median_ms: null },
      { tool: 'c', failed: 0, open: 1 },
    ]);
  });

  test('an unknown cost is not nothing', () => {
    const call = (effect: string) => requested(effect, 'agent', { kind: 'agent' });
    const none = report([0, call('1')], [1, settled('1', exited(0))]);
    expect(none).toMatchObject({ cost: null, unknown_costs: 1 });
    const some = report(
      [0, call('1')],
      [1, settled('1', exited(0, { cost: 0.5, tokens: { in: 5, out: 2, cache_read: 1, cache_write: 0 } }))],
      [1, call('2')],
      [2, settled('2', exited(0, { cost: null }))],
    );
    expect(some).toMatchObject({ cost: 0.5, unknown_costs: 1, tokens: { in: 5, out: 2, cache_read: 1 } });
    expect(report([0, requested('1', 'ls')])).toMatchObject({ cost: 0, unknown_costs: 0 });
  });

  test('an outcome that no longer counts was still an outcome', () => {
    const { tools, effects, duration_ms } = report(
      [0, entered('A')],
      [0, requested('1', 'make')],
      [1, settled('1', exited(2))],
      [1, entered('ERROR')],
      [90, { type: 'run_resumed', by: 'x', from: 5, without: [4] }],
      [91, settled('1', exited(0))],
    );
    expect([effects, duration_ms]).toEqual([1, 2000]);
    expect(tools).toMatchObject([{ tool: 'make', calls: 1, attempts: 2, failed: 1, open: 0 }]);
  });

  test('what was in flight when a copy was made is done by the copy', () => {
    const { tools } = report(
      [0, entered('A')],
      [0, requested('1', 'slow')],
      [9, { type: 'run_resumed', by: 'x', from: 4, of: 'other' }],
      [12, settled('1', exited(0, { duration_ms: 3000 }))],
    );
    expect(tools).toMatchObject([{ tool: 'slow', calls: 1, attempts: 1, time_ms: 3000 }]);
  });

  test('what a copy took over was paid for by the other run', () => {
    const { cost, tools, runs } = report(
      [0, entered('A')],
      [0, requested('1', 'agent', { kind: 'agent' })],
      [1, settled('1', exited(0, { cost: 3 }))],
      [9, { type: 'run_resumed', by: 'x', from: 5, of: 'other' }],
      [10, requested('2', 'ls')],
    );
    expect([cost, tools.map(({ tool }) => tool), runs[0]?.copy_of]).toEqual([0, ['ls'], 'other']);
  });
});

test('an interrupted rollback leaves the UNDOs that it has not begun', () => {
  const of = (line: number) => ({ line, state: 'A', text: `undo ${line}` });
  const error = { kind: 'tool_failure', message: 'no', state: 'A', line: 9 } as never;
  const undo = (effect: string, line: number) => requested(effect, `undo ${line}`, { line, undo: true });
  const {
    undone,
    rollbacks,
    undo: registered,
  } = report(
    [0, entered('A')],
    [1, { type: 'run_failed', error, undo: [of(7), of(5), of(5), of(3)] }],
    [2, { type: 'rollback_started', by: 'me' }],
    [3, undo('9', 7)],
    [4, settled('9', exited(0))],
    [5, undo('10', 5)],
    [60, { type: 'run_resumed', by: 'me' }],
  );
  expect(undone).toMatchObject([
    { seq: 5, line: 7, text: 'undo 7', attempts: 1, ending: 'succeeded', time_ms: 500, cost: 0 },
    { seq: 7, line: 5, text: 'undo 5', attempts: 1, ending: 'open', outcome: null, time_ms: 0 },
  ]);
  expect(rollbacks).toEqual([]);
  expect(registered).toEqual([5, 3].map((line) => ({ run_id: 'r', ...of(line) })));
});

test('waits are reported with their end', () => {
  const asked = (effect: string, name: string): RunEvent => {
    return { type: 'asked', effect, id: name, name, question: '', choices: null, default: null, deadline: null };
  };
  const { waits } = report(
    [0, entered('A')],
    [0, asked('4', 'ok')],
    [60, { type: 'answered', effect: '4', id: 'ok', name: 'ok', value: 'yes', by: 'x' }],
    [60, requested('5', '', { kind: 'signal', tool: null, text: 'WAIT: signal go' })],
    [60, { type: 'timer_set', effect: '6', until: 0 }],
    [70, settled('6', { kind: 'value', value: 0 })],
    [70, { type: 'timer_set', effect: '8', until: 0 }],
    [75, settled('8', { kind: 'value', value: 0 })],
    [75, asked('9', 'name')],
  );
  const left = report([0, entered('A')], [0, asked('1', 'ok')], [1, entered('B')]);
  expect(left.waits).toEqual([]);
  expect(waits).toMatchObject([
    { kind: 'ask', name: 'ok', count: 1, ran_out: 0, open: 0, time_ms: 60_000 },
    { kind: 'signal', name: 'go', count: 1, ran_out: 1, time_ms: 10_000 },
    { kind: 'time', name: null, count: 1, ran_out: 0, time_ms: 5000 },
    { kind: 'ask', name: 'name', count: 1, open: 1, max_ms: null },
  ]);
});

test('calls of a plan share a branch: the pause of one ends, and the failure of one is retried, whatever the others do', () => {
  const { waits, tools, retries } = report(
    [0, entered('A')],
    [0, requested('1.1', 'a')],
    [0, requested('1.2', 'b')],
    [1, settled('1.1', exited(1))],
    [1, settled('1.2', exited(0))],
    [1, { type: 'effect_retried', effect: '1.1', attempt: 1, error: 'exit 1', delay_ms: 5000 }],
    [1, { type: 'timer_set', effect: '1.3', until: 6000 }],
    [2, requested('1.4', 'c')],
    [6, settled('1.3', { kind: 'value', value: 6000 })],
  );
  expect(waits).toMatchObject([{ kind: 'time', count: 1, open: 0, time_ms: 5000 }]);
  expect(retries).toBe(1);
  expect(tools).toMatchObject([{ tool: 'a' }, { tool: 'b' }, { tool: 'c' }]);
});

test('a backed-off attempt is neither a failure nor another call', () => {
  const unavailable = { cause: 'usage', message: 'later', until_ms: 3000, at_ms: 1000 } as const;
  const { effects, attempts, failed, retries, tools } = report(
    [0, entered('A')],
    [0, requested('1', 'claude', { kind: 'agent' })],
    [1, settled('1', exited(1, { is_error: true, cost: 0, unavailable }))],
    [1, { type: 'effect_retried', effect: '1', attempt: 1, error: 'later', delay_ms: 2000, until_ms: 3000 }],
    [1, { type: 'timer_set', effect: '2', until: 3000 }],
    [3, settled('2', { kind: 'value', value: 3000 })],
    [3, requested('1', 'claude', { kind: 'agent' })],
    [4, settled('1', exited(0, { is_error: false, cost: 0.5 }))],
  );
  expect({ effects, attempts, failed, retries }).toEqual({ effects: 1, attempts: 2, failed: 0, retries: 0 });
  expect(tools).toMatchObject([{ tool: 'claude', calls: 1, failed: 0, spent: { cost: 0.5 } }]);
});

describe('steps', () => {
  const begun = (step: string, attempt: number, agent: string | null = null): RunEvent => ({
    type: 'step_started',
    step,
    attempt,
    agent,
    step_type: 'code',
  });
  const judged = (step: string, pass: boolean): RunEvent => ({
    ...{ type: 'gate_result', step, attempt: 1, gate: 'test', kind: 'test', pass },
  });
  const over = (step: string, status: 'pass' | 'fatal', attempt = 1): RunEvent => ({
    ...{ type: 'step_completed', step, attempt, status, retries: attempt - 1, cost: 0 },
  });
  const again = (step: string, attempt: number): RunEvent => ({
    ...{ type: 'retry_triggered', step, attempt, matched: [0], overrides: { agent: 'dear' } },
  });
  const asked = (effect: string, step: string) => requested(effect, 'x', { kind: 'agent', step });

  test('have a row each, with what their own calls cost and whom they went over to', () => {
    const { steps, retries } = report(
      [0, begun('a', 1, 'cheap')],
      [0, asked('1', 'a')],
      [1, settled('1', exited(0, { cost: 0.5, turns: 2 }))],
      [1, begun('a.gate.v.state.look', 1, 'judge')],
      [1, asked('2', 'a.gate.v.state.look')],
      [2, settled('2', exited(0, { cost: null }))],
      [2, over('a.gate.v.state.look', 'pass')],
      [2, judged('a', false)],
      [2, again('a', 2)],
      [2, begun('a', 2, 'dear')],
      [3, judged('a', true)],
      [3, over('a', 'pass', 2)],
    );
    expect(retries).toBe(1);
    expect(steps).toMatchObject([
      {
        ...{ path: 'a', agent: 'dear', status: 'pass', attempt: 2, attempts: 2, retries: 1, escalations: 1 },
        ...{ gates: { passed: 1, failed: 1 }, cost: 0.5, turns: 2, duration_ms: 3000 },
      },
      { path: 'a.gate.v.state.look', cost: null, unknown_costs: 1, turns: null, duration_ms: 1000 },
    ]);
  });

  test('continue in a resumed run, without the time in which no process executed it', () => {
    const { steps } = report(
      [0, begun('a', 1)],
      [2, judged('a', false)],
      [2, over('a', 'fatal')],
      [90, { type: 'run_resumed', by: 'x', from: 4, without: [] }],
      [91, again('a', 2)],
      [91, begun('a', 2)],
      [92, over('a', 'pass', 2)],
    );
    expect(steps).toMatchObject([{ status: 'pass', attempts: 2, retries: 1, gates: { failed: 1 }, duration_ms: 4000 }]);
  });

  test('that are made again are undone first, and those of another run are taken over', () => {
    const first = [
      [0, begun('a', 1)],
      [1, over('a', 'pass')],
      [1, begun('b', 1)],
    ] as const;
    const undone = report(...first, [9, { type: 'run_resumed', by: 'x', from: 4 }]);
    expect(undone.steps).toMatchObject([
      { path: 'a', status: 'pass' },
      { path: 'b', status: 'undone' },
    ]);
    const copied = report(...first, [9, { type: 'run_resumed', by: 'x', from: 4, of: 'other' }]);
    expect(copied.steps).toMatchObject([{ path: 'a', status: 'pass', copied: true, duration_ms: 0 }]);
  });
});

test('an agent call that still runs has no unknown cost, and the tokens of the cache are sums of their own', () => {
  const call = (more: object) =>
    ({ request: { kind: 'agent' }, outcome: {}, cost: 0.5, ...more }) as unknown as Attempt;
  const tokens = { in: 1, out: 2, cache_read: 3, cache_write: 4 };
  expect(spendingOf([call({ tokens }), call({ tokens }), call({ outcome: null, cost: undefined })])).toEqual({
    cost: 1,
    unknown_costs: 0,
    tokens: { in: 2, out: 4, cache_read: 6, cache_write: 8 },
  });
  expect(spendingOf([call({ cost: null })])).toMatchObject({ cost: null, unknown_costs: 1 });
});

test.each([
  [{ cost: 0.5, unknown_costs: 0, tokens: { in: 0, out: 0 } }, '$0.50'],
  [{ cost: 0.5, unknown_costs: 2, tokens: { in: 1, out: 0 } }, '$0.50 and 2 calls of unknown cost, 1 tokens in, 0 out'],
  [{ cost: null, unknown_costs: 1, tokens: { in: 0, out: 2 } }, '1 call of unknown cost, 0 tokens in, 2 out'],
])('what was spent: %j', (spent, words) => expect(spendingWords(spent as unknown as Spending)).toBe(words));

describe('the summary of a run', () => {
  const run = { run_id: 'r1', machine: 'm|`x`', status: 'returned', states: ['WORK'], error: null, waiting: [] };
  const machine = machineFixture as Machine;
  const paid = (cost: number, more: object = {}) =>
    exited(0, { cost, is_error: false, tokens: { in: 30, out: 12 }, ...more } as never);
  const spent = report(
    [0, entered('A')],
    [1, requested('1', 'Task(w)', { kind: 'agent' })],
    [3, settled('1', paid(0.25))],
    [3, requested('2', 'make')],
    [4, settled('2', exited(1))],
    [4, { type: 'effect_retried', effect: '2', attempt: 1, error: 'exit 1', delay_ms: 0 }],
    [4, requested('2', 'make', { attempt: 2 })],
    [5, settled('2', exited(0), 2)],
    [5, requested('3', 'Task(v)', { kind: 'agent' })],
    [6, settled('3', exited(0, { is_error: false }))],
    [7, { type: 'run_returned', state: 'A', value: null }],
  );

  test('of one that returned a value', () => {
    const steps = [
      { path: 'plan', status: 'done', attempt: 2, agent: 'claude', cost: 0.5 },
      { path: 'look', status: 'failed', attempt: 1, agent: null, cost: 0 },
    ] as never;
    expect(drawSummary({ ...run, steps, returned: { a: ['```'] } }, spent, machine)).toMatchInlineSnapshot(`
      "## \`\` m\\|\`x\` \`\`: returned

      7.00 s, 3 effects, 1 retried, cost $0.25, 1 call of unknown cost, 42 tokens · run \`r1\`

      **Result**

      \`\`\`\`
      {
        "a": [
          "\`\`\`"
        ]
      }
      \`\`\`\`

      | State | Entries | Effects | Time |
      | --- | --- | --- | --- |
      | \`A\` | 1 | 3 | 7.00 s |

      | Step | Status | Attempts | Agent | Cost |
      | --- | --- | --- | --- | --- |
      | \`plan\` | done | 2 | \`claude\` | $0.50 |
      | \`look\` | failed | 1 |  |  |

      | Agent | Calls | Failed | Cost | Tokens in | Tokens out |
      | --- | --- | --- | --- | --- | --- |
      | \`Task(w)\` | 1 | 0 | $0.25 | 30 | 12 |
      | \`Task(v)\` | 1 | 0 | unknown | 0 | 0 |

      <details><summary>Graph</summary>

      \`\`\`mermaid
      stateDiagram-v2
          PLAN
          WORK
          ERROR
          [*] --> PLAN
          PLAN --> PLAN : count < 5
          PLAN --> WORK : NOT (count < 5)
          WORK --> [*]
          WORK --> PLAN : on error timeout
          WORK --> ERROR : failure
          ERROR --> [*]
          classDef unreached fill:#eeeeee,stroke:#999999,color:#777777,stroke-dasharray:4
          class PLAN,ERROR unreached
      \`\`\`

      </details>
      "
    `);
  });

  test('of one without anything to tell', () => {
    const nothing = report([1, { type: 'run_returned', state: 'A', value: null }]);
    const workflow = { ...machine, workflow: {} } as Machine;
    const told = drawSummary({ ...run, returned: null }, nothing, workflow);
    expect(told.split('<details>')[0]).toMatchInlineSnapshot(`
      "## \`\` m\\|\`x\` \`\`: returned

      1.00 s, 0 effects · run \`r1\`

      "
    `);
    expect(drawSummary(run, nothing, null)).not.toContain('details');
    expect(drawSummary({ ...run, status: 'failed', returned: 3 }, nothing, null)).not.toContain('Result');
  });

  test('of one that failed or waits', () => {
    const error = { kind: 'exit', message: 'no\n````\nx', state: 'A', file: 'a.dsl', line: 3 } as never;
    const nowhere = { kind: 'exit', message: 'x'.repeat(4001), state: null, file: 'a.dsl', line: null } as never;
    const waiting = [
      { kind: 'answer', name: 'go', question: 'Go `on`?', choices: ['yes', 'no'] },
      { kind: 'approval', path: 'state.x' },
      { kind: 'time' },
    ] as never;
    const short = (of: object) =>
      drawSummary({ ...run, ...of }, report(), null)
        .split('\n')
        .slice(4)
        .join('\n');
    expect(short({ status: 'failed', error })).toMatchInlineSnapshot(`
      "**Why it failed** (\`exit\`, in the state \`A\`, at \`a.dsl:3\`)

      \`\`\`\`\`
      no
      \`\`\`\`
      x
      \`\`\`\`\`
      "
    `);
    expect(short({ status: 'failed', error: nowhere }).replaceAll('x'.repeat(100), 'x')).toMatchInlineSnapshot(`
      "**Why it failed** (\`exit\`)

      \`\`\`
      xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
      […]
      \`\`\`
      "
    `);
    expect(short({ status: 'waiting', waiting })).toMatchInlineSnapshot(`
      "**Waits for**

      - answer \`go\`: \`\` Go \`on\`? \`\` (\`yes\`, \`no\`)
      - approval \`state.x\`
      - time
      "
    `);
  });

  test('of many states, neither all rows nor a graph', () => {
    const states = Array.from({ length: 51 }, (_, at) => `S${at}`);
    const many = report(...states.map((state, at) => [at, entered(state)] as const));
    const fifty = report(...states.slice(1).map((state, at) => [at, entered(state)] as const));
    const rows = (of: typeof many) =>
      drawSummary(run, of, null)
        .split('\n')
        .filter((line) => /S\d|more/.test(line));
    expect([rows(many).length, rows(many)[0], rows(many).at(-1)]).toEqual([
      51,
      '| `S0` | 1 | 0 | 1.00 s |',
      '… and 1 more',
    ]);
    expect(rows(fifty)).toHaveLength(50);
    const large = (count: number) => ({ ...machine, states: Array(count).fill(machine.states[2]) }) as Machine;
    expect(drawSummary(run, many, large(80))).toContain('<details>');
    expect(drawSummary(run, many, large(81))).not.toContain('<details>');
  });
});
