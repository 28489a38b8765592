/**
 * Keys of steps as they are in braces: `{build/task-1/converge.gate.arch-review.comments}`. What reads like an
 * expression is left to the expression parser; here are the keys that it cannot read, since names of steps and gates
 * may hold a `-` and paths have a `/`.
 */
import type { Span } from '../source/source-file.js';
import type { Expression } from './ast.js';

/** What every step may write. */
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

/** Words after which a key continues with names that the program chose. */
const OPEN_FIELDS: ReadonlySet<string> = new Set(['gate', 'state', 'steps']);
const ROOTS: ReadonlySet<string> = new Set(['gate', 'prev', 'steps', 'item', 'task']);
const fields: ReadonlySet<string> = new Set(STEP_FIELDS);

const key =
  /\{((?:[A-Za-z0-9_][\w -]*\/)*[A-Za-z0-9_][\w-]*)\.([A-Za-z_][\w-]*(?:[./][A-Za-z0-9_][\w-]*)*)(?::([A-Za-z_]\w*))?\}/y;

export interface FoundKey {
  readonly expression: Expression;
  /** Offsets in `text`. */
  readonly filter?: { readonly text: string; readonly start: number };
  readonly end: number;
}

/** Offset after the `}` of the key whose `{` is at `at`, or -1. */
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

/** The key whose `{` is at `at`, or null where there is none that needs a reading of its own. */
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
