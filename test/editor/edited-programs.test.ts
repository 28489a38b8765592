/** What is known of an edited program is what would be known of it without the edits before. */
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatText } from '../../src/app/library/compile-text.js';
import { tokensOf } from '../../src/editor/ide/name-tokens.js';
import { type OpenProgram, openProgram } from '../../src/editor/ide/open-program.js';
import { foldsOf, outlineOf, selectionsAt } from '../../src/editor/ide/outline.js';
import { hintsOf } from '../../src/editor/ide/remarks.js';
import { type Compilation, compile, compileInSteps, partsOf } from '../../src/language/check/compile.js';
import { parseFile } from '../../src/language/frontends/markdown.js';
import { amount, isLong, tries } from '../amount.js';

const PROGRAM = `INPUT: limit = 3
PATTERN: NOTE with text
  EMIT: NOTED text={text}
STATE: A
  TRACK: count
  CHECK: cat answer.json
  IF: count > limit AND answer == "a" → GOTO B with x=1, y={answer}
  DO: ls → files
  DO:
    one {count}
    two
  EMIT: PHASE_TRANSITION to=C
  IF: timed_out → RETURN: failed
  GOTO: B with x=2
STATE: B
  TRACK: count = 2
  FOR EACH: one in x:
      DO:   echo   {one}
      IF: one == "b" → EMIT: ODD
  STEP: work
    DO: make
  USE: NOTE with text=x
  ON ERROR timeout:
    CHECK: other = cat b
    IF: other.exit_code == 0 → PROCEED
  GOTO: C
STATE: C
  CHECK: python3 poll.py
  IF: poll_result is empty → GOTO A
  RETURN: {x}
`;

const LINES = [
  '# a comment',
  '  EMIT: E n=1',
  '  IF: limit >',
  'STATE: D',
  'INPUT: more = 1',
  '  TRACK: count',
  '  DO: "',
];

const options = { index: true, lookups: { onPath: () => true } } as const;

async function known(compilation: Compilation, text: string, previous: Compilation | null, name = 'program.dsl') {
  const program = openProgram(compilation) as OpenProgram;
  const { diagnostics, index, explanations, lines, machines, program: tree } = compilation;
  return {
    ...{ diagnostics, index, explanations, lines, machines, tree: JSON.stringify(tree) },
    ...{ outline: outlineOf(program), folds: foldsOf(program), tokens: tokensOf(program), hints: hintsOf(program) },
    selections: [10, 200, 400, 700].map((at) => selectionsAt(program, at)),
    formatted: (await formatText(text, name, previous)).text,
  };
}

test('each line is left out, put back, and followed by another one', async () => {
  let previous: Compilation = compile(PROGRAM, { ...options, previous: null });
  const lines = PROGRAM.split('\n');
  for (let at = 0; at < lines.length; at += amount(8, 1)) {
    const edits = [lines.toSpliced(at, 1), lines.toSpliced(at, 0, LINES[at % LINES.length] as string), lines];
    for (const edited of edits) {
      const text = edited.join('\n');
      const next = compile(text, { ...options, previous });
      // Some answers are asked for and some not, as in an editor: what is kept must not depend on it.
      if (at % 3 === 0) outlineOf(openProgram(next) as OpenProgram);
      expect(await known(next, text, next)).toStrictEqual(await known(compile(text, options), text, null));
      previous = next;
    }
  }
});

const DOCUMENT = `# Flow

\`\`\`dsl
INPUT: limit = 3
\`\`\`

## First

Words about it.

\`\`\`dsl
STATE: A
  TRACK: count
  CHECK: cat answer.json
  IF: count > limit → GOTO B with x={answer}

  GOTO: B with x=2
\`\`\`

~~~
STATE: B
  DO: ls
  GOTO: C
~~~

1. In a list:

   \`\`\`dsl
   STATE: C
     DO: echo {limit}
     GOTO: A
   \`\`\`

> \`\`\`dsl
> STATE: D
>   RETURN
> \`\`\`

### NOTE_PATTERN

\`\`\`dsl
EMIT: NOTED text={text}
\`\`\`

  \`\`\`dsl
STATE: E
  GOTO: D
  \`\`\`
`;

const DOCUMENT_LINES = [
  '  EMIT: E n=1',
  '```',
  '## Other',
  'STATE: X',
  '',
  '  IF: limit >',
  '> more',
  '~~~',
  '   words',
];

test('a document is what it would be without the edits before', async () => {
  const all = { ...options, name: 'flow.md', parse: parseFile };
  const lines = DOCUMENT.split('\n');
  for (let at = 0; at < lines.length; at += amount(8, 1)) {
    const insertions = DOCUMENT_LINES.filter((_, number) => isLong || number % 4 === at % 4);
    const edits = [lines.toSpliced(at, 1), ...insertions.map((line) => lines.toSpliced(at, 0, line)), lines];
    for (const edited of edits) {
      const text = edited.join('\n');
      const next = compile(text, { ...all, previous: compile(DOCUMENT, { ...all, previous: null }) });
      // The reader of documents remembers the last one: it is another one then.
      compile(`# Other\n\n${text}`, all);
      expect(await known(next, text, null, 'flow.md')).toStrictEqual(
        await known(compile(text, all), text, null, 'flow.md'),
      );
    }
  }
});

