/**
 * The manual is complete and its pages fit together: it has every function, option, key and exit code, its links
 * lead somewhere, and its index names all pages. `UPDATE=1` prints the page of messages again.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { createProgram } from '../src/cli/arguments/create-program.js';
import { functionNamed } from '../src/interpreter/values/functions.js';
import { definedCodes } from '../src/language/source/catalogue/message.js';
import { pages } from './fences.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pathsBelow = (folder: string) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });

/** Functions that the run answers itself, because they need more than their arguments. */
const BY_THE_RUN = ['default', 'exit_code', 'now', 'uuid', 'random', 'program_dir'];

function section(page: string, heading: string): string {
  const text = read(page);
  const start = text.indexOf(`\n${heading}\n`);
  expect(start).toBeGreaterThan(-1);
  const level = heading.indexOf(' ');
  const next = new RegExp(`\n#{1,${level}} `, 'g');
  next.lastIndex = start + heading.length;
  return text.slice(start, next.exec(text)?.index);
}

/** Words in code spans of the first column of a section's tables. */
function firstColumn(text: string): string[] {
  const rows = text.match(/^\|[^|\n]*/gm) ?? [];
  return rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string));
}

describe('the manual', () => {
  it('lists the functions there are', () => {
    const names = firstColumn(section('docs/language.md', '## Functions')).map((call) => call.replace(/\(.*/, ''));
    const table = read('src/interpreter/values/functions.ts').match(/const TABLE[\s\S]*?\n};/)?.[0] ?? '';
    const defined = [...table.matchAll(/^ {2}(\w+)[:,]/gm)].map((match) => match[1] as string);
    expect(defined.length).toBeGreaterThan(20);
    expect([...new Set(names)].sort()).toEqual([...defined, ...BY_THE_RUN].sort());
    for (const name of defined) expect(functionNamed(name)).not.toBeNull();
  });

  it('lists the exit codes', () => {
    const codes = [...read('src/cli/terminal/exit-code.ts').matchAll(/: (\d+),/g)].map((match) => match[1] as string);
    expect(codes.length).toBeGreaterThan(4);
    for (const code of codes) expect(read('docs/command-line.md')).toContain(`\n| ${code} |`);
  });

  it('lists the keys of the configuration', () => {
    const { properties } = JSON.parse(read('grammar/config.schema.json')) as { properties: object };
    const first = read('docs/configuration.md').match(/^\| `\w+` \|/gm) ?? [];
    expect(first.map((cell) => cell.replace(/[^\w]/g, '')).sort()).toEqual(Object.keys(properties).sort());
  });

  it('names every command and every option', () => {
    const manual = pages.map(read).join('\n');
    const { commands } = createProgram(() => undefined);
    const missing = commands
      .filter((one) => !(one as unknown as { _hidden: boolean })._hidden)
      .flatMap((one) => [
        ...(manual.includes(`statedsl ${one.name()}`) ? [] : [one.name()]),
        ...one.options
          .filter(
            ({ hidden, long, short }) => !hidden && !new RegExp(`(${long}|${short ?? long})(?![\\w-])`).test(manual),
          )
          .map(({ long }) => `${one.name()} ${long}`),
      ]);
    expect(missing).toEqual([]);
  });
});

interface Example {
  readonly path: string;
  readonly severity: string;
  readonly message: string;
  readonly help: string;
}

/** What the cases of the corpus say with each code. The first is of the case with its name, if there is one. */
function examplesOfCodes(): Map<string, Example[]> {
  const found = new Map<string, Example[]>();
  for (const path of pathsBelow('test/corpus').filter((one) => one.endsWith('.case')))
    for (const paragraph of read(`test/corpus/${path}`).split(/\n\n|\n(?=(?:error|warning|note)\[)/)) {
      const [, severity = '', code = '', message = ''] =
        /^(error|warning|note)\[([\w-]+)\]: (.+)/m.exec(paragraph) ?? [];
      const [, help = ''] = /^ *= help: (.+)/m.exec(paragraph) ?? [];
      if (code !== '') found.set(code, [...(found.get(code) ?? []), { path, severity, message, help }]);
    }
  const rank = (code: string, { path, help }: Example): string =>
    [basename(path) !== `${code}.case`, !basename(path).startsWith(code), !path.startsWith('check/'), help === '']
      .map(Number)
      .join('') + path;
  for (const [code, examples] of found) examples.sort((a, b) => (rank(code, a) < rank(code, b) ? -1 : 1));
  return found;
}

const MESSAGES = `# Messages

Each error, warning and note about a program has a code. This page has one example of what statedsl says with each code, and of the next
step that it names. It is printed from the cases of the test suite. [Warnings](checking.md#warnings) shows programs that cause them.

| Code | | For example | Next step |
|---|---|---|---|
`;

test('docs/messages.md has an example of each code', async () => {
  for (const file of readdirSync(join(root, 'src/language/source/catalogue')))
    await import(`../src/language/source/catalogue/${file.replace(/\.ts$/, '.js')}`);
  const examples = examplesOfCodes();
  const codes = [...definedCodes().keys()];
  expect(codes.length).toBeGreaterThan(200);
  expect(codes.filter((code) => !examples.has(code))).toEqual([]);
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const rows = codes.flatMap((code) =>
    (examples.get(code) ?? [])
      .slice(0, 1)
      .map(({ severity, message, help }) => `| \`${code}\` | ${severity} | ${cell(message)} | ${cell(help)} |\n`),
  );
  const printed = MESSAGES + rows.join('');
  if (process.env.UPDATE === '1') writeFileSync(join(root, 'docs/messages.md'), printed);
  expect(read('docs/messages.md')).toBe(printed);
});

/** The anchors of a document, as GitHub makes them of its headings. */
function anchors(path: string): Set<string> {
  const headings =
    read(path)
      .replace(/^(`{3,})[\s\S]*?^\1$/gm, '')
      .match(/^#+ .*$/gm) ?? [];
  return new Set(
    headings.map((one) =>
      one
        .replace(/^#+ /, '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

describe('documents', () => {
  const documents = [
    ...[
      '.github/PULL_REQUEST_TEMPLATE.md',
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'DECISIONS.md',
      'README.md',
      'SECURITY.md',
    ],
    ...pages,
  ];

  test.each(documents)('the links of %s lead somewhere', (document) => {
    const text = read(document).replace(/^(`{3,})[\s\S]*?^\1$/gm, '');
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] as string);
    const broken = links.filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? document : join(dirname(document), path);
      if (!existsSync(join(root, file))) return true;
      return anchor !== undefined && !anchors(file).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  test.each(pages)('%s has at most 500 lines', (page) => {
    expect(read(page).split('\n').length - 1).toBeLessThanOrEqual(500);
  });

  test('docs/index.md names every page', () => {
    const named = [...read('docs/index.md').matchAll(/^- \[.+?\]\((.+?)\): /gm)].map((match) => `docs/${match[1]}`);
    expect(named.sort()).toEqual(pages.filter((page) => page !== 'docs/index.md'));
  });
});
