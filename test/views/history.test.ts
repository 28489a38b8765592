/** What the events of a run say about its lines, its transitions, its steps, and about another run of the same program. */
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { type ComparedRun, changesBetween } from '../../src/page/history/changes.js';
import { EdgeCounts } from '../../src/page/history/edge-counts.js';
import { momentAt, type RunMoment } from '../../src/page/history/run-moment.js';
import { SourceLines } from '../../src/page/history/source-lines.js';
import { effectRetryReason, StepHistory } from '../../src/page/history/step-history.js';
import type { Recorded } from '../../src/runtime/record/record-facts.js';
import { RunModel } from '../../src/runtime/record/run-model.js';
import { compareRuns, differentMembers, pairVisits } from '../../src/views/compare/compare-runs.js';
import { RunTrace, type VisitTrace } from '../../src/views/compare/run-trace.js';
import {
  entered,
  exited,
  recordsOf,
  requested,
  resumed,
  retried,
  returned,
  settled,
  started,
  type Timed,
  taken,
} from './events.js';

const failure = (line: number, more: object = {}): RunEvent =>
  ({
    ...{ type: 'instruction_failed', thread: '', error_type: 'x', error: '', state: 'A', line, causes: [] },
    ...more,
  }) as RunEvent;
const runFailed = { type: 'run_failed', error: { kind: 'x', message: 'no' } } as RunEvent;

describe('lines', () => {
  test('count executions, attempts, failures, time and money', () => {
    const lines = taken(
      new SourceLines(),
      [1, requested('1', 'a', { line: 3 })],
      [2, settled('1', exited(1))],
      [2, retried('1', 0)],
      [2, requested('1', 'a', { line: 3, attempt: 2 })],
      [3, settled('1', exited(0), 2)],
      [4, requested('2', 'Task(x)', { kind: 'agent', line: 5 })],
      [9, settled('2', exited(0, { cost: 0.5, is_error: false, duration_ms: 4000 }))],
      [9, requested('3', 'Task(x)', { kind: 'agent', line: 5 })],
      [9, settled('3', exited(0, { is_error: false, duration_ms: 1000 }))],
    );
    expect(lines.all).toEqual([
      { state: 'A', line: 3, count: 1, attempts: 2, failed: 1, ms: 1000, cost: 0, unknownCosts: 0 },
      { state: 'A', line: 5, count: 2, attempts: 2, failed: 0, ms: 5000, cost: 0.5, unknownCosts: 1 },
    ]);
  });

  test('count neither the end of a step nor the length of a pause', () => {
    const lines = taken(
      new SourceLines(),
      [1, requested('1', 'STEP: one', { kind: 'clock', line: 2 })],
      [1, settled('1', { kind: 'value', value: 1000 })],
      [2, requested('2', 'STEP: one', { kind: 'clock', line: 2, step: 'one' })],
      [2, settled('2', { kind: 'value', value: 2000 })],
      [3, requested('3', 'a', { line: 5 })],
      [3, settled('3', exited(1))],
      [3, requested('4', 'how long to pause', { kind: 'random', line: 5 })],
      [3, settled('4', { kind: 'value', value: 0.5 })],
      [3, retried('3', 10)],
      [4, requested('3', 'a', { line: 5, attempt: 2 })],
      [4, settled('3', exited(0), 2)],
    );
    expect(lines.all).toMatchObject([
      { line: 2, count: 1 },
      { line: 5, count: 1, attempts: 2, failed: 1 },
    ]);
  });

  test('a wait counts once, and its time is that until it ends', () => {
    const lines = taken(
      new SourceLines(),
      [1, requested('1', 'WAIT', { kind: 'clock', line: 2 })],
      [1, settled('1', { kind: 'value', value: 1000 })],
      [1, { type: 'timer_set', effect: '2', until: 4000 }],
      [4, settled('2', { kind: 'value', value: null })],
      [4, requested('3', 'WAIT', { kind: 'clock', line: 3 })],
      [4, settled('3', { kind: 'value', value: 4000 })],
      [4, requested('4', 'WAIT: signal go', { kind: 'signal', line: 3 })],
      [4, { type: 'timer_set', effect: '5', until: 9000 }],
      [6, settled('4', { kind: 'value', value: null })],
    );
    expect(lines.copy().all.map(({ line, count, ms }) => [line, count, ms])).toEqual([
      [2, 1, 3000],
      [3, 1, 2000],
    ]);
  });

  test('waits of branches at the same time do not change each other', () => {
    const value = (effect: string, at: number): RunEvent => settled(effect, { kind: 'value', value: at });
    const lines = taken(
      new SourceLines(),
      [1, requested('1.1.1', 'WAIT', { kind: 'clock', line: 2 })],
      [1, requested('1.2.1', 'WAIT', { kind: 'clock', line: 3 })],
      [1, requested('1.3.1', 'a', { line: 4 })],
      [1, value('1.1.1', 1000)],
      [1, { type: 'timer_set', effect: '1.1.2', until: 4000 }],
      [1, value('1.2.1', 1000)],
      [1, requested('1.2.2', 'WAIT: signal go', { kind: 'signal', line: 3 })],
      [1, { type: 'timer_set', effect: '1.2.3', until: 9000 }],
      [4, value('1.1.2', 0)],
      [6, value('1.2.2', 0)],
      [7, settled('1.3.1', exited(0, { duration_ms: 6000 }))],
    );
    expect(lines.copy().all.map(({ line, count, ms }) => [line, count, ms])).toEqual([
      [2, 1, 3000],
      [3, 1, 5000],
      [4, 1, 6000],
    ]);
  });

  test('the run is at the lines of open effects, otherwise at the last one', () => {
    const lines = taken(
      new SourceLines(),
      [1, requested('1.1.1', 'a', { line: 3 })],
      [1, requested('1.2.1', 'b', { line: 4 })],
    );
    expect(lines.current()).toEqual([
      { state: 'A', line: 3 },
      { state: 'A', line: 4 },
    ]);
    const later = taken(new SourceLines(), [1, requested('1', 'a', { line: 3 })], [2, settled('1')], [3, failure(8)]);
    expect(later.current()).toEqual([{ state: 'A', line: 8 }]);
  });
});

