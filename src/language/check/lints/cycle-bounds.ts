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

export class Bounds {
  /** The changes that each node makes. */
  private readonly changes = new Map<number, readonly CounterChange[]>();
  /** The facts that hold on the paths after a test. */
  private readonly facts = new Map<StateWay, readonly Fact[]>();
  private readonly nodesOfTests = new Map<Counter, Set<number>>();

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

  /** The paths of a counter that bounds the part: those with its changes, and those after its tests. */
  boundingWays(part: readonly StateWay[]): readonly [ReadonlySet<StateWay>, ReadonlySet<StateWay>] | null {
    const changed = this.changedIn(part);
    for (const [counter, list] of changed) {
      const direction = directionOf(list.map(({ change }) => change));
      if (direction === null) continue;
      const tests = this.testsOf(counter, direction, part, changed);
      if (tests.size === 0) continue;
      const ways = part.filter(({ from }) => this.changes.get(from)?.some((c) => c.counter === counter) === true);
      return [new Set(ways), tests];
    }
    return null;
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
    part: readonly StateWay[],
    changed: ReadonlyMap<Counter, readonly CounterChange[]>,
  ): Set<StateWay> {
    const leaves = new Map<number, number>();
    for (const { from } of part) leaves.set(from, (leaves.get(from) ?? 0) + 1);
    const tests = new Set<StateWay>();
    const exact = new Set<StateWay>();
    for (const way of part)
      for (const fact of this.facts.get(way) ?? []) {
        if (fact.counter !== counter || !ends(fact, direction, counter, changed)) continue;
        if (fact.is === 'some' && leaves.get(way.from) !== 1) continue;
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
  private beginsWith(counter: Counter): (Json | null)[] {
    const found: (Json | null)[] = [];
    this.states.forEach(({ state }, at) => {
      for (const i of state.code) {
        if (i.op === 'track' && trackedCounter(i.slot) === counter)
          found.push(i.value.op === 'const' ? i.value.value : null);
        for (const { counter: other, change } of changesOf(i, at))
          if (other === counter && typeof change === 'object') found.push(change.to);
      }
    });
    return found;
  }

  private changesTwice(counter: Counter, part: readonly StateWay[], tests: ReadonlySet<StateWay>): boolean {
    const out = new Map<number, number[]>();
    for (const way of part) if (!tests.has(way)) out.set(way.from, [...(out.get(way.from) ?? []), way.to]);
    const isChanged = (node: number) => this.changes.get(node)?.some((change) => change.counter === counter) === true;
    const work = [...out.keys()].filter(isChanged).flatMap((node) => out.get(node) ?? []);
    const seen = new Set(work);
    for (let node = work.pop(); node !== undefined; node = work.pop()) {
      if (isChanged(node)) return true;
      for (const next of out.get(node) ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        work.push(next);
      }
    }
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
