/**
 * Braces that are no plain interpolation: an expression, as in `{n + 1}`, and what other languages write. Whether they are
 * meant depends on the names that have values, which only the checker knows.
 */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Expression } from '../expression-nodes.js';
import { inLatin } from '../names.js';
import { balancedEnd } from '../tokens/interpolation-scan.js';
import { parseExpressionText } from './build-expression.js';

export type OddBraces = { readonly written: string /** The first name. */; readonly name: string } & (
  | { readonly kind: 'computed'; readonly expression: Expression }
  /** `instead`: what to write in its place, if that is known; `compute`: what gives it to a DO. */
  | { readonly kind: 'other'; readonly instead: string | null; readonly compute?: string }
  /** `instead`: with the brackets and the brace that are missing. */
  | { readonly kind: 'unclosed'; readonly instead: string }
  /** A call of one of our functions, or an element, with a mistake in it. `names`: what it reads. */
  | { readonly kind: 'broken'; readonly names: readonly string[]; readonly why: string; readonly help?: string }
);

/** A value as template languages and services write it. The language writes `{{n}}` for the text `{n}`. */
const DOUBLED =
  /\$?\{\{(?=[ \t-]|(?:inputs|env|vars|params)\.)-?[ \t]*(?:(?:inputs|env|vars|params|steps)\.)?([A-Za-z_]\w*)([\w.[\]]*)[ \t]*-?\}\}(?!\})/g;

