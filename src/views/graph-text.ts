/**
 * A graph as Mermaid, as DOT and as plain characters. All three go through the states in the order of the program,
 * so equal programs give equal bytes. Labels come from the program and may hold anything: each form escapes what
 * its reader would take for syntax.
 */
import type { Edge, Graph } from './graph.js';
import { cut, pictureControls } from './visible-text.js';

const LONGEST_LABEL = 120;
const MANY_STATES = 150;

/** Words that Mermaid reads as its own, in any case. */
const RESERVED = new Set(
  'state note end class classdef style as direction fork join choice hide scale click default acctitle accdescr'.split(
    ' ',
  ),
);

export function mermaid(graph: Graph): string {
  const id = (index: number): string => mermaidId(graph.states[index]?.name ?? '', index);
  const out = ['stateDiagram-v2'];
  graph.states.forEach(({ name }, index) => {
    out.push(id(index) === name ? `    ${name}` : `    state "${mermaidText(name)}" as ${id(index)}`);
  });
  graph.states.forEach(({ initial }, index) => {
    if (initial) out.push(`    [*] --> ${id(index)}`);
  });
  for (const edge of graph.edges) {
    const label = edge.label === '' ? '' : ` : ${mermaidText(edge.label)}`;
    out.push(`    ${id(edge.from)} --> ${edge.to === null ? '[*]' : id(edge.to)}${label}`);
  }
  return `${out.join('\n')}\n`;
}

export function dot(graph: Graph): string {
  const out = [`digraph ${quoted(graph.name)} {`, '  rankdir=TB;', '  node [shape=box, style=rounded];'];
  // Exact placement of a large graph takes minutes; these give up early with a picture that is nearly as good.
  if (graph.states.length > MANY_STATES) out.push('  nslimit=1;', '  nslimit1=1;', '  mclimit=0.1;');
  if (graph.edges.some(({ to }) => to === null)) out.push('  "(return)" [shape=doublecircle, label="", width=0.2];');
  for (const { name, initial } of graph.states) out.push(`  ${quoted(name)}${initial ? ' [penwidth=2]' : ''};`);
  for (const edge of graph.edges) {
    const to = edge.to === null ? '"(return)"' : quoted(nameOf(graph, edge.to));
    const attributes = [
      edge.label === '' ? null : `label=${quoted(cut(edge.label, LONGEST_LABEL))}`,
      edge.failure ? 'style=dashed' : null,
    ].filter((one) => one !== null);
    const list = attributes.length === 0 ? '' : ` [${attributes.join(', ')}]`;
    out.push(`  ${quoted(nameOf(graph, edge.from))} -> ${to}${list};`);
  }
  return `${out.join('\n')}\n}\n`;
}

/** A list of states with their ways out: it needs no font, no width and no reader but a person. */
export function ascii(graph: Graph): string {
  const out = [pictureControls(graph.name)];
  graph.states.forEach(({ name, initial }, index) => {
    out.push('', `${name}${initial ? '  (initial)' : ''}`);
    const edges = graph.edges.filter((edge) => edge.from === index);
    for (const edge of edges) {
      const label = edge.label === '' ? '-' : `[${pictureControls(cut(edge.label, LONGEST_LABEL))}]`;
      out.push(`  ${edge.failure ? '..' : '--'} ${label} ${edge.failure ? '..>' : '-->'} ${target(graph, edge)}`);
    }
    if (edges.length === 0) out.push('  (no way out)');
  });
  return `${out.join('\n').replaceAll('-- - -->', '------->')}\n`;
}

function target(graph: Graph, edge: Edge): string {
  return edge.to === null ? '(return)' : nameOf(graph, edge.to);
}

function nameOf(graph: Graph, index: number): string {
  return graph.states[index]?.name ?? '';
}

function mermaidId(name: string, index: number): string {
  return /^[A-Za-z_]\w*$/.test(name) && !RESERVED.has(name.toLowerCase()) ? name : `s${index}`;
}

/** Entities for what ends a label or opens something: `;`, `#`, quotes, a tag, a directive, a second colon. */
function mermaidText(text: string): string {
  return pictureControls(cut(text, LONGEST_LABEL)).replace(
    /[;#`{}\\]|<(?=[A-Za-z/!?])|%(?=%)|:(?=:)|&(?=[#\w])/g,
    (character) => `#${character.charCodeAt(0)};`,
  );
}

/** A DOT string. Backslashes are doubled so that `\N` and `\n` stay what the author wrote. */
function quoted(text: string): string {
  return `"${pictureControls(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
