/** What the graph of a run shows at its nodes and edges. */
import { describe, expect, test } from 'vitest';
import type { Machine } from '../../src/machine/machine.js';
import { isStep, planFacts, programFacts } from '../../src/page/graph/node-facts.js';
import { pathsOf, shortValue, valueAt, withValues } from '../../src/page/graph/plan-calls.js';
import { EdgeCounts } from '../../src/page/history/edge-counts.js';
import { ROOM_FOR_VALUE } from '../../src/views/graph/plan-picture.js';
import { mainPlan, runPictures } from '../../src/views/graph/run-pictures.js';
import type { PictureEdge, PictureNode } from '../../src/views/picture/picture.js';
import { entered, taken } from '../views/events.js';

const node = (more: Partial<PictureNode>): PictureNode => ({
  ...{ id: '', kind: 'step', shape: 'card', title: 't', rows: [] },
  ...more,
});

describe('values on the edges of a plan', () => {
  const values = { 'input.id': 7, 'state.user': { name: 'Ann', tags: ['a'] }, 'state.none': null };

  test('are those that were written at the path or around it', () => {
    const at = (path: string) => valueAt(values, path);
    expect(['input.id', 'state.user.name', 'state.user.tags.0', 'state.none'].map(at)).toEqual([7, 'Ann', 'a', null]);
    expect(['state', 'state.user.age', 'state.user.name.x', 'other', 'state.none.x'].map(at)).toEqual(
      Array(5).fill(undefined),
    );
    expect(valueAt({ a: {} }, 'a.constructor')).toBe(undefined);
  });

  test('take the room that the label keeps for them, and leave none if there is no value', () => {
    const lines = [`state.user.name ${ROOM_FOR_VALUE}`, 'or state.x', ROOM_FOR_VALUE];
    expect(withValues(lines, ['Ann', undefined])).toEqual(['state.user.name "Ann"', 'or state.x', '']);
    expect(shortValue({ list: [1, 2, 3], other: 'something' })).toHaveLength(ROOM_FOR_VALUE.length);
    expect(shortValue('a\u202eb\n')).not.toMatch(/[\u202e\n]/);
  });

  test('belong to the paths of the label, or to the input that the edge begins at', () => {
    const edge = (labels: string[]): PictureEdge => ({ id: 'e', from: 'a', to: 'b', kind: 'main', labels });
    expect(pathsOf(edge([`state.a ${ROOM_FOR_VALUE}`, 'state.b']), 'x')).toEqual(['state.a', 'state.b']);
    expect(pathsOf(edge([ROOM_FOR_VALUE]), 'input.id')).toEqual(['input.id']);
  });
});

describe('nodes', () => {
  test('a step of tasks is there once for each task, and a failed one counts most', () => {
    expect(isStep('plan/<task>/build', 'plan/count/build')).toBe(true);
    expect(isStep('plan/<task>/build', 'plan/count/other/build')).toBe(false);
    expect(isStep('plan', 'plan/count')).toBe(false);
    const step = (path: string, status: 'pass' | 'running' | 'fail') => ({
      ...{ path, status, agent: null, attempt: 1, cost: null, since: '' },
    });
    const steps = [step('plan/a/build', 'pass'), step('plan/b/build', 'pass')];
    const facts = (all: typeof steps) =>
      programFacts({ states: [] } as unknown as Machine, new EdgeCounts(), all)(node({ step: 'plan/<task>/build' }));
    expect(facts(steps)).toMatchObject({ count: 2, mark: 'done', isDim: false, canChoose: true });
    expect(facts([...steps, step('plan/c/build', 'running')])).toMatchObject({ count: 2, mark: 'running' });
    expect(facts([...steps, step('plan/c/build', 'fail')])).toMatchObject({ mark: 'failed' });
    expect(facts([])).toMatchObject({ mark: null, isDim: true, canChoose: false, words: 'Step not begun' });
  });

  test('a state says how often it was entered; other nodes say nothing', () => {
    const machine = { states: [{ name: 'A' }, { name: 'B' }] } as unknown as Machine;
    const factsOf = programFacts(machine, taken(new EdgeCounts(), [1, entered('A')], [2, entered('A')]), []);
    expect(factsOf(node({ id: 'm0 state 0' }))).toMatchObject({ words: 'State A, entered 2 times', count: 2 });
    expect(factsOf(node({ id: 'm0 state 1' }))).toMatchObject({ words: 'State B, not entered', isDim: true });
    expect(factsOf(node({ id: 'm0 end' }))).toBe(null);
  });

  test('a call of a plan shows what became of it', () => {
    const call = (index: number, status: 'done' | 'skipped' | 'waiting' | 'failed') => ({
      ...{ index, status, tool: 'x', arm: null, reason: null, error: null },
    });
    const factsOf = planFacts(
      [call(0, 'done'), call(1, 'skipped'), call(2, 'waiting')],
      new Map([[3, { status: 'running', seq: 9 }]]),
    );
    const marks = [0, 1, 2, 3, 4].map((index) => factsOf(node({ id: `c${index}` }))?.mark);
    expect(marks).toEqual(['done', 'skipped', 'waiting', 'running', null]);
    expect([1, 4].map((index) => factsOf(node({ id: `c${index}` }))?.isDim)).toEqual([true, true]);
    expect(factsOf(node({ id: 's0' }))).toBe(null);
  });
});

describe('pictures of a run', () => {
  const plan = { calls: [], order: [], given: {}, gates: [], targeted: null } as never;
  const state = (code: object[]) => ({ name: 'A', code, handlers: [], entry: [], locals: [] });
  const machineOf = (code: object[], plans: object): Machine =>
    ({ name: 'm', states: [state(code)], initial: 0, error: null, plans, files: [] }) as unknown as Machine;

  test('a run that is a plan shows the plan and no states', () => {
    const machine = machineOf([{ op: 'plan', plan: 'b', main: true }], { a: plan, b: plan });
    expect(mainPlan(machine)).toBe('b');
    expect(runPictures(machine, { failures: false }).map((one) => one.plan)).toEqual(['b', 'a']);
  });

  test('a program shows its states first, and then the plans that it uses', () => {
    const machine = machineOf([], { a: plan });
    expect(mainPlan(machine)).toBe(null);
    expect(runPictures(machine, { failures: false }).map((one) => one.plan)).toEqual([null, 'a']);
  });
});
