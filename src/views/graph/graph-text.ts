/**
 * A graph as Mermaid, as DOT and as plain characters. All three go through the states in the order of the program, so
 * equal programs give equal bytes. Labels come from the program and can contain anything, so each form escapes the
 * characters that are syntax in it.
 */
import { cut, oneLine, pictureControls } from '../drawing/visible-text.js';
import { asciiSteps, type DotWriter, dotSteps, type MermaidWriter, mermaidSteps } from '../steps/draw-steps.js';
import type { Graph, GraphEdge } from './machine-graph.js';

const LONGEST_LABEL = 120;
/** A step shows its gates, and a loop shows all of its entries. */
const LONGEST_STEP = 400;
const MANY_STATES = 150;

/** Words that Mermaid reads as its own, in any case. */
const RESERVED = new Set(
  'state note end class classdef style as direction fork join choice hide scale click default acctitle accdescr'.split(
    ' ',
  ),
);

/** One diagram for all machines. Several machines become boxes, each with its own states. States that `isPale` are gray. */
export function mermaid(graphs: readonly Graph[], isPale?: (graph: number, state: number) => boolean): string {
  const out = ['stateDiagram-v2'];
  const [only, ...others] = graphs;
  if (only !== undefined && others.length === 0) out.push(...mermaidLines(only, '').map((line) => `    ${line}`));
  else
    graphs.forEach((graph, at) => {
      out.push(`    state ${mermaidName(graph.name)} as m${at} {`);
      out.push(...mermaidLines(graph, `m${at}_`).map((line) => `        ${line}`), '    }');
    });
  if (isPale !== undefined) out.push(...paleStates(graphs, isPale));
  return `${out.join('\n')}\n`;
}

function paleStates(graphs: readonly Graph[], isPale: (graph: number, state: number) => boolean): string[] {
  const pale = graphs.flatMap(({ states }, at) => {
    const lead = graphs.length === 1 ? '' : `m${at}_`;
    return states.flatMap(({ name }, index) => (isPale(at, index) ? [mermaidId(lead, name, index)] : []));
  });
  if (pale.length === 0) return [];
  const looks = 'fill:#eeeeee,stroke:#999999,color:#777777,stroke-dasharray:4';
  return [`    classDef unreached ${looks}`, `    class ${pale.join(',')} unreached`];
}

/** All states in a diagram share one namespace, so the states of each machine need a prefix. */
function mermaidLines(graph: Graph, lead: string): string[] {
  const id = (index: number): string => mermaidId(lead, graph.states[index]?.name ?? '', index);
  if (graph.stateless) return mermaidSteps(graph.states[0]?.steps ?? [], lead, MERMAID);
  const out = graph.states.flatMap(({ name, steps }, index) => {
    const head = id(index) === name ? name : `state ${mermaidName(name)} as ${id(index)}`;
    if (steps === undefined) return [head];
    const inside = mermaidSteps(steps, `${lead}w${index}_`, MERMAID).map((line) => `    ${line}`);
    return [`${id(index) === name ? `state ${name}` : head} {`, ...inside, '}'];
  });
  graph.states.forEach(({ initial }, index) => {
    if (initial) out.push(`[*] --> ${id(index)}`);
  });
  for (const edge of graph.edges) {
    const label = edge.label === '' ? '' : ` : ${mermaidText(edge.label)}`;
    out.push(`${id(edge.from)} --> ${edge.to === null ? '[*]' : id(edge.to)}${label}`);
  }
  return out;
}

const MERMAID: MermaidWriter = {
  name: (text) => `"${mermaidText(text, LONGEST_STEP).replaceAll('"', '#34;')}"`,
  text: (text) => mermaidText(text, LONGEST_STEP),
};

/** One graph for all machines. Several machines become clusters. */
export function dot(graphs: readonly Graph[]): string {
  const [only, ...others] = graphs;
  const states = graphs.reduce((sum, graph) => sum + graph.states.length, 0);
  const single = only !== undefined && others.length === 0;
  const out = [`digraph ${quoteDot(single ? only.name : 'machines')} {`];
  out.push('  rankdir=TB;', '  node [shape=box, style=rounded];');
  // An exact layout of a large graph takes minutes; these limits end it early with a picture that is nearly as good.
  if (states > MANY_STATES) out.push('  nslimit=1;', '  nslimit1=1;', '  mclimit=0.1;');
  if (single) out.push(...dotLines(only, '').map((line) => `  ${line}`));
  else
    graphs.forEach((graph, at) => {
      out.push(`  subgraph ${quoteDot(`cluster_${at}`)} {`, `    label=${quoteDot(graph.name)};`);
      out.push(...dotLines(graph, `${at}/`).map((line) => `    ${line}`), '  }');
    });
  return `${out.join('\n')}\n}\n`;
}

const DOT_STYLE: Readonly<Record<GraphEdge['kind'], string | null>> = {
  goto: null,
  failure: 'style=dashed',
  // Nothing goes this way, so it does not decide which state is above another.
  rollback: 'style=dotted, constraint=false',
};

const DOT_END = '[shape=doublecircle, label="", width=0.2];';

const ASCII_LINE: Readonly<Record<GraphEdge['kind'], string>> = { goto: '--', failure: '..', rollback: '~~' };

