/**
 * From the text of a test file to its tree. Each line is read on its own, so a mistake costs only its line. Parsing never
 * fails: whatever is wrong is in the diagnostics.
 */
import { nearest } from '../../../prelude/nearest.js';
import { tabIndentation } from '../../source/catalogue/syntax.js';
import { testMessages as say } from '../../source/catalogue/tests.js';
import type { Diagnostic, SourceFile, Span } from '../../source/diagnostic.js';
import { answersInWords } from '../../source/foreign/mock-lines.js';
import { testLineMeant } from '../../source/foreign/test-lines.js';
import type { Expression, Name } from '../expression-nodes.js';
import { fieldOf, namedValues, readExpectation, readMock, readSelector } from './expectation.js';
import { type LogicalLine, logicalLines } from './logical-lines.js';
import type {
  Condition,
  ExpressionText,
  MockLine,
  MomentTree,
  NamedValue,
  PropertyCase,
  Rule,
  TestCase,
  TestFile,
  TestLine,
} from './test-tree.js';
import { LineCursor, LineProblem } from './test-tree.js';

const FILE_VERBS = ['TESTS', 'MOCK', 'PROPERTY', 'TEST'] as const;
const TEST_VERBS = ['GIVEN', 'START', 'EACH', 'MOCK', 'ANSWER', 'SIGNAL', 'CASSETTE', 'AT', 'EXPECT', 'SKIP'] as const;
type TestVerb = (typeof TEST_VERBS)[number];

interface ParsedTests {
  readonly tree: TestFile;
  readonly diagnostics: readonly Diagnostic[];
}

/** A property to which lines can be added. */
interface OpenProperty extends PropertyCase {
  readonly rules: Rule[];
  readonly assumptions: Condition[];
  readonly texts: Map<Expression, ExpressionText>;
  isBroken: boolean;
}

/** Parses a test file. Never throws. */
export function parseTests(source: SourceFile, file: number): ParsedTests {
  const reader = new TestReader(file);
  const lines = logicalLines(source.text);
  for (const [at, line] of lines.entries()) {
    reader.indentation(source.text, line);
    reader.read(line, lines[at + 1]);
  }
  reader.closeHeading();
  return { tree: reader.tree(), diagnostics: reader.diagnostics };
}

function foreignLine(
  span: Span,
  { text: line, indent }: Pick<LogicalLine, 'text' | 'indent'>,
  foreign: { readonly meant: string } | { readonly advice: string },
): Diagnostic {
  if ('advice' in foreign)
    return say.line(span, { what: `a test file has no line \`${shorten(line)}\``, help: foreign.advice });
  const { meant } = foreign;
  return say.foreignLine(span, { line, meant, fix: { span, text: meant.split('\n').join(`\n${' '.repeat(indent)}`) } });
}

const shorten = (line: string): string => (line.length > 60 ? `${line.slice(0, 60)}…` : line);

class TestReader {
  readonly diagnostics: Diagnostic[] = [];
  private readonly texts = new Map<Expression, ExpressionText>();
  private program: TestFile['program'] = null;
  private readonly mocks: MockLine[] = [];
  private readonly tests: (TestCase & { readonly lines: TestLine[] })[] = [];
  private readonly properties: OpenProperty[] = [];
  /** What indented lines belong to. */
  private open:
    | { readonly test: { readonly lines: TestLine[] }; isOutdented?: boolean }
    | { readonly property: OpenProperty }
    | null = null;
  /** A verb whose content is on the lines below it. */
  private heading: {
    readonly verb: string;
    readonly indent: number;
    readonly start: number;
    readonly lines: LogicalLine[];
  } | null = null;

  constructor(private readonly file: number) {}

  tree(): TestFile {
    const { program, mocks, tests, properties, texts } = this;
    return { program, mocks, tests, properties, texts };
  }

  /** As in programs. */
  indentation(text: string, { start, indent }: LogicalLine): void {
    const spaces = text.slice(start - indent, start);
    if (!spaces.includes('\t')) return;
    const span = { file: this.file, start: start - indent, end: start };
    this.diagnostics.push(tabIndentation(span, { fix: { span, text: spaces.replaceAll('\t', '  ') } }));
  }

