/** The sizes of cards, pills and labels, with their texts wrapped and placed inside of them. */

import type { DrawnLabel, DrawnMark, DrawnText } from './drawing.js';
import { MARKS } from './marks.js';
import type { PictureEdge, PictureNode } from './picture.js';
import { pictureText } from './picture-text.js';
import { type Font, textWidth, wrap } from './text-width.js';

export const TITLE: Font = { size: 13, face: 'bold' };
export const ROW: Font = { size: 12, face: 'sans' };
export const LABEL: Font = { size: 11, face: 'mono' };

const PADDING = 12;
const TITLE_WIDTH = 270;
const TITLE_LINE = 17;
const ROW_WIDTH = 280;
const ROW_LINE = 16;
const ROW_GAP = 5;
const INDENT = 20;
const MARK = 20;
const LABEL_WIDTH = 186;
const LABEL_LINE = 14;
const LABEL_PADDING = 4;
const MOST_ROWS = 14;
const MOST_ALTERNATIVES = 4;
const DOT = 14;

/** A node before it has a position: its size, and its texts relative to its corner. */
export interface Measured {
  readonly width: number;
  readonly height: number;
  readonly texts: readonly DrawnText[];
  readonly marks: readonly DrawnMark[];
  readonly fullText: string;
}

export function measureNode(node: PictureNode): Measured {
  const fullText = [node.about ?? node.title, ...node.rows.map(({ text, depth }) => '  '.repeat(depth) + text)]
    .filter((line) => line !== '')
    .map(pictureText.full)
    .join('\n');
  switch (node.shape) {
    case 'dot':
      return { width: DOT, height: DOT, texts: [], marks: [], fullText };
    case 'pill':
      return { ...measurePill(node), fullText };
    default:
      return { ...measureCard(node), fullText };
  }
}

type Unnamed = Omit<Measured, 'fullText'>;

function measurePill({ title, kind }: PictureNode): Unnamed {
  const { lines } = wrap(pictureText.short(title), ROW, TITLE_WIDTH, 2);
  const mark = kind === 'failure' || kind === 'question' ? MARK : 0;
  const text = Math.max(...lines.map((line) => textWidth(line, ROW)));
  const width = text + mark + 2 * PADDING;
  const height = lines.length * ROW_LINE + 10;
  const texts = lines.map((line, at) => center(line, ROW, 'row', mark + PADDING + text / 2, 5 + at * ROW_LINE + 12));
  return { width, height, texts, marks: mark === 0 ? [] : [{ kind, x: PADDING + 7, y: height / 2 }] };
}

function measureCard({ title, rows, kind, inside }: PictureNode): Unnamed {
  const texts: DrawnText[] = [];
  const marks: DrawnMark[] = [];
  const hasMark = MARKS[kind] !== null && rows.every((row) => row.kind !== kind);
  const left = PADDING + (hasMark ? MARK : 0);
  const { lines } = wrap(pictureText.short(title), TITLE, TITLE_WIDTH, 2);
  if (hasMark) marks.push({ kind, x: PADDING + 7, y: PADDING + 7 });
  let y = PADDING - 2;
  for (const line of lines) {
    texts.push(alignLeft(line, TITLE, 'title', left, y + 13));
    y += TITLE_LINE;
  }
  for (const row of shownRows(rows)) {
    const x = PADDING + row.depth * INDENT;
    const wrapped = wrap(pictureText.short(row.text), ROW, ROW_WIDTH, 2);
    y += ROW_GAP;
    if (row.kind !== null) marks.push({ kind: row.kind, x: x + 7, y: y + ROW_LINE / 2 });
    for (const line of wrapped.lines) {
      texts.push(alignLeft(line, ROW, 'row', x + (row.kind === null ? 0 : MARK), y + 12));
      y += ROW_LINE;
    }
  }
  const right = Math.max(...texts.map(({ x, width }) => x + width));
  const isBare = rows.length === 0 && inside === undefined;
  const width = Math.max(isBare ? 96 : 120, right + PADDING);
  if (isBare && !hasMark)
    return {
      width,
      height: y + PADDING - 2,
      marks,
      texts: texts.map((text) => ({ ...text, x: width / 2, centered: true })),
    };
  return { width, height: y + PADDING - 2, texts, marks };
}

/** A card with very many rows would hide the rest of the picture. */
function shownRows(rows: PictureNode['rows']): PictureNode['rows'] {
  if (rows.length <= MOST_ROWS) return rows;
  const missing = rows.length - MOST_ROWS + 1;
  return [...rows.slice(0, MOST_ROWS - 1), { kind: null, text: `… and ${missing} more`, depth: 0 }];
}

/** Null if the edge has no label. Several alternatives become several paragraphs. */
export function measureLabel({ labels }: PictureEdge): DrawnLabel | null {
  const texts = labels.filter((label) => label !== '');
  if (texts.length === 0) return null;
  const shown = texts.length > MOST_ALTERNATIVES ? texts.slice(0, MOST_ALTERNATIVES - 1) : texts;
  const most = shown.length === 1 ? 3 : 2;
  const paragraphs = shown.map((text, at) => {
    const lead = at === 0 ? '' : 'or ';
    return wrap(lead + pictureText.short(text), LABEL, LABEL_WIDTH, most).lines;
  });
  if (shown.length < texts.length) paragraphs.push([`or ${texts.length - shown.length} more`]);
  const lines = paragraphs.flat();
  const width = Math.max(...lines.map((line) => textWidth(line, LABEL))) + 2 * LABEL_PADDING;
  const drawn = lines.map((line, at) => center(line, LABEL, 'label', width / 2, LABEL_PADDING + at * LABEL_LINE + 10));
  return { x: 0, y: 0, width, height: lines.length * LABEL_LINE + 2 * LABEL_PADDING - 2, texts: drawn };
}

function alignLeft(text: string, font: Font, role: DrawnText['role'], x: number, y: number): DrawnText {
  return { text, font, role, x, y, centered: false, width: textWidth(text, font) };
}

function center(text: string, font: Font, role: DrawnText['role'], x: number, y: number): DrawnText {
  return { ...alignLeft(text, font, role, x, y), centered: true };
}
