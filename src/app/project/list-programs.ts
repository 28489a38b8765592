/**
 * Lists everything that can run below a folder: programs, workflows, plans and patterns, each with its first comment
 * and its inputs. Links are not followed, and other files are skipped.
 */
import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseFile } from '../../language/frontends/markdown.js';
import { readPlanDocument } from '../../language/frontends/plan-document.js';
import { type SourceFile, sourceFile } from '../../language/source/diagnostic.js';
import type { InputDeclaration, Parameter, Program } from '../../language/syntax/ast.js';
import { isDeclaration } from '../../language/syntax/child-blocks.js';
import { isRunId } from '../../runtime/store/stored-run.js';
import { decodeText, readBytes } from './read-text.js';

/** An input of a listed program, as declared in its text. */
export interface ListedInput {
  readonly name: string;
  readonly type: string | null;
  readonly required: boolean;
  /** The default as written; null if there is none, and for secrets. */
  readonly default: string | null;
  readonly choices: readonly string[] | null;
  readonly secret: boolean;
}

/** A program or workflow file of the project. */
export interface ListedProgram {
  /** The path relative to the listed folder. */
  readonly path: string;
  readonly name: string | null;
  /** The first comment of the file. */
  readonly comment: string | null;
  readonly inputs: readonly ListedInput[];
  /** Agents get it as a tool of its own: `TOOL: yes`. */
  readonly tool?: true;
  /** The number of errors that are visible without reading other files. */
  readonly errors: number;
}

/** A pattern of the project. */
export interface ListedPattern {
  readonly path: string;
  readonly name: string;
  readonly comment: string | null;
  readonly parameters: readonly { readonly name: string; readonly default: string | null }[];
}

/** A plan of the project. */
export interface ListedPlan {
  readonly path: string;
  /** The number of calls in the document. */
  readonly calls: number;
  /** The names of the inputs that the plan reads, in the order of the text. */
  readonly inputs: readonly string[];
  /** The number of errors in the document; the tools are not checked. */
  readonly errors: number;
}

/** Everything that can run below a folder, as `statedsl list --json` prints it. */
export interface ProgramList {
  readonly programs: readonly ListedProgram[];
  readonly workflows: readonly ListedProgram[];
  readonly plans: readonly ListedPlan[];
  readonly patterns: readonly ListedPattern[];
}

interface FoundPrograms extends ProgramList {
  readonly programs: ListedProgram[];
  readonly workflows: ListedProgram[];
  readonly plans: ListedPlan[];
  readonly patterns: ListedPattern[];
}

const DEEPEST = 8;
const MOST_FILES = 5000;
const LARGEST_BYTES = 1024 * 1024;
const ENDING = /(?<!\.test)(?<=[^/])\.(dsl|statedsl|md|markdown|ya?ml|json)$/i;
/** Keys that calls of plans have and other JSON hardly ever has. */
const CALLS = /"_(?:tool|delegate|output|outputPath)"\s*:/;
const INPUT = /†input\.([\p{L}\p{M}\p{N}_$-]+)/gu;
const SKIPPED = new Set(['node_modules', '.git', '.statedsl', 'dist', 'build', 'target', 'vendor', '__pycache__']);

export function listPrograms(folder: string): ProgramList {
  const found: FoundPrograms = { programs: [], workflows: [], plans: [], patterns: [] };
  for (const path of filesBelow(folder)) describe(folder, path, found);
  return found;
}

/** Sorted by name; the files of a folder come first, then those below it. */
function filesBelow(folder: string): string[] {
  const files: string[] = [];
  const folders: { path: string; depth: number }[] = [{ path: '', depth: 0 }];
  for (let next = folders.shift(); next !== undefined && files.length < MOST_FILES; next = folders.shift()) {
    const { path, depth } = next;
    for (const entry of entriesOf(join(folder, path))) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      // The folder of a run has a copy of its program, wherever the store is.
      if (entry.isDirectory() && depth < DEEPEST && !SKIPPED.has(entry.name) && !isRunId(entry.name))
        folders.push({ path: inner, depth: depth + 1 });
      else if (entry.isFile() && ENDING.test(entry.name)) files.push(inner);
    }
  }
  return files.slice(0, MOST_FILES);
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function describe(folder: string, path: string, found: FoundPrograms): void {
  const bytes = readBytes(join(folder, path), LARGEST_BYTES);
  const text = bytes.kind === 'bytes' ? decodeText(bytes.bytes) : null;
  if (text?.kind !== 'text') return;
  if (/\.json$/i.test(path)) {
    if (CALLS.test(text.text)) found.plans.push(planOf(path, text.text));
    return;
  }
  const isYaml = /\.ya?ml$/i.test(path);
  if (isYaml && !/^steps[ \t]*:/m.test(text.text)) return;
  const file = sourceFile(path, text.text);
  const { program, diagnostics } = parseFile(file, 0);
  const { items } = program;
  const patterns = items.filter((item) => item.kind === 'pattern');
  for (const { name, parameters, span } of patterns)
    found.patterns.push({
      path,
      name: name.text,
      comment: commentAbove(file.text, span.start) ?? (items.length === patterns.length ? firstComment(file) : null),
      parameters: parameters.map((one) => ({ name: one.name.text, default: textOf(file, one) })),
    });
  const runs = items.some((item) => !isDeclaration(item) || item.kind === 'state');
  if (!runs) return;
  const machine = items.find((item) => item.kind === 'machine');
  const listed: ListedProgram = {
    path,
    name: machine?.name.text ?? null,
    comment: descriptionOf(program) ?? firstComment(file),
    inputs: items.flatMap((item) => (item.kind === 'input' ? [inputOf(file, item)] : [])),
    ...(items.some((item) => item.kind === 'tool' && item.value.text === 'yes') ? { tool: true as const } : {}),
    errors: diagnostics.filter(({ severity }) => severity === 'error').length,
  };
  (isYaml ? found.workflows : found.programs).push(listed);
}

