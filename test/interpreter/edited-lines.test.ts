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

const added = (line: string): string => line.replace(/\S.*$/, line.includes('- ') ? '- new' : 'DO: new');

/** How a line is edited. */
const EDITS: Readonly<Record<string, (at: number) => readonly string[]>> = {
  without: (at) => LINES.toSpliced(at, 1),
  down: (at) => LINES.toSpliced(at, 2, LINES[at + 1] as string, LINES[at] as string),
  above: (at) => LINES.toSpliced(at, 0, added(LINES[at] as string)),
  twice: (at) => LINES.toSpliced(at, 0, LINES[at] as string),
  changed: (at) =>
    LINES.toSpliced(
      at,
      1,
      (LINES[at] as string).replace(/(?<=\b(?:DO|round|each|=|-|once\]:) )[a-z]+\b(?! =)/, 'changed'),
    ),
};

interface Mode {
  readonly failed?: boolean;
  readonly inserted?: boolean;
}

function runTo(ends: readonly string[]): ScriptedProgram {
  const run = new ScriptedProgram(LINES.join('\n'), { restored: false, clockMs: 0 });
  for (const name of ends) run.end(name, name);
  return run;
}

/** What runs after the edit, in order, and the number of the last effect; null: that is no program, or the same one. */
function after(ends: readonly string[], text: string, { failed = false, inserted = false }: Mode): string | null {
  const run = runTo(ends);
  const begun = run.started.length;
  try {
    const missing = run.edit(text, failed, inserted);
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

function told(ends: readonly string[], modes: Readonly<Record<string, Mode>>): string {
  const lines: string[] = [];
  const shown = new Map<string, string>();
  for (const [title, mode] of Object.entries(modes)) {
    const same = after(ends, LINES.join('\n'), mode) ?? '';
    lines.push(`${title}: ${same}`);
    const byResult = new Map<string, string[]>();
    for (const [how, edit] of Object.entries(EDITS))
      for (let at = 1; at < LINES.length - 2; at++) {
        const name = `${how} ${at + 1}`;
        const text = edit(at).join('\n');
        const result = text === LINES.join('\n') ? null : after(ends, text, mode);
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

test('before its branches', () => {
  expect(told(['first', 'inner', 'deeper', 'round 1'], MODES)).toMatchInlineSnapshot(`
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
  expect(told([], MODES)).toMatchInlineSnapshot(`
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
  expect(told(['first', 'inner', 'deeper', 'round 1', 'round 2', 'b'], MODES)).toMatchInlineSnapshot(`
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
