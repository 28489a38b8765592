/**
 * Compares what a case gave with what it says. With `UPDATE=1` the case is rewritten instead, so a wanted change
 * of behaviour is read in the diff of the cases.
 */
import { writeFileSync } from 'node:fs';
import { expect as globalExpect } from 'vitest';
import { type Case, printCase, type Section, sectionText } from './case-file.js';

const update = (process.env.UPDATE ?? '') !== '';

/** What came out, by section name; null is a section that must not be there. */
export type Actual = Readonly<Record<string, string | null>>;

/** What a new run case says about the result; its author names more where the case is about more. */
const NEW_RESULT = ['status', 'returned', 'error'];

/** Sections that a case of any kind may leave out: then nothing of the sort may come out. */
const EMPTY_WHEN_ABSENT = new Set(['diagnostics']);

/** Sections that only a case which asks for them has. */
const EXTRA = new Set(['tree', 'explain']);

/** Every member of `wanted` must be in `actual` with an equal value; lists must be equal. */
function subset(wanted: unknown, actual: unknown): unknown {
  if (!isObject(wanted) || !isObject(actual)) return actual;
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, subset(wanted[key], actual[key] ?? null)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON with a line for each member: long enough to read, short enough to compare. */
function printed(value: unknown): string {
  if (!isObject(value)) return `${JSON.stringify(value)}\n`;
  const members = Object.entries(value).map(([key, member]) => `  ${JSON.stringify(key)}: ${JSON.stringify(member)}`);
  return `{\n${members.join(',\n')}\n}\n`;
}

/** The `-- result --` section with the members that the case names. */
function resultText(the: Case, actual: string): string {
  const section = sectionText(the, 'result');
  if (section !== undefined) return printed(subset(JSON.parse(section), JSON.parse(actual)));
  const members = Object.entries(JSON.parse(actual)).filter(
    ([key, value]) => NEW_RESULT.includes(key) && value !== null,
  );
  return printed(Object.fromEntries(members));
}

function wantedText(the: Case, name: string): string | undefined {
  const text = sectionText(the, name);
  if (text === undefined || name !== 'result') return text;
  return printed(JSON.parse(text));
}

/**
 * Compares. `expected` names the sections this kind of case must have at least one of; UPDATE=1 adds all of them
 * that came out when the case has none. A test that runs next to others passes the `expect` of its context.
 */
export function compare(the: Case, actual: Actual, expected: readonly string[], expect = globalExpect): void {
  const present = expected.filter((name) => sectionText(the, name) !== undefined);
  if (update) {
    rewrite(the, actual, present.length > 0 ? present : expected);
    expect(actual).toBeDefined();
    return;
  }
  expect(
    present.length,
    `${the.path} expects nothing: add one of ${expected.join(', ')}, or run with UPDATE=1`,
  ).toBeGreaterThan(0);
  for (const [name, text] of Object.entries(actual)) {
    const wanted = wantedText(the, name) ?? (EMPTY_WHEN_ABSENT.has(name) ? '' : undefined);
    if (wanted === undefined) continue;
    const got = name === 'result' && text !== null ? resultText(the, text) : text;
    expect(got ?? '(nothing)\n', `${the.path}: -- ${name} --`).toBe(wanted);
  }
}

function rewrite(the: Case, actual: Actual, wanted: readonly string[]): void {
  const fresh = new Map<string, string>();
  for (const [name, text] of Object.entries(actual)) {
    if (text === null) continue;
    const asked = sectionText(the, name) !== undefined;
    if (asked || (wanted.includes(name) && !EXTRA.has(name)) || (EMPTY_WHEN_ABSENT.has(name) && text !== ''))
      fresh.set(name, name === 'result' ? resultText(the, text) : text);
  }
  const sections: Section[] = [];
  for (const section of the.sections) {
    const text = fresh.get(section.name);
    if (text === undefined && section.name in actual) continue;
    fresh.delete(section.name);
    sections.push(text === undefined ? section : { name: section.name, text });
  }
  for (const [name, text] of fresh) sections.push({ name, text });
  writeFileSync(the.path, printCase(the.intro, sections));
}
