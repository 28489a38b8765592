/** A picture with positions: what `layout.ts` gives and `draw-svg.ts` draws. All coordinates count from the top left. */
import type { PictureEdge, PictureKind, PictureNode } from './picture.js';
import type { Font } from './text-width.js';

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
