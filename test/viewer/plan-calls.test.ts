/** What the record says of the calls of a plan that a state executes, and of the lines of its document. */
import { describe, expect, test } from 'vitest';
import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import type { Machine } from '../../src/machine/machine.js';
import { RecordLines } from '../../src/page/data/record-lines.js';
import { lastExecution } from '../../src/page/graph/plan-calls.js';
import { fileFinder } from '../../src/page/source/source-panel.jsx';
import { entered, exited, recordsOf, requested, retried, settled, type Timed } from '../views/events.js';

const PLAN = 'PLAN ./letters/fulfil.json';

const reads = (...path: string[]) => ({ op: 'read', of: { op: 'path', path, gate: false } });
const call = (index: number, tool: string, entries: object[], arms: string[][][]) => ({
  ...{ index, tool, line: index + 3, arms, method: null, parameters: { op: 'object', entries } },
});
const calls = [
  call(0, 'price', [['goods', reads('input', 'goods')]], [[['state', 'total']]]),
  call(1, 'pay', [['total', reads('state', 'total')]], [[['state', 'paid']], [['state', 'refused']]]),
  call(2, 'pack', [['receipt', reads('state', 'paid', 'receipt')]], [[['state', 'parcel']]]),
];
const machine = {
  states: [{ name: 'A', code: [{ op: 'plan', plan: PLAN, origin: { file: 0, line: 9 } }] }],
  plans: { [PLAN]: { calls } },
  files: ['app/main.dsl', 'app/letters/fulfil.json'],
} as unknown as Machine;

const asks = (effect: string, at: number, args: object, attempt = 1): RunEvent =>
  requested(effect, 'x', { kind: 'tool', tool: calls[at]?.tool ?? '', line: at + 3, args: [args as never], attempt });
const gives = (value: string | number): Outcome => ({ kind: 'value', value, duration_ms: 1 });

function executionOf(...events: readonly RunEvent[]) {
  const lines = new RecordLines();
  for (const { seq, time, event } of recordsOf(events.map((event): Timed => [1, event])))
    lines.add({ seq, ts: time, ...event } as never);
  return lastExecution(machine, PLAN, lines, lines.length - 1);
}
const statuses = (execution: ReturnType<typeof executionOf>) =>
  Object.fromEntries([...execution.calls].map(([index, { status }]) => [index, status]));

describe('the last execution of a plan', () => {
  const first = [entered('A'), asks('1.1', 0, { goods: 'atlas' }), settled('1.1', gives(60))];

  test('has no calls before it began', () => {
    expect(executionOf(entered('A'))).toEqual({ calls: new Map(), isOver: false, values: {} });
  });

  test('says what is done and what runs, and what calls were given and gave', () => {
    const execution = executionOf(...first, asks('1.2', 1, { total: 60 }));
    expect(statuses(execution)).toEqual({ 0: 'done', 1: 'running' });
    expect(execution.isOver).toBe(false);
    expect(execution.values).toEqual({ 'input.goods': 'atlas', 'state.total': 60 });
    expect(execution.calls.get(1)?.seq).toBe(5);
  });

  test('is over when something else follows, and a failure with an alternative is a result', () => {
    const execution = executionOf(...first, asks('1.2', 1, { total: 60 }), settled('1.2', exited(1)), entered('B'));
    expect(statuses(execution)).toEqual({ 0: 'done', 1: 'done' });
    expect(execution.isOver).toBe(true);
    expect(statuses(executionOf(...first.slice(0, 2), settled('1.1', exited(1)), entered('B')))).toEqual({
      0: 'failed',
    });
  });

  test('runs while a call is tried again', () => {
    const failed = [...first.slice(0, 2), settled('1.1', exited(1)), retried('1.1', 10)];
    expect(statuses(executionOf(...failed))).toEqual({ 0: 'running' });
    const again = executionOf(
      ...failed,
      asks('1.1', 0, { goods: 'atlas' }, 2),
      settled('1.1', gives(5), 2),
      entered('B'),
    );
    expect(statuses(again)).toEqual({ 0: 'done' });
    expect(again.calls.get(0)?.seq).toBe(3);
  });

  test('is the last one of several', () => {
    const execution = executionOf(
      ...first,
      asks('1.2', 1, { total: 60 }),
      entered('A'),
      asks('2.1', 0, { goods: 'globe' }),
    );
    expect(statuses(execution)).toEqual({ 0: 'running' });
    expect(execution.values).toEqual({ 'input.goods': 'globe' });
  });
});

test('the calls of a plan are in its document, and other lines of the state in the program', () => {
  const fileOf = fileFinder(machine);
  expect([fileOf('A', 9), fileOf('A', 3), fileOf('A', 5), fileOf('A', 77)]).toEqual([0, 1, 1, 0]);
  // Another document whose path ends the same.
  const files = ['app/main.dsl', 'other/letters/fulfil.json', 'app/letters/fulfil.json'];
  expect(fileFinder({ ...machine, files })('A', 3)).toBe(2);
});
