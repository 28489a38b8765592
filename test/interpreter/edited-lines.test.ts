/**
 * A program of which one line is left out, moved down, changed, repeated, or has another one above it, while a run is somewhere
 * in it: for each such edit, what runs from there to the end. Edits that end the same way are on one line.
 */
import { expect, test } from 'vitest';
import { ScriptedProgram } from './scripted-program.js';

const LINES = `STATE: A
  DO: one = first
  IF: one == "first" →
    DO: inner
    DO: deeper
  FOR EACH: x in [1, 2]
    DO: round {x}
  DO: in PARALLEL [max=2]
    - left = a
    - right = b
    - DO [once]: c
    - FOR EACH: y in ["d", "e"] in PARALLEL
        DO: each {y}
  TRACK: n = 2
  DO: last {n} {left}
  RETURN: {right}
`.split('\n');

/** Lines that decide, count and handle failures, in several states that are entered again. */
const STATES = `STATE: A
  TRACK: n = 0
  CHECK: first = one
  IF: first == "one" →
    SET: n = n + 1
    DO: arm
  ELSE →
    DO: other
  GOTO: B with first
STATE: B
  DO: two {first}
  FOR EACH: x in ["p", "q"]
    CHECK: y = turn {x}
    IF: y == "turn q" AND n < 2 → GOTO: C with x
    DO: after {y}
  RETURN: {first}
  ON ERROR: → GOTO: C with x="e"
STATE: C
  DO: z = three {x}
  INCREMENT: n
  DO: four {n}
  IF: n < 3 → GOTO: B with first={z}
  RETURN: {n}
`.split('\n');

const added = (line: string): string => line.replace(/\S.*$/, line.includes('- ') ? '- new' : 'DO: new');

/** How a line is edited. */
const EDITS: Readonly<Record<string, (lines: readonly string[], at: number) => readonly string[]>> = {
  without: (lines, at) => lines.toSpliced(at, 1),
  down: (lines, at) => lines.toSpliced(at, 2, lines[at + 1] as string, lines[at] as string),
  above: (lines, at) => lines.toSpliced(at, 0, added(lines[at] as string)),
  twice: (lines, at) => lines.toSpliced(at, 0, lines[at] as string),
  changed: (lines, at) =>
    lines.toSpliced(
      at,
      1,
      (lines[at] as string).replace(/(?<=\b(?:DO|round|each|=|-|once\]:) )[a-z]+\b(?! =)/, 'changed'),
    ),
};

interface Mode {
  readonly failed?: boolean;
  readonly inserted?: boolean;
  /** The record tells what is done. */
  readonly recorded?: boolean;
}

function runTo(lines: readonly string[], ends: readonly string[]): ScriptedProgram {
  const run = new ScriptedProgram(lines.join('\n'), { restored: false, clockMs: 0 });
  for (const name of ends) run.end(name, name);
  return run;
}

/** What runs after the edit, in order, and the number of the last effect; null: that is no program, or the same one. */
function after(
  lines: readonly string[],
  ends: readonly string[],
  text: string,
  { failed = false, inserted = false, recorded = false }: Mode,
): string | null {
  const run = runTo(lines, ends);
  const begun = run.started.length;
  try {
    const missing = recorded ? run.move(text, failed, inserted) : run.edit(text, failed, inserted);
    if (missing.length > 0) return `lacks ${missing.join('; ')}`;
  } catch {
    return null;
  }
  const open = run.waiting.join(' ');
  for (let [name] = run.waiting; name !== undefined; [name] = run.waiting) run.end(name, name);
  // Two effects of one name are not told apart.
  if (run.run.result === null) return null;
  const leaves = run.leftOut.length === 0 ? '' : ` without ${run.leftOut.join(' and ')}`;
  return `${open} | ${run.started.slice(begun).join(' ')} | ${run.requests.at(-1)?.effect} ${run.lines.at(-1)}${leaves}`;
}

