/**
 * Reads YAML and JSON files of users. Nesting is limited before parsing, because a deep sequence can crash the process in
 * a way that cannot be caught. Mistakes are reported with their line.
 */
import { readFileSync, statSync } from 'node:fs';
import type { Document, Node, Scalar } from 'yaml';
import { SourceNumber } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import { JSON_NUMBER, losesDigits, yamlHelp } from '../../prelude/yaml-help.js';
import { STREAM, whyNoFile } from '../readable-file.js';
import { reasonOf } from '../store/store-error.js';

export const LARGEST_BYTES = 16 * 1024 * 1024;
const DEEPEST = 200;

/** A mistake in a file and its location. Line and column start at one. */
export interface FileProblem {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  /** A lower-case clause with names in backticks. */
  readonly message: string;
  readonly help?: string;
}

export interface ReadFile {
  readonly value: Json;
  /** The same, in which numbers such as `1.10` keep how they are written. */
  inWrittenForm(): Json;
  readonly problems: readonly FileProblem[];
  /** The path of a value: keys and indexes from the root. */
  locationOf(
    path: readonly (string | number)[],
    key?: boolean,
  ): { readonly line: number; readonly column: number } | null;
}

/** Reads a file. Its value is null if there are problems. */
export async function readYamlFile(path: string, keepsForm = false, shown = path): Promise<ReadFile> {
  try {
    const stat = statSync(path);
    const special = STREAM.test(path) && !stat.isDirectory() ? null : whyNoFile(stat);
    if (special !== null) return problemIn(path, `cannot read \`${shown}\`: ${special}`);
    if (stat.size > LARGEST_BYTES) return problemIn(path, `\`${shown}\` is larger than 16 MiB`);
    return await readYaml(readFileSync(path, 'utf8'), path, keepsForm);
  } catch (cause) {
    return problemIn(path, `cannot read \`${shown}\`: ${reasonOf(cause)}`);
  }
}

/**
 * A scalar whose digits a number does not keep: `0042` is a text. With `keepsForm` numbers such as `1.10` are values that
 * keep how they are written.
 */
function writtenValue({ value, source }: Scalar, keepsForm: boolean): unknown {
  if (typeof value !== 'number' || source === undefined) return value;
  if (losesDigits(source, value, !keepsForm)) return source;
  const isPlain = !keepsForm || !JSON_NUMBER.test(source) || (String(value) === source && Number.isSafeInteger(value));
  return isPlain ? value : new SourceNumber(value, source);
}

/** Reads a text. JSON is YAML, so this reads both. `keepsForm`: numbers are `SourceNumber`s, where needed. */
export async function readYaml(text: string, file: string, keepsForm = false): Promise<ReadFile> {
  const tooDeep = deepLine(text);
  if (tooDeep !== null) return problemIn(file, `the values are nested deeper than ${DEEPEST} levels`, tooDeep);
  // The default export, because a bundler gives a CommonJS package no other.
  const { default: yaml } = await import('yaml');
  const { LineCounter, parseDocument } = yaml;
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' });
    const position = (offset: number) => {
      const { line, col } = lines.linePos(offset);
      return { line, column: col };
    };
    const problems = document.errors.map((error) => ({
      file,
      ...position(error.pos[0]),
      message: lowerFirst(error.message),
      help: yamlHelp(error.code, error.message, lineAt(text, error.pos[0])),
    }));
    if (problems.length > 0) return { value: null, inWrittenForm: () => null, problems, locationOf: () => null };
    const readDocument = (keeps: boolean): Json => {
      yaml.visit(document, {
        Scalar(key, node) {
          if (key !== 'key') node.value = writtenValue(node, keeps);
        },
      });
      return document.toJS({ maxAliasCount: 100 }) as Json;
    };
    return {
      value: readDocument(keepsForm),
      inWrittenForm: () => readDocument(true),
      problems,
      locationOf(path, key = false) {
        const offset = offsetOf(document, path, key);
        return offset === null ? null : position(offset);
      },
    };
  } catch (cause) {
    return problemIn(file, lowerFirst(cause instanceof Error ? cause.message : String(cause)));
  }
}

function problemIn(file: string, message: string, line: number | null = null): ReadFile {
  return {
    ...{ value: null, inWrittenForm: () => null, locationOf: () => null },
    problems: [{ file, line, column: null, message }],
  };
}

function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return text.slice(start, start + 500).split('\n', 1)[0] ?? '';
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

/** The line where brackets or indentation are too deep, or null. Brackets in quotes count too: no file needs so many. */
function deepLine(text: string): number | null {
  let brackets = 0;
  const indents: number[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    for (const character of line) {
      if (character === '[' || character === '{') brackets++;
      else if (character === ']' || character === '}') brackets = Math.max(0, brackets - 1);
      if (brackets > DEEPEST) return at + 1;
    }
    const indent = /^(?:[ ]|- )*/.exec(line)?.[0].length ?? 0;
    const dashes = line.slice(0, indent).split('- ').length - 1;
    while (indents.length > 0 && (indents.at(-1) as number) >= indent - dashes * 2) indents.pop();
    indents.push(indent);
    if (indents.length > DEEPEST || dashes > DEEPEST) return at + 1;
  }
  return null;
}

function offsetOf(document: Document, path: readonly (string | number)[], key: boolean): number | null {
  const last = path.at(-1);
  if (key && last !== undefined) {
    const parent = document.getIn(path.slice(0, -1), true) as { items?: { key?: unknown }[] } | undefined;
    const pair = parent?.items?.find((item) => (item.key as { value?: unknown } | undefined)?.value === last);
    return startOf(pair?.key);
  }
  return startOf(path.length === 0 ? document.contents : document.getIn(path, true));
}

function startOf(node: unknown): number | null {
  return (node as Node | null | undefined)?.range?.[0] ?? null;
}