describe('transitions', () => {
  test('are counted from state to state, from the start to the end', () => {
    const edges = taken(
      new EdgeCounts(),
      [1, entered('A')],
      [2, entered('B')],
      [3, entered('A')],
      [4, entered('B')],
      [5, returned],
    );
    expect(edges.all).toEqual([
      { from: null, to: 'A', afterFailure: false, count: 1 },
      { from: 'A', to: 'B', afterFailure: false, count: 2 },
      { from: 'B', to: 'A', afterFailure: false, count: 1 },
      { from: 'B', to: null, afterFailure: false, count: 1 },
    ]);
    expect(edges.entriesOf('B')).toBe(2);
  });

  test('after a failure are others, unless a loop or a branch continued', () => {
    const edges = taken(
      new EdgeCounts(),
      [1, entered('A')],
      [2, failure(1, { thread: '1.2' })],
      [2, failure(1, { kept: true })],
      [2, entered('B')],
      [3, failure(1)],
      [3, entered('ERROR')],
      [4, runFailed],
    );
    expect(edges.all.map(({ from, to, afterFailure }) => [from, to, afterFailure])).toEqual([
      [null, 'A', false],
      ['A', 'B', false],
      ['B', 'ERROR', true],
      ['ERROR', null, true],
    ]);
  });
});

