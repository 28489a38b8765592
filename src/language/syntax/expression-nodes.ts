/**
 * The nodes of expressions and of text with values. Keys of steps in braces (`{build/task-1/converge.gate.arch-
 * review.comments}`) are read here too: names of steps and gates may contain `-`, and paths contain `/`.
 */
import type { Span } from '../source/diagnostic.js';

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

export interface Name {
  readonly text: string;
  readonly span: Span;
}

/** Expressions and the texts that contain them, unresolved and with spans like the rest of the tree. */
export type Expression =
  /** `text` is the literal as written. */
  | { readonly kind: 'number'; readonly value: number; readonly text: string; readonly span: Span }
  | { readonly kind: 'text'; readonly template: Template; readonly span: Span }
  | { readonly kind: 'constant'; readonly value: true | false | null; readonly span: Span }
  | { readonly kind: 'list'; readonly items: readonly Expression[]; readonly span: Span }
  | { readonly kind: 'object'; readonly entries: readonly ObjectEntry[]; readonly span: Span }
  | { readonly kind: 'name'; readonly name: string; readonly span: Span }
  | { readonly kind: 'field'; readonly of: Expression; readonly name: Name; readonly span: Span }
  | { readonly kind: 'index'; readonly of: Expression; readonly index: Expression; readonly span: Span }
  /** `x.y?`: null if the path ends early; the rest of the path is then null too. */
  | { readonly kind: 'maybe'; readonly of: Expression; readonly span: Span }
  | { readonly kind: 'call'; readonly name: Name; readonly args: readonly Expression[]; readonly span: Span }
  /**
   * `build/task-1/converge.output`: a key of a step with a written path, or with a name that contains `-`. `path` is
   * the part before the first `.`, `field` the rest.
   */
  | { readonly kind: 'step-key'; readonly path: string; readonly field: string; readonly span: Span }
  /** `†kind.a["b"][0]`. */
  | DataReference
  /**
   * `†state.a || †state.b` among the values of a CALL: the first that exists; with `&&` the last one, once all exist.
   */
  | ReferenceGroup
  | { readonly kind: 'negate'; readonly of: Expression; readonly span: Span }
  | { readonly kind: 'not'; readonly of: Expression; readonly span: Span }
  | {
      readonly kind: 'arithmetic';
      readonly operator: '+' | '-' | '*' | '/' | '%';
      readonly left: Expression;
      readonly right: Expression;
      readonly span: Span;
    }
  | {
      readonly kind: 'logical';
      readonly operator: 'and' | 'or';
      readonly left: Expression;
      readonly right: Expression;
      readonly span: Span;
    }
  | {
      readonly kind: 'compare';
      readonly operator: CompareOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly operatorSpan: Span;
      readonly span: Span;
    }
  /** `x is [not] empty`, `x is [not] null`, `x exists`, `x is valid JSON`. */
  | {
      readonly kind: 'test';
      readonly test: 'empty' | 'null' | 'exists' | 'valid-json';
      readonly negated: boolean;
      readonly of: Expression;
      readonly span: Span;
    }
  /** Replaces text that could not be parsed. The mistake is already reported. */
  | { readonly kind: 'broken'; readonly span: Span };

export interface DataReference {
  readonly kind: 'data-reference';
  readonly root: Name;
  /** Segments below the kind. `[1]` and `.1` name one location, so all segments are texts. */
  readonly path: readonly string[];
  /** The syntax error, if there is one. The path then ends where parsing failed. */
  readonly problem?: ReferenceMistake;
  readonly span: Span;
}

export interface ReferenceGroup {
  readonly kind: 'references';
  readonly operator: 'any' | 'all';
  readonly of: readonly (DataReference | ReferenceGroup)[];
  readonly span: Span;
}

export interface ReferenceMistake {
  readonly kind: 'syntax' | 'mixed';
  readonly message: string;
  readonly help: string;
  readonly span: Span;
}

export type CompareOperator =
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'contains'
  | 'not-contains'
  | 'in'
  | 'not-in'
  | 'matches'
  | 'starts-with'
  | 'ends-with';

export interface ObjectEntry {
  readonly key: string;
  readonly value: Expression;
}

/** One `{expr}` or `{expr:filter}`; `list` marks `{expr*}` (shell text only). */
export interface Interpolation {
  readonly expression: Expression;
  readonly filter?: Name;
  readonly list: boolean;
  /** From `{` to `}`. */
  readonly span: Span;
}

/** Text with interpolations; escapes are already resolved. `quote` is the kind of quotes in the source. */
export interface Template {
  readonly parts: readonly (string | Interpolation)[];
  readonly quote: '"' | "'" | 'none';
  /** As written, quotes included. */
  readonly raw: string;
  readonly span: Span;
}
