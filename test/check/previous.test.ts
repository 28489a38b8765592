/** Compiling with what was compiled before gives what compiling anew gives, whatever was edited meanwhile. */
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Compilation, type CompileOptions, compile } from '../../src/language/check/compile.js';
import type { Lookups } from '../../src/language/check/lower/lowered-state.js';
import { amount, tries } from '../amount.js';

const examples = readdirSync('examples', { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?<!\.test)\.dsl$/.test(name))
  .map((name) => readFileSync(`examples/${name}`, 'utf8'));

/** One example of everything that depends on other states. */
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

/** Without a message, so that its states are kept: each depends on names that others make. */
const quiet = `INPUT: objective = "x"
INPUT: limit = 3

PATTERN: NOTE with text
  EMIT: NOTED text={text}

STATE: START
  TRACK: count
  TRACK: total = 5
  INCREMENT: count
  IF: count > limit → GOTO END with text="done", item="a"
  DO: Task(writer) "write about {objective}"
  GOTO: WORK with item="a"

STATE: WORK
  DO: tool run {item} {count} > out.txt
  CHECK: answer = cat answer.json
  IF: answer.ok AND total < limit → GOTO END with text="{answer.name}", item
  DO: y = len(item) + total
  EMIT: DONE y={y}
  GOTO: END with text={item}, item="b"

STATE: NOTED
  USE: NOTE with text={objective}
  GOTO: START

STATE: OTHER
  DO:
    # two lines
    tool a {objective}
    tool b {limit}
  GOTO: NOTED

STATE: END
  DO: echo "{text}"
  IF: item == "c" → GOTO OTHER
  IF: item == "d" → GOTO NOTED
  RETURN: {item}
`;

/** Lines that usually leave a program valid, and change what other states mean. */
const changes = [
  ...['\n', '# comment\n', '  EMIT: EDITED n=1\n', '  TRACK: other\n', '  TRACK: added = 1\n', '  DO: second tool\n'],
  ...[
    'INPUT: more = 1\n',
    'INPUT: count = 1\n',
    'LIMIT: transitions=9\n',
    'PATTERN: NOTE with text\n  EMIT: CHANGED\n',
  ],
  ...[
    '  IF: limit > 2 → GOTO END with text="t", item="i", extra=1\n',
    '  IF: limit > 1 → GOTO WORK with item="i", more=2\n',
  ],
  ...[
    'STATE: NEW\n  RETURN: new\n',
    'STATE: ERROR\n  RETURN: {error}\n',
    '  USE: NOTE with text="a"\n',
    'MACHINE: second\n',
  ],
];

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

/** A line that is left out, or one of the changes before it. */
const aChange = fc.record({ line: fc.nat(40), change: fc.option(fc.nat(changes.length - 1)) });

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
  lookups: {
    onPath: (command) => command !== 'missing-program' && command !== 'other-program',
    agents: { isKnown: (name) => name === 'writer' },
  },
  load: () => ({ name: 'shared.dsl', text: 'PATTERN: SHARED with text\n  EMIT: SHARED text={text}\n' }),
  explain: true,
  index: true,
};

function facts({ machine, machines, declared, diagnostics, explanations, index, sources }: Compilation) {
  return { machine, machines, declared, diagnostics, explanations, index, sources };
}

/** Compiles one text after the other. Gives how many were right. */
function follow(texts: readonly string[]): number {
  let previous = compile(texts[0] as string, { ...options, previous: null });
  let right = 0;
  for (const edited of texts.slice(1)) {
    const before = JSON.stringify(facts(previous));
    const again = compile(edited, { ...options, previous });
    expect(facts(again)).toStrictEqual(facts(compile(edited, options)));
    expect(JSON.stringify(facts(previous))).toBe(before);
    previous = again;
    if (again.machine !== null) right++;
  }
  return right;
}

/** The text before and after each of the edits. */
function steps<Change>(
  text: string,
  edits: readonly Change[],
  apply: (text: string, edit: Change) => string,
): string[] {
  const texts = [text];
  for (const edit of edits) texts.push(apply(texts.at(-1) as string, edit));
  return texts;
}

function applyChange(text: string, { line, change }: { line: number; change: number | null }): string {
  const lines = text.split(/(?<=\n)/);
  const at = line % lines.length;
  return change === null ? lines.toSpliced(at, 1).join('') : lines.toSpliced(at, 0, changes[change] as string).join('');
}

