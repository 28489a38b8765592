/**
 * A picture: what is to be drawn, and with positions what `picture-layout.ts` gives and `draw-svg.ts` draws. All
 * coordinates count from the top left.
 */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Rectangle extends Point {
  readonly width: number;
  readonly height: number;
}

/** One line of text; `x` is its left edge, or its middle if it is centered, and `y` its baseline. */
export interface DrawnText extends Point {
  readonly text: string;
  readonly font: Font;
  readonly role: 'title' | 'row' | 'label';
  readonly centered: boolean;
  /** The widest that it can become. */
  readonly width: number;
}

/** A mark; `x` and `y` are its middle. */
export interface DrawnMark extends Point {
  readonly kind: PictureKind;
}

export interface DrawnNode extends Rectangle {
  readonly node: PictureNode;
  /** How many nodes it is inside of. */
  readonly depth: number;
  readonly texts: readonly DrawnText[];
  readonly marks: readonly DrawnMark[];
  /** All of its text, for a pointer. */
  readonly fullText: string;
}

export interface DrawnLabel extends Rectangle {
  readonly texts: readonly DrawnText[];
}

export interface DrawnEdge {
  readonly edge: PictureEdge;
  /** From start to end, with all bends. */
  readonly points: readonly Point[];
  /** Null if the edge has no label. */
  readonly label: DrawnLabel | null;
  readonly fullText: string;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  /** A node comes before the nodes inside of it. */
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

export interface Font {
  readonly size: number;
  readonly face: 'sans' | 'bold' | 'mono';
}

/** Characters of ASCII by their widths in hundredths of the font size; each list is a width and its characters. */
const SANS: readonly (readonly [number, string])[] = [
  [32, "'Iijl"],
  [36, ' ,./:;\\|'],
  [42, '!()-[]ft'],
  [46, '"r'],
  [56, '*?JL_`csz'],
  [64, '$0123456789abdeghknopquvxy{}'],
  [70, 'EFKPRSTYZABVX'],
  [79, 'CDGHNOQU&'],
  [86, '#+<=>M^~w'],
  [104, '%@Wm'],
];

const ASCII = new Map(SANS.flatMap(([width, characters]) => [...characters].map((one) => [one, width / 100] as const)));

const BOLD = 1.18;
const MONO = 0.62;
const WIDE = 1.1;
const EMOJI = 1.42;
const OTHER = 1;

/**
 * How wide a text can become. Which fonts are installed is unknown, so each character counts as wide as in the widest
 * common font: a text may take less space than it gets, but never more.
 */
export function textWidth(text: string, font: Font): number {
  return Math.ceil(widthsOf([...text], font).at(-1) ?? 0);
}

/**
 * The widths of a text up to each of its characters. Where only one font is installed, its characters may be equally
 * wide, so a text gets at least the room that it needs then.
 */
function widthsOf(characters: readonly string[], { size, face }: Font): number[] {
  let [width, equal] = [0, 0];
  return characters.map((character) => {
    const own = characterWidth(character, face);
    width += own;
    equal += own === 0 ? 0 : Math.max(MONO, own > WIDE ? own : 0);
    return Math.max(width, equal) * size;
  });
}

function characterWidth(character: string, face: Font['face']): number {
  const known = ASCII.get(character);
  if (known !== undefined) return face === 'mono' ? MONO : face === 'bold' ? known * BOLD : known;
  if (isCombining(character)) return 0;
  const code = character.codePointAt(0) as number;
  if (code >= 0x1f000 && code <= 0x1faff) return EMOJI;
  if (code >= 0x2e80 && code <= 0xffdc) return WIDE;
  if (code >= 0x20000) return WIDE;
  return face === 'bold' ? OTHER * BOLD : OTHER;
}

/** Whether a character is drawn on top of the previous one. */
function isCombining(character: string): boolean {
  return /^(?:\p{M}|\u200d)$/u.test(character);
}

/** Whether fonts differ so much in the characters of a text that its width has to be set when it is drawn. */
export function isUnusual(text: string): boolean {
  return /[^\x20-\x7e\u00a0-\u024f\u0370-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2200-\u22ff\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3]/.test(
    text,
  );
}

interface WrappedLines {
  readonly lines: readonly string[];
  /** Something is missing, and a mark shows where. */
  readonly isShortened: boolean;
}

/** Lines that are at most so wide. Prefers to break at blanks, then after punctuation, then anywhere. */
export function wrap(text: string, font: Font, width: number, most: number): WrappedLines {
  const rest = [...text.trim()];
  const lines: string[] = [];
  while (rest.length > 0 && lines.length < most) {
    const isLast = lines.length === most - 1;
    const fits = countFitting(rest, font, width);
    if (fits === rest.length) return { lines: [...lines, rest.join('').trim()], isShortened: false };
    if (isLast) {
      const end = countFitting(rest, font, width - textWidth('…', font));
      return { lines: [...lines, `${rest.slice(0, end).join('').trim()}…`], isShortened: true };
    }
    lines.push(rest.splice(0, breakAt(rest, fits)).join('').trim());
    while (rest[0] === ' ') rest.shift();
  }
  return { lines: lines.length === 0 ? [''] : lines, isShortened: rest.length > 0 };
}

/** How many characters fit, at least one, and no mark without the character below it. */
function countFitting(characters: readonly string[], font: Font, width: number): number {
  let at = widthsOf(characters, font).findIndex((used) => used > width);
  if (at < 0) return characters.length;
  while (at > 1 && isCombining(characters[at] as string)) at--;
  return Math.max(1, at);
}

/** Where to break before `end`: in the second half of the line at a blank or after punctuation, otherwise at the end. */
function breakAt(characters: readonly string[], end: number): number {
  if (characters[end] === ' ') return end;
  const least = Math.floor(end / 3);
  for (let at = end; at > least; at--) if (characters[at - 1] === ' ') return at;
  for (let at = end; at > least; at--) if (/[-_./,;:)\]}&|=→]/u.test(characters[at - 1] as string)) return at;
  return end;
}

