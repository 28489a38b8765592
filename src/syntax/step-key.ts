/**
 * Keys of steps in braces: `{build/task-1/converge.gate.arch-review.comments}`. The expression parser reads keys in the
 * form of an expression. This file reads the others: names of steps and gates may contain `-`, and paths contain `/`.
 */
import type { Span } from '../source/source-file.js';
import type { Expression } from './expression.js';

/** The fields that a step can have. */
export const STEP_FIELDS = [
  'output',
  'diff',
  'files',
  'agent',
  'session_id',
  'status',
  'attempt',
  'retries',
  'duration',
  'cost',
  'turns',
  'tokens_in',
  'tokens_out',
  'cache_read',
  'cache_write',
  'denied',
  'check_result',
  'comments',
] as const;

/** Words in a key that names chosen by the program can follow. */
const OPEN_FIELDS: ReadonlySet<string> = new Set(['gate', 'state', 'steps']);
const ROOTS: ReadonlySet<string> = new Set(['gate', 'prev', 'steps', 'item', 'task']);
const fields: ReadonlySet<string> = new Set(STEP_FIELDS);

const key =
  /\{((?:[A-Za-z0-9_][\w -]*\/)*[A-Za-z0-9_][\w-]*)\.([A-Za-z_][\w-]*(?:[./][A-Za-z0-9_][\w-]*)*)(?::([A-Za-z_]\w*))?\}/y;

export interface FoundKey {
  readonly expression: Expression;
  /** Offsets in the text. */
  readonly filter?: { readonly text: string; readonly start: number };
  readonly end: number;
}

/** The offset after the `}` of the key that begins with the `{` at `at`, or -1. */
export function stepKeyEnd(text: string, at: number): number {
  return matchKey(text, at)?.end ?? -1;
}

interface KeyText {
  readonly path: string;
  readonly field: string;
  readonly filter: string | undefined;
  readonly end: number;
}

function matchKey(text: string, at: number): KeyText | null {
  key.lastIndex = at;
  const match = key.exec(text);
  if (match === null) return null;
  const [whole, path = '', field = '', filter] = match;
  if (!/[-/]/.test(path) && !/[-/]/.test(field) && !/^\d/.test(path)) return null;
  const [first = ''] = field.split(/[./]/, 1);
  if (!ROOTS.has(path) && !fields.has(first) && !OPEN_FIELDS.has(first)) return null;
  return { path, field, filter, end: at + whole.length };
}

/** The key that begins with the `{` at `at`; null if there is none, or if the expression parser can read it. */
export function scanStepKey(text: string, at: number, spanOf: (start: number, end: number) => Span): FoundKey | null {
  const match = matchKey(text, at);
  if (match === null) return null;
  const { path, field, filter, end } = match;
  const inner = at + 1;
  const expression: Expression = {
    kind: 'step-key',
    path,
    field,
    span: spanOf(inner, inner + path.length + 1 + field.length),
  };
  if (filter === undefined) return { expression, end };
  return { expression, filter: { text: filter, start: end - 1 - filter.length }, end };
}
