/**
 * A line that is moved or copied to another state while a run is between the two: what runs from there to the end. What is
 * done stays done, wherever its line is now, and a copy is done once more.
 */
import { expect, test } from 'vitest';
import { ScriptedProgram } from './scripted-program.js';

const LINES = `STATE: A
  DO: one = first
  IF: one == "first" →
    DO: inner
  ELSE: →
    DO: other
  FOR EACH: x in [1, 2]
    DO: turn {x}
  GOTO: B
STATE: B
  DO: in PARALLEL
    - left = a
    - FOR EACH: y in ["c", "d"] in PARALLEL:
        DO: each {y}
  DO: middle
  FOR EACH: x in [1, 2]
    DO: round {x}
  DO [once]: end
  GOTO: C
STATE: C
  DO: inner
  RETURN: over
`.split('\n');

const STATES = ['STATE: A', 'STATE: B', 'STATE: C'];
const isIn = (state: string, at: number): boolean =>
  LINES.findLast((line, one) => one <= at && /^STATE/.test(line)) === state;
/** Lines with an effect. */
const SOURCES = LINES.flatMap((line, at) => (/DO(?: \[once\])?: [a-z]|- left/.test(line) ? [at] : []));
/** Lines above which one of another state may be. */
const PLACES = LINES.flatMap((line, at) => (/GOTO|inner|- left|middle|round/.test(line) ? [at] : []));

function placed(from: number, to: number, isCopy: boolean): string {
  const [line, below] = [LINES[from] as string, LINES[to] as string];
  const text = line.trim().replace(/^- (?=\w+ =)/, 'DO: ');
  const member = below.includes('- ') ? '- ' : '';
  const added = `${/^ */.exec(below)?.[0]}${member}${member === '' ? text : text.replace(/^DO: /, '')}`;
  const lines = LINES.toSpliced(to, 0, added);
  return (isCopy ? lines : lines.toSpliced(from < to ? from : from + 1, 1)).join('\n');
}

/** What runs after the edit, in order; null: that is no program. */
function after(ends: readonly string[], text: string): string | null {
  const run = new ScriptedProgram(LINES.join('\n'), { restored: false, clockMs: 0 });
  for (const name of ends) run.end(name, name);
  const begun = run.started.length;
  try {
    const missing = run.move(text);
    if (missing.length > 0) return `lacks ${missing.join('; ')}`;
  } catch {
    return null;
  }
  const open = run.waiting.join(' ');
  let left = 60;
  for (let [name] = run.waiting; name !== undefined && left > 0; [name] = run.waiting) {
    run.end(name, name);
    left--;
  }
  if (run.run.result === null) return null;
  const leaves = run.leftOut.length === 0 ? '' : ` without ${run.leftOut.join(' and ')}`;
  return `${open} | ${run.started.slice(begun).join(' ')} | ${run.lines.at(-1)}${leaves}`;
}

function told(ends: readonly string[]): string {
  const byResult = new Map<string, string[]>();
  for (const from of SOURCES)
    for (const to of PLACES)
      for (const isCopy of [false, true]) {
        if (STATES.some((state) => isIn(state, from) && isIn(state, to))) continue;
        const result = after(ends, placed(from, to, isCopy));
        if (result === null) continue;
        const name = `${isCopy ? 'copy' : 'move'} ${from + 1}→${to + 1}`;
        byResult.set(result, [...(byResult.get(result) ?? []), name]);
      }
  return [...byResult].map(([result, edits]) => `${edits.join(', ')}: ${result}`).join('\n');
}

const BEFORE = ['first', 'inner', 'turn 1', 'turn 2'];

test('one more member of a PARALLEL changes nothing in what the turns of a loop in it have done', () => {
  const text = LINES.join('\n');
  const added = text.replace('    - left', '    - added\n    - left');
  expect(after([...BEFORE, 'a', 'each d'], added)).toMatch(/^added each c \| added each c middle/);
  expect(after([...BEFORE, 'a', 'each c'], added)).toMatch(/^added each d \| added each d middle/);
});

