/**
 * Tokens and their types. They are our own, with the same members in the same order, because most of parsing reads
 * them.
 */
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
