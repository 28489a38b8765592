/** A workflow as text and as YAML is one program: there and back gives the same machine. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { workflowFinder } from '../../src/app/project/find-workflow.js';
import { diskFiles } from '../../src/app/project/project-host.js';
import { inOrder } from '../../src/cli/commands/convert.js';
import { compile } from '../../src/language/check/compile.js';
import { printProgram } from '../../src/language/format/print-program.js';
import { parseFile } from '../../src/language/frontends/markdown.js';
import { printWorkflow } from '../../src/language/frontends/workflow/print/print-workflow.js';
import { hasErrors, sourceFile } from '../../src/language/source/diagnostic.js';
import { drawDiagnostics } from '../../src/views/diagnostics/draw-diagnostic.js';
import { casesOf, sectionText } from '../corpus/case-file.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const host = { folder: root, files: diskFiles, allowOutside: true, environment: {} };
const find = workflowFinder(host, { cwd: root });
const called = { name: 'called.yaml', text: '- { name: v, type: validate, prompt: ok?, agent: claude }' };

function asText(yaml: string): string | null {
  const file = sourceFile('flow.yaml', yaml);
  const { program, diagnostics } = parseFile(file, 0);
  expect(drawDiagnostics(diagnostics, [file])).toBe('');
  return printProgram(inOrder(program, yaml), file);
}

function asYaml(text: string): string | null {
  const file = sourceFile('flow.dsl', text);
  const { program, diagnostics } = parseFile(file, 0);
  expect(drawDiagnostics(diagnostics, [file])).toBe('');
  const printed = printWorkflow(program, file);
  expect(drawDiagnostics(printed.diagnostics, [file])).toBe('');
  return printed.text;
}

/** What a file is compiled to, without locations. */
function machineOf(name: string, text: string): unknown {
  const { machine, diagnostics } = compile(text, {
    name,
    parse: parseFile,
    workflow: (wanted, from) => {
      const found = find(wanted, from);
      return 'text' in found ? found : called;
    },
    lookups: { gate: () => ({ command: 'true', timeoutMs: 1000 }) as never },
  });
  expect(hasErrors(diagnostics), drawDiagnostics(diagnostics, [sourceFile(name, text)])).toBe(false);
  return JSON.parse(JSON.stringify(machine, (key, value) => (PLACES.has(key) ? undefined : value)));
}

const PLACES = new Set(['workflow', 'origin', 'origins', 'line', 'column', 'span', 'files', 'file']);

const SPELLING = new Set([
  'span',
  'operatorSpan',
  'lines',
  'raw',
  'verb',
  'style',
  'inline',
  'quote',
  'comments',
  'block',
]);

/** The tree without locations, and without what the two spellings express differently. */
function treeOf(name: string, text: string): unknown {
  const { program } = parseFile(sourceFile(name, text), 0);
  // An input that no line declares and no step reads has nothing to be written for.
  const items = program.items.filter(
    (item) => item.kind !== 'input' || item.name.text !== 'spec' || item.value === undefined,
  );
  return JSON.parse(
    JSON.stringify(items, function (this: { kind?: string }, key, value) {
      return SPELLING.has(key) || (key === 'word' && this.kind !== 'command') ? undefined : value;
    }),
  );
}

/** There and back, compared by what `reading` makes of each. */
function goesBothWays(yaml: string, reading: (name: string, text: string) => unknown): void {
  const text = asText(yaml);
  expect(text).not.toBeNull();
  expect(reading('flow.dsl', text as string)).toEqual(reading('flow.yaml', yaml));
  const back = asYaml(text as string);
  expect(reading('flow.yaml', back as string)).toEqual(reading('flow.yaml', yaml));
  expect(asText(back as string)).toBe(text);
}

