/**
 * Parses references to data that need not exist yet: `†state.user.name`, alternatives with `||` and lists with `&&`.
 * The syntax is small, occurs inside texts of other formats, and is also parsed while a plan runs, so a single pass
 * over the text replaces tokens and grammar.
 */

/** The kind and the segments below it. `[1]` and `.1` name one location, so all segments are texts. */
export type DataPath = readonly [kind: string, ...segments: string[]];

/** Offsets refer to the parsed text. */
export type ReferenceExpr =
  | { readonly kind: 'reference'; readonly path: DataPath; readonly start: number; readonly end: number }
  | {
      readonly kind: 'any' | 'all';
      readonly of: readonly ReferenceExpr[];
      readonly start: number;
      readonly end: number;
    };

export interface ReferenceProblem {
  readonly kind: 'syntax' | 'mixed';
  /** A clause in lower case. */
  readonly message: string;
  readonly help: string;
  readonly start: number;
  readonly end: number;
}

type ParsedReference =
  | { readonly ok: true; readonly expr: ReferenceExpr }
  | { readonly ok: false; readonly problem: ReferenceProblem };

/** The kind of a string in a plan. The escape `††x` is the text `†x`. */
type StringRole = 'text' | 'expression' | 'escaped' | 'embedded';

const SIGN = '†';
const MAX_DEPTH = 50;
const MAX_TERMS = 256;
/** Names that lead to the prototype of a JavaScript object. Paths must not contain them. */
export const NEVER_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const BLANK = /[ \t\r\n]*/y;
const NAME = /[\p{L}\p{M}\p{N}_$-]+/uy;
const DIGITS = /\d+/y;
const JSON_STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;

