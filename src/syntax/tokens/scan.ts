/**
 * The state of the lexer, and what its patterns are made of. What ends a text depends on the verb before it and
 * on whether the line is an action list, so the lexer keeps that much state. Lexing is synchronous; a nested use
 * saves and restores the state.
 */
import type { CustomPatternMatcherFunc, IToken, TokenType } from 'chevrotain';
import type { SectionVerb, Verb } from './verbs.js';

/** Brackets in brackets beyond this are refused, so that no later stage can run out of stack. */
export const deepestBrackets = 200;
/** `IF: a → IF: b → …` on one line nests as brackets do. */
export const mostArrows = 200;

export interface ScanState {
  /** Within an action list: the text after an arrow. */
  inList: boolean;
  /** The verb whose text is being read; `TASK` for an agent call. */
  verb: Verb | SectionVerb | 'TASK' | '';
  /** Open brackets. */
  depth: number;
  /** Arrows on this line. */
  arrows: number;
  /** Within the options between `DO` and its colon. */
  header: boolean;
  /** After `with`. */
  passing: boolean;
  /** The innermost STEP, or list of one of its sections, that this line belongs to. */
  frame: Frame | null;
}

/**
 * A STEP, or a section of one whose entries are below it. Lines that are indented deeper than `column` belong to it:
 * what words mean there is a matter of where they are, so the lexer has to know.
 */
export interface Frame {
  readonly kind: 'step' | 'context' | 'gates' | 'retry' | 'overrides';
  readonly column: number;
  readonly outer: Frame | null;
}

const fresh: Readonly<ScanState> = {
  inList: false,
  verb: '',
  depth: 0,
  arrows: 0,
  header: false,
  passing: false,
  frame: null,
};

export const scan: ScanState = { ...fresh };

/** Runs `work` with fresh lexer state and puts the old state back. */
export function withFreshScan<Result>(start: Partial<ScanState>, work: () => Result): Result {
  const saved = { ...scan };
  Object.assign(scan, fresh, start);
  try {
    return work();
  } finally {
    Object.assign(scan, saved);
  }
}

/**
 * A pattern: gives the end of its match at `at`, or `none`. `before` are the tokens so far. `starts` are the only characters
 * it can begin with, where that is known.
 */
export interface Matcher {
  (text: string, at: number, before: readonly IToken[]): number;
  readonly starts?: ReadonlySet<number>;
}

/** What a pattern that does not match gives. */
export const none = -1;

/** A match from `at` to `end`; none if it is empty. */
export function matchTo(at: number, end: number): number {
  return end > at ? end : none;
}

/** Chevrotain's own lexer wants patterns that give arrays. It is not used here, so a token type only carries its pattern. */
export function asPattern(matcher: Matcher): CustomPatternMatcherFunc {
  return matcher as unknown as CustomPatternMatcherFunc;
}

export function matcherOf({ PATTERN }: TokenType): Matcher {
  return PATTERN as unknown as Matcher;
}

/** What names begin with. */
export const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_';

/** A regular expression that is only tried when the first character is one of `starts`. */
export function fast(starts: string, regex: RegExp): Matcher {
  const sticky = new RegExp(regex.source, `${regex.flags.replace('y', '')}y`);
  return starting(starts, (text, at) => {
    sticky.lastIndex = at;
    return sticky.test(text) ? matchTo(at, sticky.lastIndex) : none;
  });
}

/** Says what characters a pattern begins with, so that the lexer asks it nowhere else. */
export function starting(starts: string, matcher: Matcher): Matcher {
  return Object.assign(matcher, { starts: new Set([...starts].map((c) => c.charCodeAt(0))) });
}

/** Tries `matcher` only while `when` holds. */
export function matchOnly(when: (last: IToken | undefined) => boolean, matcher: Matcher): Matcher {
  const guardedMatcher: Matcher = (text, at, before) =>
    when(before[before.length - 1]) ? matcher(text, at, before) : none;
  return matcher.starts === undefined ? guardedMatcher : Object.assign(guardedMatcher, { starts: matcher.starts });
}
