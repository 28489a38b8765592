/**
 * The shape of the source tree: who may import whom, which circles of imports remain, how files are named and how
 * long they are. `UPDATE=1` prints the table of ARCHITECTURE.md and the circles again.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ROOMS, type Room } from './rooms.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, 'src');

function files(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split('\\').join('/'))
    .filter((name) => name.endsWith(ending) && !/\bnode_modules\b/.test(name))
    .sort();
}

const sources = [...files(src, '.ts'), ...files(src, '.tsx')].map((name) => ({
  name,
  text: readFileSync(join(src, name), 'utf8'),
}));

/** Everything a file imports or re-exports, also lazily. */
function imports(text: string): string[] {
  const found = text.matchAll(/(?:(?<!['"-])\bfrom\s*|\bimport\s*\(\s*|^import\s+)['"]([^'"]+)['"]/gm);
  return [...found].map((match) => match[1] as string);
}

/** The room of a file, or its first folder. */
function roomOf(path: string): string {
  const rooms = Object.keys(ROOMS).filter((room) => path.startsWith(`${room}/`));
  return rooms.sort((a, b) => b.length - a.length)[0] ?? (path.split('/')[0] as string);
}

/** The name of a package: `ajv/dist/2020.js` is ajv. */
function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] as string);
}

function breach(name: string, specifier: string): string | null {
  const folder = roomOf(name);
  const rule = ROOMS[folder];
  if (rule === undefined) return null;
  if (specifier.startsWith('.')) {
    const path = posix.join(posix.dirname(name), specifier);
    // The grammar of editors is not code, and the page colors programs by it.
    if (path.startsWith('../grammar/') && path.endsWith('.json')) return null;
    const target = roomOf(path);
    const allowed = [folder, PRELUDE, ...rule.rooms];
    return allowed.includes(target) ? null : `${name} imports ${target}/`;
  }
  if (specifier.startsWith('node:')) return rule.node ? null : `${name} imports ${specifier}`;
  return rule.packages.includes(packageOf(specifier)) ? null : `${name} imports ${specifier}`;
}

/** The one room that every other may import without a rule. */
const PRELUDE = 'prelude';

const circlesFile = join(root, 'test', 'circles.json');
const architectureFile = join(root, 'ARCHITECTURE.md');
const TABLE_BEGIN = '<!-- rooms: printed from test/rooms.ts -->';
const TABLE_END = '<!-- end of rooms -->';

function roomsTable(): string {
  const others = Object.keys(ROOMS).filter((name) => name !== PRELUDE);
  const roomsOf = (folder: string, room: Room): string[] => {
    const missing = others.filter((other) => other !== folder && !room.rooms.includes(other));
    if (missing.length > 1 || room.rooms.length < 3) return [...room.rooms];
    return missing.length === 0 ? ['all rooms'] : [`all rooms but ${missing[0]}`];
  };
  const row = ([folder, room]: [string, Room]) => {
    const may = [...roomsOf(folder, room), ...room.packages, ...(room.node ? ['node'] : [])];
    return `| \`${folder}/\` | ${room.holds} | ${may.join(', ') || '–'} |`;
  };
  return ['| folder | what lives there | may import |', '|---|---|---|', ...Object.entries(ROOMS).map(row)].join('\n');
}

/** The files that import each other round and round (strongly connected components, by Tarjan), largest circle first. */
function circles(): string[][] {
  const known = new Set(sources.map(({ name }) => name));
  const targets = new Map(
    sources.map(({ name, text }) => [
      name,
      imports(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => posix.join(posix.dirname(name), specifier).replace(/\.js(x?)$/, '.ts$1'))
        .filter((target) => known.has(target)),
    ]),
  );
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (name: string): void => {
    order.set(name, order.size);
    lowest.set(name, order.get(name) as number);
    stack.push(name);
    for (const target of targets.get(name) ?? []) {
      if (!order.has(target)) visit(target);
      if (stack.includes(target)) lowest.set(name, Math.min(lowest.get(name) as number, lowest.get(target) as number));
    }
    if (lowest.get(name) !== order.get(name)) return;
    const circle = stack.splice(stack.indexOf(name));
    if (circle.length > 1) found.push(circle.sort());
  };
  for (const { name } of sources) if (!order.has(name)) visit(name);
  return found.sort((a, b) => b.length - a.length || (a.join() < b.join() ? -1 : 1));
}