test('comments keep their positions: above a part, at the end of its line, or at the end of a step', () => {
  const yaml = `# About the file.

name: noted # its name
inputs:
  # what is wanted
  - spec
steps:
  # the first
  - name: plan # plans
    type: split
    get:
      # what it is asked
      prompt: Plan {spec}
      context:
        - file: README.md # a file
        # and a command
        - bash: git log
    run:
      # who does it
      agent: claude
      guard: { max_turns: 3 } # not for ever
    gate:
      # its form
      - schema
      - bash: make check # everything
    # when it fails
    retry:
      - exit: 3 # enough
    # for every task
    each:
      - name: build # builds
        type: code
        get:
          prompt: x
        run:
          agent: claude
        # the end of a task
    # the end of the plan

  # the last one
  - name: smoke
    gate: [ test ]

# The end.
`;
  expect(asYaml(asText(yaml) as string)).toBe(yaml);
});

test('a value of the name of its parameter, and numbers below zero', () => {
  const text = 'TOOL: no\nSTEP: a\n  WORKFLOW: x with topic, n=-2, m=[-1, 0.50]\n';
  const yaml = `tool: false
steps:
  - name: a
    workflow: x
    with:
      topic: "{topic}"
      n: -2
      m:
        - -1
        - 0.50
`;
  expect(asYaml(text)).toBe(yaml);
});

test('what is in quotes in a text is in none in YAML', () => {
  expect(asYaml('KEY: "deploy {spec}"\nTITLE: "to {spec}"\nSTEP: a\n  DO: x\n')).toBe(
    'key: deploy {spec}\ntitle: to {spec}\nsteps:\n  - name: a\n    run:\n      bash: x\n',
  );
});

describe('a workflow file cannot say', () => {
  test.each([
    [
      'two states, and what leads from one to the other',
      'STATE: A\n  STEP: a\n    DO: x\n  GOTO: B\nSTATE: B\n  STEP: b\n    DO: x\n',
      ['`GOTO`: GOTO', 'a second state: B'],
    ],
    ['two machines', 'MACHINE: one\nSTEP: a\n  DO: x\nMACHINE: two\nSTEP: b\n  DO: x\n', ['a second machine: two']],
    [
      'patterns, imports and some limits',
      'IMPORT: "std/explore"\nLIMIT: transitions=3 time=2h\nPATTERN: P\n  DO: x\nSTEP: a\n  DO: x\n',
      ['a pattern: P', 'an import: IMPORT: "std/explore"', 'the limit `transitions`: transitions=3'],
    ],
    [
      'options of steps',
      'STEP: a [x=1]\n  EACH of=b max=4 y=2:\n    STEP: c\n      DO: x\n',
      [
        '`EACH` of another step: b',
        '`max` without `parallel`: EACH of=b max=4 y=2:',
        'the option `x`: x=1',
        'the option `y`: y=2',
      ],
    ],
    [
      'instructions in steps that are no plain commands',
      'STEP: a\n  DO: x = y\n  DO [timeout=3s]: y\n  DO: | y\n  EMIT: X\nSTEP: b\n  DO: Task(w) "x"\n',
      ['`EMIT` in a step: EMIT', ...Array(4).fill('a `DO` that is more than a command: DO')],
    ],
    [
      'computed values',
      'STEP: a\n  WORKFLOW: x with a=n + 1, b=-n, c=not n\nSTEP: b\n  GATE: coverage n + 1\n',
      ['-n', 'n + 1', 'n + 1', 'not n'].map((value) => `a computed value: ${value}`),
    ],
  ])('%s', (_, text, expected) => {
    const file = sourceFile('flow.dsl', text);
    const printed = printWorkflow(parseFile(file, 0).program, file);
    expect(printed.text).toBeNull();
    const found = printed.diagnostics.map(({ message, span: { start, end } }) => {
      const [what] = message.split(' cannot be written');
      return `${what}: ${text.slice(start, end)}`;
    });
    expect(found.sort()).toEqual(expected);
  });
});

describe('cases', () => {
  const both = casesOf('workflows').filter((the) => /\bGood both ways\b/.test(the.intro));
  test.each(both)('$name', (the) => goesBothWays(sectionText(the, 'workflow') ?? '', treeOf));
});

describe('shipped workflows', () => {
  const folder = join(root, 'workflows');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));
  test.each(names)('%s', (name) => goesBothWays(readFileSync(join(folder, name), 'utf8'), machineOf));
});
