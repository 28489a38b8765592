/**
 * Names keep to the glossary of ARCHITECTURE.md: each idea has one word, and functions are verbs or nouns. Names are
 * those of declarations, members, parameters and files under `src/`, the values of its types, and the files of tests.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));

/** Abandoned words and what is written instead. Two words mean the two next to each other: `letGo`. */
const ABANDONED: Readonly<Record<string, string>> = {
  place: 'slot, location, working directory, journal position, permit',
  places: 'slots, locations, working directories, journal positions, permits',
  placed: 'located',
  told: 'reported, emitted, applied, delivered',
  tell: 'report, emit, apply, deliver',
  tells: 'reports, emits, applies, delivers',
  reading: 'decoder, or what is passed: context, reference',
  meaning: 'decoded outcome',
  meanings: 'decoded outcomes',
  dagger: 'data reference',
  hasten: 'force start',
  'put off': 'back off',
  'keep free': 'reserve',
  'let go': 'release',
  'go on': 'resume, continue',
  'goes on': 'resumes, continues',
  'go again': 'retry',
  'try again': 'retry',
  'take up': 'prepare, recover',
  'taken up': 'prepared, recovered',
  gaps: 'discarded ranges',
  conduct: 'drive',
  pump: 'drive',
  landed: 'the noun or verb that is meant',
  understood: 'decoded',
  beside: 'next to, adjacent, concurrent, parallel',
  behind: 'after',
  besides: 'others',
  walled: 'isolated',
  moved: 'rebased',
  echo: 'cascading error',
  echoes: 'cascading errors',
  survey: 'symbol table',
  whose: 'owner',
  nobody: 'the noun that is meant',
  whoever: 'the noun that is meant',
};

/**
 * Keys of stored machines and snapshots, and handlers on an engine, keep their spelling. Nothing but members and values may
 * have these names.
 */
const STORED: ReadonlySet<string> = new Set(['place', 'places', 'told', 'tell', 'reading', 'dagger']);

/** What reports print, and cases that are named after a code or a command. */
const PRINTED: ReadonlySet<string> = new Set(['put-off', 'embedded-dagger', 'echo-takes-no-options']);

/** Participles that do not end in `ed`; `read`, `cut`, `put` and the like are verbs as well, and are left out. */
const PARTICIPLES: ReadonlySet<string> = new Set(
  'begun besides bound built done found given gone heard held kept known left lost made meant met said sent shown taken told written'.split(
    ' ',
  ),
);

/** Verbs that end like participles. */
const VERBS = /^(embed|exceed|feed|need|proceed|seed|succeed)$/;

const names = new Map<string, Set<string>>();
const functions: string[] = [];
/** Comments are not parsed. */
const options = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
const stored = new Set<string>();
for (const file of readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))) {
  const note = (name: string) => names.set(name, (names.get(name) ?? new Set()).add(file));
  note(basename(file).replace(/\.tsx?$/, ''));
  const visit = (node: ts.Node): void => {
    const name = declaredName(node);
    if (name !== null && !(STORED.has(name) && isMember(node))) note(name);
    else if (name !== null) stored.add(name);
    if (name !== null && isFunction(node)) functions.push(`${name}: ${file}`);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(join(src, file), 'utf8'), options));
}

for (const file of readdirSync(join(src, '../test'), { recursive: true, encoding: 'utf8' })) {
  const [, name] = /([^/\\]+?)(?:\.test)?\.(?:ts|case)$/.exec(file) ?? [];
  if (name !== undefined && !PRINTED.has(name) && !file.includes('node_modules'))
    names.set(name, (names.get(name) ?? new Set()).add(file));
}

function declaredName(node: ts.Node): string | null {
  // A value of a type, as in `arrange: 'row' | 'stack'`.
  if (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal) && /^[\w-]+$/.test(node.literal.text))
    return PRINTED.has(node.literal.text) ? null : node.literal.text;
  if (ts.isImportSpecifier(node) || ts.isPropertyAccessExpression(node) || ts.isMetaProperty(node)) return null;
  const { name } = node as ts.NamedDeclaration;
  return name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) ? name.text : null;
}

function isMember(node: ts.Node): boolean {
  if (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) return true;
  return ts.isPropertySignature(node) || ts.isBindingElement(node) || ts.isLiteralTypeNode(node);
}

function isFunction(node: ts.Node): boolean {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node)) return true;
  if (ts.isPropertySignature(node) || ts.isParameter(node))
    return node.type !== undefined && ts.isFunctionTypeNode(node.type);
  if (!ts.isVariableDeclaration(node) && !ts.isPropertyAssignment(node) && !ts.isPropertyDeclaration(node))
    return false;
  const value = node.initializer;
  return value !== undefined && (ts.isArrowFunction(value) || ts.isFunctionExpression(value));
}

/** `letGoOf` and `let-go-of` are ` let go of `. */
function words(name: string): string {
  const parted = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[-_#]/g, ' ');
  return ` ${parted.toLowerCase()} `;
}

function has(name: string, word: string): boolean {
  return words(name).includes(` ${word} `);
}

test.each(Object.entries(ABANDONED))('no name has the word "%s" (write: %s)', (word) => {
  const found = [...names]
    .filter(([name]) => has(name, word))
    .map(([name, files]) => `${name}: ${[...files].join(', ')}`);
  expect(found).toEqual([]);
});

test('no function is named by a participle alone', () => {
  const found = functions.filter((entry) => {
    const name = entry.slice(0, entry.indexOf(':'));
    return PARTICIPLES.has(name) || (/^[a-z]+ed$/.test(name) && !VERBS.test(name));
  });
  expect(found).toEqual([]);
});

test('every exception is needed', () => {
  expect([...stored].sort()).toEqual([...STORED].sort());
});
