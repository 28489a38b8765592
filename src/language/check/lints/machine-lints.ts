/**
 * Lints that need a whole lowered machine: unreachable states, entry values that no GOTO passes, results that nothing
 * reads.
 */
import { controlFlow, reaching, successors, turnOf } from '../../../machine/control-flow.js';
import type { Instruction, Machine, State } from '../../../machine/machine.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { SourceSet, Span } from '../../source/diagnostic.js';
import { type Diagnostic, hasErrors } from '../../source/diagnostic.js';
import { components } from '../graph/components.js';
import { reachableStates, reachesWithout, type StateEdge, type StateGraph, stateGraph } from '../graph/state-graph.js';
import { type StateWay, type Ways, waysThrough } from '../graph/ways.js';
import type { LoweredMachine } from '../lower/lower-machine.js';
import type { LoweredState } from '../lower/lowered-state.js';
import { Bounds, type ConnectedPart, type CycleBound, leadsTo } from './cycle-bounds.js';
import { lintEarlyReads, startsWork } from './early-reads.js';
import { lintExitCodes } from './exit-codes.js';
import { lintReferences } from './reference-lints.js';
import { lintTypes } from './type-lints.js';
import { lintUncheckedAgents } from './unchecked-agents.js';

export function lintMachine(lowered: LoweredMachine, sources: SourceSet, diagnostics: Diagnostic[]): void {
  const { states } = lowered;
  const graph = stateGraph(states);
  const names = states.map((s) => s.state.name);
  const error = names.indexOf('ERROR');
  // A first state ERROR has its own error, and the next state was meant to be the first.
  const first = error === 0 && names.length > 1 ? 1 : 0;
  const seen = reachableStates(graph, error < 0 ? [first] : [first, error]);
  states.forEach((_, at) => {
    const declared = lowered.unit.states[at];
    if (!seen[at] && declared) diagnostics.push(say.unreachableState(declared.name.span, { name: declared.name.text }));
  });
  for (const state of states) lintState(state, diagnostics);
  // A wrong name has its own message.
  if (!hasErrors(diagnostics))
    states.forEach((state, at) => {
      lintEarlyReads(state, at === first, diagnostics);
    });
  lintEntries(lowered, graph, diagnostics);
  lintCycles(lowered, graph, diagnostics);
  lintReferences(states, diagnostics);
  lintTypes(lowered, sources, diagnostics);
  for (const state of states) lintExitCodes(state, sources, diagnostics);
  lintUndo(states, error, diagnostics);
  if (!hasErrors(diagnostics)) lintUncheckedAgents(lowered, seen, diagnostics);
}

function lintState(state: LoweredState, diagnostics: Diagnostic[]): void {
  for (const pc of pipesWithoutSource(state.state.code, state.state.handlers))
    diagnostics.push(say.pipeWithoutSource(state.spans[pc] as Span, {}));
  for (const check of state.checks)
    if (!state.readSlots.has(check.slot)) diagnostics.push(say.checkNeverRead(check.span, { name: check.name }));
}

/** Reports entry values that a state reads and some path into it does not pass. */
function lintEntries(lowered: LoweredMachine, graph: StateGraph, diagnostics: Diagnostic[]): void {
  const isFirstEntry = reachesWithout(graph);
  lowered.states.forEach((entered, at) => {
    const { state, entryReads } = entered;
    if (entryReads.size === 0) return;
    const isError = state.name === 'ERROR';
    const declared = lowered.unit.states[at];
    if (at === 0 && !isError && declared) {
      const missing = missingIn(new Set(), entryReads.keys());
      diagnostics.push(say.missingEntryAtStart(declared.name.span, entryFacts(entered, missing)));
    }
    for (const { from, jump } of graph.into[at] as readonly StateEdge[]) {
      if (jump.dead) continue;
      const passes = new Set(jump.passes);
      const missing = missingIn(passes, entryReads.keys());
      if (missing.length === 0) continue;
      // A state that was entered earlier keeps its values, so only paths that avoid the state can lack one.
      if (isError || (at !== 0 && isFirstEntry(from, at)))
        diagnostics.push(say.missingEntry(jump.span, entryFacts(entered, missing)));
      else if (passes.size > 0) diagnostics.push(say.staleEntry(jump.span, { state: state.name, missing }));
    }
  });
}

/**
 * The maximum number of names in one message. Without a limit, the messages would grow with the square of the program.
 */
const MOST_NAMED = 50;

