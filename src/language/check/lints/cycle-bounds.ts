/** Finds the counters that bound a strongly connected part of the paths through a machine, and why others do not. */
import type { Expr, Json } from '../../../machine/expression.js';
import {
  type Counter,
  type CounterChange,
  changesOf,
  changesOfGoto,
  countersIn,
  type Fact,
  factsOf,
  trackedCounter,
} from '../graph/counters.js';
import type { StateWay, Ways } from '../graph/ways.js';
import type { LoweredState } from '../lower/lowered-state.js';

/** The direction of all changes of a counter in one part. */
type Direction = 'up' | 'down' | 'any' | { readonly to: Json };

/** A strongly connected part of the paths. */
export interface ConnectedPart {
  readonly ways: readonly StateWay[];
  /** The same, by the node that they leave. */
  readonly out: ReadonlyMap<number, readonly StateWay[]>;
}

/** A counter that bounds a part: a run cannot make its changes and pass its tests again and again. */
export interface CycleBound {
  /** Whether a node changes it. */
  readonly changes: (node: number) => boolean;
  /** The paths after its tests. */
  readonly tests: ReadonlySet<StateWay>;
}

/** Whether a path from a node, not counting the node itself, leads to one that is wanted, without these ways. */
export function leadsTo(
  out: (node: number) => readonly StateWay[] | undefined,
  start: number,
  isWanted: (node: number) => boolean,
  without: ReadonlySet<StateWay>,
): boolean {
  const seen = new Set<number>();
  const work = [start];
  for (let node = work.pop(); node !== undefined; node = work.pop())
    for (const way of out(node) ?? []) {
      if (seen.has(way.to) || without.has(way)) continue;
      if (isWanted(way.to)) return true;
      seen.add(way.to);
      work.push(way.to);
    }
  return false;
}

export class Bounds {
  /** The changes that each node makes. */
  private readonly changes = new Map<number, readonly CounterChange[]>();
  /** The facts that hold on the paths after a test. */
  private readonly facts = new Map<StateWay, readonly Fact[]>();
  private readonly nodesOfTests = new Map<Counter, Set<number>>();
  private beginnings: ReadonlyMap<Counter, readonly (Json | null)[]> | null = null;

  constructor(
    private readonly states: readonly LoweredState[],
    private readonly ways: Ways,
  ) {
    ways.nodes.forEach(({ state, instruction }, node) => {
      const target = instruction.op === 'goto' ? states[instruction.state]?.state.entry : undefined;
      const changed = target === undefined ? changesOf(instruction, state) : changesOfGoto(instruction, state, target);
      if (changed.length > 0) this.changes.set(node, changed);
      if (instruction.op !== 'unless') return;
      for (const counter of countersIn(instruction.condition, state)) {
        const nodes = this.nodesOfTests.get(counter);
        if (nodes === undefined) this.nodesOfTests.set(counter, new Set([node]));
        else nodes.add(node);
      }
      const exit = node - (ways.nodes[node]?.pc as number) + instruction.to;
      if (exit === node + 1) return;
      for (const way of ways.out[node] as readonly StateWay[])
        this.facts.set(way, factsOf(instruction.condition, way.to !== exit, state));
    });
  }

  /** All counters that bound the part. */
  boundsOf(part: ConnectedPart): CycleBound[] {
    const changed = this.changedIn(part.ways);
    const facts = new Map<Counter, (readonly [StateWay, Fact])[]>();
    for (const way of part.ways)
      for (const fact of this.facts.get(way) ?? []) {
        const list = facts.get(fact.counter);
        if (list === undefined) facts.set(fact.counter, [[way, fact]]);
        else list.push([way, fact]);
      }
    return [...changed].flatMap(([counter, list]) => {
      const direction = directionOf(list.map(({ change }) => change));
      const known = facts.get(counter);
      if (direction === null || known === undefined) return [];
      const tests = this.testsOf(counter, direction, { part, facts: known, changed });
      const changes = (node: number): boolean => this.isChanged(counter, node);
      return tests.size === 0 ? [] : [{ changes, tests }];
    });
  }

  private isChanged(counter: Counter, node: number): boolean {
    return this.changes.get(node)?.some((change) => change.counter === counter) === true;
  }

  private changedIn(part: readonly StateWay[]): Map<Counter, CounterChange[]> {
    const changed = new Map<Counter, CounterChange[]>();
    for (const node of new Set(part.map(({ from }) => from)))
      for (const change of this.changes.get(node) ?? []) {
        const list = changed.get(change.counter);
        if (list === undefined) changed.set(change.counter, [change]);
        else list.push(change);
      }
    return changed;
  }

  /** Paths that are closed once the counter is far enough. */
  private testsOf(
    counter: Counter,
    direction: Direction,
    {
      part,
      facts,
      changed,
    }: {
      readonly part: ConnectedPart;
      readonly facts: readonly (readonly [StateWay, Fact])[];
      readonly changed: ReadonlyMap<Counter, readonly CounterChange[]>;
    },
  ): Set<StateWay> {
    const tests = new Set<StateWay>();
    const exact = new Set<StateWay>();
    for (const [way, fact] of facts) {
      if (!ends(fact, direction, counter, changed)) continue;
      if (fact.is === 'some' && part.out.get(way.from)?.length !== 1) continue;
      if (fact.is === '!=' && typeof direction === 'string') {
        if (this.isHit(counter, fact.with, changed.get(counter) as readonly CounterChange[])) exact.add(way);
      } else tests.add(way);
    }
    // Two changes without a test between them can skip the one number that the test waits for.
    if (exact.size > 0 && !this.changesTwice(counter, part, exact)) for (const way of exact) tests.add(way);
    return tests;
  }

