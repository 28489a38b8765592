/** Moving a run into an edited program: where it continues, which values it keeps, and what it may lack. */
import { describe, expect, test } from 'vitest';
import { ScriptedProgram } from './scripted-program.js';

const start = (text: string) => new ScriptedProgram(text, { restored: false });

const LINES = `STATE: A
  TRACK: total = 1
  DO: word = first
  DO: second {word}
  DO: third {total}
  RETURN: {word}
`;

describe('a run continues', () => {
  test('at the same instruction, with its values, wherever that is now', () => {
    const run = start(LINES).end('first', 'w');
    expect(run.edit(LINES.replace('  DO: word', '  EMIT: BEFORE\n  DO: word').replace('third', 'edited'))).toEqual([]);
    run.end('second w').end('edited 1');
    expect(run.started).toEqual(['first', 'second w', 'edited 1']);
    expect(run.lines).toEqual(['STATE A', 'RETURN w']);
  });

  test('with the edited effect, if what it waits for has changed', () => {
    const run = start(LINES).end('first', 'w');
    expect(run.edit(LINES.replace('second', 'changed'))).toEqual([]);
    expect(run.started).toEqual(['first', 'second w', 'changed w']);
    expect(run.waiting).toEqual(['changed w']);
    run.end('changed w').end('third 1');
    expect(run.lines.at(-1)).toBe('RETURN w');
  });

  test('with what was inserted above an effect that had failed, and not above one that is open', () => {
    const inserted = LINES.replace('  DO: second', '  DO: inserted\n  DO: second');
    const open = start(LINES).end('first', 'w');
    expect(open.edit(inserted)).toEqual([]);
    expect(open.started).toEqual(['first', 'second w']);
    const failed = start(LINES).end('first', 'w');
    expect(failed.edit(inserted, true)).toEqual([]);
    expect(failed.started).toEqual(['first', 'second w', 'inserted']);
  });

  test('with a new line in the place of one that was moved: the new one has not been executed', () => {
    const run = start('STATE: A\n  DO: one\n  DO: two\n  RETURN\n').end('one');
    expect(run.edit('STATE: A\n  DO: other\n  DO: two\n  DO: one\n  RETURN\n', true)).toEqual([]);
    expect(run.started).toEqual(['one', 'two', 'other']);
  });

  test('after an effect that was removed', () => {
    const run = start(LINES).end('first', 'w');
    expect(run.edit(LINES.replace('  DO: second {word}\n', ''))).toEqual([]);
    expect(run.started).toEqual(['first', 'second w', 'third 1']);
  });

  test('with slots that were moved, by their names', () => {
    const run = start(LINES).end('first', 'w');
    const moved = LINES.replace('  DO: word', '  DO: [a, b] = earlier\n  DO: word').replace(
      '  TRACK: total',
      '  TRACK: other = 7\n  TRACK: total',
    );
    expect(run.edit(moved.replace('DO: [a, b] = earlier', 'DO: a = earlier'))).toEqual([]);
    run.end('second w').end('third 1');
    expect(run.lines.at(-1)).toBe('RETURN w');
  });

  test('in the round of a loop in which it was', () => {
    const text = `STATE: A
  FOR EACH: x in ["a", "b", "c"]
    DO: use {x}
  RETURN: done
`;
    const run = start(text).end('use a');
    expect(
      run.edit(
        text
          .replace('DO: use {x}', 'EMIT: ROUND x={x}\n    DO: use {x}')
          .replace('FOR EACH: x', 'DO: early\n  FOR EACH: x'),
      ),
    ).toEqual([]);
    run.end('use b').end('use c');
    expect(run.started).toEqual(['use a', 'use b', 'use c']);
    expect(run.lines).toEqual(['STATE A', 'EMIT ROUND x=c', 'RETURN done']);
  });

  test('in its branches, with what they have bound', () => {
    const text = `STATE: A
  DO: in PARALLEL
    - one = first
    - two = second
    - three = third
  RETURN: {one}-{two}-{three}
`;
    const run = start(text).end('first', 'a').end('second', 'b');
    expect(
      run.edit(text.replace('  DO: in', '  EMIT: NEW\n  DO: in').replace('RETURN: {one}', 'RETURN: {one}+{one}')),
    ).toEqual([]);
    run.end('third', 'c');
    expect(run.lines.at(-1)).toBe('RETURN a+a-b-c');
  });

  const PARTS = `STATE: A
  DO: before
  DO: in PARALLEL
    - one = first
    - two = second
  RETURN: {one}-{two}
`;
  const EDITED_PARTS = PARTS.replace('before', 'changed').replace('in PARALLEL', 'in PARALLEL [max=1]');

  test('with other branches, if those that it had have no outcome', () => {
    const replaced = PARTS.replace(/ {2}DO: in PARALLEL[^R]+/, '  DO: alone\n  ').replace('{one}-{two}', 'over');
    const fresh = start(PARTS).end('before');
    expect(fresh.edit(replaced, true)).toEqual([]);
    expect(fresh.waiting).toEqual(['alone']);
    const begun = start(PARTS).end('before').end('first', 'a');
    expect(begun.edit(replaced, true)).toEqual([
      'the instruction `PARALLEL` of line 3 in the state `A`',
      'the instruction `second` of line 5 in the state `A`',
    ]);
  });

  test('at an instruction of the same kind, even if all instructions were edited', () => {
    const run = start(PARTS).end('before').end('first', 'a');
    expect(run.edit(EDITED_PARTS)).toEqual([]);
    expect(run.waiting).toEqual(['second']);
    run.end('second', 'b');
    expect(run.lines.at(-1)).toBe('RETURN a-b');
  });

  test('with its limits and the states that it has entered', () => {
    const text = `STATE: A
  GOTO: B
STATE: B
  GOTO: C
STATE: C
  DO: wait
  RETURN: over
`;
    const run = new ScriptedProgram(text, { restored: false, run: { limits: { transitions: 7 } } });
    expect(run.edit(text.replace('  GOTO: B', '  GOTO: C').replace('STATE: B\n  GOTO: C\n', ''))).toEqual([]);
    expect(run.run.states).toEqual(['A', 'C']);
    expect(run.run.statesTotal).toBe(2);
    expect(run.run.limits.transitions).toBe(7);
    run.end('wait');
    expect(run.lines.at(-1)).toBe('RETURN over');
  });

  test('with the values of inputs, entry values and states, by their names', () => {
    const text = `INPUT: given = "g"
STATE: A
  GOTO: B with one="1", two="2"
STATE: B
  DO: wait
  RETURN: {one} {two} {given}
`;
    const edited = `INPUT: added = "new"
INPUT: given = "g"
STATE: A
  GOTO: B with two="2", one="1"
STATE: BETWEEN
  RETURN
STATE: B
  DO: wait
  RETURN: {one} {two} {given} {added}
`;
    const run = start(text);
    expect(run.edit(edited)).toEqual([]);
    run.end('wait');
    expect(run.lines.at(-1)).toBe('RETURN "1 2 g new"');
    expect(run.run.states).toEqual(['A', 'B']);
  });
});