function planOf(path: string, text: string): ListedPlan {
  const { plan, diagnostics } = readPlanDocument(text, 0);
  const inputs = new Set([...text.replaceAll('\\u2020', '†').matchAll(INPUT)].map(([, name = '']) => name));
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  return { path, calls: plan?.calls.length ?? 0, inputs: [...inputs], errors };
}

function descriptionOf({ documentation = [] }: Program): string | null {
  return documentation.find(({ key }) => key.text === 'description')?.text.trim() ?? null;
}

function inputOf(file: SourceFile, { name, value, type, choices, secret }: InputDeclaration): ListedInput {
  const written = value === undefined ? null : writtenValue(file, value);
  return {
    name: name.text,
    type: type ?? null,
    required: value === undefined,
    default: secret ? null : written,
    choices: choices ?? null,
    secret,
  };
}

/**
 * In a workflow file the value may be below a key, so a simple value is printed from the tree and not from the text.
 */
function writtenValue(file: SourceFile, value: NonNullable<InputDeclaration['value']>): string {
  if (value.kind === 'number') return value.text;
  if (value.kind === 'constant') return JSON.stringify(value.value);
  if (value.kind === 'text' && value.template.quote === 'none') return JSON.stringify(value.template.raw);
  if (value.kind === 'text') return value.template.raw;
  return file.text.slice(value.span.start, value.span.end);
}

function textOf(file: SourceFile, { value }: Parameter): string | null {
  return value === undefined ? null : file.text.slice(value.span.start, value.span.end);
}

/** The first lines that begin with `#`. For a document, the first paragraph, or the title if there is none. */
function firstComment({ name, text }: SourceFile): string | null {
  const lines = text.split(/\r?\n/, 200);
  if (/\.(md|markdown)$/i.test(name)) return firstParagraph(lines);
  const begin = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#!'));
  return begin < 0 ? null : commentFrom(lines.slice(begin));
}

function commentFrom(lines: readonly string[]): string | null {
  const words: string[] = [];
  for (const line of lines) {
    const said = /^#+[ \t]?(.*)$/.exec(line.trim())?.[1]?.trim();
    // Indented comment text is an example and not a sentence.
    if (said === undefined || said === '' || /^#\s{2,}/.test(line)) break;
    words.push(said);
  }
  return words.length === 0 ? null : words.join(' ');
}

function firstParagraph(lines: readonly string[]): string | null {
  let at = 0;
  if (lines[0]?.trim() === '---') at = lines.indexOf('---', 1) + 1;
  const title = lines.slice(at).find((line) => /^#+\s/.test(line));
  let fence: string | null = null;
  const body = lines.slice(at).findIndex((line) => {
    // A program in the document is no paragraph of it.
    const mark = /^(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    if (mark !== null) fence = fence === null ? mark : line.startsWith(fence) ? null : fence;
    return fence === null && /^[^\s#`~<|>-]/.test(line);
  });
  if (body < 0) return title?.replace(/^#+\s+/, '').trim() ?? null;
  const rest = lines.slice(at + body);
  const end = rest.findIndex((line) => line.trim() === '' || /^(`{3}|~{3}|#)/.test(line));
  return rest
    .slice(0, end < 0 ? rest.length : end)
    .map((line) => line.trim())
    .join(' ');
}

/** The comment lines directly above a declaration. */
function commentAbove(text: string, start: number): string | null {
  const above = text.slice(0, text.lastIndexOf('\n', start - 1) + 1).split(/\r?\n/);
  above.pop();
  let from = above.length;
  while (from > 0 && /^#(?!!)/.test(above[from - 1] as string)) from--;
  return from === above.length ? null : commentFrom(above.slice(from));
}
