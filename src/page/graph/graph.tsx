/** A drawing on the page: nodes can be chosen, and the node where the run is stays visible. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { edgePaths } from '../../views/picture/edge-paths.js';
import { MARKS } from '../../views/picture/marks.js';
import type { Drawing, DrawnEdge, DrawnNode, DrawnText, PictureNode } from '../../views/picture/picture.js';
import { isUnusual } from '../../views/picture/picture.js';
import type { FactsOf, NodeFacts, NodeMark } from './node-facts.js';
import './graph-style.js';

interface GraphProps {
  readonly drawing: Drawing;
  readonly name: string;
  /** Null: as large as there is room, but not larger than it was drawn. */
  readonly zoom: number | null;
  readonly onFit: (scale: number) => void;
  /** The id of the node where the run is. */
  readonly current: string | null;
  /** Whether the run has ended there. */
  readonly ending: 'returned' | 'failed' | null;
  readonly factsOf: FactsOf;
  readonly edgeFacts: (edge: DrawnEdge) => EdgeFacts;
  readonly onChoose: (node: PictureNode) => void;
}

export interface EdgeFacts {
  /** How often it was taken. */
  readonly count: number;
  /** The lines of its label, and what a pointer shows. */
  readonly lines: readonly string[];
  readonly about: string;
}

/** The smallest text, of 11 px, then has 10. A graph that fits only with smaller ones has this size, and scrolls. */
const SMALLEST = 0.91;

export function Graph(props: GraphProps) {
  const { drawing, name, zoom, onFit, current, ending, factsOf, edgeFacts, onChoose } = props;
  const { width, height, nodes, edges } = drawing;
  const ways = edges.map((drawn) => ({ drawn, facts: edgeFacts(drawn) }));
  const frame = useRef<HTMLElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  useLayoutEffect(() => {
    const { current: box } = frame;
    if (box === null) return;
    const resize = (): void => {
      const fit = Math.max(SMALLEST, Math.min(1, box.clientWidth / width, box.clientHeight / height));
      const scale = zoom ?? fit;
      onFit(scale);
      svg.current?.setAttribute('width', String(Math.round(width * scale)));
      svg.current?.setAttribute('height', String(Math.round(height * scale)));
    };
    resize();
    const observer = new ResizeObserver(resize);
    observer.observe(box);
    return () => observer.disconnect();
  }, [width, height, zoom]);
  useLayoutEffect(() => {
    const { current: box } = frame;
    const node = box?.querySelector('.node.current');
    if (!box || !node) return;
    const [outer, inner] = [box.getBoundingClientRect(), node.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom)
      box.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2;
    if (inner.left < outer.left || inner.right > outer.right)
      box.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
  }, [current, zoom, drawing]);
  return (
    <section ref={frame} class="graph-frame scroll" aria-label={name} tabIndex={0}>
      <svg ref={svg} class="statedsl-graph" viewBox={`0 0 ${width} ${height}`} role="group" aria-label={name}>
        {nodes.map((node) => (
          <GraphNode
            key={node.node.id}
            drawn={node}
            facts={factsOf(node.node)}
            isCurrent={node.node.id === current}
            ending={ending}
            onChoose={onChoose}
          />
        ))}
        {ways.map((way) => (
          <GraphEdge key={way.drawn.edge.id} {...way} />
        ))}
        {ways.map((way) => (
          <GraphLabel key={way.drawn.edge.id} {...way} />
        ))}
      </svg>
    </section>
  );
}

interface NodeProps {
  readonly drawn: DrawnNode;
  readonly facts: NodeFacts | null;
  readonly isCurrent: boolean;
  readonly ending: 'returned' | 'failed' | null;
  readonly onChoose: (node: PictureNode) => void;
}

function GraphNode({ drawn, facts, isCurrent, ending, onChoose }: NodeProps) {
  const { node, x, y, width, height, texts, marks, fullText } = drawn;
  const radius = node.shape === 'pill' ? Math.min(height / 2, 14) : node.shape === 'dot' ? width / 2 : 6;
  const choose = facts?.canChoose === true ? () => onChoose(node) : null;
  return (
    <g
      class={`node ${isCurrent ? `current ${ending === null ? '' : `over ${ending}`}` : ''} ${facts?.isDim === true ? 'unvisited' : ''}`}
    >
      {fullText !== '' && <title>{[fullText, facts?.words].filter(Boolean).join('\n')}</title>}
      {isCurrent && <rect class="halo" x={x - 4} y={y - 4} width={width + 8} height={height + 8} rx={radius + 4} />}
      <rect class={`box ${node.kind}`} x={x} y={y} width={width} height={height} rx={radius} />
      {marks.map(({ kind, ...at }) => {
        const path = MARKS[kind];
        return path === null ? null : (
          <path key={`${at.x} ${at.y}`} class={`mark ${kind}-mark`} transform={`translate(${at.x} ${at.y})`} d={path} />
        );
      })}
      {texts.map(graphText)}
      {facts !== null && facts.mark !== null && <StatusBadge mark={facts.mark} x={x} y={y} />}
      {facts !== null && facts.count > 1 && (
        <g class="visits">
          <rect x={x + width - 26} y={y - 9} width={30} height={18} rx={9} />
          <text x={x + width - 11} y={y + 4} text-anchor="middle" font-size={11}>
            {shortCount(facts.count)}
          </text>
        </g>
      )}
      {choose !== null && (
        <rect
          class="hit"
          role="button"
          tabIndex={0}
          aria-label={facts?.words}
          aria-current={isCurrent ? 'step' : undefined}
          {...{ x, y, width, height, rx: radius }}
          onClick={choose}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' && event.key !== ' ') return;
            event.preventDefault();
            choose();
          }}
        />
      )}
    </g>
  );
}