describe('steps', () => {
  const begun = (attempt: number, agent: string): RunEvent => ({
    ...{ type: 'step_started', step: 'build', attempt, agent, step_type: 'code' },
  });
  const gate = { type: 'gate_result', step: 'build', gate: 'tests', kind: 'command' } as const;
  const taking = (): StepHistory & { take(record: Recorded): void } => {
    const run = new RunModel();
    const steps = new StepHistory(run);
    const take = steps.take.bind(steps);
    steps.take = (record) => {
      run.take(record);
      take(record);
    };
    return steps;
  };
  const history = taken(
    taking(),
    [1, begun(1, 'small')],
    [1, requested('1', 'STEP: build', { kind: 'agent', step: 'build', prompt: 'Build it.' })],
    [5, settled('1', exited(0, { is_error: false, cost: 0.1, stdout: { text: 'done', bytes: 4 } }))],
    [5, settled('2', { kind: 'changed', commit: 'c', files: ['a.ts'], stdout: { text: '+x', bytes: 2 } })],
    [5, settled('2', { kind: 'changed', commit: 'c', files: [], stdout: { text: '', bytes: 0 } })],
    [5, requested('3', 'npm test', { tool: 'tests', step: 'build' })],
    [6, settled('3', exited(1, { stdout: { text: '1 failing', bytes: 9 } }))],
    [6, { ...gate, attempt: 1, pass: false, message: 'exit 1: 1 failing.' }],
    [
      6,
      {
        type: 'retry_triggered',
        step: 'build',
        attempt: 2,
        matched: [0],
        overrides: { agent: 'large', prompt: 'Again.' },
      },
    ],
    [7, begun(2, 'large')],
    [7, { ...gate, attempt: 2, pass: true }],
    [8, { type: 'step_completed', step: 'build', attempt: 2, status: 'pass', retries: 1, cost: 0.1 }],
    [9, requested('4', 'outside')],
    [9, settled('4')],
  );
  const step = history.find('build', 'r');

  test('are listed with their attempts', () => {
    expect(history.steps).toEqual([{ path: 'build', type: 'code', status: 'pass', attempts: 2 }]);
    expect(history.find('other', 'r')).toBe(null);
  });

  test('an attempt has its prompt, answer, gates with output, changed files and cost', () => {
    expect(step?.attempts[0]).toMatchObject({
      ...{ agent: 'small', prompt: 'Build it.', answer: 'done', cost: 0.1, why: null, status: 'fail' },
      change: { files: ['a.ts'], diff: '+x', isEnd: false, artifact: null },
      gates: [{ gate: 'tests', pass: false, message: 'exit 1: 1 failing.', output: '1 failing' }],
    });
  });

  test('of a long diff only the end is known', () => {
    const stdout = { tail: '+end', artifact: 'd.txt', bytes: 100_000 };
    const long = taken(
      taking(),
      [1, begun(1, 'small')],
      [5, settled('2', { kind: 'changed', commit: 'c', files: ['a.ts'], stdout })],
    );
    expect(long.find('build', 'r')?.attempts[0]?.change).toEqual({
      ...{ files: ['a.ts'], diff: '+end', isEnd: true, artifact: 'd.txt' },
    });
  });

  test('a retry says why in one sentence', () => {
    expect(step?.attempts[1]?.why).toBe(
      'Attempt 1 did not pass, because the gate `tests` failed: exit 1: 1 failing; this attempt has the agent `large` and another prompt.',
    );
    const again = { type: 'effect_retried', effect: '1', attempt: 2, error: 'exit 7: refused.', delay_ms: 0 } as const;
    expect(effectRetryReason(again, 'curl x')).toBe('Attempt 2 of `curl x` failed: exit 7: refused.');
    expect(effectRetryReason({ ...again, until_ms: 5 }, null)).toBe(
      'The agent was not available: exit 7: refused; the attempt does not count.',
    );
  });
});