test('of turns that do the same, each keeps what it did itself', () => {
  const text = `STATE: A
  DO: in PARALLEL
    - left = a
    - FOR EACH: y in ["c", "d", "e"] in PARALLEL:
        DO: v = same
        DO: next {y} {v}
  RETURN
`;
  const run = new ScriptedProgram(text, { restored: false, clockMs: 0 });
  run.end('a');
  // Requests of one name hide each other, so the last turn is the one that goes on.
  run.end('same', 'E');
  expect(run.waiting).toContain('next e E');
  expect(run.move(text.replace('    - left', '    - added\n    - left'))).toEqual([]);
  expect(run.waiting).toEqual(['added', 'same', 'next e E']);
  expect(run.started.filter((name) => name === 'next e E')).toHaveLength(2);
});

test('a line that is in both arms now is done in either, and one that follows it is executed', () => {
  const text = (above: string, below: string): string =>
    `STATE: A\n  TRACK: x = 1\n${above}  DO: wait\n${below}  RETURN: over\n`;
  const after = (below: string) => {
    const run = new ScriptedProgram(text('  DO: one\n', ''), { restored: false, clockMs: 0 }).end('one');
    const missing = run.move(text('', below));
    for (let [name] = run.waiting; name !== undefined; [name] = run.waiting) run.end(name);
    return [...missing, ...run.started.slice(2), run.lines.at(-1)].join(', ');
  };
  const arms = (condition: string) => `  IF: ${condition} →\n    DO: one\n  ELSE: →\n    DO: one\n`;
  expect(after(arms('x == 1'))).toBe('RETURN over');
  expect(after(arms('x == 2'))).toBe('RETURN over');
  expect(after('  DO: one\n  DO: one\n')).toBe('one, RETURN over');
  expect(after(`${arms('x == 1')}  DO: one\n`)).toBe('one, RETURN over');
  expect(after('  DO: in PARALLEL\n    - one\n    - one\n')).toBe('one, RETURN over');
});

test('in a loop below what is done', () => {
  const ends = [...BEFORE, 'a', 'each c', 'each d', 'middle', 'round 1'];
  expect(told(ends)).toMatchInlineSnapshot(`
    "copy 2→12, copy 2→15, copy 2→17: round 2 | end inner | RETURN over without first
    copy 2→19, copy 2→21: round 2 | end first inner | RETURN over
    copy 4→12, copy 4→15, copy 4→17, copy 21→12, copy 21→15, copy 21→17: round 2 | end inner | RETURN over without inner
    copy 4→19, copy 4→21, copy 21→19: round 2 | end inner inner | RETURN over
    copy 6→12, copy 6→15, copy 6→17: round 2 | end inner | RETURN over without other
    copy 6→19, copy 6→21: round 2 | end other inner | RETURN over
    copy 8→17: round 2 | end inner | RETURN over without turn {x}
    move 12→4, copy 12→4, move 12→9, copy 12→9, move 12→21, move 15→4, copy 15→4, move 15→9, copy 15→9, move 15→21, copy 18→4, copy 18→9, move 18→21, copy 21→4, copy 21→9, move 21→19: round 2 | end inner | RETURN over
    copy 12→21: round 2 | end a inner | RETURN over
    copy 15→21: round 2 | end middle inner | RETURN over
    move 18→4, move 18→9: round 2 | inner | RETURN over
    copy 18→21: round 2 | end end inner | RETURN over
    move 21→4, move 21→9: round 2 | end | RETURN over
    move 21→12, move 21→15, move 21→17: round 2 | end | RETURN over without inner"
  `);
});