function told(program: readonly string[], ends: readonly string[], modes: Readonly<Record<string, Mode>>): string {
  const lines: string[] = [];
  const shown = new Map<string, string>();
  for (const [title, mode] of Object.entries(modes)) {
    const same = after(program, ends, program.join('\n'), mode) ?? '';
    lines.push(`${title}: ${same}`);
    const byResult = new Map<string, string[]>();
    for (const [how, edit] of Object.entries(EDITS))
      for (let at = 1; at < program.length - 2; at++) {
        const name = `${how} ${at + 1}`;
        const text = edit(program, at).join('\n');
        const result = text === program.join('\n') ? null : after(program, ends, text, mode);
        if (result === null || result === (shown.get(name) ?? same)) continue;
        shown.set(name, result);
        byResult.set(result, [...(byResult.get(result) ?? []), name]);
      }
    lines.push(...[...byResult].map(([result, edits]) => `  ${edits.join(', ')}: ${result}`));
  }
  return lines.join('\n');
}

/** Each with the edits that end in another way than in the one before. */
const MODES = { open: {}, inserted: { inserted: true }, failed: { failed: true } } as const;
const RECORDED = {
  open: { recorded: true },
  inserted: { recorded: true, inserted: true },
} as const;

test('before its branches', () => {
  expect(told(LINES, ['first', 'inner', 'deeper', 'round 1'], MODES)).toMatchInlineSnapshot(`
    "open: round 2 | a b c each d each e last 2 a | 7 RETURN b
      without 8: round 2 | a b c each d each e last 2 a | 10 RETURN b
      without 11: round 2 | a b each d each e last 2 a | 7 RETURN b
      without 15, down 15: round 2 | a b c each d each e | 6.4.1.2.1 RETURN b
      down 4, twice 4: round 2 | a b c each d each e last 2 a | 7 RETURN b without inner
      down 5, twice 5: round 2 | a b c each d each e last 2 a | 7 RETURN b without deeper
      down 8: round 2 | a b c each d each e last 2 a | 8 RETURN b
      down 9: round 2 | b a c each d each e last 2 a | 7 RETURN b
      down 10: round 2 | a c b each d each e last 2 a | 7 RETURN b
      down 14: round 2 | a b c each d each e | 6.4.1.2.1 FAILED bad_value: \`n\` has no value here: the TRACK that creates it has not run yet
      above 2, above 3, above 4, above 5, above 6, above 7: round 2 | a b c each d each e last 2 a | 7 RETURN b without new
      above 8: round 2 | new a b c each d each e last 2 a | 8 RETURN b
      above 9: round 2 | new a b c each d each e last 2 a | 7 RETURN b
      above 10: round 2 | a new b c each d each e last 2 a | 7 RETURN b
      above 11: round 2 | a b new c each d each e last 2 a | 7 RETURN b
      above 12: round 2 | a b c new each d each e last 2 a | 7 RETURN b
      above 14, above 15: round 2 | a b c each d each e new last 2 a | 8 RETURN b
      twice 2: round 2 | a b c each d each e last 2 a | 7 RETURN b without first
      twice 7: round 2 | round 2 a b c each d each e last 2 a | 8 RETURN b
      twice 13: round 2 | a b c each d each e each d each e last 2 a | 7 RETURN b
      twice 15: round 2 | a b c each d each e last 2 a last 2 a | 8 RETURN b
      changed 11: round 2 | a b changed each d each e last 2 a | 7 RETURN b
    inserted: round 2 | a b c each d each e last 2 a | 7 RETURN b
      down 4: deeper | deeper inner round 1 round 2 a b c each d each e last 2 a | 11 RETURN b
      down 5: deeper | deeper round 2 a b c each d each e last 2 a | 9 RETURN b
      above 2: new | new first inner deeper round 1 round 2 a b c each d each e last 2 a | 13 RETURN b
      above 3, above 4: new | new inner deeper round 1 round 2 a b c each d each e last 2 a | 12 RETURN b
      above 5: inner | inner new deeper round 1 round 2 a b c each d each e last 2 a | 12 RETURN b
      above 6: new | new round 1 round 2 a b c each d each e last 2 a | 10 RETURN b
      above 7: new | new round 2 a b c each d each e last 2 a | 9 RETURN b
      twice 2: first | first inner deeper round 1 round 2 a b c each d each e last 2 a | 12 RETURN b
      twice 4: inner | inner inner deeper round 1 round 2 a b c each d each e last 2 a | 12 RETURN b
      twice 5: inner | inner deeper deeper round 1 round 2 a b c each d each e last 2 a | 12 RETURN b
    failed: round 2 | a b c each d each e last 2 a | 7 RETURN b"
  `);
});

