/** The files of a diff of git, each with its lines. What cannot be read as such a diff is shown as plain lines. */

import { parse } from 'diff2html/lib/diff-parser.js';
import { type DiffFile, type DiffLine, LineType } from 'diff2html/lib/types.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { escapeControls } from '../../views/drawing/visible-text.js';

/** More lines would make the page slow; the run has the whole diff. */
const MOST_LINES = 2000;

const NAMES: Readonly<Record<LineType, string>> = {
  [LineType.INSERT]: 'added',
  [LineType.DELETE]: 'removed',
  [LineType.CONTEXT]: '',
};

export interface DiffRow {
  /** `added`, `removed`, `head`, or empty. */
  readonly name: string;
  readonly old?: number;
  readonly now?: number;
  readonly text: string;
}

export interface ChangedFile {
  readonly name: string;
  readonly added: number;
  readonly removed: number;
  readonly rows: readonly DiffRow[];
}

export interface DiffFiles {
  /** Null: the text is not a whole diff, and has only `lines`. */
  readonly files: readonly ChangedFile[] | null;
  readonly lines: readonly DiffRow[];
  /** How many lines are left out. */
  readonly rest: number;
}

const BINARY: DiffRow = { name: 'head', text: 'a binary file' };

export function diffFiles(diff: string): DiffFiles {
  // The parser would take a single carriage return for the end of a line, and the text after it for a line of the diff.
  const text = diff.replace(/\r(?!\n)/g, escapeControls('\r'));
  const parsed = parsedFiles(text);
  return parsed === null ? plainLines(text) : changedFiles(parsed);
}

/** Null if the text is not a diff from its beginning: the parser drops what comes before the first file, or throws. */
function parsedFiles(text: string): readonly DiffFile[] | null {
  if (!text.startsWith('diff --git ')) return null;
  try {
    const files = parse(text);
    return files.length === 0 ? null : files;
  } catch {
    return null;
  }
}

function changedFiles(parsed: readonly DiffFile[]): DiffFiles {
  let room = MOST_LINES;
  let rest = 0;
  const files = parsed.map(({ newName, oldName, isDeleted, isBinary, addedLines, deletedLines, blocks }) => {
    const all = blocks.flatMap(({ header, lines }): DiffRow[] => [{ name: 'head', text: header }, ...lines.map(rowOf)]);
    const rows = isBinary === true ? [BINARY] : all.slice(0, Math.max(0, room));
    room -= rows.length;
    rest += all.length - Math.min(all.length, rows.length);
    return { name: isDeleted === true ? oldName : newName, added: addedLines, removed: deletedLines, rows };
  });
  return { files, lines: [], rest };
}

function rowOf({ type, oldNumber, newNumber, content }: DiffLine): DiffRow {
  return { name: NAMES[type], text: content, ...omitUndefined({ old: oldNumber, now: newNumber }) };
}

function plainLines(text: string): DiffFiles {
  const all = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
  const lines = all.slice(0, MOST_LINES).map((line) => ({ name: nameOf(line), text: line }));
  return { files: null, lines, rest: all.length - lines.length };
}

function nameOf(line: string): string {
  if (/^(diff |index |--- |\+\+\+ |new file|deleted file|@@)/.test(line)) return 'head';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '';
}