  read(line: LogicalLine, following?: LogicalLine): void {
    const property = line.indent > 0 && this.open !== null && 'property' in this.open ? this.open.property : null;
    const cursor = new LineCursor(line, this.file, this.diagnostics, property?.texts ?? this.texts);
    if (this.readHeading(line, following, property)) return;
    const level = line.indent === 0 ? 'file' : property === null ? 'test' : 'property';
    const foreign = line.indent > 0 && this.open === null ? null : testLineMeant(line.text, level);
    if (foreign !== null && !isRight(line, level)) {
      if (property !== null) property.isBroken = true;
      this.diagnostics.push(foreignLine(cursor.span, line, foreign));
      if (level === 'file') this.openUnread('meant' in foreign ? foreign.meant : '');
      return;
    }
    try {
      if (line.indent === 0 && this.isOutdented(cursor, line)) this.readInside(cursor, line);
      else if (line.indent === 0) this.readTop(cursor);
      else this.readInside(cursor, line);
    } catch (cause) {
      if (!(cause instanceof LineProblem)) throw cause;
      if (property !== null) property.isBroken = true;
      if (line.indent === 0) this.openUnread('TEST:');
    }
  }

  /** What is below a line that could not be read belongs to no test, and is not wrong for that. */
  private openUnread(meant: string): void {
    if (/^(?:TESTS|MOCK|#)/.test(meant) || (meant === '' && this.open !== null)) return;
    const property = {
      name: '',
      span: { file: this.file, start: 0, end: 0 },
      rules: [],
      assumptions: [],
      texts: new Map(),
      isBroken: true,
    };
    this.open = meant.startsWith('PROPERTY') ? { property } : { test: { lines: [] } };
  }

  /** A verb alone, with what belongs to it on deeper lines: one message for all of them. */
  private readHeading(line: LogicalLine, following: LogicalLine | undefined, property: OpenProperty | null): boolean {
    const heading = this.heading;
    if (heading !== null && line.indent > heading.indent) {
      heading.lines.push(line);
      return true;
    }
    this.closeHeading();
    const verb = /^((?:GIVEN|MOCKS?|ANSWERS?|EXPECT|SIGNAL|Given|Then|Expect|Mock)s?)\s*:$/.exec(line.text)?.[1];
    if (verb === undefined || following === undefined || following.indent <= line.indent) return false;
    if (property !== null) property.isBroken = true;
    const name = verb
      .toUpperCase()
      .replace(/(?<=K|R|T)S$/, '')
      .replace('THEN', 'EXPECT');
    this.heading = { verb: name, indent: line.indent, start: line.start, lines: [] };
    return true;
  }

  closeHeading(): void {
    const { heading } = this;
    if (heading === null) return;
    this.heading = null;
    const lines = heading.lines.map(({ text }) => {
      const written = `${heading.verb}: ${text.replace(/^[-*+]\s+/, '').replace(/,$/, '')}`;
      const foreign = testLineMeant(written, 'test');
      return foreign !== null && 'meant' in foreign ? foreign.meant : written;
    });
    const last = heading.lines.at(-1);
    const span = {
      file: this.file,
      start: heading.start,
      end: last === undefined ? heading.start : last.start + last.text.length,
    };
    const meant = lines.join('\n');
    this.diagnostics.push(foreignLine(span, { text: `${heading.verb}:`, indent: heading.indent }, { meant }));
  }

  /** A line of a test at the left margin, below its TEST. It is reported once, and read as if it were indented. */
  private isOutdented(cursor: LineCursor, { text }: LogicalLine): boolean {
    const verb = /^([A-Z]+)(?:\s*\[always\])?\s*:/.exec(text)?.[1] ?? '';
    if (verb === 'MOCK' || !(TEST_VERBS as readonly string[]).includes(verb)) return false;
    if (this.open === null)
      cursor.fail(`\`${verb}:\` is a line of a test`, 'write `TEST: NAME` above it, and indent it with two spaces');
    if ('property' in this.open) return false;
    if (!this.open.isOutdented)
      this.report(
        cursor.span,
        `\`${verb}:\` is a line of a test`,
        'indent it and the lines of the test below it with two spaces',
      );
    this.open.isOutdented = true;
    return true;
  }

  private readTop(cursor: LineCursor): void {
    switch (verbOf(cursor, FILE_VERBS)) {
      case 'TESTS':
        return this.readProgram(cursor);
      case 'MOCK':
        this.mocks.push(readMock(cursor));
        cursor.end();
        return;
      case 'PROPERTY': {
        const name = cursor.rest.trim();
        const { span } = cursor;
        const property = { name, span, rules: [], assumptions: [], texts: new Map(), isBroken: false };
        this.open = { property };
        this.properties.push(property);
        return;
      }
      case 'TEST': {
        const name = cursor.rest.trim();
        const test = { name, span: cursor.span, lines: [] };
        this.open = { test };
        if (name === '') cursor.fail('the name of the test is missing here');
        this.tests.push(test);
      }
    }
  }

  private readProgram(cursor: LineCursor): void {
    if (this.program !== null) cursor.fail('a test file tests one program, and it is named above');
    const isFirst = this.mocks.length === 0 && this.tests.length === 0 && this.properties.length === 0;
    if (!isFirst) this.report(cursor.span, '`TESTS:` comes first in a file', 'move it above all other lines');
    const { text: path, span } = cursor.takeQuoted('the path of the program');
    const machine = cursor.take(/^machine=/) === null ? null : cursor.name('the name of the machine');
    cursor.end();
    this.program = { path, span, machine };
  }

  private report(span: Span, what: string, help: string): void {
    this.diagnostics.push(say.line(span, { what, help }));
  }

  private readInside(cursor: LineCursor, line: LogicalLine): void {
    if (this.open === null) cursor.fail('this line belongs to no test', 'write `TEST: NAME` above it');
    else if ('test' in this.open) this.open.test.lines.push(readLine(cursor, verbOf(cursor, TEST_VERBS), line));
    else readPropertyLine(cursor, this.open.property);
  }
}

/** Lines with expressions: only the program tells whether their names are of something. */
const HAS_EXPRESSIONS = /^(?:EXPECT|GIVEN|ANSWER|EACH)\b/;

/** Whether a line of a test or of a property is one of this language, whatever else it may look like. */
function isRight(line: LogicalLine, level: 'file' | 'test' | 'property'): boolean {
  if (level === 'file' || HAS_EXPRESSIONS.test(line.text) || answersInWords(line.text)) return false;
  const diagnostics: Diagnostic[] = [];
  const cursor = new LineCursor(line, 0, diagnostics, new Map());
  try {
    if (level === 'test') readLine(cursor, verbOf(cursor, TEST_VERBS), line);
    else readPropertyLine(cursor, { rules: [], assumptions: [] });
  } catch (cause) {
    if (!(cause instanceof LineProblem)) throw cause;
    return false;
  }
  return diagnostics.length === 0;
}

function readPropertyLine(
  cursor: LineCursor,
  { rules, assumptions }: Pick<OpenProperty, 'rules' | 'assumptions'>,
): void {
  const verb = verbOf(cursor, RULE_VERBS);
  if (verb === 'ASSUME') assumptions.push(readAssumption(cursor));
  else {
    const rule = readRule(cursor, verb);
    cursor.end();
    rules.push(rule);
  }
}

/** Reads a rule or an assumption that is not in a file, such as that of `--never`. It begins at `start` in its source. */
export function parseRule(
  source: SourceFile,
  file: number,
  verb: RuleVerb | 'ASSUME',
  start = 0,
): { readonly property: PropertyCase; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const property: OpenProperty = {
    name: '',
    span: { file, start, end: source.text.length },
    rules: [],
    assumptions: [],
    texts: new Map(),
    isBroken: false,
  };
  const text = source.text.slice(start).replaceAll(/\s/g, ' ').trimEnd();
  const cursor = new LineCursor({ text, start, indent: 0 }, file, diagnostics, property.texts);
  try {
    if (verb === 'ASSUME') property.assumptions.push(readAssumption(cursor));
    else {
      const rule = readRule(cursor, verb);
      cursor.end();
      property.rules.push(rule);
    }
  } catch (cause) {
    if (!(cause instanceof LineProblem)) throw cause;
  }
  return { property: { ...property, name: property.rules[0]?.text ?? text }, diagnostics };
}

function readLine(cursor: LineCursor, verb: TestVerb, { text }: LogicalLine): TestLine {
  const line = readVerb(cursor, verb, text);
  cursor.end();
  return line;
}

function readVerb(cursor: LineCursor, verb: TestVerb, text: string): TestLine {
  const { span } = cursor;
  switch (verb) {
    case 'GIVEN':
      return { kind: 'given', values: namedValues(cursor), span };
    case 'START': {
      const state = cursor.name('the name of a state');
      return { kind: 'start', state, values: cursor.takeWord('with') ? namedValues(cursor) : [], span };
    }
    case 'EACH': {
      const name = cursor.name('the name of a row');
      if (!cursor.takeWord('in')) cursor.fail('`in` is missing here');
      return { kind: 'each', name, list: cursor.value('a list'), span };
    }
    case 'MOCK':
      return readMock(cursor);
    case 'ANSWER': {
      const name = cursor.nameOrApproval('the name of a question');
      cursor.arrow();
      const texts = [cursor.value('an answer')];
      while (cursor.take(/^,/) !== null) texts.push(cursor.value('an answer'));
      return { kind: 'answer', name, texts, span };
    }
    case 'SIGNAL': {
      const name = cursor.name('the name of a signal');
      const payload = cursor.isAtEnd || /^\s*at\s/.test(cursor.rest) ? null : cursor.value('a payload');
      return { kind: 'signal', name, payload, at: cursor.takeWord('at') ? cursor.duration() : null, span };
    }
    case 'CASSETTE':
      return readCassetteLine(cursor);
    case 'AT':
      return { kind: 'at', duration: cursor.duration(), span };
    case 'EXPECT':
      return {
        kind: 'expect',
        expectation: readExpectation(cursor),
        isAlways: /^EXPECT\s*\[/.test(text),
        text: text.replace(/^[^:]*:\s*/, ''),
        span,
      };
    case 'SKIP':
      return { kind: 'skip', reason: cursor.take(/^.*/)?.[0] ?? '', span };
  }
}

function readCassetteLine(cursor: LineCursor): TestLine {
  const { span } = cursor;
  const { text: path } = cursor.takeQuoted('the path of the cassette');
  const option = <Word extends string>(name: string, words: readonly [Word, ...Word[]]): Word => {
    if (cursor.take(new RegExp(`^${name}=`)) === null) return words[0];
    const word = cursor.take(/^[a-z]+(?!\w)/)?.[0];
    const found = words.find((one) => one === word);
    return found ?? cursor.fail(`\`${name}\` is ${words.map((one) => `\`${one}\``).join(' or ')}`);
  };
  const match = option('match', ['path', 'fingerprint']);
  return { kind: 'cassette', path, match, drift: option('drift', ['fail', 'warn']), span };
}

function verbOf<Verb extends string>(cursor: LineCursor, verbs: readonly Verb[]): Verb {
  const { rest, span } = cursor;
  const word = cursor.take(/^(AT MOST|[A-Za-z_]+)(?:\s*\[always\])?\s*:/)?.[1];
  if (word !== undefined && (verbs as readonly string[]).includes(word)) return word as Verb;
  const all = verbs.map((verb) => `\`${verb}:\``).join(', ');
  const near = word === undefined ? undefined : nearest(word.toUpperCase(), verbs);
  const isTop = span.start >= 0 && (verbs as readonly string[]).includes('TESTS');
  const what = word === undefined ? `\`${rest.slice(0, 40)}\` begins with no verb` : `\`${word}:\` cannot be here`;
  const of = isTop ? 'a file' : (verbs as readonly string[]).includes('NEVER') ? 'a property' : 'a test';
  const help = near === undefined ? `lines of ${of} are ${all}` : `did you mean \`${near}:\`?`;
  return word === undefined ? cursor.fail(what, help) : cursor.failBefore(what, help);
}

const RULE_VERBS = ['ASSUME', 'NEVER', 'AFTER', 'AT MOST', 'ENDS', 'REACHES'] as const;
type RuleVerb = Exclude<(typeof RULE_VERBS)[number], 'ASSUME'>;

const FORMS =
  '`state NAME`, `event NAME`, `run Task(NAME)`, `run "TEXT"`, `answered NAME == "TEXT"`, `failed in STATE KIND` or `returned`';

/** What follows a moment or its parts. */
const AFTER_MOMENT = /^(?:→|->|\)|\sUNLESS(?!\w))/;
const AFTER_VALUE = /^(?:→|->|\)|\s(?:UNLESS|WHEN)(?!\w))/;
const AT_KEYWORD = /^\s*(?:$|→|->|(?:UNLESS|WHEN)(?!\w))/;

