/** Defects: loops that do not end, places that nothing reaches, and failures that are certain or come late. */
import type { Instruction, Machine, State } from '../machine/machine.js';
import type { Exploration } from './explore.js';
import { componentsOf, cycleThrough, type Edge, type Node, wayTo } from './graph.js';
import { readsIn } from './reductions/reads.js';

export type DefectKind =
  | 'endless'
  | 'endless-waiting'
  | 'no-end'
  | 'dead-branch'
  | 'dead-state'
  | 'dead-handler'
  | 'certain-failure'
  | 'late-failure';

export interface Defect {
  readonly kind: DefectKind;
  readonly severity: 'error' | 'warning';
  readonly file: string;
  readonly line: number;
  readonly message: string;
  readonly help: string;
  /** The way that shows it; null: that nothing happens cannot be shown. */
  readonly edges: readonly Edge[] | null;
  /** The steps of the way that repeat; 0: none. */
  readonly cycle: number;
}

/** How often a cycle is run to show that it repeats. */
export const ROUNDS = 2;

/** `otherwise` explores with other inputs, if something seems dead. */
export function defectsOf(exploration: Exploration, otherwise: () => Exploration | null): Defect[] {
  const isComplete = exploration.stoppedBy === null;
  const endless = loops(exploration, 'endless');
  const found = [...endless, ...loops(exploration, 'endless-waiting')];
  if (isComplete) {
    found.push(...noEnd(exploration, endless));
    found.push(...certainFailures(exploration));
    const dead = deadLocations(exploration, null);
    found.push(...(dead.length === 0 ? [] : deadLocations(exploration, otherwise())));
  }
  found.push(...lateFailures(exploration));
  return found;
}

export function fileOf({ files, name }: Machine, file: number): string {
  return files[file] ?? name;
}

/** The first line of a state. */
export function locationOfState(machine: Machine, state: string): { readonly file: string; readonly line: number } {
  const origin = machine.states.find(({ name }) => name === state)?.code[0]?.origin;
  return { file: fileOf(machine, origin?.file ?? 0), line: origin?.line ?? 0 };
}

/** Loops. `withWaiting`: also those in which time passes. `withLimited`: also those that LIMIT ends. */
export function endlessIn(
  exploration: Exploration,
  { withWaiting, withLimited }: { readonly withWaiting: boolean; readonly withLimited: boolean },
): Defect[] {
  const { machine, sites } = exploration;
  const found = loops(exploration, 'endless');
  if (withWaiting) found.push(...loops(exploration, 'endless-waiting'));
  if (withLimited) return found;
  return found.filter(({ edges, cycle }) => limitThatEnds(machine, edges?.slice(-cycle) ?? [], sites) === null);
}

// ---- loops ------------------------------------------------------------------------------------------

function loops(exploration: Exploration, kind: 'endless' | 'endless-waiting'): Defect[] {
  const { nodes } = exploration;
  const isWaiting = kind === 'endless-waiting';
  const follows = (edge: Edge): boolean => !edge.isOutside && (isWaiting || !edge.isTime);
  const component = componentsOf(nodes, follows);
  const found = new Map<string, Defect>();
  const seen = new Set<string>();
  for (const members of membersOf(nodes, component)) {
    const [node] = members as readonly [Node, ...Node[]];
    const own = component[node.id] as number;
    const inside = (edge: Edge): boolean => follows(edge) && component[edge.to] === own;
    if (members.length === 1 && !node.out.some(inside)) continue;
    // Loops through the same states are one defect, which the first of them shows.
    const through = [...new Set(members.map(({ state }) => state))].sort().join(' ');
    if (seen.has(through)) continue;
    const cycle = isWaiting ? waitingCycle(exploration, members, inside) : cycleThrough(nodes, node.id, inside);
    const [first] = cycle ?? [];
    if (cycle === null || first === undefined) continue;
    seen.add(through);
    const states = [...new Set(cycle.map(({ to }) => (nodes[to] as Node).state))].sort();
    const key = states.join(' ');
    if (found.has(key)) continue;
    const edges = [...wayTo(nodes, first.from), ...Array.from({ length: ROUNDS }, () => cycle).flat()];
    found.set(key, loopDefect(exploration, kind, states, edges, cycle));
  }
  return [...found.values()];
}

/** The nodes of each component, in the order in which they were found. */
function membersOf(nodes: readonly Node[], component: Int32Array): Iterable<readonly Node[]> {
  const found = new Map<number, Node[]>();
  for (const node of nodes) {
    const own = component[node.id] as number;
    const members = found.get(own);
    if (members === undefined) found.set(own, [node]);
    else members.push(node);
  }
  return found.values();
}

