/** The tree of a test file: what it tests, its mocks, and its tests with their lines. */
import type { Span } from '../../source/source-file.js';
import type { Expression, Name } from '../expression.js';

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
  | { readonly kind: 'text'; readonly pattern: string; readonly span: Span };

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
