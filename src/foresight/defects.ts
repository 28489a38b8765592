/** Defects: loops that do not end, places that nothing reaches, and failures that are certain or come late. */
import type { Instruction, Machine } from '../machine/machine.js';
import { deadLocations } from './dead-locations.js';
import { type Defect, fileOf } from './defect.js';
import type { Exploration } from './exploration.js';
import { type Edge, type Node, wayTo } from './graph.js';
import { loops } from './loops.js';
import { noEnd } from './no-end.js';
import { unmodeledKindIn } from './unmodeled.js';

/** What else is explored if something seems to be dead, or to fail always. */
export interface Others {
  readonly inputs: () => readonly Exploration[];
  readonly longerLists: () => readonly Exploration[];
  /** The same with what is rare. */
  readonly rare: () => readonly Exploration[];
}

export function defectsOf(exploration: Exploration, others: Others): Defect[] {
  const isComplete = exploration.stoppedBy === null;
  const endless = loops(exploration, 'endless');
  const found = [...endless, ...loops(exploration, 'endless-waiting')];
  if (isComplete) {
    found.push(...noEnd(exploration, endless));
    const certain = certainFailures(exploration, []);
    found.push(...(certain.length === 0 ? [] : certainFailures(exploration, others.longerLists())));
    // After a failure that is not explored, everything may be reached.
    const isSure =
      unmodeledKindIn(exploration.machine, exploration.leftOut) === null || !exploration.options.withFailures;
    const dead = isSure ? deadLocations(exploration, []) : [];
    const sure = dead.length > 0 ? [...others.longerLists(), ...others.rare()] : [];
    // What is not known to be dead is not said to be.
    if (dead.length > 0 && sure.every(({ stoppedBy }) => stoppedBy === null))
      found.push(...deadLocations(exploration, [...others.inputs(), ...sure]));
  }
  found.push(...lateFailures(exploration));
  return found;
}

// ---- failures ---------------------------------------------------------------------------------------

/** Instructions that fail because the program says so. */
const MEANT = new Set<Instruction['op']>(['fail', 'fell-off', 'step-verdict']);

function certainFailures(
  { machine, executed, nodes, mistakes }: Exploration,
  others: readonly Exploration[],
): Defect[] {
  const found: Defect[] = [];
  const code = machine.states.flatMap((state) => state.code);
  const hasPassed = new Set(
    code.flatMap(({ op, origin: { file, line } }, pc) => (executed.passed[pc] === 0 ? [] : [`${file} ${line} ${op}`])),
  );
  let at = 0;
  for (const state of machine.states)
    for (const instruction of state.code) {
      const pc = at++;
      if (executed.failed[pc] === 0 || executed.passed[pc] !== 0 || MEANT.has(instruction.op)) continue;
      if (others.some((other) => other.executed.passed[pc] !== 0)) continue;
      const { line, file } = instruction.origin;
      // A line of a pattern may fail in one state, and not in another.
      if (found.some((one) => one.line === line) || hasPassed.has(`${file} ${line} ${instruction.op}`)) continue;
      const edge = nodes
        .flatMap(({ out, by }) => [...(by === null ? [] : [by]), ...out])
        .find((one) =>
          one.mistakes.some((index) => mistakes[index]?.line === line && mistakes[index]?.state === state.name),
        );
      const why = edge?.mistakes.map((index) => mistakes[index]?.message ?? '').find((text) => text !== '') ?? '';
      found.push({
        kind: 'certain-failure',
        severity: 'error',
        file: fileOf(machine, file),
        line,
        message: `this line fails whenever it is reached${why === '' ? '' : `: ${readable(why)}`}`,
        ...(why === '' ? {} : { failure: readable(why) }),
        help: 'correct the expression',
        edges: edge === undefined ? null : [...(edge.from < 0 ? [] : wayTo(nodes, edge.from)), edge],
        cycle: 0,
      });
    }
  return found;
}

function readable(text: string): string {
  return text.replaceAll(/\ue000\d+\ue001/g, '…');
}

/** Failures in the program's own expressions that end a run after an agent was called. */
function lateFailures({ nodes, sites, mistakes, machine }: Exploration): Defect[] {
  const callsAgent = (edge: Edge): boolean => edge.counts.some((site) => sites[site]?.kind === 'agent');
  const after = new Map<number, Edge | null>();
  const queue: number[] = [];
  const visit = (to: number, by: Edge): void => {
    if (after.has(to)) return;
    after.set(to, by);
    queue.push(to);
  };
  for (const { by } of nodes) if (by !== null && by.from < 0 && callsAgent(by)) visit(by.to, by);
  for (const { out } of nodes) for (const edge of out) if (callsAgent(edge)) visit(edge.to, edge);
  const found = new Map<string, Defect>();
  for (const from of queue)
    for (const edge of (nodes[from] as Node).out) {
      for (const index of edge.mistakes) {
        const mistake = mistakes[index];
        if (mistake === undefined || !mistake.isFatal) continue;
        const key = `${mistake.state} ${mistake.line}`;
        if (found.has(key)) continue;
        found.set(key, {
          kind: 'late-failure',
          severity: 'warning',
          file: fileOfLine(machine, mistake.state, mistake.line),
          line: mistake.line,
          message: `after an agent was called, this line can end the run as failed: ${readable(mistake.message)}`,
          failure: readable(mistake.message),
          help: 'test the value first with `exists`, or handle the failure with ON ERROR',
          edges: [...wayAfter(nodes, after, from), edge],
          cycle: 0,
        });
      }
      visit(edge.to, edge);
    }
  return [...found.values()];
}

function wayAfter(nodes: readonly Node[], after: ReadonlyMap<number, Edge | null>, to: number): Edge[] {
  const edges: Edge[] = [];
  const seen = new Set<number>();
  for (let at = to; !seen.has(at); ) {
    seen.add(at);
    const by = after.get(at);
    if (by === undefined || by === null) break;
    edges.unshift(by);
    if (by.from < 0) return edges;
    at = by.from;
  }
  const [first] = edges;
  return [...wayTo(nodes, first?.from ?? to), ...edges];
}

function fileOfLine(machine: Machine, state: string, line: number): string {
  const code = machine.states.find(({ name }) => name === state)?.code ?? [];
  return fileOf(machine, code.find(({ origin }) => origin.line === line)?.origin.file ?? 0);
}
