/** Defects: loops that do not end, places that nothing reaches, and failures that are certain or come late. */
import type { Instruction, Machine, State } from '../../machine/machine.js';
import { type Defect, type DefectKind, fileOf, locationOfState } from './defect.js';
import type { Exploration } from './exploration.js';
import { componentsOf, type Edge, type Node, wayTo } from './explored-graph.js';
import { loops } from './loops.js';
import type { Moment } from './monitors.js';
import { readsIn } from './reductions/reads.js';
import { RARE, type Rare } from './way.js';

/** What else is explored if something seems to be dead, or to fail always. */
interface Others {
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

/** What every late failure says before its own words. */
export const LATE_FAILURE = 'after an agent was called, this line can end the run as failed: ';

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
          message: LATE_FAILURE + readable(mistake.message),
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

/** Whether lines of this file are those of an included pattern. */
const isShipped = (file: string): boolean => file.startsWith('std/');

/** States, branches and handlers that no run reaches. */
function deadLocations(exploration: Exploration, others: readonly Exploration[]): Defect[] {
  const { machine, starts, options } = exploration;
  const found: Defect[] = [];
  const all = [exploration, ...others];
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
  // The lines of a pattern are in each state that uses it.
  const conditions = conditionsIn(machine, starts, all);
  const reported = new Set<string>();
  const handlers = reachedHandlers(machine, starts, isReached);
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
      // With `→ PROCEED`, both ways are the same.
      if (instruction.op !== 'unless' || instruction.to === at + 1 || !isReached(base + at)) return;
      const { isTrue, isFalse } = conditions.get(keyOf(instruction)) ?? { isTrue: true, isFalse: true };
      if (isTrue === isFalse || reported.has(keyOf(instruction))) return;
      reported.add(keyOf(instruction));
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
      // What fails in ways that are not known is for a handler of every kind.
      if (step === true || keep !== undefined || kind === null || isReached(base + pc) || !options.withFailures)
        continue;
      const isEverTried = state.code.some((_, at) => at >= from && at < to && isReached(base + at));
      const origin = state.code[pc]?.origin;
      if (!isEverTried || origin === undefined || handlers.has(originKey(origin))) continue;
      report('dead-handler', origin, `no failure reaches this \`ON ERROR ${kind}\``, 'remove it, or correct the kind');
    }
  });
  return found;
}

type UnlessInstruction = Extract<Instruction, { op: 'unless' }>;

const originKey = ({ file, line }: Instruction['origin']): string => `${file ?? 0} ${line}`;

const keyOf = ({ origin, text }: UnlessInstruction): string => `${originKey(origin)} ${text}`;

/** Whether each condition of the text was ever true, and ever false. */
function conditionsIn(
  { states }: Machine,
  starts: readonly number[],
  all: readonly Exploration[],
): ReadonlyMap<string, { isTrue: boolean; isFalse: boolean }> {
  const found = new Map<string, { isTrue: boolean; isFalse: boolean }>();
  states.forEach(({ code }, index) => {
    code.forEach((instruction, at) => {
      if (instruction.op !== 'unless') return;
      const pc = (starts[index] as number) + at;
      const before = found.get(keyOf(instruction));
      found.set(keyOf(instruction), {
        isTrue: before?.isTrue === true || all.some(({ executed }) => executed.wasTrue[pc] === 1),
        isFalse: before?.isFalse === true || all.some(({ executed }) => executed.wasFalse[pc] === 1),
      });
    });
  });
  return found;
}

/** The first lines of handlers that a failure reaches. */
function reachedHandlers(
  { states }: Machine,
  starts: readonly number[],
  isReached: (pc: number) => boolean,
): ReadonlySet<string> {
  return new Set(
    states.flatMap(({ code, handlers }, index) =>
      handlers.flatMap(({ pc }) => {
        const origin = code[pc]?.origin;
        return origin !== undefined && isReached((starts[index] as number) + pc) ? [originKey(origin)] : [];
      }),
    ),
  );
}

function isAboutError(machine: Machine, state: number, { condition }: UnlessInstruction): boolean {
  const { entry, locals } = machine.states[state] as State;
  for (const variable of readsIn(machine, state, condition)) {
    const [storage, , slot] = variable.split(' ');
    const name = storage === 'entry' ? entry[Number(slot)] : storage === 'local' ? locals[Number(slot)] : undefined;
    if (name === 'error_type') return true;
  }
  return false;
}

/** Points from which no run ends. */
export function noEnd(exploration: Exploration, endless: readonly Defect[]): Defect[] {
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

/** A point from which no run ends, and from which a run may continue without an end by LIMIT. */
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

const UNMODELED: readonly string[] = ['cancelled', ...RARE];

/** The first of these kinds that handlers or conditions of a machine name; null: none. `explored`: those that are explored apart. */
export function unmodeledKindIn({ states }: Machine, explored: ReadonlySet<Rare>): string | null {
  const kinds = UNMODELED.filter((kind) => !explored.has(kind as Rare));
  const isNamed = new Map<string, boolean>();
  for (const { code, handlers } of states) {
    for (const { kind } of handlers) if (kind !== null) isNamed.set(kind, true);
    for (const one of code) {
      const text = one.op === 'unless' ? JSON.stringify(one.condition) : '';
      for (const kind of kinds) if (text.includes(JSON.stringify(kind))) isNamed.set(kind, true);
    }
  }
  return kinds.find((kind) => isNamed.has(kind)) ?? null;
}

/** The kind of failures that a moment is about, if no exploration makes it. */
export function unmodeledKindOf(moment: Moment): string | null {
  return moment.kind === 'failed' && moment.error !== null && UNMODELED.includes(moment.error) ? moment.error : null;
}