  /** Whether the counter reaches exactly `goal` from every initial value. */
  private isHit(counter: Counter, goal: Expr, changes: readonly CounterChange[]): boolean {
    const [first] = changes;
    if (first?.by === undefined || changes.some(({ by }) => by !== first.by)) return false;
    if (goal.op !== 'const') return true;
    const amount = first.by;
    return this.beginsWith(counter).every((start) => {
      if (start === null) return true;
      if (typeof start !== 'number' || typeof goal.value !== 'number') return false;
      const rounds = (goal.value - start) / amount;
      return Number.isInteger(rounds) && rounds > 0;
    });
  }

  /** The values that a tracked variable is created with or set to; null if they are unknown. */
  private beginsWith(counter: Counter): readonly (Json | null)[] {
    this.beginnings ??= this.findBeginnings();
    return this.beginnings.get(counter) ?? [];
  }

  private findBeginnings(): ReadonlyMap<Counter, readonly (Json | null)[]> {
    const found = new Map<Counter, (Json | null)[]>();
    const add = (counter: Counter, value: Json | null): void => {
      const list = found.get(counter);
      if (list === undefined) found.set(counter, [value]);
      else list.push(value);
    };
    this.states.forEach(({ state }, at) => {
      for (const i of state.code) {
        if (i.op === 'track') add(trackedCounter(i.slot), i.value.op === 'const' ? i.value.value : null);
        for (const { counter, change } of changesOf(i, at)) if (typeof change === 'object') add(counter, change.to);
      }
    });
    return found;
  }

  private changesTwice(counter: Counter, { out }: ConnectedPart, tests: ReadonlySet<StateWay>): boolean {
    const isChanged = (node: number): boolean => this.isChanged(counter, node);
    const outOf = (node: number) => out.get(node);
    for (const node of out.keys()) if (isChanged(node) && leadsTo(outOf, node, isChanged, tests)) return true;
    return false;
  }

  /** Explains why the counters of a part do not bound it. */
  whyNot(part: readonly StateWay[]): string[] {
    const changed = this.changedIn(part);
    const nodes = new Set(part.map(({ from }) => from));
    const names = this.namesOfTracked();
    const why: string[] = [];
    for (const [counter, name] of names) {
      const changes = changed.get(counter);
      const isTested = [...(this.nodesOfTests.get(counter) ?? [])].some((node) => nodes.has(node));
      if (changes === undefined) {
        if (isTested) why.push(`\`${name}\` is tested, but not every round changes it`);
      } else if (directionOf(changes.map(({ change }) => change)) === null) {
        if (isTested) why.push(`\`${name}\` is not changed in one direction only`);
      } else if (isTested) why.push(`no test of \`${name}\` always leaves the cycle`);
      else why.push(`\`${name}\` changes, but not every round tests it`);
    }
    return why.slice(0, 3);
  }

  private namesOfTracked(): Map<Counter, string> {
    const names = new Map<Counter, string>();
    for (const { instruction } of this.ways.nodes)
      if ((instruction.op === 'set' || instruction.op === 'increment') && instruction.to.in === 'tracked')
        names.set(trackedCounter(instruction.to.slot), instruction.name);
    return names;
  }
}

function directionOf(changes: readonly CounterChange['change'][]): Direction | null {
  let direction: Direction | null = null;
  for (const change of changes) {
    if (change === 'reset') return null;
    if (direction === null || direction === 'any') direction = change;
    else if (typeof change === 'object' || typeof direction === 'object') {
      if (typeof change !== 'object' || typeof direction !== 'object' || change.to !== direction.to) return null;
    } else if (change !== 'any' && change !== direction) return null;
  }
  return direction;
}

/** Whether a path on which the fact holds closes when the counter continues in its direction. */
function ends(
  fact: Fact,
  direction: Direction,
  counter: Counter,
  changed: ReadonlyMap<Counter, readonly CounterChange[]>,
): boolean {
  if (typeof direction === 'object') return contradicts(fact, direction.to);
  if (fact.is === 'some' || fact.is === '!=') return true;
  if (fact.is === '<' && direction === 'down') return false;
  if (fact.is === '>' && direction === 'up') return false;
  // A limit that moves in the same direction is never reached.
  const flees = fact.is === '<' ? 'up' : fact.is === '>' ? 'down' : null;
  for (const other of countersIn(fact.with, -1)) {
    for (const { change, reads } of changed.get(other) ?? [])
      if (flees === null || change === flees || change === 'any' || reads?.has(counter) === true) return false;
  }
  return true;
}

/** Whether the fact is false for a counter that was set to `value`. */
function contradicts({ is, with: other }: Fact, value: Json): boolean {
  if (is === 'some') return true;
  if (other.op !== 'const') return false;
  if (is === '!=') return other.value === value;
  if (is === '==') return other.value !== value;
  if (typeof value !== 'number' || typeof other.value !== 'number') return false;
  return is === '<' ? value >= other.value : value <= other.value;
}
