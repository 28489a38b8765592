/**
 * The recipes of ARCHITECTURE.md, applied to a copy of the sources as a newcomer would: the files that a recipe names are
 * enough for a verb, a lint, an agent adapter and an operation on runs that work. What else they name (manual, cases,
 * editors) other tests demand.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, runProgram } from './harness/process.js';

/** In a file of `src/`: a text that occurs there once, and what takes its place. A file without a text is new. */
type Edits = Readonly<Record<string, readonly (readonly [before: string, after: string])[] | string>>;

const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

/** The text of a recipe, up to the next one. */
function recipe(name: string): string {
  const begin = architecture.indexOf(`**${name}**`);
  if (begin < 0) throw new Error(`ARCHITECTURE.md has no recipe \`${name}\``);
  return architecture.slice(begin, architecture.slice(begin + 1).search(/\n(?:- )?\*\*/) + begin + 1);
}

const copy = mkdtempSync(join(tmpdir(), 'statedsl-recipe-'));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Imports a module of the copy. */
const load = <Module>(path: string): Promise<Module> => import(pathToFileURL(join(copy, '.compiled', path)).href);

/** Makes the edits in the copy, and compiles it. */
async function applyRecipes(edits: Edits): Promise<void> {
  for (const folder of ['src', '.compiled', 'grammar'])
    cpSync(join(root, folder), join(copy, folder), { recursive: true });
  for (const link of ['node_modules', 'package.json', 'docs']) symlinkSync(join(root, link), join(copy, link));
  for (const [file, changes] of Object.entries(edits)) {
    const path = join(copy, 'src', file);
    if (typeof changes === 'string') writeFileSync(path, changes);
    else
      writeFileSync(
        path,
        changes.reduce(
          (text, [before, after]) => {
            expect(text.split(before), `${file}: ${before}`).toHaveLength(2);
            return text.replace(before, () => after);
          },
          readFileSync(path, 'utf8'),
        ),
      );
  }
  await build({
    entryPoints: Object.keys(edits).map((file) => join(copy, 'src', file)),
    outbase: join(copy, 'src'),
    outdir: join(copy, '.compiled'),
    format: 'esm',
    platform: 'node',
  });
}

/** What the compiler leads a newcomer to, which must be nothing more. */
async function typeErrors(): Promise<string> {
  const settings = {
    extends: join(root, 'tsconfig.json'),
    include: [join(copy, 'src')],
    exclude: [join(copy, 'src/page')],
  };
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(settings));
  const tsc = join(root, 'node_modules/typescript-native/bin/tsc');
  return (await runProgram(process.execPath, [tsc, '--noEmit', '-p', copy], { cwd: copy })).stdout;
}

const cursor = readFileSync(join(root, 'src/runtime/agents/programs/cursor.ts'), 'utf8');

/** By the name of the recipe. */
const RECIPES: Readonly<Record<string, Edits>> = {
  'A verb.': {
    'language/syntax/tokens/verbs.ts': [
      ["'ROLLBACK', 'KEEP'] as const", "'ROLLBACK', 'KEEP', 'BEEP'] as const"],
      [
        "'FAIL: no free port' } }",
        "'FAIL: no free port' }, SHOUT: { what: 'what is shouted', example: 'SHOUT: ho' } }",
      ],
    ],
    'editor/ide/reference-words.ts': [
      [
        "  PROCEED: ['PROCEED', 'continues below'],\n",
        "  PROCEED: ['PROCEED', 'continues below'],\n  BEEP: ['BEEP', 'beeps'],\n  SHOUT: ['SHOUT: <text>', 'shouts'],\n",
      ],
    ],
    'language/check/lower/simple.ts': [
      [
        "    case 'track':\n",
        "    case 'beep':\n      l.emitter.add({ op: 'emit', event: 'BEEP', fields: [], message: null }, i.span);\n      return true;\n" +
          "    case 'shout':\n      l.emitter.add({ op: 'emit', event: null, fields: [], message: i.text ? lowerTemplate(i.text, l) : null }, i.span);\n      return true;\n" +
          "    case 'track':\n",
      ],
    ],
  },
  'A lint.': {
    'language/source/catalogue/flow.ts': [
      [
        'export const flowMessages = {',
        "export const flowMessages = {\n  shouts: message<{ name: string }>('shouts', 'warning', ({ name }) => ({ message: name })),",
      ],
    ],
    'language/check/lints/tree-lints.ts': [
      [
        '    for (const inner of childBlocks(i)) lintBlock(inner, diagnostics);',
        "    if (i.kind === 'emit' && i.event?.text === 'SHOUT') diagnostics.push(say.shouts(i.span, { name: i.event.text }));\n    for (const inner of childBlocks(i)) lintBlock(inner, diagnostics);",
      ],
    ],
  },
  'An agent adapter.': {
    'runtime/agents/programs/beep.ts': cursor.replaceAll('cursorAdapter', 'beepAdapter').replaceAll("'cursor", "'beep"),
    'runtime/agents/programs/adapters.ts': [
      ['import { claudeAdapter }', "import { beepAdapter } from './beep.js';\nimport { claudeAdapter }"],
      ['  cursorAdapter,\n', '  cursorAdapter,\n  beepAdapter,\n'],
    ],
    'runtime/configuration/configuration-schema.ts': [["'cursor', ", "'cursor', 'beep', "]],
  },
  'An operation on runs.': {
    'app/runs.ts': [
      [
        'remove(options: RemoveOptions): Promise<Result<RemovedRuns>>;',
        'remove(options: RemoveOptions): Promise<Result<RemovedRuns>>;\n  count(): Promise<Result<number>>;',
      ],
    ],
    'app/folder/count-runs.ts':
      "import { runIds } from '../../runtime/store/stored-run.js';\nexport const countRuns = (directory: string): number => runIds(directory).length;\n",
    'app/folder/folder-runs.ts': [
      ["  | 'audit'\n", "  | 'audit'\n  | 'count'\n"],
      [
        '    find: (run) => resultOf(',
        "    count: () => resultOf(async () => (await import('./count-runs.js')).countRuns(directory)),\n    find: (run) => resultOf(",
      ],
    ],
    'engine/runs/engine-runs.ts': [
      [
        '    ...changeOperations(shared, options),',
        '    ...changeOperations(shared, options),\n    count: () => folder.count(),',
      ],
    ],
  },
};

