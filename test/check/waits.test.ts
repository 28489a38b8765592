/** What a WAIT does where its program says nothing: how long it waits at most, and how often it looks. */
import { expect, test } from 'vitest';
import { compile } from '../../src/language/check/compile.js';
import type { Instruction } from '../../src/machine/machine.js';

function codeOf(text: string): readonly Instruction[] {
  const { machine, diagnostics } = compile(`STATE: A\n  TRACK: n\n${text}\n  RETURN`, {});
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return machine?.states[0]?.code ?? [];
}

const only = <Op extends Instruction['op']>(op: Op, text: string): readonly Extract<Instruction, { op: Op }>[] =>
  codeOf(text).filter((one): one is Extract<Instruction, { op: Op }> => one.op === op);

test('a condition is awaited for five minutes, and evaluated each second', () => {
  expect(only('wait-start', '  WAIT: n > 3')).toMatchObject([{ timeout: ['300s'] }]);
  expect(only('wait-turn', '  WAIT: n > 3')).toMatchObject([{ every: ['1s'] }]);
  expect(only('wait-start', '  WAIT: n > 3 OR timeout=2m')).toMatchObject([{ timeout: ['2m'] }]);
  expect(only('wait-turn', '  WAIT: n > 3 every=5s')).toMatchObject([{ every: ['5s'] }]);
});

test('a pause that doubles counts its turns from 0, and one that a value gives may double', () => {
  const first = (text: string) => only('set', text).filter(({ name }) => name === '$turns');
  expect(first('  WAIT: n > 3 every=1s..1m')).toMatchObject([{ value: { op: 'const', value: 0 } }]);
  expect(first('  WAIT: n > 3 every=5s')).toEqual([]);
  expect(first('  CHECK: m = ./pause.sh\n  WAIT: n > 3 every={m}')).toHaveLength(1);
});

test('a signal without a time-out is awaited for any time', () => {
  expect(only('signal', '  WAIT: signal go')).toMatchObject([{ name: 'go', timeout: null }]);
});