export function doubledBraces(
  raw: string,
): { readonly at: number; readonly written: string; name: string; instead: string }[] {
  if (!raw.includes('{{')) return [];
  return [...raw.matchAll(DOUBLED)].map(([written, name = '', rest = '']) => ({
    ...{ at: raw.indexOf(written), written, name, instead: `{${name}${rest}}` },
  }));
}
const UNCLOSED = /\{([A-Za-z_]\w*)(?:\.\w+|\[\d+\])*(?=$|[\s"'`;,.!?)])(?=[^{}\n]*(?:$|[\n{]))/y;
const ROOT = /^\s*(?:NOT\s+|not\s+|[!-]\s*|\(|\w+\(\s*)*([A-Za-z_]\w*)/;
/** `x.length()`, and as a filter `x | length`. */
const METHOD = /^\s*([A-Za-z_]\w*(?:\.\w+|\[\d+\])*)(?:\.(\w+)\s*\(\s*\)|\s*\|\s*(\w+))\s*$/;
const OTHERWISE = /^\s*([A-Za-z_][\w.[\]]*)\??\s*(?:\|\||\?\?|\bor\b)\s*("[^"]*"|'[^']*'|[\w.]+)\s*$/;
/** `x.get("name", "none")`. */
const GOTTEN = /^\s*([A-Za-z_][\w.[\]]*)\.get\(\s*["'](\w+)["']\s*(?:,\s*("[^"]*"|'[^']*'|[\w.]+)\s*)?\)\s*$/;
const FOREIGN = /^\s*[A-Za-z_][\w.[\]]*\s*(?:\|\||\?\?|&&|\?|\||[-+*/%<>!]|==?|\.\w+\()/;
/** Operators as words or signs of other languages, and the format of a number. */
const WORDS = /^\s*(?:(?:not\s+|!\s*)[A-Za-z_][\w.[\]]*\s*$|[A-Za-z_][\w.[\]]*\s+(?:and|or|if|in|is|not)\s+["'\w(])/;
const FORMAT = /^\s*([A-Za-z_][\w.[\]]*):([<>^=]\d+|[<>^=+]?[\d,]*(?:\.\d+)?[dfsxXeEgGob%]|,)\s*$/;
const HYPHEN = /^\s*([A-Za-z_]\w*(?:\.\w+)*)\.(\w+(?:-\w+)+)\s*$/;
/** `{list.0}` and `{list[1:3]}`. */
const NUMBERED = /^\s*([A-Za-z_]\w*(?:\.\w+|\[\d+\])*?)\.(\d+)((?:\.[A-Za-z_]\w*|\[\d+\])*)\s*$/;
const SLICED = /^\s*([A-Za-z_]\w*(?:\.\w+)*)\[\s*(-?\w*)\s*:\s*(-?\w*)\s*\]\s*$/;
/** `{*list}`, `{...list}` and `{list[@]}`. */
const SPREAD = /^\s*(?:(?:\*|\.{3}|…)\s*([A-Za-z_][\w.]*)|([A-Za-z_][\w.]*)\[[*@]\])\s*$/;
/** A name in the letters of another language, which the program has to write with others. */
const LETTERED = /^\s*([\p{L}_][\p{L}\p{M}\p{N}_]*)((?:\.\w+|\[\d+\])*)\s*$/u;
/** An object, a range, a list of words, or nothing that begins like a value. */
const TEXT = /^\s*(?:["'][^"']*["']\s*:|[\w-]+\s*:(?!\w+\s*$)|$)|\.\.|^[^A-Za-z_]*$/;

/** What the brace at `at` begins; null: it is text, or a plain interpolation. `base` maps an offset to the file. */
export function oddBraces(text: string, at: number, file: number, base: (offset: number) => number): OddBraces | null {
  if (text[at + 1] === '{') return null;
  UNCLOSED.lastIndex = at;
  const [open, named = ''] = UNCLOSED.exec(text) ?? [];
  if (open !== undefined) return { kind: 'unclosed', written: open, name: named, instead: `${open}}` };
  const end = balancedEnd(text, at);
  const written = text.slice(at, end);
  if (end < 0 || !written.endsWith('}')) return unclosedBracket(text, at, file) ?? wrongBracket(text, at);
  const inner = written.slice(1, -1);
  const [, lettered = '', path = ''] = LETTERED.exec(inner) ?? [];
  if (/[^\0-\x7f]/.test(lettered)) {
    const latin = inLatin(lettered);
    return { kind: 'other', written, name: latin, instead: `{${latin}${path}}` };
  }
  const name = ROOT.exec(inner)?.[1] ?? SPREAD.exec(inner)?.[1]?.split('.')[0];
  if (name === undefined) return literalFirst(inner, written, base(at + 1), file);
  const format = FORMAT.exec(inner);
  if (format !== null) {
    const [, of = '', how = ''] = format;
    const compute = /^[\d.]*[dfsxXeEgG]$/.test(how) ? `printf %${how} {${of}}` : `printf … {${of}}`;
    return { kind: 'other', written, name, instead: null, compute };
  }
  const [, spread, indexed] = SPREAD.exec(inner) ?? [];
  const whole = spread ?? indexed;
  if (whole !== undefined) return { kind: 'other', written, name: nameIn(whole), instead: `{join(${whole}, " ")}` };
  if (TEXT.test(inner)) return null;
  const starred = starredValue(inner);
  if (starred !== undefined && isExpression(starred, file)) {
    const isText = /^(?:join|string|json|trim|upper|lower|first|last)\(/.test(starred);
    return {
      kind: 'other',
      written,
      name: nameIn(starred),
      instead: isText ? `{${starred}}` : `{join(${starred}, " ")}`,
    };
  }
  const hyphen = HYPHEN.exec(inner);
  if (hyphen !== null) return { kind: 'other', written, name, instead: `{${hyphen[1]}["${hyphen[2]}"]}` };
  const numbered = NUMBERED.exec(inner);
  if (numbered !== null)
    return { kind: 'other', written, name, instead: `{${numbered[1]}[${numbered[2]}]${numbered[3]}}` };
  const [, of, from = '', to = ''] = SLICED.exec(inner) ?? [];
  if (of !== undefined)
    return { kind: 'other', written, name, instead: `{slice(${of}, ${from || '0'}${to === '' ? '' : `, ${to}`})}` };
  const lead = inner.length - inner.trimStart().length;
  const { expression, diagnostics, complete } = parseExpressionText(inner.trim(), base(at + 1 + lead), file);
  if (complete && diagnostics.length === 0 && !LITERALS.has(expression.kind))
    return { kind: 'computed', written, name, expression };
  const method = METHOD.exec(inner);
  if (method === null && CALLED.test(inner)) {
    const [problem] = diagnostics;
    if (problem === undefined) return brokenCall(inner, written, { why: 'something follows the call' });
    // Its brackets fit together, so the parser met something else than a comma.
    if (problem.message.endsWith('is never closed'))
      return brokenCall(inner, written, { why: 'its arguments are not values with commas between them' });
    const { message: why, help } = problem;
    return brokenCall(inner, written, { why, ...omitUndefined({ help }) });
  }
  if (!FOREIGN.test(inner) && !WORDS.test(inner)) return null;
  if (method !== null)
    return {
      kind: 'other',
      written,
      name,
      instead: methodCall(method[1] as string, (method[2] ?? method[3]) as string),
    };
  const otherwise = OTHERWISE.exec(inner);
  if (otherwise !== null)
    return { kind: 'other', written, name, instead: `{default(${otherwise[1]}, ${otherwise[2]})}` };
  const [, object, field, fallback] = GOTTEN.exec(inner) ?? [];
  if (object !== undefined)
    return {
      kind: 'other',
      written,
      name,
      instead: fallback === undefined ? `{${object}.${field}?}` : `{default(${object}.${field}, ${fallback})}`,
    };
  // In shell text braces take no operators, so this is for a DO.
  const compute = inner
    .trim()
    .replace(/^!\s*/, 'NOT ')
    .replace(/\b(?:and|or|not)\b/g, (word) => word.toUpperCase());
  const read = parseExpressionText(compute, 0, file);
  const isKnown = read.complete && read.diagnostics.length === 0;
  return { kind: 'other', written, name, instead: null, ...(isKnown ? { compute } : {}) };
}

const PUNCTUATED = /\{\s*([=.,:&]?)\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\]){0,20})\s*([=.,:)\]"']?)\s*\}/y;

/** `{name.}`, `{name,}`, `{name=}` and `{.name}` in a text; to a shell, some of them are its own braces. */
export function punctuatedName(text: string, at: number): OddBraces | null {
  PUNCTUATED.lastIndex = at;
  const [written, before = '', path = '', after = ''] = PUNCTUATED.exec(text) ?? [];
  if (written === undefined || before + after === '') return null;
  const name = /^\w+/.exec(path)?.[0] ?? '';
  return { kind: 'other', written, name, instead: `{${path}}` };
}

const STATEMENT =
  /^\{\s*(?:for\s+\w+\s+in\s+([A-Za-z_]\w*)\b|if\s+(?:not\s+)?([A-Za-z_]\w*)\s*(?:[=!<>]|\b(?:is|then)\b|(?=\})))[^{}\n]{0,200}\}/;

/** A loop over a list or a condition in braces, as templates have them. */
export function statementInBraces(
  text: string,
  at: number,
): { readonly written: string; readonly name: string } | null {
  const [written, list, tested] = STATEMENT.exec(text.slice(at, at + 300)) ?? [];
  const name = list ?? tested;
  return written === undefined || name === undefined ? null : { written, name };
}

/** The value of `{list*}`, which only a command has. */
function starredValue(inner: string): string | undefined {
  const written = inner.trim();
  const value = written.slice(0, -1).trim();
  return written.endsWith('*') && value !== '' && !value.includes('*') ? value : undefined;
}

function isExpression(text: string, file: number): boolean {
  const { diagnostics, complete } = parseExpressionText(text, 0, file);
  return complete && diagnostics.length === 0;
}

/** The first name of an expression that is no function. */
const nameIn = (text: string): string => /(?:^|[^\w."])([A-Za-z_]\w*)(?![\w(])/.exec(text)?.[1] ?? '';

const LITERAL_FIRST = /^\s*(?:\(\s*)*["'[\d]/;

/** `{2 * n}`, `{"a" in list}`: an expression that does not begin with a name. */
function literalFirst(inner: string, written: string, start: number, file: number): OddBraces | null {
  if (!LITERAL_FIRST.test(inner) || TEXT.test(inner)) return null;
  const lead = inner.length - inner.trimStart().length;
  const { expression, diagnostics, complete } = parseExpressionText(inner.trim(), start + lead, file);
  if (!complete || diagnostics.length > 0 || LITERALS.has(expression.kind)) return null;
  return { kind: 'computed', written, name: '', expression };
}

/** How far the end of braces is looked for. */
const LONGEST = 200;
const ENDS = /[{}\n]/g;
/** Names of our functions that other words in braces hardly have. */
const OURS =
  '(?:abs|base64_decode|base64_encode|ceil|default|exit_code|first|float|floor|int|join|json|keys|last|len|lines|lower|max|min|parse_json|range|replace|round|sha256|slice|sort|split|string|sum|trim|unique|upper|values|version)';
/** A call of one of our functions or an index, in one word: what a word of prose or code begins so is text. */
const BEGUN = new RegExp(`^(?:${OURS}\\(|[A-Za-z_][\\w.]*\\[)[^\\s{}]*`);
/** With a semicolon or a dollar sign it is of another language. */
const CALLED = new RegExp(`^\\s*${OURS}\\([^;$]*$`);
const INDEXED = /^\s*[A-Za-z_][\w.]*\[[^;$]*$/;

function brokenCall(
  inner: string,
  written: string,
  reported: { readonly why: string; readonly help?: string },
): OddBraces {
  const names = [...inner.replace(/"[^"]*"|'[^']*'/g, '""').matchAll(/(?<![\w."])([A-Za-z_]\w*)(?![\w(])/g)].map(
    ([, name = '']) => name,
  );
  return { kind: 'broken', written, name: names[0] ?? '', names, ...reported };
}

/** `{len(l))}`, `{len(l]}` and `{l[0]]}`. */
function wrongBracket(text: string, at: number): OddBraces | null {
  ENDS.lastIndex = at + 1;
  const stop = ENDS.exec(text.slice(0, at + LONGEST));
  const inner = stop?.[0] === '}' ? text.slice(at + 1, stop.index) : '';
  if (!CALLED.test(inner) && !INDEXED.test(inner)) return null;
  return brokenCall(inner, `{${inner}}`, { why: 'its brackets do not fit together' });
}

/** `{len(l}` and `{n[0}`, and `{len(l` without a brace in the rest of its line. */
function unclosedBracket(text: string, at: number, file: number): OddBraces | null {
  ENDS.lastIndex = at + 1;
  const stop = ENDS.exec(text.slice(0, at + LONGEST));
  const isClosed = stop?.[0] === '}';
  const rest = text.slice(at + 1, stop?.index ?? at + LONGEST);
  const inner = isClosed ? rest : (BEGUN.exec(rest)?.[0].replace(/[.,;:!?"']+$/, '') ?? '');
  const missing = missingBrackets(inner);
  const name = ROOT.exec(inner)?.[1];
  if (missing === null || name === undefined || (isClosed && missing === '')) return null;
  const completed = `${inner.trimEnd()}${missing}`;
  const { expression, diagnostics, complete } = parseExpressionText(completed, 0, file);
  if (!complete || diagnostics.length > 0 || LITERALS.has(expression.kind)) return null;
  return { kind: 'unclosed', written: `{${inner}${isClosed ? '}' : ''}`, name, instead: `{${completed}}` };
}

/** The brackets that close those that are open at the end; null: others were closed, or a quote is open. */
function missingBrackets(text: string): string | null {
  let missing = '';
  for (const [sign] of text.matchAll(/"[^"]*"|'[^']*'|["'()[\]]/g)) {
    if (sign === '(') missing = `)${missing}`;
    else if (sign === '[') missing = `]${missing}`;
    else if (sign === ')' || sign === ']') {
      if (missing[0] !== sign) return null;
      missing = missing.slice(1);
    } else if (sign.length === 1) return null;
  }
  return missing;
}

const LITERALS: ReadonlySet<Expression['kind']> = new Set(['text', 'number', 'constant', 'list', 'object', 'broken']);

const METHODS: Readonly<Record<string, string>> = {
  toUpperCase: 'upper',
  toLowerCase: 'lower',
  strip: 'trim',
  size: 'len',
  length: 'len',
  count: 'len',
  toString: 'string',
};
const FUNCTIONS =
  /^(?:upper|lower|trim|len|string|int|float|first|last|sort|unique|sum|min|max|keys|values|lines|json)$/;

function methodCall(of: string, method: string): string | null {
  const name = METHODS[method] ?? method;
  return FUNCTIONS.test(name) ? `{${name}(${of})}` : null;
}