const CASES = readdirSync('test/corpus/workflows').map((name) => readFileSync(`test/corpus/workflows/${name}`, 'utf8'));
const WORKFLOWS = [
  ...readdirSync('workflows', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => readFileSync(`workflows/${name}`, 'utf8')),
  readFileSync('examples/implement-spec/workflow.yaml', 'utf8'),
  ...CASES.map((text) => /^-- [^\n]*\.ya?ml --\n([\s\S]*?)(?=^-- )/m.exec(text)?.[1] ?? ''),
].filter((text) => text.includes('steps:'));

/** What people type, and what can change the meaning of lines far below. */
const PIECES = [
  ...[
    '  - name: x\n',
    '- a\n',
    '    bash: echo {',
    '  # note\n',
    '#\n',
    '\n',
    ' ',
    '  ',
    '\t',
    '"',
    "'",
    '|',
    '>-',
    '|+\n',
    '{',
    '}',
  ],
  ...[
    '[',
    ']',
    ':',
    ': ',
    '- ',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    '&a ',
    '*a',
    '<<: *a\n',
    '!!str ',
    '? ',
    'steps:\n',
    '\r\n',
    '\\',
  ],
  ...[
    'session: reuse\n',
    '    session: from: plan\n',
    'output: diff\n',
    '{task.x}',
    '{steps.a.output}',
    '{spec}',
    'name: y\n',
  ],
  ...[
    '    gate: [schema, {\n',
    '      prompt: |\n',
    '        text\n',
    '    foreach: a\n',
    '\uFEFF',
    'inputs: [a]\n',
    ',',
  ],
];

const edit = fc.record({
  at: fc.nat(),
  atLine: fc.boolean(),
  removed: fc.oneof(fc.constant(0), fc.nat(40)),
  typed: fc.oneof(fc.constantFrom(...PIECES), fc.constant('')),
  isUndone: fc.boolean(),
});

function knownFlow(text: string, previous?: Compilation | null) {
  const all = { index: true, name: 'flow.yaml', parse: parseFile } as const;
  const compilation = compile(text, { ...all, ...(previous === undefined ? {} : { previous }) });
  const { diagnostics, index, machines, program } = compilation;
  return { compilation, known: { text, diagnostics, index, machines, program } };
}

test('a comment below a step says the same of the step, wherever it begins', () => {
  const step = '  - name: a\n    bash: x\n    retry:\n      - attempt: 3\n        session: new\n';
  const last = '  - name: b\n    bash: y\n';
  const before = knownFlow(`name: f\nsteps:\n${step}${last}`, null).compilation;
  for (let column = 0; column < 14; column++) {
    const text = `name: f\nsteps:\n${step}${' '.repeat(column)}# note\n${last}`;
    expect(knownFlow(text, before).known).toStrictEqual(knownFlow(text).known);
  }
});

test('a workflow file is what it would be without the edits before', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...WORKFLOWS),
      fc.constantFrom(...WORKFLOWS),
      fc.array(edit, { minLength: 1, maxLength: 6 }),
      (first, second, edits) => {
        // Steps of two files in one: the same name twice, and both dialects.
        let text = first + (second.split(/^steps:.*\n/m)[1] ?? '');
        let previous = knownFlow(text, null).compilation;
        for (const { at, atLine, removed, typed, isUndone } of edits) {
          const before = text;
          let from = at % (text.length + 1);
          if (atLine) from = text.lastIndexOf('\n', from) + 1;
          text = text.slice(0, from) + typed + text.slice(from + removed);
          const next = knownFlow(text, previous);
          expect(next.known).toStrictEqual(knownFlow(text).known);
          previous = next.compilation;
          if (isUndone) text = before;
        }
      },
    ),
    { numRuns: tries(25, 4000) },
  );
});

test('steps of a workflow file are read again only where their text has changed, also after a mistake', () => {
  const all = { name: 'flow.yaml', parse: parseFile } as const;
  const text = 'name: flow\nsteps:\n  - name: a\n    bash: a\n  # why\n  - name: b\n    bash: b\n';
  const first = compile(text, { ...all, previous: null });
  const broken = compile(`${text}  - name: "c\n`, { ...all, previous: first });
  const more = compile(`${text}  - name: c\n    bash: c\n`, { ...all, previous: broken });
  const steps = partsOf(more);
  expect(steps.map((part) => part.text)).toStrictEqual([
    '  - name: a\n    bash: a\n',
    '  # why\n  - name: b\n    bash: b\n',
    '  - name: c\n    bash: c\n',
  ]);
  expect(partsOf(first)).toStrictEqual(steps.slice(0, 2));
  for (const [at, part] of partsOf(first).entries()) expect(steps[at]).toBe(part);
});

test('between the stages of a program of one state an editor can read messages', () => {
  const steps = compileInSteps('STATE: A\n  RETURN\n', {});
  let turns = 0;
  while (steps.next().done !== true) turns++;
  // After the tree, its lints, the only state, its machine, the lints of the machine and of all, and the choice of messages.
  expect(turns).toBe(7);
});
