/**
 * From a picture to positions. Each level is laid out separately, from the innermost one: first what is inside of a node,
 * then the node with its final size among its neighbors. The engine for levels with edges is passed, so that a page can
 * run it in a worker.
 */
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import { cut, oneLine, pictureControls } from '../drawing/visible-text.js';
import { MARKS } from './marks.js';
import {
  type Drawing,
  type DrawnEdge,
  type DrawnLabel,
  type DrawnMark,
  type DrawnNode,
  type DrawnText,
  type Font,
  type Picture,
  type PictureEdge,
  type PictureNode,
  type Point,
  type Rectangle,
  textWidth,
  wrap,
} from './picture.js';

/** Computes the positions of a flat graph; `elk.ts` has the usual one. */
export type LayoutEngine = (graph: ElkNode) => Promise<ElkNode>;

/** Space around the whole picture. */
const MARGIN = 16;
const INSET = 12;
const GAP = 16;
const WIDEST_ROW = 760;

export async function layOut(picture: Picture, engine: LayoutEngine): Promise<Drawing> {
  return moveDrawing(await layOutLevel(picture, engine, 0), MARGIN, MARGIN, MARGIN);
}

/** A node with what is inside of it, before it has a position. */
interface Box {
  readonly node: PictureNode;
  readonly width: number;
  readonly height: number;
  readonly own: Omit<DrawnNode, keyof Rectangle>;
  /** Relative to the node. */
  readonly inside: Drawing | null;
}

async function layOutLevel(picture: Picture, engine: LayoutEngine, depth: number): Promise<Drawing> {
  const boxes: Box[] = [];
  for (const node of picture.nodes) boxes.push(await boxOf(node, engine, depth));
  const positioned =
    picture.arrange === 'flow' ? await flow(boxes, picture.edges, engine) : inRows(boxes, picture.arrange);
  return normalize(boxes, positioned);
}

async function boxOf(node: PictureNode, engine: LayoutEngine, depth: number): Promise<Box> {
  const { width, height, texts, marks, fullText } = measureNode(node);
  const own = { node, depth, texts, marks, fullText };
  if (node.inside === undefined || node.inside.nodes.length === 0) return { node, width, height, own, inside: null };
  const level = await layOutLevel(node.inside, engine, depth + 1);
  const total = Math.max(width, level.width + 2 * INSET);
  const inside = moveDrawing(level, Math.round((total - level.width) / 2), height, 0);
  return { node, width: total, height: height + level.height + INSET, own, inside };
}

interface Positions {
  readonly corners: readonly Point[];
  readonly edges: readonly DrawnEdge[];
}

/** In the order of the program, from left to right, in as many rows as needed; or all below each other. */
function inRows(boxes: readonly Box[], arrange: 'row' | 'stack'): Positions {
  const corners: Point[] = [];
  let [x, y, lowest] = [0, 0, 0];
  boxes.forEach((box, at) => {
    if (at > 0 && (arrange === 'stack' || x + box.width > WIDEST_ROW)) {
      x = 0;
      y = lowest + GAP;
    }
    corners.push({ x, y });
    x += box.width + GAP;
    lowest = Math.max(lowest, y + box.height);
  });
  return { corners, edges: [] };
}

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.randomSeed': '1',
  'elk.padding': '[top=0,left=0,bottom=0,right=0]',
  'elk.separateConnectedComponents': 'false',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.considerModelOrder.strategy': 'PREFER_NODES',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.edgeLabels.sideSelection': 'ALWAYS_DOWN',
  'elk.edgeLabels.placement': 'CENTER',
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeNode': '18',
  'elk.spacing.edgeEdge': '14',
  'elk.spacing.edgeLabel': '4',
  'elk.spacing.labelLabel': '6',
  'elk.spacing.labelNode': '8',
  'elk.spacing.nodeSelfLoop': '18',
  'elk.layered.spacing.nodeNodeBetweenLayers': '30',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '14',
};

/** Above these numbers a good layout takes too long, and a quicker one has to do. */
const MANY_NODES = 60;
const MANY_EDGES = 120;
const QUICK = {
  ...OPTIONS,
  'elk.layered.thoroughness': '1',
  'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
  'elk.layered.considerModelOrder.strategy': 'NONE',
};

async function flow(boxes: readonly Box[], edges: readonly PictureEdge[], engine: LayoutEngine): Promise<Positions> {
  const labels = edges.map(measureLabel);
  const graph = await engine({
    id: 'picture',
    layoutOptions: boxes.length > MANY_NODES || edges.length > MANY_EDGES ? QUICK : OPTIONS,
    children: boxes.map(({ node, width, height }) => ({ id: `n ${node.id}`, width, height })),
    edges: edges.map((edge, at) => elkEdge(edge, labels[at] ?? null)),
  });
  const children = new Map((graph.children ?? []).map((child) => [child.id, child]));
  const corners = boxes.map(({ node }) => pointOf(children.get(`n ${node.id}`)));
  const routed = new Map((graph.edges ?? []).map((one) => [one.id, one]));
  return {
    corners,
    edges: edges.map((edge, at) => toDrawnEdge(edge, labels[at] ?? null, routed.get(`e ${edge.id}`))),
  };
}

function elkEdge(edge: PictureEdge, label: DrawnLabel | null): ElkExtendedEdge {
  return {
    id: `e ${edge.id}`,
    sources: [`n ${edge.from}`],
    targets: [`n ${edge.to}`],
    labels:
      label === null
        ? []
        : [
            {
              id: `l ${edge.id}`,
              text: '-',
              width: label.width,
              height: label.height,
              layoutOptions: { 'elk.edgeLabels.inline': String(edge.from !== edge.to) },
            },
          ],
  };
}