beforeAll(() => applyRecipes(Object.assign({}, ...Object.values(RECIPES))));

test.each(Object.entries(RECIPES))('%s names the files', (name, edits) => {
  const named = recipe(name);
  // By its last folder: the file, or the folder alone.
  const last = (path: string): string => path.split('/').slice(-2).join('/');
  for (const file of Object.keys(edits))
    expect(named.includes(last(file)) || named.includes(`${last(dirname(file))}/`), file).toBe(true);
});

test('and there is nothing else to which the compiler leads', async () => {
  expect(await typeErrors()).toBe('');
});

type Library = typeof import('../src/index.js');
type Formatter = typeof import('../src/app/library/compile-text.js');
type Configurations = typeof import('../src/runtime/configuration/load-configuration.js');
type Agents = typeof import('../src/runtime/agents/resolve.js');

test('a verb that is a word alone', async () => {
  const { compile, run } = await load<Library>('index.js');
  const { formatText } = await load<Formatter>('app/library/compile-text.js');
  const text = 'STATE: A\n  BEEP\n  IF: 1 > 0 → BEEP\n  RETURN: ok\n';
  const { machine, diagnostics } = compile(text);
  expect(diagnostics).toEqual([]);
  const emitted: unknown[] = [];
  const onEvent = (event: { readonly type: string }) => {
    if (event.type === 'emitted') emitted.push((event as { readonly event?: unknown }).event);
  };
  expect(await run(machine ?? expect.unreachable(), { onEvent })).toMatchObject({ returned: 'ok' });
  expect(emitted).toEqual(['BEEP', 'BEEP']);
  expect((await formatText(text.replace('  BEEP\n', '  BEEP  \n'), 'a.dsl')).text).toBe(text);
  expect(compile('STATE: A\n  BEEPP\n  RETURN\n').diagnostics.map(({ code }) => code)).not.toEqual([]);
});

test('a verb of a text', async () => {
  const { compile, run } = await load<Library>('index.js');
  const { formatText } = await load<Formatter>('app/library/compile-text.js');
  const text = 'STATE: A\n  CHECK: n = count\n  IF: n > 0 → SHOUT: {n} ho, RETURN: ok\n  RETURN: no\n';
  const { machine, diagnostics } = compile(text, { commands: ['count'] });
  expect(diagnostics).toEqual([]);
  const messages: unknown[] = [];
  const onEvent = (event: { readonly type: string }) => {
    if (event.type === 'emitted') messages.push((event as { readonly message?: unknown }).message);
  };
  const commands = { count: () => 3 };
  expect(await run(machine ?? expect.unreachable(), { commands, onEvent })).toMatchObject({ returned: 'ok' });
  expect(messages).toEqual(['3 ho']);
  expect((await formatText(text.replace('SHOUT: {n} ho', 'SHOUT:  {n} ho'), 'a.dsl')).text).toBe(text);
  const wrong = (line: string) => compile(`STATE: A\n  ${line}\n  RETURN\n`).diagnostics.map(({ message }) => message);
  expect(wrong('SHOUT:')).toEqual(['what is shouted is missing after `SHOUT`']);
  expect(wrong('SHUOT: ho')).toEqual(['`SHUOT` is not a verb']);
});

test('a lint', async () => {
  const { compile } = await load<Library>('index.js');
  const found = (text: string) => compile(text).diagnostics.map(({ code, message }) => `${code}: ${message}`);
  expect(found('EMIT: SHOUT\nRETURN\n')).toEqual(['shouts: SHOUT']);
  expect(found('EMIT: WHISPER\nRETURN\n')).toEqual([]);
});

test('an agent adapter', async () => {
  const { resolveAgent } = await load<Agents>('runtime/agents/resolve.js');
  const { parseConfiguration } = await load<Configurations>('runtime/configuration/load-configuration.js');
  const { configuration, problems } = await parseConfiguration(
    'agents: { a: { adapter: beep } }\n',
    '/p/statedsl.config.yaml',
  );
  expect(problems).toEqual([]);
  const { agents } = configuration;
  for (const name of ['a', 'beep'])
    expect(resolveAgent(name, { agents, folder: null, instead: {} })?.adapter.program, name).toBe('beep-agent');
});

test('an operation on runs', async () => {
  const { openRuns } = await load<Library>('index.js');
  const runs = openRuns({ folder: copy }) as ReturnType<Library['openRuns']> & { count(): Promise<unknown> };
  expect(await runs.count()).toEqual({ ok: true, value: 0 });
});