test('in its first line', () => {
  expect(told(LINES, [], MODES)).toMatchInlineSnapshot(`
    "open: first | inner deeper round 1 round 2 a b c each d each e last 2 a | 7 RETURN b
      without 4: first | deeper round 1 round 2 a b c each d each e last 2 a | 6 RETURN b
      without 5: first | inner round 1 round 2 a b c each d each e last 2 a | 6 RETURN b
      without 8: first | inner deeper round 1 a b c each d each e round 2 a b c each d each e last 2 a | 14 RETURN b
      without 11: first | inner deeper round 1 round 2 a b each d each e last 2 a | 7 RETURN b
      without 15, down 15: first | inner deeper round 1 round 2 a b c each d each e | 6.4.1.2.1 RETURN b
      down 4: first | deeper inner round 1 round 2 a b c each d each e last 2 a | 7 RETURN b
      down 5: first | inner deeper round 1 deeper round 2 a b c each d each e last 2 a | 8 RETURN b
      down 8: first | inner deeper round 1 a round 2 a b c each d each e last 2 a | 9 RETURN b
      down 9: first | inner deeper round 1 round 2 b a c each d each e last 2 a | 7 RETURN b
      down 10: first | inner deeper round 1 round 2 a c b each d each e last 2 a | 7 RETURN b
      down 14: first | inner deeper round 1 round 2 a b c each d each e | 6.4.1.2.1 FAILED bad_value: \`n\` has no value here: the TRACK that creates it has not run yet
      above 2: first | inner deeper round 1 round 2 a b c each d each e last 2 a | 7 RETURN b without new
      above 3, above 4: first | new inner deeper round 1 round 2 a b c each d each e last 2 a | 8 RETURN b
      above 5: first | inner new deeper round 1 round 2 a b c each d each e last 2 a | 8 RETURN b
      above 6: first | inner deeper new round 1 round 2 a b c each d each e last 2 a | 8 RETURN b
      above 7: first | inner deeper new round 1 new round 2 a b c each d each e last 2 a | 9 RETURN b
      above 8: first | inner deeper round 1 round 2 new a b c each d each e last 2 a | 8 RETURN b
      above 9: first | inner deeper round 1 round 2 new a b c each d each e last 2 a | 7 RETURN b
      above 10: first | inner deeper round 1 round 2 a new b c each d each e last 2 a | 7 RETURN b
      above 11: first | inner deeper round 1 round 2 a b new c each d each e last 2 a | 7 RETURN b
      above 12: first | inner deeper round 1 round 2 a b c new each d each e last 2 a | 7 RETURN b
      above 14, above 15: first | inner deeper round 1 round 2 a b c each d each e new last 2 a | 8 RETURN b
      twice 2: first | first inner deeper round 1 round 2 a b c each d each e last 2 a | 8 RETURN b
      twice 4: first | inner inner deeper round 1 round 2 a b c each d each e last 2 a | 8 RETURN b
      twice 5: first | inner deeper deeper round 1 round 2 a b c each d each e last 2 a | 8 RETURN b
      twice 7: first | inner deeper round 1 round 1 round 2 round 2 a b c each d each e last 2 a | 9 RETURN b
      twice 13: first | inner deeper round 1 round 2 a b c each d each e each d each e last 2 a | 7 RETURN b
      twice 15: first | inner deeper round 1 round 2 a b c each d each e last 2 a last 2 a | 8 RETURN b
      changed 11: first | inner deeper round 1 round 2 a b changed each d each e last 2 a | 7 RETURN b
    inserted: first | inner deeper round 1 round 2 a b c each d each e last 2 a | 7 RETURN b
      above 2: new | new first inner deeper round 1 round 2 a b c each d each e last 2 a | 9 RETURN b
    failed: first | inner deeper round 1 round 2 a b c each d each e last 2 a | 7 RETURN b"
  `);
});