function toDrawnEdge(edge: PictureEdge, label: DrawnLabel | null, routed: ElkExtendedEdge | undefined): DrawnEdge {
  const points = (routed?.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) =>
    [startPoint, ...bendPoints, endPoint].map(pointOf),
  );
  const corner = pointOf(routed?.labels?.[0]);
  const fullText = edge.labels.map(pictureText.full).join('\nor ');
  return { edge, points, label: label === null ? null : moveLabel(label, corner.x, corner.y), fullText };
}

/** Half pixels at most: the rest of the digits is noise. */
function pointOf(point: { readonly x?: number; readonly y?: number } | undefined): Point {
  return { x: Math.round((point?.x ?? 0) * 2) / 2, y: Math.round((point?.y ?? 0) * 2) / 2 };
}

/** All nodes of a level and below as one drawing that begins at the top left. */
function normalize(boxes: readonly Box[], { corners, edges }: Positions): Drawing {
  const nodes: DrawnNode[] = [];
  const innerEdges: DrawnEdge[] = [];
  boxes.forEach(({ width, height, own, inside }, at) => {
    const { x, y } = corners[at] as Point;
    nodes.push(moveNode({ ...own, x: 0, y: 0, width, height }, x, y));
    if (inside === null) return;
    nodes.push(...inside.nodes.map((node) => moveNode(node, x, y)));
    innerEdges.push(...inside.edges.map((edge) => moveEdge(edge, x, y)));
  });
  const all = [...edges, ...innerEdges];
  const xs = [...nodes.flatMap(({ x, width }) => [x, x + width]), ...all.flatMap((edge) => extent(edge, 'x', 'width'))];
  const ys = [
    ...nodes.flatMap(({ y, height }) => [y, y + height]),
    ...all.flatMap((edge) => extent(edge, 'y', 'height')),
  ];
  const [left, top] = [least(xs), least(ys)];
  const drawing = {
    width: -least(xs.map((x) => -x)) - left,
    height: -least(ys.map((y) => -y)) - top,
    nodes,
    edges: all,
  };
  const { width, height } = drawing;
  return { ...moveDrawing(drawing, -left, -top, 0), width, height };
}

/** `Math.min` of a list of any length. */
function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), numbers[0] ?? 0);
}

function extent({ points, label }: DrawnEdge, axis: 'x' | 'y', size: 'width' | 'height'): number[] {
  return [...points.map((point) => point[axis]), ...(label === null ? [] : [label[axis], label[axis] + label[size]])];
}

/** `border` is added at the right and the bottom. */
function moveDrawing({ width, height, nodes, edges }: Drawing, x: number, y: number, border: number): Drawing {
  return {
    width: Math.ceil(width + x + border),
    height: Math.ceil(height + y + border),
    nodes: nodes.map((node) => moveNode(node, x, y)),
    edges: edges.map((edge) => moveEdge(edge, x, y)),
  };
}

function shift<T extends Point>(one: T, x: number, y: number): T {
  return { ...one, x: one.x + x, y: one.y + y };
}

function moveNode(node: DrawnNode, x: number, y: number): DrawnNode {
  return {
    ...shift(node, x, y),
    texts: node.texts.map((text) => shift(text, x, y)),
    marks: node.marks.map((mark) => shift(mark, x, y)),
  };
}

function moveLabel(label: DrawnLabel, x: number, y: number): DrawnLabel {
  return { ...shift(label, x, y), texts: label.texts.map((text) => shift(text, x, y)) };
}

function moveEdge(edge: DrawnEdge, x: number, y: number): DrawnEdge {
  return {
    ...edge,
    points: edge.points.map((point) => shift(point, x, y)),
    label: edge.label === null ? null : moveLabel(edge.label, x, y),
  };
}

const TITLE: Font = { size: 13, face: 'bold' };
const ROW: Font = { size: 12, face: 'sans' };
const LABEL: Font = { size: 11, face: 'mono' };

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
interface Measured {
  readonly width: number;
  readonly height: number;
  readonly texts: readonly DrawnText[];
  readonly marks: readonly DrawnMark[];
  readonly fullText: string;
}

function measureNode(node: PictureNode): Measured {
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
function measureLabel({ labels }: PictureEdge): DrawnLabel | null {
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

const LONGEST_SHOWN = 600;
const LONGEST_FULL = 4000;

/** Invisible characters, marks of direction, separators of lines, and code points that no document may contain. */
const ODD =
  /[\u00ad\u061c\u180e\u200b\u200c\u2028\u2029\u2060-\u206f\ufeff\ufff0-\uffff\u{e0000}-\u{e0fff}\ufdd0-\ufdef]|[\ud800-\udfff]/gu;

function visible(text: string): string {
  return pictureControls(text)
    .replace(ODD, '\ufffd')
    .replace(/(\p{M}{3})\p{M}+/gu, '$1')
    .replaceAll('\t', ' ');
}

/**
 * Text of programs that is safe in a picture: without characters that XML forbids, that reorder other text, that are
 * invisible, or that pile up over other lines.
 */
export const pictureText = {
  /** One line for the picture itself. */
  short: (text: string): string => visible(oneLine(cut(text, LONGEST_SHOWN))),
  /** For a pointer. */
  full: (text: string): string => visible(oneLine(cut(text, LONGEST_FULL))),
};
