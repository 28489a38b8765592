/**
 * The library as its manual shows it: each program in `docs/library.md` is executed with the built package, and its
 * output is the block after it, which `UPDATE=1` writes again. Every exported name is documented, and is used there if it
 * is a function or class.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, describe, expect, test } from 'vitest';
import { longTest } from './amount.js';
import { root, runProgram } from './harness/process.js';

const manual = join(root, 'docs/library.md');
const update = process.env.UPDATE === '1';

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

describe('programs in docs/library.md', () => {
  let mended = text;
  let ran: Ran | null = null;
  afterAll(() => {
    if (update) writeFileSync(manual, mended);
  });

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

interface PublicName {
  readonly name: string;
  /** It exists when the program runs: a function, a class or a constant. */
  readonly isValue: boolean;
  readonly documentation: string;
  /** Types of our sources in its signature. */
  readonly types: readonly string[];
}

let known: readonly PublicName[] | null = null;

/** In alphabetical order. */
function publicNames(): readonly PublicName[] {
  known ??= readNames();
  return known;
}

function readNames(): PublicName[] {
  const file = join(root, 'src/index.ts');
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  // What packages and the language itself declare is not ours to document, and takes most of the time to read.
  const own = { ...options, noEmit: true, noLib: true, types: [] };
  const host = ts.createCompilerHost(own);
  host.resolveModuleNameLiterals = (literals, containing) =>
    literals.map(({ text }) =>
      text.startsWith('.') ? ts.resolveModuleName(text, containing, own, host) : { resolvedModule: undefined },
    );
  const program = ts.createProgram([file], own, host);
  const checker = program.getTypeChecker();
  const index = program.getSourceFile(file);
  const module = index === undefined ? undefined : checker.getSymbolAtLocation(index);
  if (module === undefined) throw new Error('src/index.ts is not a module');
  return checker
    .getExportsOfModule(module)
    .map((one) => describeSymbol(one, checker))
    .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
}

function describeSymbol(exported: ts.Symbol, checker: ts.TypeChecker): PublicName {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const [declaration] = symbol.declarations ?? [];
  if (declaration === undefined) throw new Error(`${exported.name} has no declaration`);
  return {
    name: exported.name,
    isValue: (symbol.flags & ts.SymbolFlags.Value) !== 0,
    documentation: ts
      .displayPartsToString(symbol.getDocumentationComment(checker))
      .replace(/\s*\n\s*/g, ' ')
      .trim(),
    types: typesIn(declaration, checker),
  };
}

/** What others see of a declaration: no bodies, and no private members. */
function typesIn(declaration: ts.Declaration, checker: ts.TypeChecker): string[] {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node) || ts.isPropertyDeclaration(node)) return;
    if (ts.isTypeReferenceNode(node)) add(node.typeName);
    else if (ts.isExpressionWithTypeArguments(node)) add(node.expression);
    ts.forEachChild(node, visit);
  };
  const add = (node: ts.Node): void => {
    const symbol = checker.getSymbolAtLocation(node);
    if (symbol === undefined || symbol.flags & ts.SymbolFlags.TypeParameter) return;
    const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const isOurs = own.declarations?.some((one) => one.getSourceFile().fileName.startsWith(join(root, 'src'))) === true;
    if (isOurs) found.add(own.name);
  };
  if (!ts.isVariableDeclaration(declaration)) visit(declaration);
  return [...found];
}