test('in its branches', () => {
  expect(told(LINES, ['first', 'inner', 'deeper', 'round 1', 'round 2', 'b'], MODES)).toMatchInlineSnapshot(`
    "open: a c | each d each e last 2 a | 7 RETURN b
      without 8, down 8: lacks the instruction \`PARALLEL\` of line 8 in the state \`A\`; the beginning of the loop in line 6
      without 11, above 10, above 11, twice 11: lacks the instruction \`PARALLEL\` of line 8 in the state \`A\`; the instruction \`c\` of line 11 in the state \`A\`
      without 15, down 15: a c | each d each e | 6.4.1.2.1 RETURN b
      down 4, twice 4: a c | each d each e last 2 a | 7 RETURN b without inner
      down 5, twice 5: a c | each d each e last 2 a | 7 RETURN b without deeper
      down 9, down 10: a c | each d each e last 2 a | 8 RETURN b
      down 14: a c | each d each e | 6.4.1.2.1 FAILED bad_value: \`n\` has no value here: the TRACK that creates it has not run yet
      above 2, above 3, above 4, above 5, above 6, above 7, above 8: a c | each d each e last 2 a | 7 RETURN b without new
      above 9, above 12, twice 13: lacks the instruction \`PARALLEL\` of line 8 in the state \`A\`
      above 14, above 15: a c | each d each e new last 2 a | 8 RETURN b
      twice 2: a c | each d each e last 2 a | 7 RETURN b without first
      twice 7: a c | each d each e last 2 a | 7 RETURN b without round {x}
      twice 15: a c | each d each e last 2 a last 2 a | 8 RETURN b
      changed 11: lacks the instruction \`c\` of line 11 in the state \`A\`
    inserted: a c | each d each e last 2 a | 7 RETURN b
    failed: a c | each d each e last 2 a | 7 RETURN b
      without 8: lacks the instruction \`PARALLEL\` of line 8 in the state \`A\`
      without 11: a b | a b each d each e last 2 a | 8 RETURN b
      down 4: deeper | deeper inner round 1 round 2 a b c each d each e last 2 a | 12 RETURN b
      down 5: deeper | deeper round 1 deeper round 2 a b c each d each e last 2 a | 12 RETURN b
      down 8: round 1 | round 1 a round 2 a b c each d each e last 2 a | 12 RETURN b
      above 2: new | new first inner deeper round 1 round 2 a b c each d each e last 2 a | 14 RETURN b
      above 3, above 4: new | new inner deeper round 1 round 2 a b c each d each e last 2 a | 13 RETURN b
      above 5: inner | inner new deeper round 1 round 2 a b c each d each e last 2 a | 13 RETURN b
      above 6: new | new round 1 round 2 a b c each d each e last 2 a | 11 RETURN b
      above 7: new | new round 1 new round 2 a b c each d each e last 2 a | 12 RETURN b
      above 8: new | new a b c each d each e last 2 a | 9 RETURN b
      above 9: new a | new a b c each d each e last 2 a | 8 RETURN b
      above 10: a new | a new b c each d each e last 2 a | 8 RETURN b
      above 11: a b | a b new c each d each e last 2 a | 8 RETURN b
      above 12: a b | a b c new each d each e last 2 a | 8 RETURN b
      twice 2: first | first inner deeper round 1 round 2 a b c each d each e last 2 a | 13 RETURN b
      twice 4: inner | inner inner deeper round 1 round 2 a b c each d each e last 2 a | 13 RETURN b
      twice 5: inner | inner deeper deeper round 1 round 2 a b c each d each e last 2 a | 13 RETURN b
      twice 7: round 1 | round 1 round 1 round 2 round 2 a b c each d each e last 2 a | 12 RETURN b
      twice 13: a b | a b c each d each e each d each e last 2 a | 8 RETURN b
      changed 11: a changed | changed each d each e last 2 a | 7 RETURN b"
  `);
});