describe('two runs', () => {
  const trace = (...events: readonly Timed[]): RunTrace => taken(new RunTrace(), ...events);
  const difference = (left: readonly Timed[], right: readonly Timed[]) =>
    compareRuns(trace(...left), trace(...right)).difference;
  const visit = (state: string): VisitTrace => ({ state, seq: 1, beganMs: 0, endedMs: 0, effects: 0, digest: 0 });
  const pairs = (left: string, right: string): string[] =>
    pairVisits([...left].map(visit), [...right].map(visit)).map(
      (one) => (one.left?.state ?? '-') + (one.right?.state ?? '-'),
    );

  test('are the same when only times, costs and readings of the clock differ', () => {
    const clock = (value: number): Timed[] => [
      [1, requested('1', 'WAIT', { kind: 'clock' })],
      [1, settled('1', { kind: 'value', value })],
    ];
    const left: Timed[] = [
      ...clock(5),
      [2, requested('2', 'a')],
      [3, settled('2', exited(0, { duration_ms: 9, cost: 1 }))],
    ];
    const right: Timed[] = [...clock(8), [7, requested('2', 'a')], [8, resumed], [9, settled('2')]];
    expect(difference(left, right)).toBe(null);
  });

  test('are the same whatever was added to their records by others', () => {
    const added = [
      { type: 'key_shared', key: 'k', run_id: 'other', how: 'waited', waited_ms: 5 },
      { type: 'answer_refused', name: 'q', value: 'x', by: 'ann', reason: 'no' },
      { type: 'warned', message: 'near a limit', state: 'A', line: 0, by: 'runner' },
    ] as unknown as RunEvent[];
    const visited: Timed = [1, entered('A')];
    expect(difference([visited], [visited, ...added.map((event): Timed => [2, event])])).toBe(null);
  });

  test('the time at which a timer ends does not count', () => {
    const waited = (until: number): Timed[] => [
      [1, entered('A')],
      [2, { type: 'timer_set', effect: '3', until }],
      [3, settled('3', { kind: 'value', value: until })],
      [4, returned],
    ];
    expect(difference(waited(1000), waited(2000))).toBe(null);
    expect(difference(waited(1000), waited(2000).slice(0, 2))).toEqual({ left: 4, right: null });
  });

  test('as many visits as possible are next to each other, in the order of both', () => {
    const words = ['', ...'ABC'].flatMap((a) => ['', ...'ABC'].flatMap((b) => ['', ...'AB'].map((c) => a + b + c)));
    const longest = (left: string, right: string): number =>
      left === '' || right === ''
        ? 0
        : left[0] === right[0]
          ? 1 + longest(left.slice(1), right.slice(1))
          : Math.max(longest(left.slice(1), right), longest(left, right.slice(1)));
    for (const left of words)
      for (const right of words) {
        const found = pairs(left, right);
        const side = (at: number): string =>
          found
            .map((one) => one[at])
            .join('')
            .replaceAll('-', '');
        const both = found.filter((one) => !one.includes('-'));
        expect([side(0), side(1), both.length], `${left} ${right}`).toEqual([left, right, longest(left, right)]);
        expect(both.every(([one, other]) => one === other)).toBe(true);
      }
  });

  test('inputs that differ are listed by name', () => {
    const begun = (inputs: object): Timed => [0, { ...started, inputs } as RunEvent];
    const result = compareRuns(trace(begun({ a: 1, b: 2 })), trace(begun({ a: 1, b: 3, c: null })));
    expect(result.inputs).toEqual([
      { name: 'b', left: 2, right: 3 },
      { name: 'c', left: undefined, right: null },
    ]);
    expect(result.difference).toBe(null);
  });

  test('branches may end in another order', () => {
    const begun: Timed[] = [
      [1, requested('1.1.1', 'a')],
      [1, requested('1.2.1', 'b')],
    ];
    const [a, b]: Timed[] = [
      [2, settled('1.1.1')],
      [2, settled('1.2.1', exited(1))],
    ];
    expect(difference([...begun, a as Timed, b as Timed], [...begun, b as Timed, a as Timed])).toBe(null);
  });

  test('differ first at the event that comes first, and then in their visits', () => {
    const left: Timed[] = [
      [1, entered('A')],
      [2, requested('1', 'a')],
      [3, settled('1')],
      [4, entered('B')],
      [5, returned],
    ];
    const right: Timed[] = [
      [1, entered('A')],
      [2, requested('1', 'a')],
      [3, settled('1', exited(1))],
      [4, failure(1)],
      [4, runFailed],
    ];
    const result = compareRuns(trace(...left), trace(...right));
    expect(result.difference).toEqual({ left: 4, right: 4 });
    expect(result.sameProgram).toBe(true);
    expect(result.visits.map((one) => [one.left?.state, one.right?.state, one.isSame])).toEqual([
      ['A', 'A', false],
      ['B', undefined, false],
    ]);
  });

  test('one may have more', () => {
    expect(
      difference(
        [[1, entered('A')]],
        [
          [1, entered('A')],
          [2, entered('B')],
        ],
      ),
    ).toEqual({ left: null, right: 3 });
  });

  test('visits are paired in the order of both', () => {
    expect(pairs('ABCD', 'ABCD')).toEqual(['AA', 'BB', 'CC', 'DD']);
    expect(pairs('ABCD', 'ACXD')).toEqual(['AA', 'B-', 'CC', '-X', 'DD']);
    expect(pairs('', 'A')).toEqual(['-A']);
    const long = `${'AB'.repeat(1500)}C`;
    const paired = pairs(`X${long}`, `${long}Y`);
    expect(paired.filter((one) => one.startsWith('-')).length + paired.filter((one) => one.endsWith('-')).length).toBe(
      2,
    );
  });

  const of = (type: string, more: object) =>
    ({ type, effect: '1', attempt: 1, name: 'q', ...more }) as unknown as RunEvent;
  test.each([
    ['a question', of('asked', { question: 'a' }), of('asked', { question: 'b' })],
    ['its choices', of('asked', { choices: ['a'] }), of('asked', { choices: ['b'] })],
    ['an answer', of('answered', { value: 'a' }), of('answered', { value: 'b' })],
    ['a payload', of('signal_received', { payload: 1 }), of('signal_received', { payload: 2 })],
    ['a retry', of('effect_retried', { error: 'a' }), of('effect_retried', { error: 'b' })],
    [
      'the end of a step',
      of('step_completed', { step: 's', status: 'pass' }),
      of('step_completed', { step: 's', status: 'fail' }),
    ],
    [
      'what was printed before the time was over',
      settled('1', { kind: 'timed-out', stdout: 'a' } as never),
      settled('1', { kind: 'timed-out', stdout: 'b' } as never),
    ],
    ['a value', settled('1', { kind: 'value', value: 1 }), settled('1', { kind: 'value', value: 2 })],
    [
      'a change',
      settled('1', { kind: 'changed', stdout: 'a' } as never),
      settled('1', { kind: 'changed', stdout: 'b' } as never),
    ],
  ])('differ by %s', (_, one, other) => {
    expect(difference([[1, one]], [[1, other]])).toEqual({ left: 2, right: 2 });
    expect(difference([[1, one]], [[2, { ...one, by: 'ann', duration_ms: 3 } as unknown as RunEvent]])).toBe(null);
  });

  test('a run that another program continued is one of that program', () => {
    const continued = trace([1, { ...resumed, digest: 'e' } as RunEvent]);
    expect(compareRuns(continued, trace([1, resumed])).sameProgram).toBe(false);
    expect(compareRuns(continued, trace([0, { ...started, digest: 'e' } as RunEvent])).sameProgram).toBe(true);
  });

  test('of several branches, the earliest difference counts, in the order of the left run', () => {
    const [a, b, c] = (['1.1.1', '1.2.1', '1.3.1'] as const).map((id): Timed => [1, requested(id, 'a')]) as [
      Timed,
      Timed,
      Timed,
    ];
    const other = (id: string): Timed => [1, requested(id, 'b')];
    expect(difference([a, b], [other('1.1.1'), other('1.2.1')])).toEqual({ left: 2, right: 2 });
    expect(difference([b, a], [other('1.1.1'), other('1.2.1')])).toEqual({ left: 2, right: 3 });
    expect(difference([], [b, a])).toEqual({ left: null, right: 2 });
    expect(difference([], [[1, resumed], b, a])).toEqual({ left: null, right: 3 });
    expect(difference([a], [b])).toEqual({ left: 2, right: null });
    expect(difference([c], [b, a])).toEqual({ left: 2, right: null });
    expect(difference([[1, resumed], c], [b, a, other('1.3.1')])).toEqual({ left: 3, right: 4 });
  });

  test('many visits are paired by how often their states were entered before', () => {
    const alike = Array.from({ length: 2100 }, (_, at) => String.fromCharCode(0x4e00 + at)).join('');
    const others = pairs(`X${alike}AB`, `${alike}BAY`).filter((one) => /[ABXY]/.test(one));
    expect(others).toEqual(['X-', '-B', 'AA', 'B-', '-Y']);
  });

  test('a long value is shown where it differs', () => {
    const shown = (text: string, more: string) => differentMembers({ a: text }, { a: more });
    expect(shown('x'.repeat(118), 'y')).toBe(`a: "${'x'.repeat(118)}"`);
    expect(shown(`${'x'.repeat(200)}abc${'z'.repeat(200)}`, 'x'.repeat(300))).toBe(
      `a: …${'x'.repeat(20)}abc${'z'.repeat(97)}…`,
    );
    expect(shown(`abc${'x'.repeat(200)}`, 'y')).toBe(`a: "abc${'x'.repeat(116)}…`);
    expect(shown(`${'x'.repeat(200)}abc`, 'x'.repeat(200))).toBe(`a: …${'x'.repeat(116)}abc"`);
  });
});

