/**
 * The states of machines as a picture. Transitions between the same two states become one edge. Failures that lead to
 * the state for failures become one mark, unless each of them is asked for.
 */
import type { Template } from '../../machine/expression.js';
import type { ForkInstruction, Instruction, Machine, State } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Picture, PictureEdge, PictureKind, PictureNode, PictureRow, ReachedPart } from '../picture/picture.js';
import { callLines } from '../steps/call-tree.js';
import { type Graph, type GraphEdge, graphOf } from './machine-graph.js';
import { type ReachNote, reachRow, type StepReach, stepPicture } from './step-picture.js';

export interface PictureOptions {
  /** Draws each transition that a failure takes. */
  readonly failures: boolean;
  /** Colors states and transitions by what was reached of them. */
  readonly reachOf?: ReachOf;
}

/** What was reached of a machine. Absent: it is drawn as always. */
export interface ReachOf {
  readonly state: (machine: Machine, state: number) => ReachNote | undefined;
  /** `path`: as in a step tree. */
  readonly step: (machine: Machine, path: string) => ReachNote | undefined;
  /** `to` is null at the end of the run. */
  readonly transition: (machine: Machine, edge: Pick<GraphEdge, 'from' | 'to' | 'kind'>) => ReachedPart | undefined;
}

/** One picture for all machines of a program. */
export function machinesPicture(machines: readonly Machine[], options: PictureOptions): Picture {
  const [only, ...others] = machines;
  if (only !== undefined && others.length === 0) return machinePicture(only, 'm0', options);
  if (machines.length === 0)
    return { nodes: [noteNode('empty', 'this file has no states to draw')], edges: [], arrange: 'stack' };
  const nodes = machines.map((machine, at): PictureNode => {
    const inside = machinePicture(machine, `m${at}`, options);
    return { id: `m${at}`, kind: 'machine', shape: 'card', title: machine.name, rows: [], inside };
  });
  return { nodes, edges: [], arrange: 'stack' };
}

function machinePicture(machine: Machine, lead: string, options: PictureOptions): Picture {
  const graph = graphOf(machine);
  if (graph.stateless) return workflowPicture(graph, lead, stepReach(machine, options.reachOf));
  if (graph.states.length === 0)
    return { nodes: [noteNode(`${lead} empty`, 'no states')], edges: [], arrange: 'stack' };
  const implicit = graph.edges.filter(({ kind }) => kind === 'failure');
  const isFolded = implicit.length > 0 && !options.failures;
  const drawn = isFolded ? graph.edges.filter(({ kind }) => kind !== 'failure') : graph.edges;
  const edges = groupedEdges(drawn, lead, (edge) => options.reachOf?.transition(machine, edge));
  const initial = `${lead} state ${machine.initial}`;
  const nodes = [
    startNode(lead),
    ...(isFolded ? [failuresNode(implicit, machine, lead)] : []),
    ...machine.states.map((_, index) => stateNode(machine, graph, index, { lead, ...options })),
    ...endNodes(drawn, lead),
  ];
  return {
    nodes,
    edges: [
      { id: `${lead} start`, from: `${lead} start`, to: initial, kind: 'main', labels: [] },
      ...edges,
      ...(isFolded ? [failuresEdge(machine, lead)] : []),
    ],
    arrange: 'flow',
  };
}

function stateNode(
  machine: Machine,
  graph: Graph,
  index: number,
  { lead, reachOf }: PictureOptions & { readonly lead: string },
): PictureNode {
  const state = machine.states[index] as Machine['states'][number];
  const id = `${lead} state ${index}`;
  const steps = state.code.some(({ op }) => op === 'step-begin') ? (graph.states[index]?.steps ?? []) : [];
  const inside = steps.length === 0 ? undefined : stepPicture(steps, id, false, stepReach(machine, reachOf));
  const rows = inside === undefined ? [...stateRows(state, machine)] : [];
  const kind = index === machine.error ? 'failure' : kindOfRows(rows);
  const reached = reachOf?.state(machine, index);
  if (reached !== undefined) rows.push(reachRow(reached));
  return { id, kind, shape: 'card', title: state.name, rows, ...omitUndefined({ inside, reach: reached?.reach }) };
}

function stepReach(machine: Machine, reachOf: ReachOf | undefined): StepReach | undefined {
  return reachOf === undefined ? undefined : (path) => reachOf.step(machine, path);
}

/** A state that does one kind of work has its color. */
function kindOfRows(rows: readonly PictureRow[]): PictureKind {
  const kinds = new Set(rows.flatMap(({ kind, depth }) => (depth === 0 && kind !== null ? [kind] : [])));
  const [only, ...others] = kinds;
  return only === undefined || others.length > 0 ? 'state' : only;
}

function startNode(lead: string): PictureNode {
  return { id: `${lead} start`, kind: 'start', shape: 'dot', title: '', about: 'the run starts', rows: [] };
}

function noteNode(id: string, title: string): PictureNode {
  return { id, kind: 'input', shape: 'pill', title, rows: [] };
}