function missingIn(passes: ReadonlySet<string>, needed: Iterable<string>): string[] {
  const missing: string[] = [];
  for (const name of needed) {
    if (missing.length === MOST_NAMED) break;
    if (!passes.has(name)) missing.push(name);
  }
  return missing;
}

function entryFacts({ state, entryReads }: LoweredState, names: readonly string[]) {
  const reads = names.map((name) => ({ span: entryReads.get(name) as Span, text: 'read here' }));
  return { names, state: state.name, reads };
}

function lintCycles({ machine, states }: LoweredMachine, graph: StateGraph, diagnostics: Diagnostic[]): void {
  const cycles = unboundedCycles(states, graph);
  if (cycles.length === 0) return;
  const counter = unusedCounter(machine);
  for (const cycle of cycles) {
    const path = [...cycle.states, cycle.states[0] as number].map((at) => (states[at] as LoweredState).state.name);
    const from = states[cycle.from.state] as LoweredState;
    diagnostics.push(say.unboundedCycle(from.spans[cycle.from.pc] as Span, { path, why: cycle.why, counter }));
  }
}

/** A name for a tracked variable that nothing in the machine has, because it is visible in all states. */
function unusedCounter({ inputs, tracked, states }: Machine): string {
  const used = new Set([
    ...inputs.map(({ name }) => name),
    ...tracked,
    ...states.flatMap(({ locals, entry }) => [...locals, ...entry]),
  ]);
  const isUnused = (name: string): boolean => !used.has(name);
  const found = ['n', 'rounds', 'count'].find(isUnused);
  if (found !== undefined) return found;
  let number = 2;
  while (!isUnused(`rounds${number}`)) number++;
  return `rounds${number}`;
}

/** `error` is the index of the state ERROR, or negative if there is none. */
function lintUndo(states: readonly LoweredState[], error: number, diagnostics: Diagnostic[]): void {
  if (!states.some(({ state }) => state.code.some(({ op }) => op === 'undo'))) return;
  const rolledBack = reachingRollback(
    states.map(({ state }) => state),
    error,
  );
  states.forEach(({ state, spans }, at) => {
    const reported = new Set<number>();
    state.code.forEach(({ op }, pc) => {
      const span = spans[pc] as Span;
      // A pattern that is used twice is reported once.
      if (op !== 'undo' || rolledBack[at]?.[pc] || reported.has(span.start)) return;
      reported.add(span.start);
      diagnostics.push(say.undoUnreachable(span, {}));
    });
  });
}

/** Whether a ROLLBACK can follow each instruction of each state. */
function reachingRollback(states: readonly State[], error: number): boolean[][] {
  if (!states.some(({ code }) => code.some(({ op }) => op === 'rollback'))) return [];
  const flow = controlFlow(states, error);
  const startOf = (at: number): number => flow.starts[at] as number;
  const found = states.map(({ code }) => code.map(() => false));
  const kept = new Set(
    states.flatMap(({ code }, at) => code.flatMap(({ op }, pc) => (op === 'keep' ? [startOf(at) + pc] : []))),
  );
  const ends = (node: number): boolean => kept.has(node);
  const everywhere: number[] = [];
  states.forEach((state, at) => {
    state.code.forEach((one, pc) => {
      if (one.op !== 'rollback') return;
      if (one.mark === undefined) everywhere.push(startOf(at) + pc);
      else {
        // It undoes what its turn did.
        const reaches = reaching(flow, [startOf(at) + pc], ends);
        const [from, to] = turnOf(state, one.mark);
        for (let inner = from; inner < to; inner++)
          if (reaches[startOf(at) + inner]) (found[at] as boolean[])[inner] = true;
      }
    });
  });
  const reaches = reaching(flow, everywhere, ends);
  return states.map(({ code }, at) =>
    code.map((_, pc) => found[at]?.[pc] === true || reaches[startOf(at) + pc] === true),
  );
}