/** What a node, a row or an edge represents. The color and the mark follow from it. */
export type PictureKind =
  | 'agent'
  | 'call'
  | 'end'
  | 'failure'
  | 'input'
  | 'loop'
  | 'machine'
  | 'parallel'
  | 'question'
  | 'start'
  | 'state'
  | 'step'
  | 'wait';

/** How much of a node or edge was reached, in a picture that shows that. It decides the color instead of the kind. */
export type ReachedPart = 'reached' | 'partly' | 'missed' | 'unreachable';

/** The nodes of one level, in the order of the program. */
export interface Picture {
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
  /** `flow` follows the edges from top to bottom, `row` places nodes side by side, and `stack` below each other. */
  readonly arrange: 'flow' | 'row' | 'stack';
}

export interface PictureNode {
  /** Unique in the picture. */
  readonly id: string;
  readonly kind: PictureKind;
  /** `card`: a title with rows; `pill`: one short text; `dot`: no text. */
  readonly shape: 'card' | 'pill' | 'dot';
  readonly title: string;
  /** For a step: its path, with `<task>` for the names of tasks. */
  readonly step?: string;
  /** What a pointer shows, if that is not the title. */
  readonly about?: string;
  readonly rows: readonly PictureRow[];
  readonly inside?: Picture;
  readonly reach?: ReachedPart;
}

/** A line of a card. */
export interface PictureRow {
  /** Draws the mark of the kind; null for a row of text only. */
  readonly kind: PictureKind | null;
  readonly text: string;
  /** How deep it is below other rows. */
  readonly depth: number;
}

export interface PictureEdge {
  /** Unique in the picture. */
  readonly id: string;
  /** Ids of nodes of the same level. */
  readonly from: string;
  readonly to: string;
  /**
   * `main` is the ordinary way, `failure` is taken after a failure, `again` goes back to an earlier node, and `undo`
   * leads to what is undone.
   */
  readonly kind: 'main' | 'failure' | 'again' | 'undo';
  /** Each is one alternative: the conditions of one transition, or one value. */
  readonly labels: readonly string[];
  readonly reach?: ReachedPart;
}
