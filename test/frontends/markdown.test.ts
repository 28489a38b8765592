/** Which fences of a document are its program, how headings change them, and the locations of everything. */

import { describe, expect, test } from 'vitest';
import { parseMarkdown } from '../../src/language/frontends/markdown.js';
import { positionAt, sourceFile } from '../../src/language/source/diagnostic.js';
import type { Declaration, Instruction, Program } from '../../src/language/syntax/ast.js';
import { amount } from '../amount.js';

function read(text: string) {
  const file = sourceFile('program.md', text);
  return { file, ...parseMarkdown(file, 0) };
}

/** `machine flow`, `state A`, `pattern P: emit goto`: the items of a document in order. */
function outline(text: string): string[] {
  return read(text).program.items.map(line);
}

function line(item: Declaration | Instruction): string {
  const name = 'name' in item ? ` ${item.name.text}` : '';
  const body = item.kind === 'pattern' ? `: ${item.body.instructions.map(({ kind }) => kind).join(' ')}` : '';
  return item.kind + name + body;
}

function fenced(program: string, info = 'dsl'): string {
  return `\`\`\`${info}\n${program}\n\`\`\`\n`;
}

function spans(program: Program): { start: number; end: number; text: string }[] {
  const found: { start: number; end: number; text: string }[] = [];
  JSON.stringify(program, (_, value) => {
    if (typeof value?.text === 'string' && value.span !== undefined) found.push({ ...value.span, text: value.text });
    return value;
  });
  return found;
}

describe('a fence is a program', () => {
  const program = 'STATE: A\n  RETURN';

  test.each(['dsl', 'statedsl', 'DSL', 'dsl title=x', 'statedsl {.numbered}'])('tagged `%s`', (info) => {
    expect(outline(fenced(program, info))).toEqual(['state A']);
  });

  test.each(['python', 'text', 'dsls', 'title=dsl'])('and not tagged `%s`', (info) => {
    expect(outline(fenced(program, info))).toEqual([]);
  });

  test.each([
    'GOTO: NEXT',
    'GOTO NEXT',
    'RETURN',
    'words first\nDO: true',
    'DO [once]: true',
    'FOR EACH t in ts:\n  x',
  ])('untagged with a verb at a line start: `%s`', (text) => {
    expect(read(fenced(text, '')).regions).toHaveLength(1);
  });

  test.each([
    'DO it now',
    'Config:\n  DO: indented',
    'Storage: .db',
    'todo: DO: x',
    'IF you can',
    'RETURN to sender',
    '',
  ])('and not untagged without one: `%s`', (text) => {
    expect(read(fenced(text, '')).regions).toHaveLength(0);
  });

  test('untagged and indented as a whole', () => {
    expect(outline(fenced('    STATE: A\n      RETURN', ''))).toEqual(['state A']);
  });

  test('but an untagged one of mere instructions shows how they are written, where there are states', () => {
    expect(outline(`${fenced(program)}\n${fenced('USE: P with a=1', '')}`)).toEqual(['state A']);
    expect(outline(`${fenced(program)}\n${fenced('USE: P with a=1')}`)).toEqual(['state A', 'use']);
    expect(outline(fenced('USE: P with a=1', ''))).toEqual(['use']);
  });

  test('between tildes, and up to the end of a document that does not close it', () => {
    expect(outline(`~~~dsl\n${program}\n~~~\n`)).toEqual(['state A']);
    expect(outline(`\`\`\`dsl\n${program}`)).toEqual(['state A']);
    expect(outline(`\`\`\`\`dsl\n${program}\n\`\`\`\nEMIT: X\n\`\`\`\`\n`)[0]).toBe('state A');
  });

  test('and not as an indented block, in a comment or in a paragraph', () => {
    expect(outline('    STATE: A\n      RETURN\n')).toEqual([]);
    expect(outline(`<!--\n${fenced(program)}-->\n`)).toEqual([]);
    expect(outline('Say `STATE: A` and\nSTATE: B\n')).toEqual([]);
  });
});

describe('headings', () => {
  const states = (...names: string[]) => fenced(names.map((name) => `STATE: ${name}\n  RETURN`).join('\n'));

  test('with states are machines, named as links to them are spelt', () => {
    const text = `# Doc\n\n## The *first* \`Flow\`\n\n${states('A')}\n## A & B: 2nd!\n\n${states('A')}\nSecond_try\n---\n\n${states('A')}`;
    expect(outline(text)).toEqual([
      ...['machine the-first-flow', 'state A', 'machine a--b-2nd', 'state A', 'machine second_try', 'state A'],
    ]);
  });

  test('with the same text are distinguished', () => {
    expect(outline(`# Run\n${states('A')}\n# Run\n${states('B')}`)).toEqual([
      ...['machine run', 'state A', 'machine run-1', 'state B'],
    ]);
  });

  test('make one machine of all fences below them, also below deeper headings', () => {
    const text = `## Flow\n${states('A')}\n${states('B')}\n### More\n${states('C')}\n## Next\n${states('D')}`;
    expect(outline(text)).toEqual(['machine flow', 'state A', 'state B', 'state C', 'machine next', 'state D']);
  });

  test('below a heading without states are machines of their own', () => {
    expect(outline(`# Doc\n## A\n${states('X')}\n## B\n${states('Y')}`)).toEqual([
      ...['machine a', 'state X', 'machine b', 'state Y'],
    ]);
  });

  test('are not needed', () => {
    expect(outline(states('A'))).toEqual(['state A']);
    expect(outline(fenced('EMIT: X'))).toEqual(['emit']);
  });

  test('give way to a machine that the fence names', () => {
    expect(outline(`# Doc\n${fenced('MACHINE: own\nSTATE: A\n  RETURN')}`)).toEqual(['machine own', 'state A']);
  });

  test('are not to be seen in front matter', () => {
    expect(outline(`---\nname: x\n---\n${states('A')}`)).toEqual(['state A']);
    expect(outline(`---\nname: x\n...\n\n# Flow\n${states('A')}`)).toEqual(['machine flow', 'state A']);
  });

  test('do not own inputs, limits and patterns', () => {
    const text = `## Settings\n${fenced('INPUT: a\nLIMIT: time=1s')}\n## Flow\n${states('A')}\n${fenced('PATTERN: P\n  EMIT: X')}`;
    expect(outline(text)).toEqual(['input a', 'limit', 'machine flow', 'state A', 'pattern P: emit']);
  });
});