/** The pcs of piped effects that a path can reach without an earlier effect. */
function pipesWithoutSource(code: readonly Instruction[], handlers: readonly { pc: number }[]): number[] {
  if (!code.some((i) => startsWork(i) && 'piped' in i && i.piped)) return [];
  // 1: every path so far has a source, 2: some path has none.
  const known = new Uint8Array(code.length + 1);
  const work: number[] = [];
  const reach = (pc: number, has: boolean): void => {
    const value = has ? 1 : 2;
    if ((known[pc] as number) >= value) return;
    known[pc] = value;
    work.push(pc);
  };
  reach(0, false);
  for (const handler of handlers) reach(handler.pc, false);
  while (work.length > 0) {
    const pc = work.pop() as number;
    const i = code[pc];
    if (i === undefined) continue;
    const has = known[pc] === 1;
    if (i.op === 'fork') for (const branch of i.branches) reach(branch.pc, false);
    if (i.op === 'fork-each') reach(i.body, false);
    for (const next of successors(code, pc)) {
      if (i.op === 'fork' || i.op === 'fork-each') reach(next, false);
      else if (i.op === 'next' && next === i.exit) reach(next, has || code.slice(pc + 1, i.exit).some(startsWork));
      else reach(next, has || startsWork(i));
    }
  }
  const missing: number[] = [];
  code.forEach((i, pc) => {
    if (startsWork(i) && 'piped' in i && i.piped && known[pc] === 2) missing.push(pc);
  });
  return missing;
}

interface UnboundedCycle {
  /** The states in the order of entry. */
  readonly states: readonly number[];
  /** The instruction that closes the cycle. */
  readonly from: { readonly state: number; readonly pc: number };
  /** The reason why the existing counters do not bound the cycle. */
  readonly why: readonly string[];
}

/**
 * The maximum number of paths examined in one component, counted for each counter. The cycles of larger components
 * count as bounded.
 */
const MOST_WAYS = 300_000;

/** The maximum number of reported cycles per machine. */
const MOST_CYCLES = 20;

/** The maximum number of states of one part from which its shortest cycle is searched. */
const MOST_STARTS = 200;

/** Unbounded cycles, shortest first. None contains all states of another one. */
function unboundedCycles(states: readonly LoweredState[], graph: StateGraph): UnboundedCycle[] {
  const error = states.findIndex(({ state }) => state.name === 'ERROR' && state.builtin !== true);
  const targets = graph.out.map((edges, at) => {
    const to = edges.filter((edge) => !edge.jump.dead).map((edge) => edge.to);
    return error < 0 || at === error ? to : [...to, error];
  });
  const found: UnboundedCycle[] = [];
  for (const inside of components(targets, () => false)) {
    const [only] = inside as [number];
    if (inside.length === 1 && !targets[only]?.includes(only)) continue;
    const ways = waysThrough(states, inside, error);
    found.push(...new BoundSearch(states, ways).cycles());
  }
  return withoutLarger(found).slice(0, MOST_CYCLES);
}

function outOf(ways: readonly StateWay[]): Map<number, StateWay[]> {
  const out = new Map<number, StateWay[]>();
  for (const way of ways) {
    const list = out.get(way.from);
    if (list === undefined) out.set(way.from, [way]);
    else list.push(way);
  }
  return out;
}

class BoundSearch {
  private readonly bounds: Bounds;
  private readonly numbers: Int32Array;
  private looked = 0;

  constructor(
    states: readonly LoweredState[],
    private readonly ways: Ways,
  ) {
    this.bounds = new Bounds(states, ways);
    this.numbers = new Int32Array(ways.nodes.length);
  }

  cycles(): UnboundedCycle[] {
    return this.survivors(this.ways.out.flat()).flatMap((part) => this.shortestCycles(part));
  }

  /** The strongly connected parts of `ways` that no counter bounds. */
  private survivors(ways: readonly StateWay[]): StateWay[][] {
    const found: StateWay[][] = [];
    for (const part of this.connectedParts(ways)) {
      this.looked += part.length;
      if (this.looked > MOST_WAYS) return found;
      const connected = { ways: part, out: outOf(part) };
      const bounds = this.bounds.boundsOf(connected);
      if (bounds.length === 0) {
        found.push(part);
        continue;
      }
      // What goes on forever passes no test of any of them, or no change of the first one whose test it passes.
      const passed = new Set<StateWay>();
      for (const { changes, tests } of bounds) {
        if (this.repeatsTest(connected, { changes, tests }, passed))
          found.push(...this.survivors(part.filter((way) => !changes(way.from) && !passed.has(way))));
        for (const way of tests) passed.add(way);
      }
      found.push(...this.survivors(part.filter((way) => !passed.has(way))));
    }
    return found;
  }

  /** Whether a cycle passes a test, and nothing that changes what is tested. Usually the change is near the test. */
  private repeatsTest({ out }: ConnectedPart, { changes, tests }: CycleBound, passed: ReadonlySet<StateWay>): boolean {
    const outWithoutChange = (node: number) => (changes(node) ? undefined : out.get(node));
    for (const { from, to } of [...tests].filter((way) => !passed.has(way)))
      if (to === from || leadsTo(outWithoutChange, to, (node) => node === from, passed)) return true;
    return false;
  }

