/**
 * Tokens, the state of the lexer, and helpers to build its patterns. The end of a text depends on its verb and on
 * whether the line is an action list, so the lexer keeps this state. Lexing is synchronous. A nested use saves and
 * restores the state.
 */
import type { SectionVerb, Verb } from './verbs.js';

/** The maximum nesting of brackets, so that no later stage can overflow the stack. */
export const deepestBrackets = 200;
/** The maximum number of arrows on one line: `IF: a → IF: b → …` nests like brackets. */
export const mostArrows = 200;

export interface ScanState {
  /** Inside an action list: the text after an arrow. */
  inList: boolean;
  /** The current verb; `TASK` for an agent call. */
  verb: Verb | SectionVerb | 'TASK' | '';
  /** The number of open brackets. */
  depth: number;
  /** The number of arrows on this line. */
  arrows: number;
  /** Inside the options between `DO` and its colon. */
  header: boolean;
  /** After `with`. */
  passing: boolean;
  /** The innermost STEP, or list of one of its sections, that this line belongs to. */
  frame: SectionFrame | null;
}

/**
 * A STEP, or a section with its entries below it. Lines that are indented deeper than `column` belong to it. The lexer
 * has to know, because the meaning of words depends on it.
 */
export interface SectionFrame {
  readonly kind: 'step' | 'context' | 'gates' | 'retry' | 'overrides';
  readonly column: number;
  readonly outer: SectionFrame | null;
}

export const scan: ScanState = {
  inList: false,
  verb: '',
  depth: 0,
  arrows: 0,
  header: false,
  passing: false,
  frame: null,
};

/** Runs `work` with fresh lexer state and puts the old state back. */
export function withFreshScan<Result>(start: Partial<ScanState>, work: () => Result): Result {
  const { inList, verb, depth, arrows, header, passing, frame } = scan;
  scan.inList = start.inList ?? false;
  scan.verb = start.verb ?? '';
  scan.depth = start.depth ?? 0;
  scan.arrows = start.arrows ?? 0;
  scan.header = start.header ?? false;
  scan.passing = start.passing ?? false;
  scan.frame = start.frame ?? null;
  try {
    return work();
  } finally {
    scan.inList = inList;
    scan.verb = verb;
    scan.depth = depth;
    scan.arrows = arrows;
    scan.header = header;
    scan.passing = passing;
    scan.frame = frame;
  }
}

/** The result of a pattern that does not match. */
export const none = -1;

/** A match from `at` to `end`; none if it is empty. */
export function matchTo(at: number, end: number): number {
  return end > at ? end : none;
}

/** The characters that names can begin with. */
export const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_';

/** A regular expression that is tried only if the first character is one of `starts`. */
export function fast(starts: string, regex: RegExp): Matcher {
  const sticky = new RegExp(regex.source, `${regex.flags.replace('y', '')}y`);
  return starting(starts, (text, at) => {
    sticky.lastIndex = at;
    return sticky.test(text) ? matchTo(at, sticky.lastIndex) : none;
  });
}

/** Declares the first characters of a pattern, so that the lexer skips it at all others. */
export function starting(starts: string, matcher: Matcher): Matcher {
  return Object.assign(matcher, { starts: new Set([...starts].map((c) => c.charCodeAt(0))) });
}

/** Tries `matcher` only if `when` is true. */
export function matchOnly(when: (last: Token | undefined) => boolean, matcher: Matcher): Matcher {
  const guardedMatcher: Matcher = (text, at, before) =>
    when(before[before.length - 1]) ? matcher(text, at, before) : none;
  return matcher.starts === undefined ? guardedMatcher : Object.assign(guardedMatcher, { starts: matcher.starts });
}

/**
 * A pattern: returns the end of its match at `at`, or `none`. `before` contains the tokens so far. `starts` contains
 * all possible first characters, if they are known.
 */
export interface Matcher {
  (text: string, at: number, before: readonly Token[]): number;
  readonly starts?: ReadonlySet<number>;
}

let types = 0;

export class TokenType {
  /** A number from 1 on. 0 is the end of the text. */
  readonly index = ++types;
  /** The name under which nodes have such tokens: that of the type that rules name in this position. */
  readonly label: string;
  constructor(
    readonly name: string,
    /** Null if only the layout or a category of other types makes such tokens. */
    readonly matcher: Matcher | null,
    /** The mode of the lexer after the token; null if the mode stays. */
    readonly mode: string | null,
    /** A type that the parser accepts in the same position. */
    readonly category: TokenType | null,
    /** Tokens that the parser does not see. */
    readonly hidden: 'blank' | 'comment' | null,
  ) {
    this.label = category === null || category.matcher === null ? name : category.name;
  }
}

export interface Token {
  readonly tokenType: TokenType;
  readonly image: string;
  readonly startOffset: number;
  /** The offset of the last character. Line ends and layout have none, because they are not part of any node. */
  readonly endOffset: number;
}

/** Longer slices refer to the text of the program and are no copies. */
const LONGEST_COPY = 12;
const SHARED = 1024;
const shared: string[] = new Array(SHARED).fill('');

/** The same text as one string, if it was read a short time ago: programs repeat names, and trees keep them. */
export function shareText(text: string): string {
  const { length } = text;
  if (length < 2 || length > LONGEST_COPY) return text;
  const hash = text.charCodeAt(0) * 31 + text.charCodeAt(length >> 1) * 17 + text.charCodeAt(length - 1) * 7 + length;
  const slot = hash % SHARED;
  if (shared[slot] === text) return shared[slot] as string;
  shared[slot] = text;
  return text;
}

/** A token of the text, or one of the layout, with the image ''. */
export function newToken(tokenType: TokenType, image: string, startOffset: number): Token {
  const isLineEnd = image === '' || image === '\n' || image === '\r\n';
  return {
    tokenType,
    image: shareText(image),
    startOffset,
    endOffset: startOffset + (isLineEnd ? 0 : image.length) - 1,
  };
}