describe('compile with previous', () => {
  it('gives the same for any edits', () => {
    const texts = fc.constantFrom(everything, ...examples);
    fc.assert(
      fc.property(
        texts,
        fc.array(anEdit, { minLength: 1, maxLength: 5 }),
        (text, edits) => void follow(steps(text, edits, apply)),
      ),
      { numRuns: tries(2, 100) },
    );
  });

  it('gives the same while a program is right and its states are kept', () => {
    let right = 0;
    fc.assert(
      fc.property(fc.array(aChange, { minLength: 1, maxLength: 4 }), (edits) => {
        // Every edit is also taken back, as people do: then nothing but what was kept is left to go wrong.
        right += follow(steps(quiet, edits, applyChange).flatMap((text) => [text, quiet, text]));
      }),
      { numRuns: tries(2, 100) },
    );
    expect(right).toBeGreaterThan(tries(3, 250));
  });

  it('gives the same for every single line that is left out and put back', () => {
    const lines = everything.split('\n');
    let previous = compile(everything, { ...options, previous: null });
    for (let at = 0; at < lines.length; at += amount(5, 1)) {
      const without = lines.toSpliced(at, 1).join('\n');
      for (const text of [without, everything]) {
        previous = compile(text, { ...options, previous });
        expect(facts(previous)).toStrictEqual(facts(compile(text, options)));
      }
    }
  });

  it.each<[string, Lookups, Lookups, string]>([
    ['commands', { onPath: () => true }, { onPath: () => false }, 'command-not-found'],
    ['agents', { agents: { isKnown: () => true } }, { agents: { isKnown: () => false } }, 'unknown-agent'],
  ])('asks again for %s', (_, here, elsewhere, code) => {
    const text = 'STATE: A\n  DO: tool a\n  DO: Task(writer) "a"\n  RETURN: a\n';
    const previous = compile(text, { lookups: here, previous: null });
    const again = compile(text, { lookups: elsewhere, previous });
    expect(again.diagnostics).toStrictEqual(compile(text, { lookups: elsewhere }).diagnostics);
    expect(again.diagnostics.map((diagnostic) => diagnostic.code)).toContain(code);
  });

  it('asks again for what the programs of agents can do', () => {
    const able = (takesText: boolean): Lookups => {
      const traits = { adapter: 'some', takesText, sessions: { fork: true, elsewhere: true } };
      return { agents: { isKnown: () => true, traits: () => traits } };
    };
    const text = 'INPUT: x\nSTATE: A\n  DO: y = Task(writer) "{x}"\n  RETURN: {y}\n';
    const previous = compile(text, { lookups: able(true), previous: null });
    expect(previous.diagnostics).toEqual([]);
    const again = compile(text, { lookups: able(false), previous });
    expect(again.diagnostics).toStrictEqual(compile(text, { lookups: able(false) }).diagnostics);
    expect(again.diagnostics).toHaveLength(1);
  });

  it.each<[string, Lookups]>([
    ['an unknown agent', { agents: { isKnown: () => false } }],
    ['an agent without its program', { agents: { isKnown: () => true, program: () => 'absent' }, onPath: () => false }],
  ])('reports %s at the next state, if the first one is no longer there', (_, lookups) => {
    const text = 'STATE: A\n  DO: Task(writer) "a"\n  GOTO: B\nSTATE: B\n  DO: y = Task(writer) "b"\n  RETURN: {y}\n';
    const previous = compile(text, { lookups, previous: null });
    const edited = text.replace('  DO: Task(writer) "a"\n', '');
    expect(facts(compile(edited, { lookups, previous }))).toStrictEqual(facts(compile(edited, { lookups })));
    expect(compile(edited, { lookups, previous }).diagnostics).toHaveLength(1);
  });

  it('sees that another shell executes the commands', () => {
    const text = 'STATE: A\n  DO: n = false | cat\n  RETURN: {n}\n';
    const previous = compile(text, { previous: null });
    expect(previous.diagnostics).toEqual([]);
    const again = compile(text, { shell: 'sh', previous });
    expect(again.diagnostics).toStrictEqual(compile(text, { shell: 'sh' }).diagnostics);
    expect(again.diagnostics).toHaveLength(1);
  });

  it('sees that what is passed to a state comes in another order', () => {
    const text = 'STATE: A\n  GOTO: B with x=1, y=2\nSTATE: B\n  EMIT: E x={x} y={y}\n  RETURN: done\n';
    const swapped = text.replace('x=1, y=2', 'y=2, x=1');
    const previous = compile(text, { previous: null });
    expect(facts(compile(swapped, { previous }))).toStrictEqual(facts(compile(swapped)));
  });

  it('reports a data reference of a reused state where it is now', () => {
    const text = 'STATE: A\n  GOTO: B\nSTATE: B\n  EMIT: "{†state.nowhere}"\n  RETURN: done\n';
    const edited = text.replace('  GOTO', '  EMIT: ADDED n=1\n  GOTO');
    const again = compile(edited, { previous: compile(text, { previous: null }) });
    expect(again.diagnostics).toHaveLength(1);
    expect(facts(again)).toStrictEqual(facts(compile(edited)));
  });

  it('gives the same under other options', () => {
    let previous = compile(quiet, { ...options, previous: null });
    const others: CompileOptions[] = [{ shell: 'sh' }, { strict: true }, { commands: ['tool'] }, { explain: false }];
    for (const other of [...others, { name: 'x.dsl' }, { start: 'WORK' }]) {
      previous = compile(quiet, { ...options, ...other, previous });
      expect(facts(previous)).toStrictEqual(facts(compile(quiet, { ...options, ...other })));
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