const BADGES: Readonly<Record<NodeMark, string>> = {
  done: 'M-3.5 0.2l2.4 2.6l4.6 -5.4',
  failed: 'M-3 -3l6 6M3 -3l-6 6',
  running: 'M-2 -3.2l5 3.2l-5 3.2z',
  waiting: 'M0 -3.4v3.6l2.4 1.6',
  skipped: 'M-3.4 0h6.8',
};

/** The status of a step or call, at the corner of its node. */
function StatusBadge({ mark, x, y }: { readonly mark: NodeMark; readonly x: number; readonly y: number }) {
  return (
    <g class={`badge ${mark}`} transform={`translate(${x + 2} ${y + 2})`}>
      <circle r={8} />
      <path d={BADGES[mark]} />
    </g>
  );
}

function graphText({ text, font, role, x, y, centered, width }: DrawnText) {
  const length = isUnusual(text) ? { textLength: width, lengthAdjust: 'spacingAndGlyphs' } : {};
  return (
    <text
      key={`${x} ${y}`}
      class={`${role} ${font.face}`}
      font-size={font.size}
      x={x}
      y={y}
      text-anchor={centered ? 'middle' : undefined}
      {...length}
    >
      {text}
    </text>
  );
}

interface EdgeProps {
  readonly drawn: DrawnEdge;
  readonly facts: EdgeFacts;
}

function GraphEdge({ drawn: { edge, points }, facts: { count, about } }: EdgeProps) {
  const paths = edgePaths(points);
  if (paths === null) return null;
  const kind = edge.kind === 'main' ? ['', ''] : [`${edge.kind}-way`, `${edge.kind}-head`];
  return (
    <g class={`edge ${count > 0 ? 'taken' : ''}`}>
      <title>{about}</title>
      <path class={`way ${kind[0]}`} d={paths.way} />
      <path class={`head ${kind[1]}`} d={paths.head} />
    </g>
  );
}

interface LabelBoxProps {
  readonly label: NonNullable<DrawnEdge['label']>;
  readonly lines: readonly string[];
}

/** The background of the lines that have a text: the room for a value that is not there yet does not interrupt the edge. */
function LabelBox({ label: { x, y, width, height, texts }, lines }: LabelBoxProps) {
  const hasText = texts.map((_, at) => (lines[at] ?? '') !== '');
  const first = hasText.indexOf(true);
  if (first === -1) return null;
  const rows = hasText.lastIndexOf(true) - first + 1;
  const row = height / texts.length;
  return <rect class="label-box" x={x} y={y + first * row} width={width} height={rows * row} rx={3} />;
}

/** The condition of an edge, and how often it was taken. Without a condition, the number is on the line. */
function GraphLabel({ drawn: { label, points }, facts: { count, lines, about } }: EdgeProps) {
  const at = label === null ? middleOf(points) : { x: label.x + label.width / 2, y: label.y - 6 };
  return (
    <>
      {label !== null && (
        <g class={count > 0 ? 'edge taken' : 'edge'}>
          <LabelBox label={label} lines={lines} />
          <title>{about}</title>
          {label.texts.map((text, at) => graphText({ ...text, text: lines[at] ?? '' }))}
        </g>
      )}
      {count > 1 && (
        <g class="visits">
          <rect x={at.x - 17} y={at.y - 9} width={34} height={17} rx={8} />
          <text x={at.x} y={at.y + 4} text-anchor="middle" font-size={11}>
            ×{shortCount(count)}
          </text>
        </g>
      )}
    </>
  );
}

const shortCount = (count: number): string => (count < 1000 ? String(count) : `${Math.round(count / 1000)}k`);

export const countWords = (count: number): string =>
  count === 0 ? 'not taken' : `taken ${count === 1 ? 'once' : `${count} times`}`;

/** The middle of the longest part of a line. */
function middleOf(points: DrawnEdge['points']): { x: number; y: number } {
  let best = { x: 0, y: 0, length: -1 };
  points.slice(1).forEach((to, at) => {
    const from = points[at] ?? to;
    const length = Math.abs(to.x - from.x) + Math.abs(to.y - from.y);
    if (length > best.length) best = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2, length };
  });
  return best;
}
