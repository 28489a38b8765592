/**
 * The model of a picture: nodes with their texts, and edges between nodes of one level. It knows no program, no font and
 * no coordinate, so that everything that can be drawn takes the same way through `layout.ts`.
 */

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
export type Reach = 'reached' | 'partly' | 'missed' | 'unreachable';

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
  readonly reach?: Reach;
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
  readonly reach?: Reach;
}