function dotLines(graph: Graph, lead: string): string[] {
  const id = (index: number | null): string => quoteDot(lead + (index === null ? '(return)' : nameOf(graph, index)));
  if (graph.stateless) return dotWorkflow(graph, lead);
  const out: string[] = [];
  if (graph.edges.some(({ to }) => to === null)) out.push(`${id(null)} ${DOT_END}`);
  graph.states.forEach(({ name, initial, steps }, index) => {
    const label = lead === '' ? null : `label=${quoteDot(name)}`;
    const own = `${id(index)}${attributes([label, initial ? 'penwidth=2' : null])};`;
    if (steps === undefined) out.push(own);
    else {
      const drawn = dotSteps(steps, dotWriter(lead));
      const begin = drawn.first.map((first) => `${id(index)} -> ${first};`);
      out.push(`subgraph ${quoteDot(`cluster_${lead}state_${name}`)} {`);
      out.push(...[`label=${quoteDot(name)};`, own, ...drawn.out, ...begin].map((line) => `  ${line}`), '}');
    }
  });
  for (const edge of graph.edges) {
    const label = edge.label === '' ? null : `label=${quoteDot(cut(edge.label, LONGEST_LABEL))}`;
    out.push(`${id(edge.from)} -> ${id(edge.to)}${attributes([label, DOT_STYLE[edge.kind]])};`);
  }
  return out;
}

/** Graphviz recognizes boxes by the prefix of their names; names of steps and of states never collide. */
function dotWriter(lead: string): DotWriter {
  const box = 'cluster_';
  return {
    id: (path) =>
      quoteDot(path.startsWith(box) ? `${box}${lead}step ${path.slice(box.length)}` : `${lead}step ${path}`),
    lines: quotedLines,
  };
}

/** A workflow file has no state that contains its steps. */
function dotWorkflow(graph: Graph, lead: string): string[] {
  const { out, last } = dotSteps(graph.states[0]?.steps ?? [], dotWriter(lead));
  const end = quoteDot(`${lead}(return)`);
  return [`${end} ${DOT_END}`, ...out, ...last.map((from) => `${from} -> ${end};`)];
}

/** A label of several lines, each shortened separately. */
function quotedLines(lines: readonly string[]): string {
  const texts = lines.map((line) => quoteDot(cut(oneLine(line), LONGEST_LABEL)).slice(1, -1));
  return `"${texts.join('\\n')}"`;
}

function attributes(list: readonly (string | null)[]): string {
  const present = list.filter((one) => one !== null);
  return present.length === 0 ? '' : ` [${present.join(', ')}]`;
}

/** Lists of states with their transitions: plain text that needs no font, width or renderer. */
export function ascii(graphs: readonly Graph[]): string {
  return graphs.map(asciiOf).join('\n');
}

function asciiOf(graph: Graph): string {
  const out = [pictureControls(graph.name)];
  if (graph.stateless) return `${[...out, '', ...asciiSteps(graph.states[0]?.steps ?? [])].join('\n')}\n`;
  const edgesFrom = graph.states.map((): GraphEdge[] => []);
  for (const edge of graph.edges) edgesFrom[edge.from]?.push(edge);
  graph.states.forEach(({ name, initial, steps = [] }, index) => {
    out.push('', `${name}${initial ? '  (initial)' : ''}`, ...asciiSteps(steps).map((line) => `  ${line}`));
    const edges = edgesFrom[index] ?? [];
    for (const edge of edges) out.push(`  ${asciiArrow(edge)} ${target(graph, edge)}`);
    if (edges.every(({ kind }) => kind === 'rollback')) out.push('  (no way out)');
  });
  return `${out.join('\n')}\n`;
}

function asciiArrow({ label, kind }: GraphEdge): string {
  if (label === '' && kind === 'goto') return '------->';
  const line = ASCII_LINE[kind];
  return `${line} ${label === '' ? '-' : `[${pictureControls(cut(label, LONGEST_LABEL))}]`} ${line}>`;
}

function target(graph: Graph, edge: GraphEdge): string {
  return edge.to === null ? '(return)' : nameOf(graph, edge.to);
}

function nameOf(graph: Graph, index: number): string {
  return graph.states[index]?.name ?? '';
}

function mermaidId(lead: string, name: string, index: number): string {
  return lead + (/^[A-Za-z_]\w*$/.test(name) && !RESERVED.has(name.toLowerCase()) ? name : `s${index}`);
}

/** A name in quotes. */
function mermaidName(text: string): string {
  return `"${mermaidText(text).replaceAll('"', '#34;')}"`;
}

/**
 * Escapes characters that would end a label or open other syntax as entities: `;`, `#`, quotes, a tag, a directive, a
 * second colon.
 */
function mermaidText(text: string, longest = LONGEST_LABEL): string {
  return pictureControls(cut(oneLine(text), longest)).replace(
    /[;#`{}\\]|<(?=[A-Za-z/!?])|%(?=%)|:(?=:)|&(?=[#\w])/g,
    (character) => `#${character.charCodeAt(0)};`,
  );
}

/** A DOT string. Backslashes are doubled so that `\N` and `\n` stay what the author wrote. */
function quoteDot(text: string): string {
  return `"${pictureControls(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
