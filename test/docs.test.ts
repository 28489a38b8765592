/**
 * What the documents show is true: every program in them compiles, or shows the message that its fence names.
 *
 * A fence says more after its language: `error=code`, `warning=code` or `note=code` for a program that must show that message,
 * `fragment` for lines that stand in a state, `workflow` for YAML that is a workflow file, `ignore` for a picture of
 * something that is no program.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { callSupport } from '../src/app/project/link-plans.js';
import { compile } from '../src/language/check/compile.js';
import { parseFile } from '../src/language/frontends/markdown.js';
import { drawDiagnostics } from '../src/views/diagnostics/draw-diagnostic.js';
import { fences, pages } from './fences.js';
import { memoryHost } from './project/memory-host.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const DOCUMENTS = ['README.md', ...pages];
/** Words that are not programs on any machine, so that the messages about missing programs can be shown. */
const MISSING = new Set(['Summarise', 'frobnicate']);

/** The tools and plans that the programs in the documents call. */
const SHOWN = memoryHost((name) => {
  const tools = ['verify', 'greet', 'build', 'report'].map((tool) => `${tool}: { run: ["./${tool}.sh"] }\n`);
  const calls = [{ _tool: 'report', subject: '†input.subject', _outputPath: '†state.summary' }];
  return name.endsWith('tools.yaml') ? tools.join('') : JSON.stringify({ calls });
});

const programs = DOCUMENTS.flatMap(fences).filter(
  ({ language, info }) => (language === 'dsl' || info.includes('workflow')) && !info.includes('ignore'),
);

/** Workflows that the documents call: one of an example, or a shipped one. */
function workflow(name: string) {
  const paths = ['examples/implement-spec/workflows', 'workflows'].map((folder) => `${folder}/${name}.yaml`);
  const path = paths.find((one) => existsSync(join(root, one)));
  return path === undefined ? { tried: paths } : { name: path, text: readFileSync(join(root, path), 'utf8') };
}

describe('programs in the documents', () => {
  test.each(programs)('$title', ({ title, language, info, text }) => {
    const load = (path: string) =>
      path.startsWith('std/')
        ? { name: path, text: readFileSync(join(root, 'patterns', `${path.slice(4)}.dsl`), 'utf8') }
        : null;
    const calls = () => callSupport(SHOWN, title, {});
    const onPath = (command: string) => !MISSING.has(command);
    const name = language === 'yaml' ? `${title}.yaml` : title;
    const { diagnostics, sources } = compile(text, {
      name,
      parse: parseFile,
      load,
      workflow,
      lookups: { onPath },
      calls,
    });
    const wanted = info
      .filter((word) => /^(error|warning|note)=/.test(word))
      .map((word) => word.replace('=', '[').concat(']'));
    const drawn = drawDiagnostics(diagnostics, sources);
    const shown = diagnostics.map(({ severity, code }) => `${severity}[${code}]`);
    if (wanted.length > 0)
      expect(
        wanted.filter((one) => !shown.includes(one)),
        drawn,
      ).toEqual([]);
    expect(
      shown.filter((one) => one.startsWith('error') && !wanted.includes(one)),
      drawn,
    ).toEqual([]);
  });
});

test('the links of README lead to files of the package', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: readonly string[] };
  const links = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/\]\(([^)#]+)/g)].map(
    ([, link]) => link as string,
  );
  const own = links.filter((link) => !link.includes('://'));
  expect(own.length).toBeGreaterThan(10);
  const isPacked = (link: string): boolean => files.some((file) => link === file || link.startsWith(`${file}/`));
  expect(own.filter((link) => !isPacked(link) || !existsSync(join(root, link)))).toEqual([]);
});

test('the pages that messages name are there', () => {
  const paths = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.tsx?$/.test(path),
  );
  const source = paths.map((path) => readFileSync(join(root, 'src', path), 'utf8')).join('\n');
  const named = [...source.matchAll(/\bsee \\?`(docs\/[\w/-]+\.md)/g)].map(([, page]) => page as string);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((page) => !existsSync(join(root, page)))).toEqual([]);
});

describe('names of files and functions in the documents', () => {
  const below = (folder: string) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const paths = below('src');
  const code = paths
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(root, 'src', path), 'utf8'))
    .join('\n');
  const isPath = (word: string): boolean =>
    existsSync(join(root, word)) || paths.some((path) => `/${path}`.endsWith(`/${word}`));
  const isFunction = (word: string): boolean => new RegExp(`\\b${word}\\b`).test(code);

  test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'DECISIONS.md', 'docs/engine.md', 'docs/library.md'])(
    '%s',
    (document) => {
      const text = readFileSync(join(root, document), 'utf8');
      const words = [...text.matchAll(/`([\w./-]+)`/g)].map((match) => match[1] as string);
      const named = words
        .filter((word) => /^[\w-][\w./-]*(\.ts|\/)$/.test(word))
        .map((word) => word.replace(/\/$/, ''));
      const functions = words.filter((word) => /^[a-z]+[A-Z]\w*$/.test(word));
      expect([...named.filter((word) => !isPath(word)), ...functions.filter((word) => !isFunction(word))]).toEqual([]);
    },
  );
});

describe('documents that people read from beginning to end', () => {
  const lines = (document: string) => readFileSync(join(root, document), 'utf8').split('\n');

  test.each([
    ...['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'DECISIONS.md', 'README.md', 'SECURITY.md'],
    ...pages,
  ])('no line of %s is over 140 characters, aside from tables and blocks', (document) => {
    let isBlock = false;
    const long = lines(document).filter((line) => {
      if (line.startsWith('```')) isBlock = !isBlock;
      return !isBlock && line.length > 140 && !/^(\||!\[| {4})/.test(line);
    });
    expect(long).toEqual([]);
  });

  test('ARCHITECTURE.md is a page of at most 300 lines', () => {
    expect(lines('ARCHITECTURE.md').length - 1).toBeLessThanOrEqual(300);
  });

  test('DECISIONS.md has at most 150 decisions, each a sentence in bold, and its contents name every section', () => {
    const all = lines('DECISIONS.md');
    const sections = all.filter((line) => line.startsWith('## ')).map((line) => line.slice(3));
    const entries = all.filter((line) => line.startsWith('- ') && !line.startsWith('- ['));
    expect(all.flatMap((line) => /^- \[(.+)\]\(#.+\)$/.exec(line)?.[1] ?? [])).toEqual(sections);
    expect(entries.filter((line) => !line.startsWith('- **'))).toEqual([]);
    expect(entries.length).toBeLessThanOrEqual(150);
  });
});