/** Where a run ends: as returned, as failed, or both. */
function endNodes(edges: readonly GraphEdge[], lead: string): PictureNode[] {
  const ends = edges.filter(({ to }) => to === null);
  const node = (kind: 'end' | 'failure', title: string): PictureNode => ({
    ...{ id: `${lead} ${kind}`, kind, shape: 'pill', title, rows: [] },
  });
  return [
    ...(ends.some(({ failed }) => !failed) ? [node('end', 'returned')] : []),
    ...(ends.some(({ failed }) => failed) ? [node('failure', 'failed')] : []),
  ];
}

function failuresNode(implicit: readonly GraphEdge[], machine: Machine, lead: string): PictureNode {
  const names = [...new Set(implicit.map(({ from }) => machine.states[from]?.name ?? ''))];
  return {
    ...{ id: `${lead} failures`, kind: 'failure', shape: 'pill', rows: [] },
    title: names.length === 1 ? `failure in ${names[0]}` : `failure in any of ${names.length} states`,
    about: `a failure in ${names.join(', ')}`,
  };
}

function failuresEdge(machine: Machine, lead: string): PictureEdge {
  return {
    ...{ id: `${lead} failures`, from: `${lead} failures`, to: `${lead} state ${machine.error}` },
    ...{ kind: 'failure', labels: [] },
  };
}

/** One edge for all transitions of one kind from one state to another. */
function groupedEdges(
  edges: readonly GraphEdge[],
  lead: string,
  reachOf: (edge: GraphEdge) => ReachedPart | undefined,
): PictureEdge[] {
  const groups = new Map<string, PictureEdge & { labels: string[] }>();
  for (const edge of edges) {
    const from = `${lead} state ${edge.from}`;
    const to = edge.to === null ? `${lead} ${edge.failed ? 'failure' : 'end'}` : `${lead} state ${edge.to}`;
    const kind = kindOf(edge);
    const id = `${from} > ${to} ${kind}`;
    const group = groups.get(id) ?? { id, from, to, kind, labels: [], ...omitUndefined({ reach: reachOf(edge) }) };
    groups.set(id, group);
    group.labels.push(edge.kind === 'failure' ? '' : edge.label);
  }
  const ways = [...groups.values()];
  return ways.map((group) => {
    if (group.kind === 'undo') return group;
    const isOnly = ways.every(({ from, to, kind }) => from !== group.from || to === group.to || kind === 'undo');
    return { ...group, labels: alternatives(group.labels, isOnly) };
  });
}

function kindOf({ from, to, label, kind }: GraphEdge): PictureEdge['kind'] {
  if (kind === 'rollback') return 'undo';
  if (kind === 'failure' || /^on error\b/.test(label)) return 'failure';
  return to !== null && to <= from ? 'again' : 'main';
}

/**
 * A transition without a condition next to one with a condition is taken otherwise. If the state has no other way out,
 * the conditions do not matter.
 */
function alternatives(labels: readonly string[], isOnly: boolean): string[] {
  const conditions = labels.filter((label) => label !== '');
  if (isOnly && conditions.length < labels.length) return [];
  return conditions.length === 0 || conditions.length === labels.length ? conditions : [...conditions, 'otherwise'];
}

/** A workflow file has no state that contains its steps. */
function workflowPicture(graph: Graph, lead: string, reachOf: StepReach | undefined): Picture {
  const steps = stepPicture(graph.states[0]?.steps ?? [], lead, false, reachOf);
  const [first, last] = [steps.nodes[0], steps.nodes.at(-1)];
  if (first === undefined || last === undefined)
    return { nodes: [noteNode(`${lead} empty`, 'no steps')], edges: [], arrange: 'stack' };
  const end: PictureNode = { id: `${lead} end`, kind: 'end', shape: 'pill', title: 'returned', rows: [] };
  return {
    nodes: [startNode(lead), ...steps.nodes, end],
    edges: [
      { id: `${lead} start`, from: `${lead} start`, to: first.id, kind: 'main', labels: [] },
      ...steps.edges,
      { id: `${lead} end`, from: last.id, to: end.id, kind: 'main', labels: [] },
    ],
    arrange: 'flow',
  };
}

type EachInstruction = Extract<Instruction, { op: 'each' }>;

/**
 * What a state does as rows of its card: agents, questions, waits, calls, loops and parallel members. Commands are left
 * out, because almost every state has some.
 */
function stateRows(state: State, machine: Machine): PictureRow[] {
  return foldEqual(rowsIn({ state, machine }, 0, state.code.length, 0));
}

interface PictureSite {
  readonly state: State;
  readonly machine: Machine;
}

function rowsIn(site: PictureSite, from: number, to: number, depth: number): PictureRow[] {
  const { code } = site.state;
  const rows: PictureRow[] = [];
  for (let pc = from; pc < to; pc++) {
    const instruction = code[pc] as Instruction;
    if (instruction.op === 'each') {
      const body = loopBody(instruction, code, pc, to);
      if (actsIn(code, body.from, body.to)) {
        rows.push({ kind: 'loop', text: `for each ${nameOf(body.variable, site.state)}`, depth });
        rows.push(...rowsIn(site, body.from, body.to, depth + 1));
      }
      pc = body.to - 1;
    } else if (instruction.op === 'fork' || instruction.op === 'fork-each') {
      rows.push(
        { kind: 'parallel', text: forkText(instruction, site.state), depth },
        ...memberRows(site, instruction, depth),
      );
      pc = instruction.join - 1;
    } else rows.push(...ownRows(instruction, pc, site, depth));
  }
  return rows;
}

