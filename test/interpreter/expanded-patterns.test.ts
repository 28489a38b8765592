/** What a program does with patterns, loops and handlers that have the same names: each sees its own. */
import { expect, test } from 'vitest';
import { ScriptedProgram } from './scripted-program.js';

const linesOf = (text: string, ...failing: readonly string[]): string[] => {
  const run = new ScriptedProgram(text, { restored: false });
  for (const name of failing) run.fail(name, 'broken');
  return run.lines.filter((line) => !line.startsWith('STATE'));
};

test('a pattern that handles its own failures goes on after its USE', () => {
  const text = `PATTERN: P
  DO: one
  EMIT: DONE
  ON ERROR: → RETURN: handled
STATE: A
  USE: P
  EMIT: AFTER
  RETURN
`;
  const well = new ScriptedProgram(text, { restored: false }).end('one');
  expect(well.lines.slice(1)).toEqual(['EMIT DONE', 'EMIT AFTER', 'RETURN']);
  expect(linesOf(text, 'one').at(-1)).toBe('RETURN handled');
});

test('a parameter hides a variable in its pattern, which is itself again afterwards', () => {
  const text = `PATTERN: P with x
  EMIT: IN x={x}
STATE: A
  TRACK: x = "outer"
  USE: P with x="inner"
  EMIT: AFTER x={x}
  RETURN
`;
  expect(linesOf(text)).toEqual(['EMIT IN x=inner', 'EMIT AFTER x=outer', 'RETURN']);
});

test('the variable of an inner loop hides that of the outer one', () => {
  const text = `STATE: A
  FOR EACH: x in [1, 2]
    FOR EACH: x in [3]
      EMIT: IN x={x}
    EMIT: OUT x={x}
  RETURN
`;
  expect(linesOf(text)).toEqual(['EMIT IN x=3', 'EMIT OUT x=1', 'EMIT IN x=3', 'EMIT OUT x=2', 'RETURN']);
});

test('an argument is the value that it had at the USE', () => {
  const text = `PATTERN: P with x
  INCREMENT: n
  EMIT: IN x={x} n={n}
STATE: A
  TRACK: n
  USE: P with x={n}
  USE: P with x={n}
  RETURN
`;
  expect(linesOf(text)).toEqual(['EMIT IN x=0 n=1', 'EMIT IN x=1 n=2', 'RETURN']);
});

test('a name that FAIL could have passed, and did not, has its ordinary meaning in the handler', () => {
  const text = `STATE: A
  TRACK: code = "outer"
  DO: one
  IF: 1 == 2 → FAIL "x" with code="inner"
  ON ERROR: → RETURN: {code}
`;
  expect(linesOf(text, 'one').at(-1)).toBe('RETURN outer');
  expect(new ScriptedProgram(text.replace('1 == 2', '1 == 1'), { restored: false }).end('one').lines.at(-1)).toBe(
    'RETURN inner',
  );
});
