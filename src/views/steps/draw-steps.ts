/** Trees of steps in pictures: in order, with a loop for each RETRY and a box for each EACH. */
import { oneLine, pictureControls } from '../drawing/visible-text.js';
import type { DrawnStep } from './step-tree.js';

const indent = (lines: readonly string[]): string[] => lines.map((line) => `    ${line}`);

/** How one form of pictures writes names and texts. */
export interface MermaidWriter {
  /** A name in quotes. */
  readonly name: (text: string) => string;
  readonly text: (text: string) => string;
}

/**
 * Mermaid cannot connect nodes in different boxes, so an arrow enters and leaves a box as a whole, and loops stay
 * inside it.
 */
export function mermaidSteps(
  nodes: readonly DrawnStep[],
  lead: string,
  write: MermaidWriter,
  parallel = false,
): string[] {
  const ids = nodes.map((_, at) => `${lead}s${at}`);
  const out = nodes.flatMap((node, at) => mermaidNode(node, ids[at] as string, write));
  nodes.forEach((_, at) => {
    if (at === 0 || parallel) out.push(`[*] --> ${ids[at]}`);
    if (parallel || at === nodes.length - 1) out.push(`${ids[at]} --> [*]`);
    else out.push(`${ids[at]} --> ${ids[at + 1]}`);
  });
  return out;
}

function mermaidNode(node: DrawnStep, id: string, write: MermaidWriter): string[] {
  const { kind, lines, retry, inside, parallel } = node;
  const head = `state ${write.name(lines.join(' · '))} as ${id}`;
  const loop = retry.length === 0 ? '' : ` : ${write.text(`retry: ${retry.join('; ')}`)}`;
  if (inside.length === 0) return [head, ...(loop === '' ? [] : [`${id} --> ${id}${loop}`])];
  const body = mermaidSteps(inside, `${id}_`, write, parallel && kind !== 'each');
  const [first, last] = [`${id}_s0`, `${id}_s${inside.length - 1}`];
  const again = loop === '' ? [] : [`${last} --> ${first}${loop}`];
  const next = kind === 'each' && !parallel ? [`${last} --> ${first} : next task`] : [];
  return [`${head} {`, ...indent([...body, ...again, ...next]), '}'];
}

/** In DOT every node has an id, and any two nodes can be connected. */
export interface DotWriter {
  readonly id: (path: string) => string;
  /** A text of several lines in quotes. */
  readonly lines: (lines: readonly string[]) => string;
}

interface Ends {
  readonly first: readonly string[];
  readonly last: readonly string[];
}

interface DotSteps extends Ends {
  readonly out: readonly string[];
}

export function dotSteps(nodes: readonly DrawnStep[], write: DotWriter, parallel = false): DotSteps {
  const out: string[] = [];
  const ends = nodes.map((node) => {
    const drawn = dotNode(node, write);
    out.push(...drawn.out);
    return drawn;
  });
  if (parallel) return { out, first: ends.flatMap(({ first }) => first), last: ends.flatMap(({ last }) => last) };
  ends.forEach((end, at) => {
    const next = ends[at + 1];
    if (next !== undefined) out.push(...ways(end.last, next.first));
  });
  return { out, first: ends[0]?.first ?? [], last: ends.at(-1)?.last ?? [] };
}

function ways(from: readonly string[], to: readonly string[], attributes = ''): string[] {
  return from.flatMap((a) => to.map((b) => `${a} -> ${b}${attributes};`));
}

function dotNode(node: DrawnStep, write: DotWriter): DotSteps {
  const { kind, path, lines, retry, inside, parallel } = node;
  const id = write.id(path);
  const own = [`${id} [label=${write.lines(lines)}, style="rounded,filled", fillcolor="#f4f4f4"];`];
  if (retry.length > 0) own.push(`${id} -> ${id} [label=${write.lines(['retry', ...retry])}, style=dashed];`);
  if (inside.length === 0) return { out: own, first: [id], last: [id] };
  const body = dotSteps(inside, write, parallel && kind !== 'each');
  const box = (content: readonly string[], label: readonly string[]): string[] => [
    `subgraph ${write.id(`cluster_${path}`)} {`,
    ...[`label=${write.lines(label)};`, ...content].map((line) => `  ${line}`),
    '}',
  ];
  if (kind === 'step') {
    const out = box([...own, ...body.out, ...ways([id], body.first)], [lines[0] ?? '']);
    return { out, first: [id], last: body.last };
  }
  if (kind === 'branches') return { out: box(body.out, lines), first: body.first, last: body.last };
  const next = parallel ? [] : ways(body.last, body.first, ' [label="next task", style=dashed]');
  return { out: box([...body.out, ...next], lines), first: body.first, last: body.last };
}

/** Steps as a list: inner steps are indented. */
export function asciiSteps(nodes: readonly DrawnStep[]): string[] {
  return nodes.flatMap(({ lines, retry, inside }) => {
    const [name = '', ...about] = lines.map((line) => pictureControls(oneLine(line)));
    const head = about.length === 0 ? name : `${name}  (${about.join('; ')})`;
    const entries = retry.map((entry) => `  retry ${pictureControls(oneLine(entry))}`);
    return [head, ...entries, ...asciiSteps(inside).map((line) => `  ${line}`)];
  });
}