describe('a heading ending in `_PATTERN`', () => {
  test('makes a pattern of the fence, with parameters that are inferred', () => {
    const { program } = read(`## GREET_PATTERN\n${fenced('EMIT: HELLO who={who}\nGOTO: {next}')}`);
    expect(program.items.map(line)).toEqual(['pattern GREET_PATTERN: emit goto']);
    expect(program.items[0]).toMatchObject({ inferred: true, parameters: [] });
  });

  test('may have other words before the name, and the name in code', () => {
    expect(outline(`## 2. The \`GREET_PATTERN\`\n${fenced('EMIT: X')}`)).toEqual(['pattern GREET_PATTERN: emit']);
  });

  test('takes the body of the only state in the fence', () => {
    expect(outline(`## ERROR_PATTERN\n${fenced('STATE: ERROR\n  EMIT: X\n  RETURN', '')}`)).toEqual([
      'pattern ERROR_PATTERN: emit return',
    ]);
  });

  test('leaves what a fence declares itself', () => {
    const states = 'STATE: A\n  GOTO: B\nSTATE: B\n  RETURN';
    expect(outline(`## TWO_PATTERN\n${fenced(states)}`)).toEqual(['machine two_pattern', 'state A', 'state B']);
    expect(outline(`## X_PATTERN\n${fenced('PATTERN: Y with a\n  EMIT: X a={a}')}`)).toEqual(['pattern Y: emit']);
  });

  test('joins its fences', () => {
    expect(outline(`## X_PATTERN\n${fenced('EMIT: A')}\ntext\n\n${fenced('RETURN')}`)).toEqual([
      'pattern X_PATTERN: emit return',
    ]);
  });
});

describe('positions', () => {
  const contained = [
    ['at the margin', '# Flow\n\ntext\n\n```dsl\nSTATE: A\n  DO: echo {x} \\\n    more\n  RETURN: {y}  # done\n```\n'],
    [
      'in a list',
      '# Flow\n\n1. text\n\n   ```dsl\n   STATE: A\n     DO:\n       echo {x}\n\n       more\n     RETURN: {y}  # done\n   ```\n',
    ],
    [
      'in a quote',
      '# Flow\n\n> ```dsl\n> STATE: A\n>   DO:\n>     echo {x}\n>\n>     more\n>   RETURN: {y}  # done\n> ```\n',
    ],
    ['after an indented fence', '  ```dsl\n  STATE: A\n    RETURN: {y}  # done\n  ```\n'],
  ] as const;

  test.each(contained)('are those in the document: %s', (_, text) => {
    for (const lines of [text, text.replaceAll('\n', '\r\n')]) {
      const { program, diagnostics, file } = read(lines);
      expect(diagnostics).toEqual([]);
      const named = spans(program).filter(({ text: word }) => !/[\n-]|flow|echo/.test(word));
      expect(named.length).toBeGreaterThan(2);
      for (const { start, end, text: word } of named) expect(file.text.slice(start, end)).toBe(word);
    }
  });

  test('keep what a quote puts before each line out of shell text', () => {
    const { program } = read('> ```dsl\n> DO:\n>   a\n>\n>     b\n> ```\n');
    expect(program.items[0]).toMatchObject({ performed: { shell: { text: 'a\n\n  b' } } });
  });

  test('of mistakes are those in the document', () => {
    const { diagnostics, file } = read('# Flow\n\n- x\n\n  ```dsl\n  STATE: A\n    IF: a = 1 → RETURN\n  ```\n');
    expect(diagnostics.map(({ code, span }) => ({ code, ...positionAt(file, span.start) }))).toEqual([
      { code: 'operator-spelling', line: 7, column: 11 },
    ]);
  });
});

describe('hostile documents are read in bounded time', () => {
  test.each([
    ['quotes', '>'.repeat(100_000)],
    ['lists', '1. '.repeat(30_000)],
    ['bullets', '- '.repeat(50_000)],
    ['fences', '```dsl\nSTATE: A\n```\n'.repeat(300)],
    ['deep lists', Array.from({ length: amount(300, 1000) }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
    ['emphasis', '*a _b '.repeat(20_000)],
    ['brackets', '['.repeat(100_000)],
    ['front matter without an end', `---\n${'a: b\n'.repeat(2000)}`],
    ['characters no text has', '```dsl\n\0STATE: \ud800\n```\n'],
  ])('%s', (_, text) => {
    expect(() => read(text)).not.toThrow();
  });
});
