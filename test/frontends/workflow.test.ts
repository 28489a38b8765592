/** What cases cannot say about workflow files: locations in any text, hostile YAML, and the schema that editors use. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ajv from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { parseWorkflow } from '../../src/language/frontends/workflow/parse-workflow.js';
import { sourceFile } from '../../src/language/source/diagnostic.js';
import { drawDiagnostics } from '../../src/views/diagnostics/draw-diagnostic.js';
import { amount, tries } from '../amount.js';
import { casesOf, sectionText } from '../corpus/case-file.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const read = (text: string) => parseWorkflow(sourceFile('flow.yaml', text), 0);

/** Reads it and draws its mistakes: neither may throw, and every location is in the file. */
function survives(text: string): void {
  const file = sourceFile('flow.yaml', text);
  const { diagnostics } = parseWorkflow(file, 0);
  drawDiagnostics(diagnostics, [file]);
  const outside = diagnostics.filter(
    ({ span }) => !(0 <= span.start && span.start <= span.end && span.end <= text.length),
  );
  expect(outside).toEqual([]);
}

test.each([
  ['on: push\njobs: {}', 'a GitHub Actions workflow', 'jobs'],
  ['true: push\njobs: {}', 'a GitHub Actions workflow', 'jobs'],
  ['jobs:\n  a: { runs-on: linux }', 'a GitHub Actions workflow', 'jobs'],
  ['name: a\nruns: { using: node20 }', 'an action of GitHub Actions', 'runs'],
  ['stages: [a]', 'a GitLab CI file', 'stages'],
  ['build:\n  script: [make]', 'a GitLab CI file', 'build'],
  ['services: {}', 'a Compose file', 'services'],
  ['version: 2.1\nworkflows: {}', 'a CircleCI file', 'workflows'],
  ['version: 3\ntasks: {}', 'a Taskfile', 'tasks'],
  ['prompts: []\nproviders: []', 'a configuration of promptfoo', 'prompts'],
  ['nodes: []\nconnections: {}', 'a workflow of n8n', 'nodes'],
  ['pipeline: {}', 'a file of another CI', 'pipeline'],
  ['StartAt: A', 'a state machine of Step Functions', 'StartAt'],
  ['apiVersion: v1', 'a Kubernetes manifest', 'apiVersion'],
  ['agents: {}', 'a configuration', 'agents'],
  ['gates: {}', 'a configuration', 'gates'],
])('%j is told as %s', (text, what, key) => {
  const [said, ...others] = read(text).diagnostics;
  expect([said?.message, others]).toEqual([`this is ${what}, not a statedsl workflow`, []]);
  expect(text.slice(said?.span.start, said?.span.end)).toBe(key);
});

test.each(['jobs: {}', 'version: 1', 'nodes: []', 'tasks: {}', 'workflows: {}', 'providers: []'])(
  '%j alone is a workflow that lacks its steps',
  (text) => {
    expect(
      read(text)
        .diagnostics.map(({ message }) => message)
        .join(),
    ).toMatch(/a mapping with `steps`/);
  },
);

/** How the time for texts of this size grows is measured in `bench/growth.ts`. */
const LARGE = amount(250, 5000);

const words = fc.constantFrom(
  ...['steps', 'name', 'get', 'run', 'gate', 'retry', 'each', 'agent', 'prompt', 'session', 'with', 'bash', 'as'],
  ...[
    '- ',
    ': ',
    '\n',
    '\n  ',
    '\n    - ',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '|\n',
    '>-\n',
    '&a ',
    '*a',
    '<<',
    '? ',
    '#',
    '\t',
  ],
  ...[
    '{a.b}',
    '{{x}}',
    '{error}',
    'from: ',
    '---\n',
    '...\n',
    '!!binary ',
    '%YAML 1.1\n',
    '\u{1f600}',
    '\r\n',
    '__proto__',
  ],
);

