/** Messages about a whole machine stay short, however large the machine is. */
import { expect, test } from 'vitest';
import { compile } from '../../src/language/check/compile.js';

test('a message names at most 50 entry values that are not passed', () => {
  const names = Array.from({ length: 60 }, (_, at) => `v${at}`);
  const reads = names.map((name) => `  EMIT: READ v={${name}}`).join('\n');
  const passes = names.map((name) => `${name}=1`).join(', ');
  const { diagnostics } = compile(
    `STATE: A\n  IF: 1 == 2 → GOTO: B with ${passes}\n  GOTO: B\nSTATE: B\n${reads}\n  RETURN`,
  );
  const [missing, ...others] = diagnostics.filter(({ code }) => code === 'missing-entry-value');
  expect(others).toEqual([]);
  expect(missing?.message.match(/`v\d+`/g)).toHaveLength(50);
});
