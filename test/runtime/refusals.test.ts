/** When a run is not resumed or rolled back: limits that were used up, effects that were undone, and runs that ended. */
import { describe, expect, test } from 'vitest';
import type { Run } from '../../src/interpreter/run.js';
import { refuseUnlessAgreed, refuseUsedUp } from '../../src/runtime/run/again/refuse-resume.js';
import {
  refuseAfterRollback,
  refuseEnded,
  refuseRollback,
  refuseUndone,
} from '../../src/runtime/run/again/resume-options.js';
import type { StoredRun } from '../../src/runtime/store/stored-run.js';

describe('a limit that was used up', () => {
  const cost = { scope: 'cost', limit: 5, used: 7.5 } as const;

  test.each([
    ['is not raised', {}, false],
    ['stays the same', { cost: 5 }, false],
    ['is raised, but not to what was used', { cost: 7 }, false],
    ['is raised to what was used', { cost: 7.5 }, true],
    ['is raised further', { cost: 20 }, true],
  ])('and %s', (_, given, resumes) => {
    const action = () => refuseUsedUp(cost, { cost: 5 }, given);
    if (resumes) expect(action).not.toThrow();
    else expect(action).toThrow('the run has used up its limit of $5');
  });

  test('may be that of a workflow, which no flag raises', () => {
    expect(() => refuseUsedUp(cost, { cost: 9 }, { cost: 20 })).toThrow('has used up its own limit of $5');
  });

  test('has a name for each scope, and a default for some', () => {
    const time = { scope: 'time', limit: 1000, used: 1000 } as const;
    expect(() => refuseUsedUp(time, { timeMs: 1000 }, { timeMs: 1000 })).toThrow('limit of 1000 ms');
    expect(() => refuseUsedUp(time, { timeMs: 1000 }, { timeMs: 1001 })).not.toThrow();
    const output = { scope: 'output', limit: 256 * 1024 * 1024, used: 256 * 1024 * 1024 } as const;
    expect(() => refuseUsedUp(output, {}, {})).toThrow(/its limit of 256 MiB of output/);
    expect(() => refuseUsedUp({ scope: 'tokens', limit: 3, used: 4 }, { tokens: 3 }, {})).toThrow('limit of 3 tokens');
  });
});

describe('effects that a handler has done', () => {
  const stored = { about: { run_id: 'r1' } } as StoredRun;
  const effect = (text: string, line: number) => ({ effect: String(line), text, state: 'A', line });
  const point = (stays: number) => ({
    discarded: { from: 1, without: [] },
    granted: [],
    usedUp: null,
    doneAgain: [],
    again: [effect('deploy', 2)],
    begun: null,
    stays: Array.from({ length: stays }, (_, at) => effect(`tell   ${at}`, 10 + at)),
    failure: null,
    hopeless: null,
  });

  test('are repeated only if the user agrees', async () => {
    const refused = async (again?: boolean) => refuseUnlessAgreed(stored, point(1), again);
    await expect(refused()).rejects.toThrow(
      '`tell 0` (line 10) was done and would not be undone, and `deploy` (line 2)',
    );
    await expect(refused(false)).rejects.toThrow('the failure was handled');
    await expect(refused(true)).resolves.toBeUndefined();
    await expect(refuseUnlessAgreed(stored, point(0), undefined)).resolves.toBeUndefined();
    await expect(refuseUnlessAgreed(stored, null, undefined)).resolves.toBeUndefined();
  });

  test('are shown to the person who is asked, and five of them are named', async () => {
    let seen = 0;
    const answer = (agrees: boolean) =>
      refuseUnlessAgreed(stored, point(7), ({ stays }) => {
        seen = stays.length;
        return agrees;
      });
    await expect(answer(true)).resolves.toBeUndefined();
    expect(seen).toBe(7);
    await expect(answer(false)).rejects.toThrow(/`tell 4` \(line 14\) and 2 more were done/);
  });
});

/** A run as the checks see it: how it ended, and what was undone. */
function ended(result: object | null, undo: object = {}, states: readonly string[] = []): Run {
  const none = { undone: null, endedAs: null, lateRollback: null, open: [] };
  return { result, undo: { ...none, ...undo }, states } as unknown as Run;
}

const failed = { status: 'failed', error: { kind: 'failed' } };
const returned = { status: 'returned', error: null };
const cancelled = { status: 'failed', error: { kind: 'cancelled' } };

test('a run that ended is resumed only if it failed, and gets no message then', () => {
  expect(() => refuseEnded('r1', ended(null), true)).not.toThrow();
  expect(() => refuseEnded('r1', ended(failed), false)).not.toThrow();
  expect(() => refuseEnded('r1', ended(failed), true)).toThrow('run `r1` has failed');
  expect(() => refuseEnded('r1', ended(returned), false)).toThrow('run `r1` has already returned');
  expect(() => refuseEnded('r1', ended(cancelled), false)).toThrow('run `r1` was cancelled');
});

describe('a rollback', () => {
  test('is for runs that failed and left something to undo', () => {
    const some = { open: [{}] };
    expect(() => refuseRollback('r1', ended(failed, some))).not.toThrow();
    expect(() => refuseRollback('r1', ended(cancelled, some))).not.toThrow();
    expect(() => refuseRollback('r1', ended(failed))).toThrow('has nothing to undo');
    expect(() => refuseRollback('r1', ended(returned, some))).toThrow('has returned');
    expect(() => refuseRollback('r1', ended(null, some))).toThrow('is not over');
  });

  test('that was interrupted is finished', () => {
    expect(() => refuseRollback('r1', ended(null, { endedAs: {} }))).not.toThrow();
  });

  test('ends the way back to what was undone since, but not to what was undone before', () => {
    const undone = (count: number) => ({ undone: { count, state: 'B', transitions: 1 } });
    const states = ['A', 'B', 'C', 'B'];
    expect(() => refuseUndone('r1', ended(null, undone(2)), ended(failed, undone(2), states))).not.toThrow();
    expect(() => refuseUndone('r1', ended(null), ended(failed, {}, states))).not.toThrow();
    expect(() => refuseUndone('r1', ended(null, undone(1)), ended(failed, undone(2), states))).toThrow('in `B`');
    expect(() => refuseAfterRollback('r1', ended(failed, undone(1), states))).not.toThrow();
    expect(() => refuseAfterRollback('r1', ended(failed, { ...undone(1), lateRollback: {} }, states))).toThrow();
  });

  test('names the state from which a new run starts, with the number of its entry', () => {
    const help = (transitions: number): string => {
      const undo = { undone: { count: 1, state: 'B', transitions } };
      try {
        refuseUndone('r1', ended(null), ended(failed, undo, ['A', 'B', 'C', 'B', 'B']));
      } catch (cause) {
        return (cause as { help: string }).help;
      }
      return '';
    };
    expect(help(1)).toContain('--from B`');
    expect(help(3)).toContain('--from B#2`');
  });
});
