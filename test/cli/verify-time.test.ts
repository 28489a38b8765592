/** What `verify` does about time: it stops when it is up, and shows on a terminal how far it is. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { commandLine } from '../harness/command-line.js';
import { projectFolder } from './statedsl.js';

const LOOP = 'STATE: A\n  TRACK: n = 0\n  DO: look\n  SET: n = n + 1\n  GOTO: A\n';
const SMALL = 'STATE: B\n  DO: look\n  RETURN: 1\n';

/** Each look at the clock is so much later than the one before. */
function everyLookTakes(ms: number): void {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += ms));
  onTestFinished(() => void vi.restoreAllMocks());
}

const args = ['--no-failures', '--max-configurations', '2000'];

test('after the timeout it says what it left out, and further programs are not explored', async () => {
  const one = projectFolder({ 'l.dsl': LOOP, 's.dsl': SMALL });
  everyLookTakes(100);
  const { code, stdout } = await one.run(['verify', 'l.dsl', 's.dsl', '--timeout', '2s', ...args]);
  expect(code).toBe(3);
  expect(stdout.match(/not completely: the timeout of 2s/g)).toHaveLength(2);
  expect(stdout).toMatch(/left out: what follows from \d+ configurations?,/);
  expect(stdout).not.toContain('nothing');
});

test('as JSON, and not without need', async () => {
  const one = projectFolder({ 'l.dsl': LOOP, 's.dsl': SMALL });
  everyLookTakes(100);
  const cut = await one.run(['verify', 'l.dsl', '--json', '--timeout', '1s', ...args]);
  expect(cut.code).toBe(3);
  expect(JSON.parse(cut.stdout)).toMatchObject({ complete: false, bounded_by: 'timeout', bounds: [], never: [] });
  const whole = await one.run(['verify', 's.dsl', '--json', '--timeout', '1h', '--no-failures']);
  expect(whole.code).toBe(0);
  expect(JSON.parse(whole.stdout)).toMatchObject({ complete: true, bounded_by: null, unexplored: 0 });
  expect((await one.run(['verify', 's.dsl', '--timeout', '10'])).stderr).toContain('a number with a unit');
});

test.each([
  [true, [], true],
  [false, [], false],
  [true, ['--json'], false],
  [true, ['--quiet'], false],
])('progress: terminal %s, %j', async (terminal, more, isShown) => {
  const one = projectFolder({ 'l.dsl': LOOP });
  everyLookTakes(300);
  const surroundings = { cwd: one.folder, env: process.env, terminal };
  const { stderr, stdout } = await commandLine(['verify', 'l.dsl', ...args, ...more], surroundings);
  expect(/\rexploring l: \d+ configurations, \d+ waiting, 1 s/.test(stderr)).toBe(isShown);
  // It is gone before the report comes.
  expect(stderr.endsWith('\r\x1b[K')).toBe(isShown);
  expect(stdout).not.toContain('exploring');
});