describe('hostile YAML', () => {
  test('is read without a throw', () => {
    fc.assert(
      fc.property(fc.array(words, { maxLength: 60 }), (pieces) => survives(pieces.join(''))),
      { numRuns: tries(25, 500) },
    );
  });

  test('of any value is read without a throw', () => {
    const key = fc.oneof(words, fc.string());
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.constantFrom(null, true, 1, -0.5),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => survives(stringify({ steps: [{ name: 'a', gate: value, retry: value }] }))),
      {
        numRuns: tries(13, 500),
      },
    );
  });

  test.each([
    ['brackets', '['.repeat(LARGE * 10)],
    ['dashes', '- '.repeat(LARGE * 10)],
    ['indentation', Array.from({ length: amount(125, 2000) }, (_, n) => `${' '.repeat(n)}a:\n`).join('')],
    ['braces in a prompt', `- name: a\n  prompt: |\n    ${'{'.repeat(LARGE * 20)}${'}'.repeat(LARGE * 20)}\n`],
    ['a chain of anchors', Array.from({ length: LARGE }, (_, n) => `- &a${n + 1} [*a${n}]\n`).join('')],
    ['many anchors', `${Array.from({ length: LARGE }, (_, n) => `- &a${n} x\n`).join('')}${'- *a1\n'.repeat(LARGE)}`],
    ['many comments', '# x\n'.repeat(LARGE * 20)],
    ['many keys', `steps:\n  - name: a\n${Array.from({ length: LARGE }, (_, n) => `    k${n}: x\n`).join('')}`],
  ])('%s are read to their end', (_, text) => {
    survives(text);
  });
});

test('every value in a text is blamed at its own braces', () => {
  const filler = fc.array(fc.constantFrom('a', ' ', '\n', '"', "'", '\\', 'é', '#', ': ', '- ', '\t', '{', '}'), {
    maxLength: 12,
  });
  const styles = fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED');
  fc.assert(
    fc.property(filler, filler, styles, fc.integer({ min: 20, max: 80 }), (before, behind, style, lineWidth) => {
      const prompt = `${before.join('')} {value.output} ${behind.join('')}`;
      const options = {
        defaultStringType: style as 'PLAIN',
        lineWidth,
        blockQuote: style === 'BLOCK_FOLDED' ? ('folded' as const) : true,
      };
      const text = stringify([{ name: 'a', prompt }], options);
      const written: string[] = [];
      JSON.stringify(read(text).program.items, (_, node) => {
        if (node?.kind === 'field' && node.name?.text === 'output')
          written.push(text.slice(node.span.start, node.span.end));
        return node;
      });
      expect(written.filter((text) => text.replace(/\\\n *\\?/g, '') !== 'value.output')).toEqual([]);
    }),
    { numRuns: tries(25, 500) },
  );
});

describe('grammar/workflow.schema.json', () => {
  const schema = JSON.parse(readFileSync(join(root, 'grammar/workflow.schema.json'), 'utf8'));
  const validate = new ajv.Ajv2020({ allowUnionTypes: true }).compile(schema);
  const folder = join(root, 'workflows');
  const shipped = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));

  test.each(shipped)('takes %s', (name) => {
    expect(validate(parse(readFileSync(join(folder, name), 'utf8'))), JSON.stringify(validate.errors)).toBe(true);
  });

  // A schema cannot describe special YAML and an empty file.
  const beyond = ['empty', 'session-spellings', 'bare-list', 'structured', 'anchors'];
  const cases = casesOf('workflows').filter(({ name }) => !beyond.includes(name));
  const wrong = (the: (typeof cases)[number]) => (sectionText(the, 'diagnostics') ?? '').includes('error[');

  test.each(cases.filter((the) => !wrong(the) && !/^retry-odd/.test(the.name)))('takes $name', (the) => {
    expect(validate(parse(sectionText(the, 'workflow') ?? '')), JSON.stringify(validate.errors)).toBe(true);
  });

  const told = [
    'unknown-keys',
    'not-text',
    'no-steps',
    'no-steps-at-all',
    'session-wrong',
    'retry-odd',
    'inputs-wrong',
  ];
  test.each(cases.filter(({ name }) => told.includes(name)))('refuses $name', (the) => {
    expect(validate(parse(sectionText(the, 'workflow') ?? ''))).toBe(false);
  });
});

test('what messages tell to write for keys of other tools is accepted', () => {
  const mistakesWith = (line: string) =>
    read(`steps:\n  - name: one\n    agent: claude\n    prompt: Go.\n    ${line}\n`).diagnostics;
  const told = ['restart_from', 'strategy', 'max_retries', 'on_error', 'max_budget'].map((key) => {
    const [first] = mistakesWith(`${key}: 2`);
    return /`((?:retry|guard): [^`]+)`/.exec(first?.help ?? '')?.[1] ?? `no line for ${key}`;
  });
  for (const line of told.slice(0, 4)) expect(mistakesWith(line), line).toEqual([]);
});
