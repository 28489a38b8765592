/**
 * The manual is complete and its pages fit together: it has every function, option, key and exit code, its links
 * lead somewhere, and its index names all pages. `UPDATE=1` prints the page of messages again.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { createProgram } from '../src/cli/arguments/create-program.js';
import { functionNamed } from '../src/interpreter/values/functions.js';
import { definedCodes } from '../src/language/source/catalogue/message.js';
import { codeExamples, shownBy } from './codes.js';
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

const MESSAGES = `# Messages

Each error, warning and note about a program has a code. This page has what statedsl says about one example of each code, and the next step
that it names. The code leads to that example and to a right one, which \`statedsl explain CODE\` prints, too.
[Warnings](checking.md#warnings) has more about programs that cause warnings.

| Code | | For example | Next step |
|---|---|---|---|
`;

describe('docs/codes', () => {
  const examples = codeExamples();
  const rows: string[] = [];
  const cell = (text: string) => text.replaceAll('|', '\\|');

  test('has an example of each code, and its pages have at most 500 lines', async () => {
    for (const file of readdirSync(join(root, 'src/language/source/catalogue')))
      await import(`../src/language/source/catalogue/${file.replace(/\.ts$/, '.js')}`);
    const codes = [...definedCodes().keys()];
    expect(codes.length).toBeGreaterThan(200);
    expect(codes.filter((code) => !examples.has(code))).toEqual([]);
    const long = pathsBelow('docs/codes').filter((page) => read(`docs/codes/${page}`).split('\n').length > 501);
    expect(long).toEqual([]);
  });

  test.each([...examples].sort(([a], [b]) => (a < b ? -1 : 1)))('%s: wrong and right', async (code, example) => {
    const shown = (await shownBy(example, 'wrong')).find((one) => one.code === code);
    expect(shown).toBeDefined();
    const of = await shownBy(example, 'right');
    expect(of.filter((one) => one.severity === 'error' || one.code === code)).toEqual([]);
    const { severity = '', message = '', help = '' } = shown ?? {};
    const link = `[\`${code}\`](codes/${example.page}#${code})`;
    rows.push(`| ${link} | ${severity} | ${cell(message)} | ${cell(help)} |\n`);
  });

  test('docs/messages.md says what is said about them', () => {
    const printed = MESSAGES + rows.join('');
    if (process.env.UPDATE === '1') writeFileSync(join(root, 'docs/messages.md'), printed);
    expect(read('docs/messages.md')).toBe(printed);
  });
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
