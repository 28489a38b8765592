/** Compiling with what was compiled before gives what compiling anew gives, whatever was edited meanwhile. */
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Compilation, type CompileOptions, compile } from '../../src/check/compile.js';

const examples = readdirSync('examples', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.dsl'))
  .map((name) => readFileSync(`examples/${name}`, 'utf8'));

/** A little of everything whose meaning depends on other states. */
const everything = `IMPORT "shared.dsl"
INPUT: objective = "x"
INPUT: limit = 3
LIMIT: transitions=50

PATTERN: NOTE with text, target=END
  EMIT: NOTED text={text}
  IF: len(text) > limit → GOTO {target}

STATE: START
  # a comment
  TRACK: count
  CHECK: python3 poll.py --for {objective}
  IF: ready.tasks is empty AND count < limit → EMIT: NOTHING "for {objective}", GOTO WORK with item="a"
  ELSE IF: ready.status == "ok" → GOTO END
  ELSE: GOTO ERROR

# between two states
STATE: WORK
  INCREMENT: count
  DO: x = len(item) + count
  DO: git commit -m "{item}: {x}" || true
  DO: Task(writer) "write about {item}" with size={count}
  DO: missing-program {item}
  IF: count > limit → GOTO END with text="done", item=item
  USE: NOTE with text=item
  USE: SHARED with text="{item}"
  GOTO: WORK with item="b"

STATE: END
  CHECK: answer = cat answer.json
  FOR EACH: one in answer.list in PARALLEL [max=2]:
    DO: y = printf %s {one} | tr a-z A-Z
  DO:
    echo "{text}" \\
      > out.txt
    cat out.txt
  IF: answer.ok → RETURN: {text}
  RETURN: nothing
`;

const snippets = [
  ...['\n', ' ', '  ', '\t', ':', '"', '{', '}', '\\', '#', '→', '\r\n', '\uFEFF', '\u0000', '✓', ', ', '=', '- '],
  ...['  EMIT: EDITED\n', '  TRACK: other\n', '  GOTO: END\n', 'ELSE: GOTO END\n', '  ELSE IF: x → PROCEED\n'],
  ...['STATE: NEW\n  GOTO: WORK with item="c", extra=1\n', 'STATE: ERROR\n  RETURN: {error}\n', 'STATE: END\n'],
  ...['PATTERN: NOTE with text\n  EMIT: OTHER\n', 'INPUT: item\n', 'MACHINE: second\n', '  DO: Task(nobody) "hello"\n'],
  ...[
    '  ON ERROR: → GOTO END\n',
    '  WAIT: 5s\n',
    '  DO: {item}\n',
    '  USE: NOTE with text="a"\n',
    '  DO: other-program\n',
  ],
];

interface Edit {
  /** Where, as a part of the text. */
  readonly at: number;
  readonly removed: number;
  /** A snippet, or a piece of the text itself. */
  readonly added: number | { readonly from: number; readonly length: number } | null;
}

const anEdit: fc.Arbitrary<Edit> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(200)),
  added: fc.oneof(
    fc.nat(snippets.length - 1),
    fc.record({ from: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.nat(300) }),
    fc.constant(null),
  ),
});

function apply(text: string, { at, removed, added }: Edit): string {
  const start = Math.floor(at * text.length);
  let piece = '';
  if (typeof added === 'number') piece = snippets[added] as string;
  else if (added !== null) {
    const from = Math.floor(added.from * text.length);
    piece = text.slice(from, from + added.length);
  }
  // Whole lines are what most snippets are, so most edits begin where a line does.
  const where = piece.endsWith('\n') ? text.lastIndexOf('\n', start) + 1 : start;
  return text.slice(0, where) + piece + text.slice(where + removed);
}

const options: CompileOptions = {
  name: 'edited.dsl',
  onPath: (command) => command !== 'missing-program' && command !== 'other-program',
  agents: (name) => name === 'writer',
  load: () => ({ name: 'shared.dsl', text: 'PATTERN: SHARED with text\n  EMIT: SHARED text={text}\n' }),
  explain: true,
};

function facts({ machine, machines, declared, diagnostics, explanations, sources }: Compilation) {
  return { machine, machines, declared, diagnostics, explanations, sources };
}

function follow(text: string, edits: readonly Edit[]): void {
  let previous = compile(text, { ...options, previous: null });
  let edited = text;
  for (const edit of edits) {
    edited = apply(edited, edit);
    const before = JSON.stringify(facts(previous));
    const again = compile(edited, { ...options, previous });
    expect(facts(again)).toStrictEqual(facts(compile(edited, options)));
    expect(JSON.stringify(facts(previous))).toBe(before);
    previous = again;
  }
}

describe('compile with previous', () => {
  it('gives the same for any edits', () => {
    const texts = fc.constantFrom(everything, ...examples);
    fc.assert(
      fc.property(texts, fc.array(anEdit, { minLength: 1, maxLength: 5 }), (text, edits) => follow(text, edits)),
      { numRuns: Number(process.env.RUNS ?? 150) },
    );
  }, 600_000);

  it('gives the same for every single line that is left out and put back', () => {
    const lines = everything.split('\n');
    let previous = compile(everything, { ...options, previous: null });
    for (const at of lines.keys()) {
      const without = lines.toSpliced(at, 1).join('\n');
      for (const text of [without, everything]) {
        previous = compile(text, { ...options, previous });
        expect(facts(previous)).toStrictEqual(facts(compile(text, options)));
      }
    }
  });

  it('asks again what the machine it is checked on has', () => {
    const text = 'STATE: A\n  DO: tool a\n  DO: Task(writer) "a"\n  RETURN: a\n';
    const here = { onPath: () => true, agents: () => true };
    const previous = compile(text, { ...here, previous: null });
    const elsewhere = { onPath: () => false, agents: () => false };
    const again = compile(text, { ...elsewhere, previous });
    expect(again.diagnostics).toStrictEqual(compile(text, elsewhere).diagnostics);
    expect(again.diagnostics.map(({ code }) => code)).toContain('unknown-agent');
  });

  it('gives the same under other options', () => {
    let previous = compile(everything, { ...options, previous: null });
    const others: CompileOptions[] = [{ shell: 'sh' }, { strict: true }, { commands: ['git'] }, { explain: false }];
    for (const other of [...others, { name: 'x.dsl' }, { start: 'WORK' }]) {
      previous = compile(everything, { ...options, ...other, previous });
      expect(facts(previous)).toStrictEqual(facts(compile(everything, { ...options, ...other })));
    }
  });

  it('reads a long chain of operators and a text of blanks only', () => {
    const chain = `STATE: A\n  DO: x = ${'1 + '.repeat(5000)}1\n  RETURN: {x}\n`;
    const previous = compile(chain, { previous: null });
    const moved = `INPUT: a = 1\n${chain}`;
    expect(facts(compile(moved, { previous }))).toStrictEqual(facts(compile(moved)));
    expect(facts(compile('  \n', { previous }))).toStrictEqual(facts(compile('  \n')));
  });
});
