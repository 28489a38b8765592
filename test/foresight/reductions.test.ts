/** A reduction saves work and changes no result: ends, defects, bounds and reached states are the same without it. */
import { expect, test } from 'vitest';
import { compileProgram } from '../../src/app/project/compile-program.js';
import { readNamed } from '../../src/app/project/read-program.js';
import { loadSettings } from '../../src/app/project/settings.js';
import { commandLineHost } from '../../src/cli/files/command-line-host.js';
import { REDUCTIONS, type Reduction } from '../../src/lab/foresight/configuration.js';
import { type Verification, verify } from '../../src/lab/foresight/verify-machine.js';
import { isLong, some } from '../amount.js';
import { boundIn, defectsIn, machineOf, OPTIONS } from './programs.js';

const EXAMPLES = [
  'examples/hello.dsl',
  'examples/payments.dsl',
  'examples/fix-tests/fix-tests.dsl',
  'examples/release/release.dsl',
  'examples/task/task.dsl',
  'examples/undo/undo.dsl',
  'examples/patterns/approve.dsl',
  'examples/patterns/error.dsl',
  'examples/patterns/explore.dsl',
  'examples/patterns/init.dsl',
  'examples/patterns/plan.dsl',
  'examples/patterns/poll.dsl',
  'examples/patterns/retry.dsl',
  'workflows/cheap-to-strong.yaml',
  'workflows/tdd.yaml',
];

async function exampleMachine(file: string) {
  const host = commandLineHost();
  const { configuration } = await loadSettings(host, file);
  const read = readNamed(host, file, configuration);
  if (read.kind !== 'text') throw new Error(`cannot read ${file}`);
  const { machine } = await compileProgram(host, read, { cwd: process.cwd(), configuration });
  if (machine === null) throw new Error(`cannot compile ${file}`);
  return machine;
}

/** What must not change. */
function resultOf(verification: Verification) {
  const { stoppedBy, isBounded, ends, bounds, never } = verification;
  return {
    stoppedBy,
    isBounded,
    ends: ends.map(({ status, state, error }) => `${status} ${state} ${error}`).sort(),
    defects: defectsIn(verification).sort(),
    bounds: bounds.map(({ what, atMost, formula }) => `${what}: ${formula ?? atMost}`).sort(),
    never,
  };
}

/** They are explored for two seconds each. */
const SLOW: readonly string[] = ['examples/task/task.dsl', 'examples/patterns/explore.dsl'];

test.each(
  some(
    EXAMPLES.filter((file) => isLong || !SLOW.includes(file)),
    4,
  ),
)('%s', async (file) => {
  const machine = await exampleMachine(file);
  const all = resultOf(verify(machine, OPTIONS));
  for (const reduction of REDUCTIONS) {
    const without = new Set<Reduction>([reduction]);
    expect(resultOf(verify(machine, { ...OPTIONS, without })), `without ${reduction}`).toEqual(all);
  }
});

test('saturation ends what would not end', () => {
  const machine = machineOf('STATE: A\n  TRACK: n\n  INCREMENT: n\n  IF: n == 0 → RETURN\n  DO: cat v\n  GOTO: A\n');
  const options = { ...OPTIONS, maxConfigurations: 50 };
  expect(verify(machine, options).stoppedBy).toBe(null);
  expect(verify(machine, { ...options, without: new Set<Reduction>(['saturation']) }).stoppedBy).toBe('configurations');
});

test('one order of members is enough', () => {
  const program = 'STATE: A\n  DO: in PARALLEL\n    - a = echo 1\n    - b = echo 2\n    - c = echo 3\n  RETURN\n';
  const one = verify(machineOf(program), OPTIONS);
  const all = verify(machineOf(program), { ...OPTIONS, without: new Set<Reduction>(['one-order']) });
  expect(one.configurations).toBeLessThan(all.configurations);
  expect(boundIn(one, 'echo 1')).toBe(1);
  expect(resultOf(one)).toEqual(resultOf(all));
});