/** How many beginnings of a cycle are tried. */
const MOST_TRIES = 100;

/** A cycle of states in which time passes: the rounds of one WAIT have a limit of their own. */
function waitingCycle(
  { nodes, sites }: Exploration,
  members: readonly Node[],
  inside: (edge: Edge) => boolean,
): Edge[] | null {
  const entersState = (edge: Edge): boolean => edge.counts.some((site) => sites[site]?.kind === 'state');
  if (!members.some(({ out }) => out.some((edge) => inside(edge) && edge.isTime))) return null;
  let tries = 0;
  for (const { out } of members) {
    const enters = out.find((edge) => inside(edge) && entersState(edge));
    if (enters === undefined) continue;
    if (++tries > MOST_TRIES) return null;
    const cycle = cycleThrough(nodes, enters.to, inside);
    if (cycle?.some(({ isTime }) => isTime) && cycle.some(entersState)) return cycle;
  }
  return null;
}

function loopDefect(
  { machine, nodes, sites }: Exploration,
  kind: 'endless' | 'endless-waiting',
  states: readonly string[],
  edges: readonly Edge[],
  cycle: readonly Edge[],
): Defect {
  const at = locationOfState(machine, (nodes[(cycle[0] as Edge).from] as Node).state);
  const names = states.map((name) => `\`${name}\``).join(', ');
  const where = `${states.length === 1 ? 'state' : 'states'} ${names}`;
  const limit = limitThatEnds(machine, cycle, sites);
  const isError = kind === 'endless' && limit === null;
  const what =
    kind === 'endless'
      ? `${where} can repeat without end: no condition limits the rounds`
      : `${where} can wait again and again without end`;
  return {
    kind,
    severity: isError ? 'error' : 'warning',
    ...at,
    message: limit === null ? what : `${what}; only \`LIMIT: ${limit}\` ends it`,
    help:
      kind === 'endless'
        ? 'count the rounds with TRACK and INCREMENT on every way round, and leave when the count reaches a limit'
        : 'count the rounds, or give the waiting a timeout that leaves the loop',
    edges,
    cycle: cycle.length,
  };
}

function limitThatEnds({ limits }: Machine, cycle: readonly Edge[], sites: Exploration['sites']): string | null {
  const passes = (kind: string): boolean =>
    cycle.some(({ counts }) => counts.some((site) => sites[site]?.kind === kind));
  if (limits.transitions !== undefined && passes('state')) return 'transitions';
  if (limits.timeMs !== undefined) return 'time';
  return null;
}

function noEnd(exploration: Exploration, endless: readonly Defect[]): Defect[] {
  const { nodes, machine } = exploration;
  const ends = nodesThatEnd(exploration);
  const stuck = nodes.find(({ id }) => !ends.has(id));
  if (stuck === undefined) return [];
  // A loop that is reported already says more.
  if (endless.some(({ edges, severity }) => severity === 'error' && edges?.some(({ to }) => !ends.has(to)))) return [];
  return [
    {
      kind: 'no-end',
      severity: 'error',
      ...locationOfState(machine, stuck.state),
      message: `from state \`${stuck.state}\` on, the run may come to a point from which it cannot end`,
      help: 'add a way to RETURN',
      edges: wayTo(nodes, stuck.id),
      cycle: 0,
    },
  ];
}

/** A point from which no run ends, and from which a run goes on without LIMIT ending it. */
export function stuckIn(exploration: Exploration): Node | undefined {
  const { nodes } = exploration;
  const ends = nodesThatEnd(exploration);
  const stuck = nodes.filter(({ id }) => !ends.has(id));
  const unlimited = nodesThatReach(nodes, unlimitedAmong(exploration, stuck));
  return stuck.find(({ id }) => unlimited.has(id));
}

/** The nodes where nothing happens anymore, and those of cycles that LIMIT does not end. */
function unlimitedAmong({ machine, nodes, sites }: Exploration, among: readonly Node[]): number[] {
  const { transitions, timeMs } = machine.limits;
  const entersState = (edge: Edge): boolean => edge.counts.some((site) => sites[site]?.kind === 'state');
  const follows = (edge: Edge): boolean => transitions === undefined || !entersState(edge);
  const component = componentsOf(nodes, follows);
  const isInside = (edge: Edge): boolean => follows(edge) && component[edge.from] === component[edge.to];
  // The time in which a run waits for a person may not count.
  const repeats = (edge: Edge): boolean => isInside(edge) && (timeMs === undefined || edge.isOutside);
  return among.flatMap(({ id, out }) => (out.length === 0 || out.some(repeats) ? [id] : []));
}