test('in members of which one is done', () => {
  expect(told([...BEFORE, 'a', 'each d'])).toMatchInlineSnapshot(`
    "copy 2→12: first each c | first each c middle round 1 round 2 end inner | RETURN over
    copy 2→15: each c | first middle round 1 round 2 end inner | RETURN over
    copy 2→17: each c | middle first round 1 first round 2 end inner | RETURN over
    copy 2→19, copy 2→21: each c | middle round 1 round 2 end first inner | RETURN over
    copy 4→12, copy 21→12: inner each c | inner each c middle round 1 round 2 end inner | RETURN over
    copy 4→15, copy 21→15: each c | inner middle round 1 round 2 end inner | RETURN over
    copy 4→17, copy 21→17: each c | middle inner round 1 inner round 2 end inner | RETURN over
    copy 4→19, copy 4→21, copy 21→19: each c | middle round 1 round 2 end inner inner | RETURN over
    copy 6→12: other each c | other each c middle round 1 round 2 end inner | RETURN over
    copy 6→15: each c | other middle round 1 round 2 end inner | RETURN over
    copy 6→17: each c | middle other round 1 other round 2 end inner | RETURN over
    copy 6→19, copy 6→21: each c | middle round 1 round 2 end other inner | RETURN over
    copy 8→17: each c | middle turn 1 round 1 turn 2 round 2 end inner | RETURN over
    move 12→4, move 12→9, move 12→21: each c | each c middle round 1 round 2 end inner | RETURN over
    copy 12→4, copy 12→9, copy 15→4, copy 15→9, copy 18→4, copy 18→9, move 18→21, copy 21→4, copy 21→9, move 21→19: each c | middle round 1 round 2 end inner | RETURN over
    copy 12→21: each c | middle round 1 round 2 end a inner | RETURN over
    move 15→4, move 15→9: each c | round 1 round 2 end inner | RETURN over
    move 15→21: each c | round 1 round 2 end middle inner | RETURN over
    copy 15→21: each c | middle round 1 round 2 end middle inner | RETURN over
    move 18→4, move 18→9: each c | middle round 1 round 2 inner | RETURN over
    copy 18→21: each c | middle round 1 round 2 end end inner | RETURN over
    move 21→4, move 21→9: each c | middle round 1 round 2 end | RETURN over
    move 21→12: inner each c | inner each c middle round 1 round 2 end | RETURN over
    move 21→15: each c | inner middle round 1 round 2 end | RETURN over
    move 21→17: each c | middle inner round 1 inner round 2 end | RETURN over"
  `);
});

test('what was computed, counted or decided keeps its result where its line is now', () => {
  const text = (above: string, below: string): string => `STATE: A
  TRACK: n = 1
  DO: v = "none"
${above}  INCREMENT: n
  DO: wait
${below}  DO: show {v} {n}
  RETURN: {v}
`;
  const shownBelow = (lines: string): string => {
    const run = new ScriptedProgram(text(lines, ''), { restored: false, clockMs: 0 });
    for (let [name] = run.waiting; name !== undefined && name !== 'wait'; [name] = run.waiting) run.end(name, name);
    const missing = run.move(text('', lines));
    for (let [name] = run.waiting; name !== undefined; [name] = run.waiting) run.end(name, name);
    return [...missing, ...run.started.slice(run.started.indexOf('wait')), run.lines.at(-1)].join(', ');
  };
  expect(shownBelow('  DO: v = n * 10\n')).toMatchInlineSnapshot(`"wait, show 20 2, RETURN 20"`);
  expect(shownBelow('  DO: v = v + "!"\n')).toMatchInlineSnapshot(`"wait, show none! 2, RETURN "none!""`);
  expect(shownBelow('  DO: w = 1\n  DO: w = w + n\n  DO: v = w * 10\n')).toMatchInlineSnapshot(
    `"wait, show 20 2, RETURN 20"`,
  );
  expect(shownBelow('  SET: n = n + 5\n')).toMatchInlineSnapshot(`"wait, show none 7, RETURN none"`);
  expect(shownBelow('  IF: n == 1 → DO: v = echo one\n')).toMatchInlineSnapshot(
    `"wait, show echo one 2, RETURN "echo one""`,
  );
  expect(shownBelow('  IF: n == 1 → SET: v = "one"\n')).toMatchInlineSnapshot(`"wait, show one 2, RETURN one"`);
  expect(shownBelow('  FOR EACH: x in [n, 7]\n    DO: v = echo {x}\n')).toMatchInlineSnapshot(
    `"wait, echo 2, show echo 7 2, RETURN "echo 7""`,
  );
  expect(shownBelow('  DO: in PARALLEL\n    - v = left {n}\n    - right {n}\n')).toMatchInlineSnapshot(
    `"wait, show left 1 2, RETURN "left 1""`,
  );
});
