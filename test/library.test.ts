/**
 * The library as its manual shows it: each program in `grammar/library.md` is executed with the built package, and its
 * output is the block after it. `UPDATE=1` writes the outputs and the reference again.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, describe, expect, test } from 'vitest';
import { longTest } from './amount.js';
import { root, runProgram } from './harness/process.js';
import { publicNames, referenceText } from './library-reference.js';

const manual = join(root, 'grammar/library.md');
const update = process.env.UPDATE === '1';
const REFERENCE = '## Reference\n';

const scratch = mkdtempSync(join(tmpdir(), 'statedsl-library-'));
mkdirSync(join(scratch, 'node_modules'));
symlinkSync(root, join(scratch, 'node_modules/statedsl'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** What a script prints, which must not fail. */
async function node(words: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram('node', words, { cwd, env: { ...process.env, CI: '' } });
  expect(code, stderr).toBe(0);
  return stdout;
}

/** A program of the manual and the block with its output. */
const EXAMPLE = /^(`{3,})js\n([\s\S]*?\n)\1\n\n```text\n([\s\S]*?)```$/gm;

/** What `library/embedder.mts` prints. */
const EMBEDDER_OUTPUT = [
  'compiled: double 42 true',
  'broken: unknown-state a.dsl:2 did you mean `DEPLOY`?',
  'error[unknown-state]: the machine has no state `DEPLOI`',
  '  --> a.dsl:2:9',
  'refused: the machine has no state `DEPLOI` 1',
  "release.dsl true [ 'service' ]",
  'true',
  'RETURN: {n}',
  '',
  "suspended Deploy shop-1.4.0? [ 'yes', 'no' ]",
  "failed tool_failure 13 [ 'eu' ]",
  "returned [ 'eu', 'us' ] [ 'shop-1.4.0 eu', 'shop-1.4.0 us', 'shop-1.4.0 us' ]",
  "[ 'release returned' ]",
  "again: [ 'eu', 'us' ] 3",
  'refused: unknown',
  'true',
];

const text = readFileSync(manual, 'utf8');
const examples = [...text.matchAll(EXAMPLE)].map(([whole, , program = '', output = ''], at) => ({
  at,
  title: `${at + 1}: ${/^(?:const|await) .*$/m.exec(program)?.[0] ?? program.split('\n', 1)[0]}`,
  whole,
  program,
  output,
}));

interface Ran {
  readonly examples: readonly { readonly printed: string; readonly failure: string }[];
  /** What was printed after the last example. */
  readonly rest: string;
  readonly code: number | null;
  readonly stderr: string;
}

async function runExamples(): Promise<Ran> {
  const folders = examples.map(({ program }) => {
    const folder = mkdtempSync(join(scratch, 'example-'));
    writeFileSync(join(folder, 'example.mjs'), program);
    return folder;
  });
  const script = join(root, 'test/library/manual-examples.mjs');
  const { code, stdout, stderr } = await runProgram('node', [script, ...folders], {
    cwd: scratch,
    env: { ...process.env, CI: '' },
  });
  const parts = stdout.split('\0');
  const rest = parts.pop() ?? '';
  return {
    examples: Array.from({ length: parts.length / 2 }, (_, at) => ({
      printed: (parts[2 * at] ?? '').replace(/[ \t]+$/gm, ''),
      failure: parts[2 * at + 1] ?? '',
    })),
    rest,
    code,
    stderr,
  };
}

describe('programs in grammar/library.md', () => {
  let mended = text;
  let ran: Ran | null = null;

  test.for(examples)('$title', async ({ at, whole, output }) => {
    ran ??= await runExamples();
    const { printed, failure } = ran.examples[at] ?? { printed: '', failure: ran.stderr };
    expect(failure).toBe('');
    if (update)
      mended = mended.replace(whole, () => whole.replace(/```text\n[\s\S]*```$/, () => `\`\`\`text\n${printed}\`\`\``));
    expect(update ? mended : output).toContain(printed);
    if (!update) expect(printed).toBe(output);
  });

  test('no example leaves anything that prints, fails or keeps the process alive', async () => {
    ran ??= await runExamples();
    expect(ran).toMatchObject({ code: 0, rest: '' });
  });

  longTest('the reference names what is exported, with its documentation', () => {
    const reference = `${REFERENCE}\n${referenceText()}`;
    if (update) {
      const at = mended.indexOf(REFERENCE);
      mended = (at < 0 ? `${mended.trimEnd()}\n\n` : mended.slice(0, at)) + reference;
      writeFileSync(manual, mended);
    }
    const now = update ? mended : text;
    expect(now.slice(now.indexOf(REFERENCE))).toBe(reference);
  });
});

longTest('a program that embeds the library', async () => {
  const program = readFileSync(join(root, 'test/library/embedder.mts'), 'utf8');
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  writeFileSync(join(scratch, 'embedder.mjs'), ts.transpileModule(program, { compilerOptions }).outputText);
  expect((await node(['embedder.mjs'], scratch)).trimEnd().split('\n')).toEqual(EMBEDDER_OUTPUT);
});

test('every block of JavaScript is an example with its output', () => {
  expect(examples.length).toBe(text.match(/^`{3,}js$/gm)?.length);
});

longTest('an example uses every function and class', () => {
  const programs = examples.map(({ program }) => program).join('\n');
  const unused = publicNames()
    .filter(({ isValue, name }) => isValue && !new RegExp(`\\b${name}\\b`).test(programs))
    .map(({ name }) => name);
  expect(unused).toEqual([]);
});

longTest('every type of an exported signature is exported by its name', () => {
  const exported = new Set(publicNames().map(({ name }) => name));
  const missing = publicNames().flatMap(({ name, types }) =>
    types.filter((type) => !exported.has(type)).map((type) => `${type} of ${name}`),
  );
  expect(missing).toEqual([]);
  expect(publicNames().flatMap(({ types }) => types)).toContain('RunEvent');
});

longTest('everything that is exported is documented', () => {
  const silent = publicNames()
    .filter(({ documentation }) => documentation === '')
    .map(({ name }) => name);
  expect(silent).toEqual([]);
});
