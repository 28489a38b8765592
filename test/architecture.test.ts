/** The shape of the source tree as data: who may import whom, how files are named and how long they are. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, 'src');

interface Rule {
  /** Folders of `src/` beside the own one. */
  readonly folders: readonly string[];
  readonly packages: readonly string[];
  /** Whether what Node brings may be used. */
  readonly node: boolean;
}

const RULES: Readonly<Record<string, Rule>> = {
  source: { folders: [], packages: [], node: false },
  syntax: { folders: ['source'], packages: ['chevrotain'], node: false },
  frontends: {
    folders: ['source', 'syntax'],
    packages: ['yaml', 'mdast-util-from-markdown'],
    node: false,
  },
  machine: { folders: ['source'], packages: [], node: false },
  check: { folders: ['source', 'syntax', 'machine'], packages: [], node: false },
  interpreter: { folders: ['machine'], packages: [], node: false },
  runtime: {
    folders: ['machine', 'interpreter'],
    packages: ['yaml', 'ajv', 'uuid', '@modelcontextprotocol/sdk'],
    node: true,
  },
  format: { folders: ['source', 'syntax'], packages: [], node: false },
  views: { folders: ['source', 'machine', 'interpreter'], packages: ['chalk', 'string-width'], node: false },
  cli: {
    folders: ['source', 'syntax', 'frontends', 'machine', 'check', 'interpreter', 'runtime', 'format', 'views'],
    packages: ['commander', '@bomb.sh/tab', '@clack/prompts', '@viz-js/viz', 'log-update', 'yaml'],
    node: true,
  },
};

/** What one file may import beyond its folder's rule, and why that is no breach. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // The pipeline of the compiler is where the stages meet.
  'check/compile.ts': ['frontends'],
};

function files(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split('\\').join('/'))
    .filter((name) => name.endsWith(ending) && !/\bnode_modules\b/.test(name))
    .sort();
}

const sources = files(src, '.ts').map((name) => ({ name, text: readFileSync(join(src, name), 'utf8') }));

/** Everything a file imports or re-exports, also lazily. */
function imports(text: string): string[] {
  const found = text.matchAll(/(?:(?<!['"])\bfrom\s*|\bimport\s*\(\s*|^import\s+)['"]([^'"]+)['"]/gm);
  return [...found].map((match) => match[1] as string);
}

/** The name of a package: `ajv/dist/2020.js` is ajv. */
function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] as string);
}

function breach(name: string, specifier: string): string | null {
  const folder = name.split('/')[0] as string;
  const rule = RULES[folder];
  if (rule === undefined) return null;
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(name), specifier).split('/')[0] as string;
    const allowed = [folder, ...rule.folders, ...(EXCEPTIONS[name] ?? [])];
    return allowed.includes(target) ? null : `${name} imports ${target}/`;
  }
  if (specifier.startsWith('node:')) return rule.node ? null : `${name} imports ${specifier}`;
  return rule.packages.includes(packageOf(specifier)) ? null : `${name} imports ${specifier}`;
}

describe('src', () => {
  test('every folder has a rule and index.ts is the only file beside them', () => {
    const unknown = sources.filter(
      ({ name }) => !(name.includes('/') ? (name.split('/')[0] as string) in RULES : name === 'index.ts'),
    );
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });

  test('imports follow the table', () => {
    const breaches = sources.flatMap(({ name, text }) => imports(text).map((specifier) => breach(name, specifier)));
    expect(breaches.filter((one) => one !== null)).toEqual([]);
  });

  test('relative imports carry their extension', () => {
    const bare = sources.flatMap(({ name, text }) =>
      imports(text)
        .filter((specifier) => specifier.startsWith('.') && !/\.(js|json)$/.test(specifier))
        .map((specifier) => `${name}: ${specifier}`),
    );
    expect(bare).toEqual([]);
  });

  test('no file is over 400 lines, the catalogue aside', () => {
    const long = sources
      .filter(({ name }) => !name.startsWith('source/catalogue/'))
      .map(({ name, text }) => ({ name, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > 400);
    expect(long).toEqual([]);
  });

  test('file names say what is in them', () => {
    const names = [
      ...sources.map(({ name }) => name),
      ...files(join(root, 'test'), '.ts'),
      ...files(join(root, 'bench'), '.ts'),
    ];
    const bad = names.filter((name) => {
      const stem = basename(name).replace(/(\.test)?\.ts$/, '');
      return (
        !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem) || /^(utils?|helpers?|types|managers?|base|common|misc)$/.test(stem)
      );
    });
    expect(bad).toEqual([]);
  });

  test('every file opens with a comment that says what it owns', () => {
    const silent = sources.filter(({ text }) => !/^(#![^\n]*\n)?\/(\*\*|\/)/.test(text)).map(({ name }) => name);
    expect(silent).toEqual([]);
  });

  test('exports are named', () => {
    expect(sources.filter(({ text }) => /^export default/m.test(text)).map(({ name }) => name)).toEqual([]);
  });
});

/** A text without comments and quoted texts: what is left can run. */
function withoutProse(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
    .replace(/\/\/[^\n]*/g, '');
}

test('the interpreter knows no time, chance, world or waiting', () => {
  const FORBIDDEN =
    /\b(Promise|async|await|Date|Math\.random|process|console|Buffer|setTimeout|setImmediate|queueMicrotask|require|fetch)\b/;
  const impure = sources
    .filter(({ name }) => name.startsWith('interpreter/'))
    .flatMap(({ name, text }) =>
      withoutProse(text)
        .split('\n')
        .filter((line) => FORBIDDEN.test(line))
        .map((line) => `${name}: ${line.trim()}`),
    );
  expect(impure).toEqual([]);
});

test('no test is skipped or focused', () => {
  const marks = /\b(?:it|test|describe)\.(?:skip|only|todo)\b/;
  const own = relative(root, fileURLToPath(import.meta.url));
  const found = files(join(root, 'test'), '.ts')
    .map((name) => join('test', name))
    .filter((name) => name !== own && marks.test(readFileSync(join(root, name), 'utf8')));
  expect(found).toEqual([]);
});