export function stringRole(text: string): StringRole {
  if (!text.includes(SIGN)) return 'text';
  if (text.startsWith(SIGN + SIGN)) return 'escaped';
  return /^[ \t\r\n(]*†/.test(text) ? 'expression' : 'embedded';
}

/** Parses a whole text as one expression. */
export function readReference(text: string): ParsedReference {
  try {
    return { ok: true, expr: new PathReader(text).read() };
  } catch (thrown) {
    if (thrown instanceof ReferenceStop) return { ok: false, problem: thrown.problem };
    throw thrown;
  }
}

/** The written form of the path, `state.user["first name"][0]`, without the `†`. */
export function printPath(path: DataPath): string {
  const [kind, ...segments] = path;
  return kind + segments.map(printSegment).join('');
}

function printSegment(segment: string): string {
  if (/^(0|[1-9]\d*)$/.test(segment)) return `[${segment}]`;
  NAME.lastIndex = 0;
  return NAME.exec(segment)?.[0] === segment ? `.${segment}` : `[${JSON.stringify(segment)}]`;
}

/** Thrown to stop the parser. It never leaves this file. */
class ReferenceStop {
  constructor(readonly problem: ReferenceProblem) {}
}

/** What to write for what follows a reference. */
function followHelp(before: string, after: string): string {
  const [, operator, other = ''] = /^\s*(\|\|?|,|&|or\b|and\b)\s*(†[^\s|&,]*)$/i.exec(after) ?? [];
  if (operator !== undefined) return `write \`${before} ${/^(?:&|and)/i.test(operator) ? '&&' : '||'} ${other}\``;
  if (/^\s*(?:[-+*/%<>=!?([]|\w)/.test(after))
    return 'pass the reference alone: a plan computes nothing, so let the tool do it; a text that begins with a dagger is written `††`';
  return 'join references with `||` or `&&`; a text that begins with a dagger is written `††`';
}

type PathOperator = 'any' | 'all';

class PathReader {
  private at = 0;
  private depth = 0;
  private terms = 0;

  constructor(private readonly text: string) {}

  read(): ReferenceExpr {
    const expr = this.expression();
    if (this.at < this.text.length) {
      const message = `nothing can follow the reference, but here is ${this.nextCharacter()}`;
      this.stop(message, followHelp(this.text.slice(0, this.at).trimEnd(), this.text.slice(this.at)));
    }
    return expr;
  }

  private expression(): ReferenceExpr {
    this.blank();
    const start = this.at;
    const of = [this.term()];
    let operator: PathOperator | null = null;
    for (;;) {
      this.blank();
      const from = this.at;
      const next = this.operator();
      if (next === null) break;
      operator ??= next;
      if (next !== operator) {
        const message = '`||` and `&&` are mixed without parentheses';
        const help = 'put parentheses around one of them, as in `(†state.a && †state.b) || †state.c`';
        throw new ReferenceStop({ kind: 'mixed', message, help, start: from, end: this.at });
      }
      of.push(this.term());
    }
    const [only] = of;
    if (operator === null && only !== undefined) return only;
    return { kind: operator ?? 'all', of, start, end: of.at(-1)?.end ?? this.at };
  }

  private operator(): PathOperator | null {
    for (const [sign, operator] of SIGNS) {
      if (!this.text.startsWith(sign, this.at)) continue;
      this.at += sign.length;
      return operator;
    }
    return null;
  }

  private term(): ReferenceExpr {
    this.blank();
    if (++this.terms > MAX_TERMS)
      this.stop(`one expression contains more than ${MAX_TERMS} references`, 'split the call');
    if (this.text[this.at] !== '(') return this.reference();
    if (++this.depth > MAX_DEPTH) this.stop(`parentheses are nested deeper than ${MAX_DEPTH}`, 'remove some of them');
    this.at++;
    const inner = this.expression();
    if (this.text[this.at] !== ')')
      this.stop(`expected \`)\`, but here is ${this.nextCharacter()}`, 'close the parenthesis');
    this.at++;
    this.depth--;
    return inner;
  }

  private reference(): ReferenceExpr {
    const start = this.at;
    if (this.text[this.at] !== SIGN)
      this.stop(
        `expected a reference, which begins with \`†\`, but here is ${this.nextCharacter()}`,
        'write it as `†state.name`',
      );
    this.at++;
    const kind = this.take(NAME);
    if (kind === null)
      this.stop(`expected a kind after \`†\`, but here is ${this.nextCharacter()}`, 'write `†state.name`');
    this.requireAllowed(kind, start + 1);
    const segments: string[] = [];
    for (let segment = this.segment(); segment !== null; segment = this.segment()) segments.push(segment);
    return { kind: 'reference', path: [kind, ...segments], start, end: this.at };
  }

  private segment(): string | null {
    const from = this.at;
    if (this.text[from] === '.') {
      this.at++;
      const name = this.take(NAME);
      if (name === null)
        this.stop(
          `expected a name after the dot, but here is ${this.nextCharacter()}`,
          'write a name with other characters as `["first name"]`',
        );
      return this.requireAllowed(name, from + 1);
    }
    if (this.text[from] !== '[') return null;
    this.at++;
    const digits = this.take(DIGITS);
    const quoted = digits === null ? this.take(JSON_STRING) : null;
    if (digits === null && quoted === null)
      this.stop(
        `expected a number or a text in double quotes after \`[\`, but here is ${this.nextCharacter()}`,
        'write `[0]` or `["name"]`',
      );
    if (this.text[this.at] !== ']')
      this.stop(`expected \`]\`, but here is ${this.nextCharacter()}`, 'close the bracket');
    this.at++;
    if (digits !== null) return digits.replace(/^0+(?=\d)/, '');
    return this.requireAllowed(JSON.parse(quoted ?? '""') as string, from + 1);
  }

  private requireAllowed(name: string, from: number): string {
    if (!NEVER_NAMES.has(name)) return name;
    const message = `\`${name}\` cannot be part of a path`;
    throw new ReferenceStop({
      kind: 'syntax',
      message,
      help: 'give the field another name',
      start: from,
      end: this.at,
    });
  }

  private blank(): void {
    this.take(BLANK);
  }

  private take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.at += found.length;
    return found;
  }

  private nextCharacter(): string {
    const character = this.text.codePointAt(this.at);
    return character === undefined ? 'the end of the text' : `\`${String.fromCodePoint(character)}\``;
  }

  private stop(message: string, help: string): never {
    const end = Math.min(this.at + 1, Math.max(this.text.length, 1));
    throw new ReferenceStop({ kind: 'syntax', message, help, start: Math.min(this.at, end - 1), end });
  }
}

const SIGNS: readonly (readonly [string, PathOperator])[] = [
  ['||', 'any'],
  ['<|>', 'any'],
  ['&&', 'all'],
  ['*>', 'all'],
];