test('in a loop of the second state', () => {
  expect(told(STATES, ['one', 'arm', 'two one', 'turn p', 'after turn p'], RECORDED)).toMatchInlineSnapshot(`
    "open: turn q | three q four 2 two three q turn p after turn p turn q after turn q | 13 RETURN "three q"
      without 11, down 10: turn q | three q four 2 turn p after turn p turn q after turn q | 12 RETURN "three q"
      without 14: turn q | after turn q | 7 RETURN one
      without 15: turn q | three q four 2 two three q turn p turn q | 11 RETURN "three q"
      without 16: turn q | three q four 2 two three q turn p after turn p turn q after turn q three e four 3 | 15 RETURN 3
      without 20: turn q | three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 two three q turn p after turn p turn q three q four 1 | 3002 FAILED limit: the limit of 1000 transitions is exceeded
      without 21, down 21: turn q | three q two three q turn p after turn p turn q after turn q | 12 RETURN "three q"
      without 22, down 22: turn q | three q four 2 | 8 RETURN 2
      down 9: turn q | three q four 2 | 8 FAILED limit: the limit of 1000 transitions is exceeded without GOTO
      down 13: turn q | turn q after turn q | 8 RETURN one
      down 14: turn q | after turn q three q four 2 two three q turn p after turn p turn q after turn q | 14 RETURN "three q"
      down 20: turn q | three q four 1 two three q turn p after turn p turn q after turn q | 13 RETURN "three q"
      above 11: turn q | three q four 2 new two three q turn p after turn p turn q after turn q | 14 RETURN "three q" without new
      above 12: turn q | three q four 2 two three q new turn p after turn p turn q after turn q | 14 RETURN "three q" without new
      above 13: turn q | three q four 2 two three q new turn p after turn p new turn q after turn q | 15 RETURN "three q" without new
      above 14: turn q | new three q four 2 two three q turn p new after turn p turn q new after turn q | 16 RETURN "three q"
      above 15: turn q | three q four 2 two three q turn p new after turn p turn q new after turn q | 15 RETURN "three q"
      above 16: turn q | three q four 2 two three q turn p after turn p turn q after turn q new | 14 RETURN "three q"
      above 19: turn q | new three q four 2 two three q turn p after turn p turn q after turn q | 14 RETURN "three q"
      above 20, above 21: turn q | three q new four 2 two three q turn p after turn p turn q after turn q | 14 RETURN "three q"
      above 22: turn q | three q four 2 new two three q turn p after turn p turn q after turn q | 14 RETURN "three q"
      twice 11: turn q | three q four 2 two three q two three q turn p after turn p turn q after turn q | 14 RETURN "three q" without two {first}
      twice 13: turn q | turn q three q four 2 two three q turn p turn p after turn p turn q turn q after turn q | 16 RETURN "three q"
      twice 15: turn q | three q four 2 two three q turn p after turn p after turn p turn q after turn q after turn q | 15 RETURN "three q"
      twice 19: turn q | three q three q four 2 two three q turn p after turn p turn q after turn q | 14 RETURN "three q"
      twice 20: turn q | three q four 3 | 8 RETURN 3
      twice 21: turn q | three q four 2 four 2 two three q turn p after turn p turn q after turn q | 14 RETURN "three q"
    inserted: turn q | three q four 2 two three q turn p after turn p turn q after turn q | 13 RETURN "three q"
      down 9:  |  | 6 FAILED limit: the limit of 1000 transitions is exceeded
      above 11: new | new turn q three q four 2 new two three q turn p after turn p turn q after turn q | 16 RETURN "three q"
      above 12: new | new turn q three q four 2 two three q new turn p after turn p turn q after turn q | 16 RETURN "three q"
      above 13: new | new turn q three q four 2 two three q new turn p after turn p new turn q after turn q | 17 RETURN "three q"
      twice 11: two one | two one turn q three q four 2 two three q two three q turn p after turn p turn q after turn q | 16 RETURN "three q""
  `);
});