function nodesThatEnd({ nodes }: Exploration): ReadonlySet<number> {
  const ends = nodes.flatMap(({ id, result, isExpanded }) => (result !== null || !isExpanded ? [id] : []));
  return nodesThatReach(nodes, ends);
}

function nodesThatReach(nodes: readonly Node[], ends: readonly number[]): ReadonlySet<number> {
  const before: number[][] = nodes.map(() => []);
  for (const { out } of nodes) for (const { from, to } of out) before[to]?.push(from);
  const found = new Set(ends);
  for (const end of found) for (const from of before[end] ?? []) found.add(from);
  return found;
}

// ---- failures ---------------------------------------------------------------------------------------

/** Instructions that fail because the program says so. */
const MEANT = new Set<Instruction['op']>(['fail', 'fell-off', 'return', 'step-verdict']);

function certainFailures({ machine, executed, nodes, mistakes }: Exploration): Defect[] {
  const found: Defect[] = [];
  let at = 0;
  for (const state of machine.states)
    for (const instruction of state.code) {
      const pc = at++;
      if (executed.failed[pc] === 0 || executed.passed[pc] !== 0 || MEANT.has(instruction.op)) continue;
      const { line, file } = instruction.origin;
      if (found.some((one) => one.line === line)) continue;
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

// ---- dead locations ------------------------------------------------------------------------------------

/** Whether lines of this file are those of an included pattern. */
const isShipped = (file: string): boolean => file.startsWith('std/');

function deadLocations(exploration: Exploration, otherwise: Exploration | null): Defect[] {
  const { machine, starts, options } = exploration;
  const found: Defect[] = [];
  const all = otherwise === null ? [exploration] : [exploration, otherwise];
  const isReached = (pc: number): boolean =>
    all.some(({ executed }) => (executed.passed[pc] as number) + (executed.failed[pc] as number) > 0);
  const report = (
    kind: DefectKind,
    { file, line }: State['code'][number]['origin'],
    message: string,
    help: string,
  ): void => {
    const name = fileOf(machine, file);
    if (isShipped(name)) return;
    found.push({ kind, severity: 'warning', file: name, line, message, help, edges: null, cycle: 0 });
  };
  machine.states.forEach((state, index) => {
    const base = starts[index] as number;
    const isEntered = all.some(({ sites }) => sites.some(({ kind, name }) => kind === 'state' && name === state.name));
    const [first] = state.code;
    if (!isEntered) {
      const isOnlyForFailures = index === machine.error && !options.withFailures;
      if (state.builtin !== true && first !== undefined && !isOnlyForFailures)
        report(
          'dead-state',
          first.origin,
          `no run enters state \`${state.name}\``,
          'remove the state, or correct the condition that should lead to it',
        );
      return;
    }
    state.code.forEach((instruction, at) => {
      if (instruction.op !== 'unless' || !isReached(base + at)) return;
      const isTrue = all.some(({ executed }) => executed.wasTrue[base + at] === 1);
      const isFalse = all.some(({ executed }) => executed.wasFalse[base + at] === 1);
      if (isTrue === isFalse) return;
      const always = isTrue ? 'true' : 'false';
      if (isAboutError(machine, index, instruction)) {
        if (isTrue) return;
        report(
          'dead-handler',
          instruction.origin,
          `no failure makes \`${instruction.text}\` true`,
          'remove it, or correct the kind',
        );
      } else
        report(
          'dead-branch',
          instruction.origin,
          `the condition \`${instruction.text}\` is always ${always}`,
          'correct the condition, or remove it',
        );
    });
    for (const { from, to, pc, step, keep, kind } of state.handlers) {
      if (step === true || keep !== undefined || isReached(base + pc) || !options.withFailures) continue;
      const isEverTried = state.code.some((_, at) => at >= from && at < to && isReached(base + at));
      const origin = state.code[pc]?.origin;
      if (!isEverTried || origin === undefined) continue;
      const what = kind === null ? 'ON ERROR' : `ON ERROR ${kind}`;
      report('dead-handler', origin, `no failure reaches this \`${what}\``, 'remove it, or correct the kind');
    }
  });
  return found;
}

function isAboutError(machine: Machine, state: number, { condition }: Extract<Instruction, { op: 'unless' }>): boolean {
  const { entry, locals } = machine.states[state] as State;
  for (const variable of readsIn(machine, state, condition)) {
    const [storage, , slot] = variable.split(' ');
    const name = storage === 'entry' ? entry[Number(slot)] : storage === 'local' ? locals[Number(slot)] : undefined;
    if (name === 'error_type') return true;
  }
  return false;
}