describe('a run lacks', () => {
  const lacks = (edited: string, failed = false): readonly string[] =>
    start(LINES).end('first', 'w').edit(edited, failed);

  test('its state', () => {
    expect(lacks(LINES.replace('STATE: A', 'STATE: B'))).toEqual(['the state `A`']);
  });

  test('a value that nothing has bound, if it is read', () => {
    const bound = LINES.replace('  DO: word', '  DO: fresh = early\n  DO: word');
    expect(lacks(bound)).toEqual([]);
    expect(lacks(bound.replace('third', 'third {fresh}'))).toEqual(['a value for `fresh`, which line 6 reads']);
    const tracked = LINES.replace('  TRACK: total', '  TRACK: count = 1\n  TRACK: total');
    expect(lacks(tracked.replace('third', 'third {count}'))).toEqual(['a value for `count`, which line 6 reads']);
    const between = bound.replace('  DO: third', '  TRACK: later = 2\n  DO: id = uuid()\n  DO: third {fresh}');
    expect(lacks(between)).toEqual(['a value for `fresh`, which line 8 reads']);
  });

  test('an entry value that its state did not have', () => {
    const text = 'STATE: A\n  GOTO: B with one="1"\nSTATE: B\n  DO: wait\n  RETURN: {one}\n';
    const edited = text.replace('one="1"', 'one="1", two="2"').replace('{one}', '{one} {two}');
    expect(start(text).edit(edited)).toEqual(['a value for `two`, which line 5 reads']);
  });

  test('a new input without a value', () => {
    expect(lacks(`INPUT: must\n${LINES}`)).toEqual(['a value for the new input `must`']);
  });

  test('the beginning of a loop around it', () => {
    const text = LINES.replace('  DO: second {word}', '  FOR EACH: x in [1, 2]\n    DO: second {word}');
    expect(lacks(text)).toEqual(['the beginning of the loop in line 4']);
  });

  test('an instruction, if its surroundings have changed as well', () => {
    const run = start('STATE: A\n  DO: word = first\n  ASK user: "Go?" → go\n  RETURN: {go}\n').end('first');
    expect(run.edit('STATE: A\n  RETURN: over\n')).toEqual([expect.stringContaining('of line 3 in the state `A`')]);
  });
});