/** What follows `ASSUME:`. */
function readAssumption(cursor: LineCursor): Condition {
  return conditionOf(cursor, cursor.restAsExpression('what is assumed'));
}

/** What follows the verb of a rule. */
function readRule(cursor: LineCursor, verb: RuleVerb): Rule {
  const { span } = cursor;
  const text = `${verb}: ${cursor.rest.trim()}`;
  switch (verb) {
    case 'NEVER': {
      const moment = readMoment(cursor);
      return { kind: 'never', moment, unless: cursor.takeWord('UNLESS') ? readMoment(cursor) : null, text, span };
    }
    case 'AFTER': {
      const moment = readMoment(cursor);
      cursor.arrow();
      return { kind: 'after', moment, following: readMoment(cursor), text, span };
    }
    case 'AT MOST': {
      const count = cursor.wholeNumber('a number');
      return { kind: 'at-most', count, moment: cursor.inParentheses(() => readMoment(cursor)), text, span };
    }
    case 'REACHES':
      return { kind: 'reaches', moment: readMoment(cursor), text, span };
    case 'ENDS':
      return { kind: 'ends', statuses: cursor.takeWord('always') ? null : readStatuses(cursor), text, span };
  }
}

function readStatuses(cursor: LineCursor): Name[] {
  const statuses: Name[] = [];
  do statuses.push(cursor.name('`always` or a status'));
  while (cursor.take(/^,/) !== null);
  return statuses;
}

