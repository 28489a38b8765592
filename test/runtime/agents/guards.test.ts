/** Limits of a single call act while the agent works, and name themselves. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inFastTime } from '../../harness/fast-time.js';
import { childRuns, printing, stage } from './calling.js';

const turn = (at: number, more: object = {}) => ({ type: 'assistant', message: { id: `m${at}` }, ...more });
const HANGING = 'sleep 600 & echo $! > child\nwait';

describe('a guard stops the agent with everything it started', () => {
  test('max_turns', async () => {
    const one = stage();
    one.program('claude', `${printing(turn(1), turn(2))}\nsleep 0.2\n${printing(turn(3))}\n${HANGING}`);
    const outcome = await one.exited({ agent: 'claude', guards: { maxTurns: 2 } });
    expect(outcome.guard).toEqual({ name: 'max_turns', message: 'it took 3 turns, but at most 2 are allowed' });
    expect(outcome.turns).toBe(3);
    expect(childRuns(one)).toBe(false);
  });

  test('max_turns of codex, which has one turn of its own for a whole prompt', async () => {
    const one = stage();
    const act = { type: 'item.completed', item: { type: 'command_execution' } };
    one.program('codex', `${printing({ type: 'turn.started' }, act, act, act)}\n${HANGING}`);
    expect((await one.exited({ agent: 'codex', guards: { maxTurns: 2 } })).guard?.name).toBe('max_turns');
  });

  test('max_cost, as soon as the cost is reported', async () => {
    const one = stage();
    const step = { type: 'step_finish', part: { cost: 0.3 } };
    one.program('opencode', `${printing(step, step)}\n${HANGING}`);
    const outcome = await one.exited({ agent: 'opencode', guards: { maxCost: 0.5 } });
    expect(outcome.guard).toEqual({ name: 'max_cost', message: 'it cost $0.60, but at most $0.50 are allowed' });
    expect(outcome.cost).toBeCloseTo(0.6);
  });

  test('max_time, also of a program that does not listen', async () => {
    const one = stage();
    one.program('claude', `trap '' TERM\n${printing(turn(1))}\n${HANGING}\nwait`);
    const outcome = await inFastTime(() => one.exited({ agent: 'claude', guards: { maxTimeMs: 2000 } }));
    expect(outcome.guard).toEqual({ name: 'max_time', message: 'it ran longer than 2 s' });
    expect(childRuns(one)).toBe(false);
  });

  test('no_write', async () => {
    const one = stage();
    one.program('claude', `echo x > changed\n${HANGING}`);
    const watchFiles = async (folder: string) => async () => (existsSync(join(folder, 'changed')) ? 'changed' : null);
    const outcome = await one.exited({ agent: 'claude', guards: { noWrite: true } }, { watchFiles });
    expect(outcome.guard).toEqual({ name: 'no_write', message: 'it changed `changed`' });
  });
});

describe('a guard holds at the end', () => {
  const result = { type: 'result', result: 'done', num_turns: 9, total_cost_usd: 0.7 };

  test.each([
    [{ maxTurns: 8 }, 'max_turns'],
    [{ maxCost: 0.69 }, 'max_cost'],
    [{ maxTurns: 9, maxCost: 0.7 }, undefined],
  ])('%j', async (guards, name) => {
    const one = stage();
    one.program('claude', printing(result));
    expect((await one.exited({ agent: 'claude', guards })).guard?.name).toBe(name);
  });

  test('no_write, for what was written last', async () => {
    const one = stage();
    one.program('claude', `${printing(result)}\necho x > changed`);
    const watchFiles = async (folder: string) => async () => (existsSync(join(folder, 'changed')) ? 'changed' : null);
    const outcome = await one.exited({ agent: 'claude', guards: { noWrite: true } }, { watchFiles });
    expect(outcome.guard?.name).toBe('no_write');
  });
});

test('the smaller of two amounts holds', async () => {
  const one = stage({ cheap: { adapter: 'claude', max_cost: 0.1 } });
  one.program('claude', printing({ type: 'result', result: 'x', total_cost_usd: 0.2 }));
  expect((await one.exited({ agent: 'cheap', guards: { maxCost: 5 } })).guard?.name).toBe('max_cost');
  expect((await one.exited({ agent: 'cheap' })).guard?.name).toBe('max_cost');
});

test('where changes cannot be detected, no_write is refused', async () => {
  const outcome = await stage().call({ agent: 'claude', guards: { noWrite: true } });
  expect(outcome).toMatchObject({ kind: 'not-started', reason: expect.stringContaining('no_write') });
});
