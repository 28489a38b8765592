/**
 * The tree of a test file, and what reads one of its lines from left to right. Values and conditions go to the parser
 * of expressions.
 */
import { testMessages as say } from '../../source/catalogue/tests.js';
import type { Diagnostic, Span } from '../../source/diagnostic.js';
import type { Expression, Name } from '../expression-nodes.js';
import { parseExpressionText } from '../tree/build-expression.js';
import { endOfQuote, type LogicalLine, outsideQuotes } from './logical-lines.js';

/** The characters that end a value before the end of its line. */
const ENDS = /^(?:,|→|->|\s(?:cost|tokens|after|at|times)\s)/;
/** The same, of the output of a command, which its errors may follow. */
const ENDS_OF_OUTPUT = /^(?:,|→|->|\s(?:cost|tokens|after|at|times|stderr)\s)/;

/** Ends the reading of a line after its mistake was reported. */
export class LineProblem extends Error {}

export class LineCursor {
  private at = 0;
  /** Where reading ends. */
  private limit: number;

  constructor(
    private readonly line: LogicalLine,
    private readonly file: number,
    private readonly diagnostics: Diagnostic[],
    private readonly texts: Map<Expression, ExpressionText>,
  ) {
    this.limit = line.text.length;
  }

  get rest(): string {
    return this.line.text.slice(this.at, this.limit);
  }

  get isAtEnd(): boolean {
    return this.rest.trim() === '';
  }

  /** The whole line. */
  get span(): Span {
    return this.spanFrom(0, this.line.text.length);
  }

  /** Takes what `pattern` matches here, after spaces; null: nothing. `pattern` must begin with `^`. */
  take(pattern: RegExp): RegExpExecArray | null {
    this.skipBlanks();
    const match = pattern.exec(this.rest);
    if (match !== null) this.at += match[0].length;
    return match;
  }

  /** Takes a word that is followed by no letter. */
  takeWord(word: string): boolean {
    this.skipBlanks();
    const found = this.rest.startsWith(word) && !/^[\w]/.test(this.rest.slice(word.length));
    if (found) this.at += word.length;
    return found;
  }

  /** The name of a variable, a state, an event or an agent. */
  name(what: string): Name {
    const match = this.take(/^[\p{L}_][\p{L}\p{N}_-]*/u);
    if (match === null) return this.fail(`${what} is missing here`);
    return { text: match[0], span: this.spanFrom(this.at - match[0].length, this.at) };
  }

  /** May be an adapter with a model, such as `codex-gpt-5.1` or `opencode-anthropic/claude-opus`. */
  agentName(): Name {
    const match = this.take(/^[\p{L}\p{N}_:./-]+/u);
    if (match === null) return this.fail('the name of an agent is missing here');
    return { text: match[0], span: this.spanFrom(this.at - match[0].length, this.at) };
  }