const WAIT = 'WAIT: n > 3 OR timeout=10m every=1m';

/** What it waits for, with what happened to it before; then what runs when that is edited, after a line above it, or gone. */
test.each([
  ['DO: work', '', 'other, other, work, new, new, after, after'],
  ['DO [once]: work', '', 'refused, other, work, new, work, refused, after'],
  ['DO [retry=3]: work', '!work', 'other, other, work, new, new, after, after'],
  ['ASK user: "work?" → go', '', 'ask go, ask go, ask go, new, new, refused, after'],
  ['WAIT: signal work', '', 'signal other, signal other, signal work, new, new, refused, after'],
  ['WAIT: 10m', '', 'timer, timer, timer, new, new, refused, after'],
  [WAIT, '', 'timer, timer, timer, timer, timer, refused, refused'],
  [`${WAIT}\n    DO: work`, '', 'other, other, work, new, new, after, after'],
  [
    `DO: in PARALLEL\n    - a\n    - b\n  ${WAIT}\n    DO: work`,
    'a',
    'b other, b other, b work, b work, b work, refused, refused',
  ],
  ['FOR EACH: x in ["work", "b"]\n    DO: echo {x}', 'echo work', 'echo b, echo b, echo b, new, new, after, after'],
  ['DO: in PARALLEL\n    - work\n    - b', '', 'b other, b other, work b, new, new, refused, after'],
  ['DO: x\n  UNDO: work\n  ROLLBACK', 'x', 'work, work, work, work, work, refused, refused'],
])('an edited program goes on where the run waits at %j', (line, ended, expected) => {
  const text = (lines: string): string =>
    `STATE: A\n  TRACK: n = 0\n  DO: before\n  ${lines}\n  DO: after\n  RETURN: over\n`;
  const waiting = (edited: string, failed = false, inserted = false): string => {
    const run = new ScriptedProgram(text(line), { restored: false, clockMs: 0 }).end('before');
    if (ended.startsWith('!')) run.fail(ended.slice(1));
    else if (ended !== '') run.end(ended);
    return run.edit(text(edited), failed, inserted).length > 0 ? 'refused' : run.waiting.join(' ');
  };
  const edited = line.replace('work', 'other').replace('10m', '20m');
  const above = `DO: new\n  ${line}`;
  const goes = [
    waiting(edited),
    waiting(edited, true),
    waiting(above),
    waiting(above, true),
    waiting(above, false, true),
    waiting('EMIT: GONE'),
    waiting('EMIT: GONE', true),
  ];
  expect(goes.join(', ')).toBe(expected);
});