const ACTS = new Set<Instruction['op']>([
  'shell',
  'argv',
  'function',
  'agent',
  'plan',
  'ask',
  'sleep',
  'signal',
  'fork',
  'fork-each',
]);

/** A loop that only computes is a detail. */
function actsIn(code: readonly Instruction[], from: number, to: number): boolean {
  return code.slice(from, to).some(({ op }) => ACTS.has(op));
}

/** The code of a loop, from its head to where it ends. */
function loopBody(
  { items }: EachInstruction,
  code: readonly Instruction[],
  pc: number,
  end: number,
): { readonly from: number; readonly to: number; readonly variable: number } {
  const head = code.findIndex((one, at) => at > pc && one.op === 'next' && one.items === items);
  const next = code[head];
  if (next?.op !== 'next') return { from: pc + 1, to: pc + 1, variable: -1 };
  return { from: head + 1, to: Math.max(head + 1, Math.min(next.exit, end)), variable: next.variable };
}

function memberRows(site: PictureSite, fork: ForkInstruction, depth: number): PictureRow[] {
  if (fork.op === 'fork-each') return rowsIn(site, fork.body, fork.join, depth + 1);
  return fork.branches.flatMap(({ pc }, at) => rowsIn(site, pc, fork.branches[at + 1]?.pc ?? fork.join, depth + 1));
}

function forkText(fork: ForkInstruction, state: State): string {
  const most = fork.max?.op === 'const' ? `, at most ${fork.max.value} at once` : '';
  if (fork.op === 'fork') {
    const names = fork.names?.length === fork.branches.length ? `: ${fork.names.join(', ')}` : '';
    return `${fork.branches.length} in parallel${most}${names}`;
  }
  return `each ${nameOf(fork.variable, state)} in parallel${most}`;
}

function ownRows(instruction: Instruction, pc: number, { state, machine }: PictureSite, depth: number): PictureRow[] {
  const row = (kind: PictureRow['kind'], text: string): PictureRow => ({ kind, text, depth });
  switch (instruction.op) {
    case 'agent': {
      const prompt = instruction.prompt === null ? '' : templateText(instruction.prompt);
      return [row('agent', prompt === '' ? instruction.agent : `${instruction.agent}: ${prompt}`)];
    }
    case 'ask': {
      const choices = instruction.choices.map(templateText).join(' / ');
      return [row('question', `asks for ${instruction.name}${choices === '' ? '' : `: ${choices}`}`)];
    }
    case 'sleep':
      return [row('wait', `waits ${templateText(instruction.duration)}`)];
    case 'signal':
      return [row('wait', `waits for signal ${instruction.name}`)];
    case 'wait-start':
      return [row('wait', waitText(instruction, pc, state))];
    case 'plan':
      return instruction.main === true ? [] : callRows(callLines(instruction, state, machine), depth);
    default:
      return [];
  }
}

function callRows([title = '', ...results]: readonly string[], depth: number): PictureRow[] {
  return [
    { kind: 'call', text: title, depth },
    ...results.map((text): PictureRow => ({ kind: null, text, depth: depth + 1 })),
  ];
}

/** The test of the condition is the last one before the pause. */
function waitText(start: Extract<Instruction, { op: 'wait-start' }>, pc: number, { code }: State): string {
  const turn = code.findIndex((one, at) => at > pc && one.op === 'wait-turn' && one.deadline === start.deadline);
  const test = code.slice(pc, Math.max(pc, turn)).findLast((one) => one.op === 'unless' && one.text !== '');
  const until = test?.op === 'unless' ? ` until ${test.text},` : '';
  return `waits${until} at most ${templateText(start.timeout)}`;
}

/** A template as it was written, with the values that the program fixes. */
function templateText(template: Template): string {
  const parts = template.map((part) => {
    if (typeof part === 'string') return part;
    return part.value.op === 'const' && typeof part.value.value !== 'object' ? String(part.value.value) : part.source;
  });
  return parts.join('').trim().replace(/\s+/g, ' ');
}

function nameOf(slot: number, state: State): string {
  return state.locals[slot]?.replace(/^\$(each:)?/, '') ?? 'element';
}

/** Equal rows next to each other become one with their number. */
function foldEqual(rows: readonly PictureRow[]): PictureRow[] {
  const out: { row: PictureRow; times: number }[] = [];
  for (const row of rows) {
    const last = out.at(-1);
    if (last !== undefined && JSON.stringify(last.row) === JSON.stringify(row)) last.times++;
    else out.push({ row, times: 1 });
  }
  return out.map(({ row, times }) => (times === 1 ? row : { ...row, text: `${row.text} (${times} times)` }));
}
