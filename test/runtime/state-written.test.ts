/** `state.json`: sorted, with numbers as they were written, and replaced only when it says something else. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRunFolder } from '../../src/runtime/store/store.js';
import { compiled } from './kept-run.js';
import { temporaryFolder } from './running.js';

test('the state of a run is written when it changes', () => {
  const folder = createRunFolder(temporaryFolder(), {
    runId: 'r1',
    digest: 'd',
    inputs: {},
    startedAt: new Date(0).toISOString(),
    cwd: '/',
    version: '1',
    machine: compiled('STATE: A\n  RETURN\n'),
    sources: [],
    options: {} as never,
    settings: {},
  });
  onTestFinished(() => folder.close());
  const file = join(folder.path, 'state.json');
  const written: (readonly [string, boolean])[] = [];
  let before = 0;
  for (const [values, printed] of [
    [{ b: 1, a: 2 }, { a: '2.0' }],
    [{ a: 2, b: 1 }, { a: '2.0' }],
    [{ a: 2, b: 1 }, {}],
    [{ a: 2, b: 1 }, { a: '2.0' }],
    [{ a: 2, b: 1 }, { a: '2.0' }],
  ] as const) {
    folder.writeState(values, printed as never);
    const { ino } = statSync(file);
    written.push([readFileSync(file, 'utf8').replace(/\s+/g, ''), ino !== before]);
    before = ino;
  }
  expect(written).toEqual([
    ['{"a":2.0,"b":1}', true],
    ['{"a":2.0,"b":1}', false],
    ['{"a":2,"b":1}', true],
    ['{"a":2.0,"b":1}', true],
    ['{"a":2.0,"b":1}', false],
  ]);
});
