/** Gates about files: a trace through one is confirmed by a run in which such files changed. */
import { expect, test } from 'vitest';
import { changedFiles } from '../../src/lab/foresight/exploration.js';
import { defectsIn, verified } from './programs.js';

const step = (...gates: string[]): string =>
  ['STATE: A', '  STEP: make', '    DO: make it', `    GATE: ${gates.join(', ')}`, '  RETURN: done', ''].join('\n');

const endsIn = (program: string): string[] =>
  verified(program).ends.map(({ status, error, trace }) => `${status} ${error} ${trace.isConfirmed}`);

test.each([
  [['touched "src/**"']],
  [['untouched "src/**"']],
  [['touched "src/**"', 'untouched "test/**"']],
  [['touched "*.md" as readme', 'touched "docs/**/*.{png,svg}"', 'untouched "docs/old/**"']],
  [['touched "src/**"', 'bash "npm test"', 'untouched "package-lock.json"']],
  [['untouched "src/file"', 'touched "src/**"']],
])('%j passes and does not pass', (gates) => {
  expect(
    endsIn(step(...gates))
      .filter((end) => end.includes('tool_failure') === false)
      .sort(),
  ).toEqual(['failed gate_failed true', 'returned null true']);
});

test('a gate that no file passes stays possible', () => {
  expect(endsIn(step('touched "src/**"', 'untouched "src/**"'))).toContain('returned null false');
});

test('a loop through gates about files', () => {
  const program = step('touched "src/**"', 'untouched "test/**"').replace('  RETURN: done', '  GOTO: A');
  expect(defectsIn(verified(program))).toEqual(['2 endless confirmed']);
});

test('each attempt has its own files', () => {
  const program = [
    'STATE: A',
    '  STEP: make',
    '    DO: make it',
    '    GATE: touched "a/**" as a, untouched "b/**" as b',
  ]
    .concat(['    RETRY:', '      NOT gate.b → WORKTREE reset', '      EXIT 3', '  RETURN: done', ''])
    .join('\n');
  expect(endsIn(program).sort()).toEqual(['failed gate_failed true', 'returned null true']);
});

test('the files of the exploration are kept where they fit', () => {
  const check = (kind: 'touched' | 'untouched', passes: boolean, ...globs: string[]) => ({
    check: { kind, globs: globs.map((glob) => [glob]) },
    passes,
  });
  expect(changedFiles(['text'], [check('untouched', true, 'src/**')])).toEqual(['text']);
  expect(changedFiles(['text'], [check('touched', true, 'src/**')])).toEqual(['src/file']);
  expect(changedFiles(['text'], [check('untouched', false, 'a/[bc]?.{js,ts}')])).toEqual(['a/bx.js']);
  expect(changedFiles([], [check('touched', true, 'dist/')])).toEqual(['dist/file']);
  expect(changedFiles([], [check('touched', true, '**/x/*.ts'), check('untouched', true, 'x/**')])).toEqual([
    'folder/x/folder_file.ts',
  ]);
});