describe('src', () => {
  test('every folder is a room and index.ts is the only file outside of them', () => {
    const unknown = sources.filter(({ name }) => !(name.includes('/') ? roomOf(name) in ROOMS : name === 'index.ts'));
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });

  test('the folders are at most fourteen', () => {
    const folders = new Set(sources.flatMap(({ name }) => (name.includes('/') ? [name.split('/')[0]] : [])));
    expect(folders.size).toBeLessThanOrEqual(14);
  });

  test('imports follow the table', () => {
    const breaches = sources.flatMap(({ name, text }) => imports(text).map((specifier) => breach(name, specifier)));
    expect(breaches.filter((one) => one !== null)).toEqual([]);
  });

  test('the page takes only types from rooms that need Node', () => {
    const values = sources
      .filter(({ name }) => name.startsWith('page/'))
      .flatMap(({ name, text }) =>
        [...text.matchAll(/^import (?!type )[^;]*? from '(\.\.\/[^']*)'/gm)]
          .filter(([, path]) => ROOMS[roomOf(posix.join(posix.dirname(name), path as string))]?.node === true)
          .map(([line]) => `${name}: ${line}`),
      );
    expect(values).toEqual([]);
  });

  test('no door opens the record of a run itself', () => {
    const doors = sources.filter(({ name }) => /^(?:cli|serve|mcp|page|editor)\//.test(name));
    const opening = doors.filter(({ text }) =>
      /\b(?:open\w*Run|runIds|readJournal)\b[^;]*from '[^']*runtime\/store\//.test(text),
    );
    expect(opening.map(({ name }) => name)).toEqual([]);
  });

  test('every rule is used', () => {
    const unused = Object.entries(ROOMS).flatMap(([folder, room]) => {
      const own = sources.filter(({ name }) => roomOf(name) === folder);
      const imported = own.flatMap(({ name, text }) => imports(text).map((specifier) => ({ name, specifier })));
      const rooms = new Set(
        imported
          .filter(({ specifier }) => specifier.startsWith('.'))
          .map(({ name, specifier }) => roomOf(posix.join(posix.dirname(name), specifier))),
      );
      const packages = new Set(imported.map(({ specifier }) => packageOf(specifier)));
      return [
        ...room.rooms.filter((one) => !rooms.has(one)).map((one) => `${folder} may import ${one}/ and does not`),
        ...room.packages.filter((one) => !packages.has(one)).map((one) => `${folder} may import ${one} and does not`),
        ...(room.node && !imported.some(({ specifier }) => specifier.startsWith('node:'))
          ? [`${folder} may import from node: and does not`]
          : []),
      ];
    });
    expect(unused).toEqual([]);
  });

  test('no circle of imports is new or larger, and none that is recorded is gone', () => {
    const found = circles();
    if (process.env.UPDATE) writeFileSync(circlesFile, `${JSON.stringify(found, null, 2)}\n`);
    const recorded = JSON.parse(readFileSync(circlesFile, 'utf8')) as string[][];
    const grown = found.filter((one) => !recorded.some((known) => one.every((file) => known.includes(file))));
    expect(grown, 'break the circle, or give both files what they share in a third').toEqual([]);
    const broken = recorded.filter((known) => !found.some((one) => one.every((file) => known.includes(file))));
    expect(broken, 'remove these from circles.json (UPDATE=1 does)').toEqual([]);
  });

  test('the table in ARCHITECTURE.md is this one', () => {
    const text = readFileSync(architectureFile, 'utf8');
    const table = `${TABLE_BEGIN}\n${roomsTable()}\n${TABLE_END}`;
    const begin = text.indexOf(TABLE_BEGIN);
    const end = text.indexOf(TABLE_END) + TABLE_END.length;
    const printed = text.slice(0, begin) + table + text.slice(end);
    if (process.env.UPDATE) writeFileSync(architectureFile, printed);
    expect(readFileSync(architectureFile, 'utf8')).toBe(printed);
  });

  test('relative imports carry their extension', () => {
    const bare = sources.flatMap(({ name, text }) =>
      imports(text)
        .filter((specifier) => specifier.startsWith('.') && !/\.(jsx?|json)$/.test(specifier))
        .map((specifier) => `${name}: ${specifier}`),
    );
    expect(bare).toEqual([]);
  });

  test('no file is over 500 lines, the catalogue aside', () => {
    const long = sources
      .filter(({ name }) => !name.startsWith('language/source/catalogue/'))
      .map(({ name, text }) => ({ name, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > 500);
    expect(long).toEqual([]);
  });

  test('file names say what is in them', () => {
    const names = [
      ...sources.map(({ name }) => name),
      ...files(join(root, 'test'), '.ts'),
      ...files(join(root, 'bench'), '.ts'),
    ];
    const bad = names.filter((name) => {
      const stem = basename(name).replace(/(\.test)?\.tsx?$/, '');
      return (
        !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem) || /^(utils?|helpers?|types|managers?|base|common|misc)$/.test(stem)
      );
    });
    expect(bad).toEqual([]);
  });

  test('a file name is unique, but for files that are named like their command or the subject of their messages', () => {
    const bySubject = /^(cli\/commands|language\/source\/catalogue)\//;
    const own = sources.filter(({ name }) => !bySubject.test(name)).map(({ name }) => basename(name));
    expect(own.filter((name, at) => own.indexOf(name) < at)).toEqual([]);
  });

  test('a type name is declared once, but in doors, for what the library shows of internal types, and for two forms of one thing', () => {
    /** The tree of a program has them as written, and the Machine as they are executed. */
    const twoForms = new Set(['Instruction', 'Parameter', 'ShellText', 'Template']);
    const isDoor = (name: string): boolean => /^(cli|serve|page|engine|mcp|editor)\//.test(name);
    const files = new Map<string, Set<string>>();
    for (const { name, text } of sources) {
      if (name.startsWith('app/library/')) continue;
      for (const [, visible, type = ''] of text.matchAll(
        /^(export )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm,
      ))
        if (visible !== undefined || !isDoor(name)) files.set(type, (files.get(type) ?? new Set()).add(name));
    }
    const repeated = [...files].filter(([type, { size }]) => size > 1 && !twoForms.has(type));
    expect(repeated.map(([type, names]) => `${type}: ${[...names].join(', ')}`)).toEqual([]);
  });

  test('every file opens with a comment that says what it owns', () => {
    const silent = sources.filter(({ text }) => !/^(#![^\n]*\n)?\/(\*\*|\/)/.test(text)).map(({ name }) => name);
    expect(silent).toEqual([]);
  });

  test('a declaration has one comment: two in a row leave the first without an owner', () => {
    const doubled = sources.flatMap(({ name, text }) => {
      const afterHead = text.slice(text.indexOf('*/') + 2);
      const found = /\*\/\s*\n\s*\/\*\*/.exec(afterHead.replace(/^\s*\/\*\*[\s\S]*?\*\//, ''));
      return found === null ? [] : [name];
    });
    expect(doubled).toEqual([]);
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
