/**
 * A case: one text that holds a program, what it needs, and what must come of it. Sections are parted by
 * `-- name --` lines, so that a case reads like the program it is and a rewritten expectation is a small diff.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLong } from '../amount.js';

export const corpusDirectory = dirname(fileURLToPath(import.meta.url));

/** The folders of cases. */
export const CASE_KINDS = [
  'syntax',
  'check',
  'run',
  'format',
  'session',
  'plans',
  'workflows',
  'plan-runs',
  'ide',
] as const;

export type CaseKind = (typeof CASE_KINDS)[number];

export interface Section {
  /** `program`, `file lib/tool.py`, `events`, … */
  readonly name: string;
  /** Its lines, each with its line end; without the blank line before the next section. */
  readonly text: string;
}

export interface Case {
  readonly kind: CaseKind;
  readonly path: string;
  /** The file's name without `.case`. */
  readonly name: string;
  /** Text before the first section: what the case is about. */
  readonly intro: string;
  readonly sections: readonly Section[];
}

const MARK = /^-- (\S.*?) --$/;

/** Reads the sections of a case. A section's last blank line parts it from the next and is not its own. */
export function parseCase(text: string): { intro: string; sections: Section[] } {
  const parts: { name: string; lines: string[] }[] = [{ name: '', lines: [] }];
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const mark = MARK.exec(line);
    if (mark !== null) parts.push({ name: mark[1] as string, lines: [] });
    else parts[parts.length - 1]?.lines.push(line);
  }
  const texts = parts.map(({ name, lines }, index) => {
    if (index < parts.length - 1 && lines[lines.length - 1] === '') lines.pop();
    return { name, text: lines.map((line) => `${line}\n`).join('') };
  });
  return { intro: texts[0]?.text ?? '', sections: texts.slice(1) };
}

/** The text of a case: `parseCase` backwards. */
export function printCase(intro: string, sections: readonly Section[]): string {
  const blocks = sections.map((section) => `-- ${section.name} --\n${section.text}`);
  return [...(intro === '' ? [] : [intro]), ...blocks].join('\n');
}

export function readCase(kind: CaseKind, path: string): Case {
  const { intro, sections } = parseCase(readFileSync(path, 'utf8'));
  return { kind, path, name: basename(path, '.case'), intro, sections };
}

/**
 * All cases of a kind, sorted by name; a folder below a kind groups cases and is part of their names. The long tests alone
 * have those in a folder `long`.
 */
export function casesOf(kind: CaseKind): Case[] {
  const folder = join(corpusDirectory, kind);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.case') && (isLong || !name.startsWith('long/')))
    .sort()
    .map((name) => ({ ...readCase(kind, join(folder, name)), name: name.replace(/\.case$/, '') }));
}

/** The cases of a kind, each after its name: tests are called as their cases are, without quotes around it. */
export function namedCases(kind: CaseKind): [name: string, the: Case][] {
  return casesOf(kind).map((the) => [the.name, the]);
}

export function sectionText(the: Case, name: string): string | undefined {
  return the.sections.find((section) => section.name === name)?.text;
}

const PROGRAMS: ReadonlySet<string> = new Set(['program', 'program.md', 'program.yaml']);

/** The program of a case: its text as the compiler gets it, and the name messages use. */
export function programOf(the: Case): { name: string; text: string; markdown: boolean } {
  const section = the.sections.find((one) => PROGRAMS.has(one.name));
  if (section === undefined) throw new Error(`${the.path}: no \`-- program --\` section`);
  const options = optionsOf(the);
  let text = section.text;
  if (options.finalNewline === false) text = text.replace(/\n$/, '');
  if (options.crlf === true) text = text.replace(/\n/g, '\r\n');
  const name = section.name === 'program' ? 'program.dsl' : section.name;
  return { name, text, markdown: name === 'program.md' };
}

/** What a JavaScript function bound as a command does: gives a value, one value a call, fails, or shows its arguments. */
export type Bound = { value: unknown } | { values: unknown[] } | { throws: string } | { args: true };

/** The `-- options --` section. Absent members are the defaults of the library. */
export interface CaseOptions {
  readonly machine?: string;
  readonly start?: string;
  readonly strict?: boolean;
  /** The run has a worktree, in a repository that holds the case's files. */
  readonly git?: true;
  /** False: there is no repository. */
  readonly worktree?: boolean;
  readonly jobs?: number;
  readonly autoEvents?: boolean;
  readonly limits?: Record<string, number>;
  readonly effectTimeoutMs?: number;
  readonly suspendAfterMs?: number;
  readonly commands?: Readonly<Record<string, Bound>>;
  readonly answers?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Programs that are on the PATH for `command-not-found`, in addition to the usual ones. */
  readonly path?: readonly string[];
  readonly crlf?: boolean;
  readonly finalNewline?: boolean;
}

export function optionsOf(the: Case): CaseOptions {
  const text = sectionText(the, 'options');
  return text === undefined ? {} : (JSON.parse(text) as CaseOptions);
}

/** The extra files of a case by path. */
export function filesOf(the: Case): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { name, text } of the.sections) if (name.startsWith('file ')) files.set(name.slice(5).trim(), text);
  const configuration = sectionText(the, 'config');
  if (configuration !== undefined) files.set('statedsl.config.yaml', configuration);
  for (const [section, name] of [
    ['plan', 'plan.json'],
    ['tools', 'tools.yaml'],
    ['state', 'state.json'],
  ] as const) {
    const text = sectionText(the, section);
    if (text !== undefined) files.set(name, text);
  }
  return files;
}