function readMoment(cursor: LineCursor): MomentTree {
  const word = cursor.take(/^(?:state|event|run|answered|failed|returned)(?!\w)/)?.[0];
  if (word === undefined) {
    const what = cursor.isAtEnd ? 'a moment is missing here' : `\`${cursor.rest.trim()}\` is not a moment`;
    return cursor.fail(what, `write ${FORMS}`);
  }
  const moment = momentOf(cursor, word as MomentTree['kind']);
  if (!cursor.takeWord('WHEN')) return { ...moment, when: null };
  return { ...moment, when: conditionOf(cursor, cursor.expressionUntil(AFTER_MOMENT, 'a condition')) };
}

type WithoutWhen<T> = T extends unknown ? Omit<T, 'when'> : never;

function momentOf(cursor: LineCursor, word: MomentTree['kind']): WithoutWhen<MomentTree> {
  const isAtKeyword = (): boolean => AT_KEYWORD.test(cursor.rest);
  switch (word) {
    case 'state':
      return { kind: word, name: cursor.name('the name of a state') };
    case 'event': {
      const name = cursor.name('the name of an event');
      const fields: NamedValue[] = [];
      while (!isAtKeyword()) {
        fields.push(...fieldOf(cursor));
        cursor.take(/^,/);
      }
      return { kind: word, name, fields };
    }
    case 'run':
      return { kind: word, selector: readSelector(cursor) };
    case 'answered': {
      const name = cursor.nameOrApproval('the name of a question');
      if (cursor.take(/^==/) === null) cursor.fail(`\`==\` is missing after \`${name.text}\``);
      return { kind: word, name, value: cursor.expressionUntil(AFTER_VALUE, 'an answer') };
    }
    case 'failed': {
      const state = cursor.takeWord('in') ? cursor.name('the name of a state') : null;
      return { kind: word, state, error: isAtKeyword() ? null : cursor.name('the kind of the failure') };
    }
    case 'returned':
      return { kind: word, value: isAtKeyword() ? null : cursor.expressionUntil(AFTER_VALUE, 'a value') };
  }
}

function conditionOf(cursor: LineCursor, expression: Expression): Condition {
  return { expression, text: cursor.textOf(expression) };
}