  toolName(): string {
    return this.take(/^(?:(?!->)[^\s(){}[\],=+#"'→:†])+/)?.[0] ?? this.fail('the name of a tool is missing here');
  }

  /** A name, or the path of an approval. */
  nameOrApproval(what: string): Name {
    const match = this.take(/^approvals(?:\.[\p{L}\p{N}_-]+)+/u);
    if (match === null) return this.name(what);
    return { text: match[0], span: this.spanFrom(this.at - match[0].length, this.at) };
  }

  /** The characters between quotes, as they are written but for `\"` and `\\`. */
  takeQuoted(what: string): { readonly text: string; readonly span: Span } {
    this.skipBlanks();
    const begin = this.at;
    const quote = this.line.text[begin];
    if (quote !== '"' && quote !== "'") return this.fail(`${what} in quotes is missing here`);
    const end = endOfQuote(this.line.text, begin);
    if (end >= this.line.text.length) return this.fail('this quote is not closed');
    this.at = end + 1;
    const inside = this.line.text.slice(begin + 1, end);
    return { text: inside.replace(/\\(["'\\])/g, '$1'), span: this.spanFrom(begin, this.at) };
  }

  number(what: string): number {
    const match = this.take(/^\d+(?:\.\d+)?(?![\w.])/);
    return match === null ? this.fail(`${what} is missing here`) : Number(match[0]);
  }

  wholeNumber(what: string): number {
    const number = this.number(what);
    if (!Number.isInteger(number)) this.failBefore('the number is not whole', 'write one such as `2`');
    return number;
  }

  duration(): Name {
    const match = this.take(/^\d+(?:\.\d+)?[a-z]+(?!\w)/);
    if (match === null) return this.fail('a duration such as `30s` is missing here');
    return { text: match[0], span: this.spanFrom(this.at - match[0].length, this.at) };
  }

  arrow(): void {
    if (this.take(/^(?:→|->)/) === null) this.fail('`→` is missing here');
  }

  /** A value up to a comma, an arrow or a word that follows a value. */
  value(what: string): Expression {
    this.skipBlanks();
    return this.expression(this.at + extentOf(this.rest), what);
  }

  /** The value of a field of an event, which ends at a space outside of quotes and brackets. */
  fieldValue(): Expression {
    this.skipBlanks();
    return this.expression(this.at + extentOf(this.rest, /^[\s,]/), 'a value');
  }

  /** An expression up to what `ends` matches outside of quotes and brackets. `ends` must begin with `^`. */
  expressionUntil(ends: RegExp, what: string): Expression {
    this.skipBlanks();
    return this.expression(this.at + extentOf(this.rest, ends), what);
  }

  /** Reads what is in parentheses, if the rest of the line is. */
  inParentheses<T>(read: () => T): T {
    this.skipBlanks();
    if (!/^\(.*\)\s*$/s.test(this.rest)) return read();
    this.at++;
    const before = this.limit;
    this.limit = this.at + this.rest.lastIndexOf(')');
    const result = read();
    if (!this.isAtEnd) this.end();
    this.at = this.limit + 1;
    this.limit = before;
    return result;
  }

  /** The text of an expression that was read. */
  textOf(expression: Expression): string {
    return this.texts.get(expression)?.text ?? '';
  }

  /** A text in quotes, if one is here. */
  optionalText(): Expression | null {
    this.skipBlanks();
    return /^["']/.test(this.rest) ? this.value('a text') : null;
  }

  /** The output of a command as a text in quotes, if it is here. */
  optionalOutput(): Expression | null {
    this.skipBlanks();
    return /^["']/.test(this.rest) ? this.expressionUntil(ENDS_OF_OUTPUT, 'a text') : null;
  }

  /** All of the rest as one expression. */
  restAsExpression(what: string): Expression {
    this.skipBlanks();
    return this.expression(this.limit, what);
  }

  /** Reports what is left of the line. */
  end(): void {
    if (!this.isAtEnd) this.fail(`\`${this.rest.trim()}\` does not belong here`);
  }

  /** Reports a mistake here and ends the line. Without `help`, the next step is the form of such a line. */
  fail(what: string, help = formOf(this.line.text)): never {
    const begin = this.isAtEnd ? Math.max(0, this.line.text.length - 1) : this.at;
    const span = this.spanFrom(begin, this.line.text.length);
    this.diagnostics.push(say.line(span, help === undefined ? { what } : { what, help }));
    throw new LineProblem(what);
  }

  /** Reports a mistake in what was read, and ends the line. */
  failBefore(what: string, help: string): never {
    this.diagnostics.push(say.line(this.spanFrom(0, this.at), { what, help }));
    throw new LineProblem(what);
  }

  spanFrom(begin: number, end: number): Span {
    return { file: this.file, start: this.line.start + begin, end: this.line.start + end };
  }

  private expression(end: number, what: string): Expression {
    const begin = this.at;
    const text = this.line.text.slice(begin, end).trimEnd();
    if (text === '') return this.fail(`${what} is missing here`);
    const parsed = parseExpressionText(text, this.line.start + begin, this.file);
    const isBroken = parsed.diagnostics.some(({ severity }) => severity === 'error');
    this.diagnostics.push(...parsed.diagnostics);
    if (isBroken) throw new LineProblem(what);
    if (!parsed.complete && isOpenQuote(text)) return this.fail('this quote is not closed');
    if (!parsed.complete) return this.fail(`\`${text}\` is not a value`, 'write a text in quotes: `"…"`');
    this.at = end;
    this.texts.set(parsed.expression, { text, start: this.line.start + begin });
    return parsed.expression;
  }

  private skipBlanks(): void {
    while (/^\s/.test(this.rest)) this.at++;
  }
}

/** How far a value reaches: quotes and brackets belong to it. */
function extentOf(text: string, ends: RegExp = ENDS): number {
  let depth = 0;
  for (const { character, at } of outsideQuotes(text)) {
    if ('[({'.includes(character)) depth++;
    else if ('])}'.includes(character)) depth--;
    else if (depth <= 0 && ends.test(text.slice(at, at + 10))) return at;
  }
  return text.length;
}

/** An example of each line, by its first words. The first that fits is shown. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/^GIVEN\b/, 'GIVEN: name="text", count=2'],
  [/^START\b/, 'START: STATE'],
  [/^EACH\b/, 'EACH: row in [1, 2]'],
  [/^MOCK\b.*(?:→|->)\s*fails/, 'MOCK: "make *" → fails tool_failure "no space left"'],
  [/^MOCK\b.*(?:→|->)\s*exit/, 'MOCK: "make *" → exit 1 "2 failed"'],
  [/^MOCK\b.*\b(?:cost|tokens|after)\b/, 'MOCK: Task(writer) → "done" cost 0.10 tokens 500 after 30s'],
  [/^MOCK\b/, 'MOCK: "make *" → "done"'],
  [/^ANSWER\b/, 'ANSWER: question → "yes"'],
  [/^SIGNAL\b/, 'SIGNAL: ready "payload" at 2h'],
  [/^CASSETTE\b/, 'CASSETTE: "./file.yaml"'],
  [/^AT:/, 'AT: 2h'],
  [/^EXPECT\b.*\bcalls\b/, 'EXPECT: calls "make *" == 1'],
  [/^EXPECT\b.*\bprompt\b/, 'EXPECT: prompt Task(writer) contains "text"'],
  [/^EXPECT\b.*\bevent\b/, 'EXPECT: event DONE field="text"'],
  [/^EXPECT\b.*\bstates\b/, 'EXPECT: states FIRST, …, LAST'],
  [/^EXPECT\b.*\bfailed\b/, 'EXPECT: failed timeout'],
  [/^EXPECT\b/, 'EXPECT: returned "text"'],
  [/^AT MOST\b/, 'AT MOST: 2 run "make *"'],
  [/^AFTER\b/, 'AFTER: event STARTED → event ENDED'],
  [/^NEVER\b/, 'NEVER: run "make *" UNLESS event READY'],
  [/^ENDS\b/, 'ENDS: always'],
  [/^PROPERTY\b/, 'PROPERTY: it ends'],
  [/^TESTS\b/, 'TESTS: "./program.dsl"'],
  [/^TEST\b/, 'TEST: all goes well'],
];

function formOf(line: string): string | undefined {
  const form = FORMS.find(([sign]) => sign.test(line))?.[1];
  return form === undefined ? undefined : `write it as in \`${form}\``;
}

const isOpenQuote = (text: string): boolean => /^["']/.test(text) && endOfQuote(text, 0) >= text.length;

/** The tree of a test file: what it tests, its mocks, and its tests with their lines. */
export interface TestFile {
  /** The program that is tested. */
  readonly program: { readonly path: string; readonly span: Span; readonly machine: Name | null } | null;
  readonly mocks: readonly MockLine[];
  readonly tests: readonly TestCase[];
  readonly properties: readonly PropertyCase[];
  readonly texts: ReadonlyMap<Expression, ExpressionText>;
}

/** The text of an expression without comments and line ends, and its offset in the file. */
export interface ExpressionText {
  readonly text: string;
  readonly start: number;
}

export interface TestCase {
  readonly name: string;
  readonly span: Span;
  readonly lines: readonly TestLine[];
}

/** What holds for all runs of the program. */
export interface PropertyCase {
  readonly name: string;
  readonly span: Span;
  readonly rules: readonly Rule[];
  /** What is assumed of the inputs. */
  readonly assumptions: readonly Condition[];
  /** The conditions of its lines. */
  readonly texts: ReadonlyMap<Expression, ExpressionText>;
  /** Whether a line of it could not be read, which was reported. */
  readonly isBroken: boolean;
}

export interface Condition {
  readonly expression: Expression;
  /** As written. */
  readonly text: string;
}

/** A line of a property that runs may violate. `text` is the line as written. */
export type Rule = { readonly text: string; readonly span: Span } & (
  | { readonly kind: 'never'; readonly moment: MomentTree; readonly unless: MomentTree | null }
  | { readonly kind: 'after'; readonly moment: MomentTree; readonly following: MomentTree }
  | { readonly kind: 'at-most'; readonly count: number; readonly moment: MomentTree }
  | { readonly kind: 'reaches'; readonly moment: MomentTree }
  /** Null: every run ends, in any way. */
  | { readonly kind: 'ends'; readonly statuses: readonly Name[] | null }
);

/** A moment of a run. */
export type MomentTree = { readonly when: Condition | null } & (
  | { readonly kind: 'state'; readonly name: Name }
  | { readonly kind: 'event'; readonly name: Name; readonly fields: readonly NamedValue[] }
  | { readonly kind: 'run'; readonly selector: Selector }
  | { readonly kind: 'answered'; readonly name: Name; readonly value: Expression }
  | { readonly kind: 'failed'; readonly state: Name | null; readonly error: Name | null }
  | { readonly kind: 'returned'; readonly value: Expression | null }
);

export type TestLine =
  | { readonly kind: 'given'; readonly values: readonly NamedValue[]; readonly span: Span }
  | { readonly kind: 'start'; readonly state: Name; readonly values: readonly NamedValue[]; readonly span: Span }
  | { readonly kind: 'each'; readonly name: Name; readonly list: Expression; readonly span: Span }
  | { readonly kind: 'answer'; readonly name: Name; readonly texts: readonly Expression[]; readonly span: Span }
  | {
      readonly kind: 'signal';
      readonly name: Name;
      readonly payload: Expression | null;
      readonly at: Name | null;
      readonly span: Span;
    }
  | { readonly kind: 'at'; readonly duration: Name; readonly span: Span }
  | {
      readonly kind: 'expect';
      readonly expectation: Expectation /** Holds with every fault, too. */;
      readonly isAlways: boolean;
      readonly text: string;
      readonly span: Span;
    }
  | { readonly kind: 'skip'; readonly reason: string; readonly span: Span }
  | CassetteLine
  | MockLine;

/** The world is a recorded one. */
export interface CassetteLine {
  readonly kind: 'cassette';
  /** Relative to the test file. */
  readonly path: string;
  readonly match: 'path' | 'fingerprint';
  readonly drift: 'fail' | 'warn';
  readonly span: Span;
}

export interface NamedValue {
  readonly name: Name;
  readonly value: Expression;
}

/** Which requests a mock or an expectation is about. `*` in a text stands for any text. */
export type Selector =
  | { readonly kind: 'agent' | 'tool'; readonly name: string; readonly span: Span }
  /** Bare: without quotes, which is wrong whatever it means. */
  | { readonly kind: 'text'; readonly pattern: string; readonly isBare?: true; readonly span: Span };

export interface MockLine {
  readonly kind: 'mock';
  readonly state: Name | null;
  readonly selector: Selector;
  readonly line: number | null;
  readonly answers: readonly TestAnswer[];
  /** The last answer is given again and again. */
  readonly repeats: boolean;
  /** As written. */
  readonly text: string;
  readonly span: Span;
}

export type AnswerForm =
  | { readonly kind: 'value'; readonly value: Expression }
  | {
      readonly kind: 'exit';
      readonly code: number;
      readonly stdout: Expression | null;
      readonly stderr: Expression | null;
    }
  | { readonly kind: 'fails'; readonly error: Name; readonly message: Expression | null }
  | { readonly kind: 'times-out' | 'hangs' | 'for-real' };

export interface TestAnswer {
  readonly form: AnswerForm;
  /** US dollars. */
  readonly cost?: number;
  readonly tokens?: number;
  readonly after?: Name;
  readonly span: Span;
}

export type CountOperator = '==' | '!=' | '<' | '<=' | '>' | '>=';

export type Expectation =
  | { readonly kind: 'returned'; readonly value: Expression | null }
  | { readonly kind: 'failed'; readonly error: Name | null }
  | { readonly kind: 'suspended'; readonly name: Name | null }
  /** Null stands for any states. */
  | { readonly kind: 'states'; readonly states: readonly (Name | null)[] }
  /** The run enters this state, or never does. */
  | { readonly kind: 'state'; readonly isAbsent: boolean; readonly name: Name }
  | {
      readonly kind: 'event';
      readonly isAbsent: boolean;
      readonly name: Name;
      readonly fields: readonly NamedValue[];
      readonly times: number | null;
    }
  | { readonly kind: 'calls'; readonly selector: Selector; readonly operator: CountOperator; readonly count: number }
  | { readonly kind: 'prompt'; readonly selector: Selector; readonly part: Expression }
  /** No instruction that it means can run twice. */
  | { readonly kind: 'once'; readonly selector: Selector }
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'condition'; readonly expression: Expression };