  private connectedParts(ways: readonly StateWay[]): StateWay[][] {
    // Numbers among the nodes of these ways, from 1: a part may be much smaller than the machine.
    const { numbers } = this;
    const next: number[][] = [];
    const numberOf = (node: number): number => {
      if (numbers[node] === 0) numbers[node] = next.push([]);
      return (numbers[node] as number) - 1;
    };
    for (const { from, to } of ways) next[numberOf(from)]?.push(numberOf(to));
    const partOf = new Int32Array(next.length);
    components(next, () => false).forEach((nodes, part) => {
      for (const node of nodes) partOf[node] = part;
    });
    const parts = new Map<number, StateWay[]>();
    const ends = ways.map(
      ({ from, to }) => [partOf[numberOf(from)] as number, partOf[numberOf(to)] as number] as const,
    );
    for (const { from, to } of ways) {
      numbers[from] = 0;
      numbers[to] = 0;
    }
    for (const [at, way] of ways.entries()) {
      const [part, other] = ends[at] as (typeof ends)[number];
      if (part !== other) continue;
      const list = parts.get(part);
      if (list === undefined) parts.set(part, [way]);
      else list.push(way);
    }
    return [...parts.values()];
  }

  /** The shortest cycle through each state of a part. */
  private shortestCycles(part: readonly StateWay[]): UnboundedCycle[] {
    const entries = [...new Set(part.map(({ from }) => from))].filter((node) => this.ways.nodes[node]?.pc === 0);
    const search = new CycleSearch(this.ways.nodes.length, part);
    const why = this.bounds.whyNot(part);
    return entries.slice(0, MOST_STARTS).flatMap((start) => {
      const back = search.wayBack(start);
      if (back === null) return [];
      const { nodes } = this.ways;
      const states: number[] = [];
      for (const { from } of back) {
        const at = nodes[from] as Ways['nodes'][number];
        if (at.pc === 0 || states.length === 0) states.push(at.state);
      }
      const { state, pc } = nodes[(back.at(-1) as StateWay).from] as Ways['nodes'][number];
      return [{ states, from: { state, pc }, why }];
    });
  }
}

/** Searches one part from many nodes. What it needs for a search is kept for the next one. */
class CycleSearch {
  private readonly out: (StateWay[] | undefined)[];
  private readonly by: (StateWay | undefined)[];
  /** In which search a node was reached last. */
  private readonly reached: Int32Array;
  private readonly queue: Int32Array;
  private count = 0;

  constructor(nodes: number, part: readonly StateWay[]) {
    this.out = new Array(nodes);
    this.by = new Array(nodes);
    this.reached = new Int32Array(nodes);
    this.queue = new Int32Array(nodes + 1);
    for (const way of part) {
      const list = this.out[way.from];
      if (list === undefined) this.out[way.from] = [way];
      else list.push(way);
    }
  }

  /** The shortest path from a node to itself, in instructions. */
  wayBack(start: number): StateWay[] | null {
    const { out, by, reached, queue } = this;
    const search = ++this.count;
    queue[0] = start;
    for (let at = 0, end = 1; at < end; at++) {
      for (const way of out[queue[at] as number] ?? []) {
        if (reached[way.to] === search) continue;
        reached[way.to] = search;
        by[way.to] = way;
        if (way.to === start) return this.collect(start);
        queue[end++] = way.to;
      }
    }
    return null;
  }

  private collect(start: number): StateWay[] {
    const back: StateWay[] = [];
    let way = this.by[start] as StateWay;
    for (;;) {
      back.push(way);
      if (way.from === start) return back.reverse();
      way = this.by[way.from] as StateWay;
    }
  }
}

/** Leaves out cycles that contain all states of a shorter one. */
function withoutLarger(cycles: readonly UnboundedCycle[]): UnboundedCycle[] {
  const kept = new Map<number, Set<number>[]>();
  return [...cycles]
    .sort((a, b) => a.states.length - b.states.length)
    .filter((cycle) => {
      const nodes = new Set(cycle.states);
      for (const node of nodes)
        for (const smaller of kept.get(node) ?? []) if ([...smaller].every((inner) => nodes.has(inner))) return false;
      const last = Math.max(...nodes);
      kept.set(last, [...(kept.get(last) ?? []), nodes]);
      return true;
    });
}