describe('a run after an event', () => {
  const question = { id: 'q', name: 'q', question: 'Go?', choices: ['a'], default: null, deadline: null };
  const records = recordsOf([
    [1, { type: 'state_entered', state: 'A', with: { x: 1 } }],
    [2, { type: 'tracked_set', name: 't', value: 5 }],
    [3, requested('1', 'Task(a)', { kind: 'agent' })],
    [5, settled('1', exited(0, { cost: 0.25 }))],
    [5, { type: 'asked', effect: '2', ...question }],
    [6, { type: 'run_suspended', waiting: [] }],
    [60, resumed],
    [61, { type: 'answered', effect: '2', id: 'q', name: 'q', value: 'a', by: 'x' }],
    [62, { type: 'step_started', step: 's', attempt: 1, agent: 'small', step_type: 'code' }],
    [63, { type: 'step_completed', step: 's', attempt: 1, status: 'pass', retries: 0, cost: 1 }],
    [64, { type: 'state_entered', state: 'B' }],
    [65, { type: 'run_resumed', by: 'x', from: 9 }],
    [66, runFailed],
  ]);
  const at = (seq: number): RunMoment => momentAt(records, seq) as RunMoment;

  test('has what the events until then say', () => {
    expect(momentAt([], 1)).toBe(null);
    expect(at(1)).toMatchObject({ seq: 1, state: null, status: 'running', tracked: {}, effects: 0 });
    expect(at(7)).toMatchObject({
      ...{ seq: 7, state: 'A', status: 'suspended', tracked: { t: 5 }, bound: { x: 1 }, cost: 0.25, effects: 1 },
      ...{ waiting: [{ kind: 'ask', name: 'q', question: 'Go?', choices: ['a'], until: null }], duration_ms: 6000 },
    });
    expect(at(9)).toMatchObject({ bound: { x: 1, q: 'a' }, waiting: [], duration_ms: 7000 });
    expect(at(11).steps).toEqual([
      { path: 's', status: 'pass', agent: 'small', attempt: 1, cost: 1, since: '1970-01-01T00:01:03.000Z' },
    ]);
  });

  test('no longer waits for a timer when it does something else, and knows whether its cost is known', () => {
    const events: Timed[] = [
      [1, { type: 'timer_set', effect: '2', until: 9000 }],
      [2, requested('3', 'Task(a)', { kind: 'agent' })],
      [3, settled('3', exited(0))],
    ];
    const waits = [2, 3, 4].map((seq) => momentAt(recordsOf(events), seq)?.waiting.length);
    expect(waits).toEqual([1, 0, 0]);
    expect(momentAt(recordsOf(events), 4)?.cost).toBe(null);
  });

  test('leaves out what a resume discarded', () => {
    expect(at(12).state).toBe('B');
    expect(at(13)).toMatchObject({ state: 'A', bound: { x: 1 }, steps: [] });
    expect(at(14)).toMatchObject({ status: 'failed', error: { message: 'no' } });
  });
});

describe('what changed', () => {
  const run: ComparedRun = {
    ...{ status: 'running', state: 'A', cost: 0, effects: 1, tracked: { n: 1 }, bound: {}, values: { 'track.n': 1 } },
    ...{ waiting: [], error: null, returned: null },
  };

  test('nothing, or each value with what it was and is', () => {
    expect(changesBetween(run, { ...run, tracked: { n: 1 } })).toEqual([]);
    const later = {
      ...run,
      state: 'B',
      tracked: { n: 2 },
      bound: { x: null },
      values: { 'track.n': 2, 'state.a': [1] },
    };
    expect(changesBetween(run, { ...later, steps: [{ path: 's', status: 'pass', attempt: 2 }] })).toEqual([
      { group: 'Run', name: 'state', before: 'A', after: 'B' },
      { group: 'Tracked', name: 'n', before: 1, after: 2 },
      { group: 'Names', name: 'x', before: undefined, after: null },
      { group: 'Steps', name: 's', before: undefined, after: 'pass, attempt 2' },
      { group: 'Values', name: 'state.a', before: undefined, after: [1] },
    ]);
  });
});