test('in the third state, before the second is entered again', () => {
  expect(
    told(STATES, ['one', 'arm', 'two one', 'turn p', 'after turn p', 'turn q', 'three q'], RECORDED),
  ).toMatchInlineSnapshot(`
    "open: four 2 | two three q turn p after turn p turn q after turn q | 13 RETURN "three q"
      without 11, down 10: four 2 | turn p after turn p turn q after turn q | 12 RETURN "three q"
      without 15: four 2 | two three q turn p turn q | 11 RETURN "three q"
      without 16: four 2 | two three q turn p after turn p turn q after turn q three e four 3 | 15 RETURN 3
      without 21, down 21: two three q | two three q turn p after turn p turn q after turn q | 13 RETURN "three q"
      without 22, down 22: four 2 |  | 8 RETURN 2
      down 9: four 2 |  | 8 FAILED limit: the limit of 1000 transitions is exceeded
      down 13: four 2 | two three q three e four 3 | 11 RETURN 3
      down 19, twice 19: four 2 | two three q turn p after turn p turn q after turn q | 13 RETURN "three q" without three {x}
      above 11, above 22: four 2 | new two three q turn p after turn p turn q after turn q | 14 RETURN "three q"
      above 12: four 2 | two three q new turn p after turn p turn q after turn q | 14 RETURN "three q"
      above 13: four 2 | two three q new turn p after turn p new turn q after turn q | 15 RETURN "three q"
      above 14, above 15: four 2 | two three q turn p new after turn p turn q new after turn q | 15 RETURN "three q"
      above 16: four 2 | two three q turn p after turn p turn q after turn q new | 14 RETURN "three q"
      above 19, above 20, above 21: four 2 | two three q turn p after turn p turn q after turn q | 13 RETURN "three q" without new
      twice 11: four 2 | two three q two three q turn p after turn p turn q after turn q | 14 RETURN "three q"
      twice 13: four 2 | two three q turn p turn p after turn p turn q turn q after turn q | 15 RETURN "three q"
      twice 15: four 2 | two three q turn p after turn p after turn p turn q after turn q after turn q | 15 RETURN "three q"
      twice 20: four 2 | two three q turn p after turn p turn q after turn q | 13 RETURN "three q" without INCREMENT n
      twice 21: four 2 | four 2 two three q turn p after turn p turn q after turn q | 14 RETURN "three q"
    inserted: four 2 | two three q turn p after turn p turn q after turn q | 13 RETURN "three q"
      down 19: four 2 | four 2 two three q turn p after turn p turn q after turn q | 14 RETURN "three q"
      above 19, above 20, above 21: new | new four 2 two three q turn p after turn p turn q after turn q | 15 RETURN "three q"
      twice 19: three q | three q four 2 two three q turn p after turn p turn q after turn q | 15 RETURN "three q"
      twice 20: four 3 | four 3 | 9 RETURN 3"
  `);
});
