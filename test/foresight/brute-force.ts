/**
 * Everything that runs of a program do, by the ordinary interpreter with concrete outcomes: no unknown values and no
 * reductions. Runs that are in the same state, to the last value, continue together.
 */

import type { RunEvent } from '../../src/interpreter/events/event.js';
import type { EffectRequest } from '../../src/interpreter/request.js';
import {
  advance,
  answer,
  type LinkedMachine,
  link,
  type Run,
  receiveSignal,
  restoreRun,
  settle,
  snapshotOf,
  startRun,
} from '../../src/interpreter/run.js';
import type { Slot } from '../../src/interpreter/run-state/thread.js';
import { nameOf } from '../../src/lab/foresight/bounds.js';
import { countedSite } from '../../src/lab/foresight/explored-graph.js';
import { runOptionsOf } from '../../src/lab/foresight/foresight-options.js';
import { type MonitoredRule, type MonitorState, type Monitors, monitorsOf } from '../../src/lab/foresight/monitors.js';
import { RARE, type Rare } from '../../src/lab/foresight/way.js';
import type { Json } from '../../src/machine/expression.js';
import type { Limits, Machine } from '../../src/machine/machine.js';
import { AllOutcomes, type Domain, type Event } from './all-outcomes.js';

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly counts: readonly string[];
  readonly isTime: boolean;
  readonly isOutside: boolean;
  readonly rare: Rare | null;
  /** The rules that what happens on it violates, or for REACHES fulfills. */
  readonly shows: readonly number[];
}

interface Node {
  readonly end: string | null;
  readonly state: string;
  readonly watched: MonitorState;
  image: Json;
}

/** The names by which all calls of agents are counted, and what they may cost. */
export const CALLS = 'all calls';
export const CENTS = 'cents';

export interface BruteForce {
  /** As `status state error`; of runs in which nothing rare happens. */
  readonly ends: ReadonlySet<string>;
  /** How often each thing happens at most; infinite: there is a cycle. */
  readonly most: ReadonlyMap<string, number>;
  /** The same of runs in which nothing rare happens. A bound counts what is rare if all of it could be explored. */
  readonly mostOrdinarily: ReadonlyMap<string, number>;
  readonly entered: ReadonlySet<string>;
  /** Positions of conditions. */
  readonly wasTrue: ReadonlySet<number>;
  readonly wasFalse: ReadonlySet<number>;
  /** Positions of instructions. */
  readonly passed: ReadonlySet<number>;
  readonly failed: ReadonlySet<number>;
  readonly isEndless: boolean;
  readonly isEndlessWaiting: boolean;
  /** Whether a run can come to a point from which it cannot end. */
  readonly hasNoEnd: boolean;
  /** For each rule, what must happen besides ordinary things so that a run violates it, or comes there: null is nothing. */
  readonly shown: readonly ReadonlySet<Rare | null>[];
  readonly size: number;
}

/** Members of a snapshot that number or measure. */
const VOLATILE: ReadonlySet<string> = new Set([
  ...['counter', 'effect', 'id', 'effects', 'trail', 'tally', 'blamed', 'question', 'bounds', 'version'],
  ...['until', 'transitions', 'agentCalls', 'tokens', 'knownCost', 'unknownCosts', 'causes', 'handled', 'failures'],
  ...['firstClockMs', 'lastClockMs', 'startedMs'],
]);

/** What each limit of a run counts. */
const COUNTED: Readonly<Record<string, keyof Limits>> = {
  transitions: 'transitions',
  knownCost: 'cost',
  tokens: 'tokens',
};

function keyOf(image: Json, limits: Limits): string {
  return JSON.stringify(image, (name, value: unknown) => {
    const limit = COUNTED[name];
    if (limit !== undefined && limits[limit] !== undefined) return value;
    // The count of failures is that, and of a block it is a list.
    if (VOLATILE.has(name)) return undefined;
    if (name === 'events' && Array.isArray(value))
      return (value as RunEvent[]).flatMap(
        (event) => countedSite(event, new Map()) ?? (event.type === 'emitted' ? event.event : []),
      );
    return value;
  });
}

/** Null: it is too large. */
export function bruteForce(
  machine: Machine,
  domain: Domain,
  mostEdges: number,
  rules: readonly MonitoredRule[] = [],
): BruteForce | null {
  return new Search(machine, domain, mostEdges, rules).run();
}

class Search {
  private readonly nodes: Node[] = [];
  private readonly edges: Edge[] = [];
  private readonly known = new Map<string, number>();
  private readonly wasTrue = new Set<number>();
  private readonly wasFalse = new Set<number>();
  private readonly passed = new Set<number>();
  private readonly failed = new Set<number>();
  private readonly linked: LinkedMachine;
  private readonly outcomes: AllOutcomes;
  private readonly options: ReturnType<typeof runOptionsOf>;
  private readonly begins: Edge[] = [];
  private readonly monitors: Monitors;

  constructor(
    private readonly machine: Machine,
    domain: Domain,
    private readonly mostEdges: number,
    private readonly rules: readonly MonitoredRule[],
  ) {
    this.outcomes = new AllOutcomes(machine, domain);
    this.monitors = monitorsOf(rules);
    const { maxCost } = domain;
    const about = { limits: machine.limits, ...(maxCost === undefined ? {} : { agentMaxCost: maxCost }) };
    this.options = { ...runOptionsOf(machine, { inputs: {} }), ...about };
    const conditions = machine.states.flatMap(({ code }) => code.map(({ op }) => op === 'unless'));
    const linked = link(machine);
    const instructions = linked.instructions.map((instruction, pc): (typeof linked.instructions)[number] => {
      return (thread) => {
        try {
          const next = instruction(thread);
          this.passed.add(pc);
          if (conditions[pc] === true) (next === pc + 1 ? this.wasTrue : this.wasFalse).add(pc);
          return next;
        } catch (thrown) {
          this.failed.add(pc);
          throw thrown;
        }
      };
    });
    this.linked = { ...linked, instructions };
  }

  run(): BruteForce | null {
    for (const inputs of this.outcomes.inputs())
      this.add(startRun(this.linked, { ...this.options, inputs }), -1, undefined, []);
    for (let at = 0; at < this.nodes.length; at++) {
      if (this.edges.length > this.mostEdges) return null;
      const node = this.nodes[at] as Node;
      if (node.end === null) this.expand(at, node.image);
      node.image = null;
    }
    return this.result();
  }

  /** What a call of an agent is counted as: itself, and once for each cent that it may cost. */
  private spentBy(request: EffectRequest): string[] {
    if (request.kind !== 'agent') return [];
    const { maxCost = {} } = this.outcomes.domain;
    const price = Math.min(
      maxCost[request.agent] ?? Number.POSITIVE_INFINITY,
      request.guards?.maxCost ?? Number.POSITIVE_INFINITY,
    );
    return [CALLS, ...(Number.isFinite(price) ? new Array<string>(Math.round(price * 100)).fill(CENTS) : [])];
  }

  private expand(at: number, image: Json): void {
    const restored = this.restored(image);
    const { run, requests } = restored;
    if (run.ready.length > 0) {
      this.add(run, at, undefined, run.trackedSlots.slice());
      return;
    }
    const all = [...run.pending.values()];
    const instant = all.find(({ kind }) => kind === 'clock' || kind === 'uuid' || kind === 'random');
    for (const pending of instant === undefined ? all : [instant])
      for (const event of this.outcomes.of(pending, requests.get(pending.effect))) {
        const next = this.restored(image).run;
        const before = next.trackedSlots.slice();
        happen(next, pending.effect, event);
        this.add(next, at, event, before);
      }
  }

  private restored(image: Json): { readonly run: Run; readonly requests: ReadonlyMap<string, EffectRequest> } {
    const run = restoreRun(this.linked, image, this.options);
    return { run, requests: new Map(run.takeRequests().map((request) => [request.effect, request] as const)) };
  }

  private add(run: Run, from: number, event: Event | undefined, trackedBefore: readonly Slot[]): void {
    advance(run, 100);
    const events = run.takeEvents();
    const requests = run.takeRequests();
    const spent = requests.flatMap((request) => this.spentBy(request));
    const agents = new Map(requests.flatMap((one) => (one.kind === 'agent' ? [[one.effect, one.agent] as const] : [])));
    run.takeCancellations();
    const { result } = run;
    const end = result === null ? null : `${result.status} ${result.state} ${result.error?.kind ?? null}`;
    const image = result === null ? snapshotOf(run) : null;
    const before = this.nodes[from]?.watched ?? this.monitors.first;
    const seen = this.monitors.step(before, { run, events, knowledge: null, trackedBefore, isOver: result !== null });
    const watched = seen.state;
    const shows = this.rules.flatMap(({ kind }, at) =>
      (kind === 'reaches' ? seen.awoken : seen.violated).includes(at) ? [at] : [],
    );
    const own = end ?? keyOf(image, this.machine.limits);
    const key = `${own} ${watched.join(' ')}`;
    let to = this.known.get(key);
    if (to === undefined) {
      to = this.nodes.push({ end, state: run.currentState, watched, image }) - 1;
      this.known.set(key, to);
    }
    const counts = events.flatMap((one) => {
      const site = countedSite(one, new Map());
      if (site === null) return [];
      // The request says which agent is called, whatever its event says.
      const agent = 'effect' in one ? agents.get(one.effect) : undefined;
      return [nameOf(agent === undefined ? site : { ...site, name: agent })];
    });
    counts.push(...spent);
    const edge = {
      from,
      to,
      counts,
      isTime: event?.isTime === true,
      isOutside: event?.isOutside === true,
      rare: event?.rare ?? null,
      shows,
    };
    (from < 0 ? this.begins : this.edges).push(edge);
  }

  private result(): BruteForce {
    const { nodes, edges, begins, wasTrue, wasFalse, passed, failed } = this;
    const names = new Set([...begins, ...edges].flatMap(({ counts }) => counts));
    const ordinary = this.within(null);
    const hasCycle = (accepts: (edge: Edge) => boolean): boolean => {
      const some = ordinary.edges.filter(accepts);
      const own = componentsOf(nodes.length, some);
      return some.some(({ from, to }) => own[from] === own[to]);
    };
    const entersState = ({ counts }: Edge): boolean => counts.some((name) => name.startsWith('state '));
    const inTime = ordinary.edges.filter(({ isOutside }) => !isOutside);
    const own = componentsOf(nodes.length, inTime);
    const waits = new Set(
      inTime.filter((edge) => edge.isTime && own[edge.from] === own[edge.to]).map(({ from }) => own[from]),
    );
    const ending = endsFrom(nodes, edges);
    return {
      ends: new Set([...ordinary.nodes].flatMap((at) => nodes[at]?.end ?? [])),
      most: this.mostOf(names, edges),
      mostOrdinarily: this.mostOf(names, ordinary.edges),
      entered: new Set([...names].flatMap((name) => (name.startsWith('state ') ? [name.slice(6)] : []))),
      wasTrue,
      wasFalse,
      passed,
      failed,
      isEndless: hasCycle(({ isTime, isOutside }) => !isTime && !isOutside),
      isEndlessWaiting: inTime.some(
        (edge) => entersState(edge) && own[edge.from] === own[edge.to] && waits.has(own[edge.from]),
      ),
      hasNoEnd: [...ordinary.nodes].some((at) => !ending.has(at)),
      shown: this.shown(),
      size: nodes.length,
    };
  }

  /** How often each of these is counted at most, in a run of these edges. */
  private mostOf(names: ReadonlySet<string>, edges: readonly Edge[]): Map<string, number> {
    const { nodes, begins } = this;
    const component = componentsOf(nodes.length, edges);
    const times = (edge: Edge, name: string): number => edge.counts.filter((one) => one === name).length;
    const ordered = [...edges].sort((one, other) => Number(component[one.from]) - Number(component[other.from]));
    const most = new Map<string, number>();
    for (const name of names) {
      const best = new Float64Array(nodes.length);
      for (const edge of ordered) {
        const [own, end] = [component[edge.from] as number, component[edge.to] as number];
        const count = times(edge, name);
        const sum = own === end ? (count > 0 ? Number.POSITIVE_INFINITY : 0) : count + (best[end] as number);
        best[own] = Math.max(best[own] as number, sum);
      }
      most.set(
        name,
        Math.max(...begins.map((edge) => times(edge, name) + (best[component[edge.to] as number] as number))),
      );
    }
    return most;
  }

  /** What runs come to in which nothing rare happens but this. */
  private within(rare: Rare | null): { readonly nodes: ReadonlySet<number>; readonly edges: readonly Edge[] } {
    const edges = this.edges.filter((edge) => edge.rare === null || edge.rare === rare);
    const after: number[][] = this.nodes.map(() => []);
    for (const { from, to } of edges) after[from]?.push(to);
    const nodes = new Set(this.begins.map(({ to }) => to));
    for (const at of nodes) for (const to of after[at] ?? []) nodes.add(to);
    return { nodes, edges: edges.filter(({ from }) => nodes.has(from)) };
  }

  private shown(): Set<Rare | null>[] {
    const found = this.rules.map(() => new Set<Rare | null>());
    for (const rare of [null, ...RARE]) {
      const { nodes, edges } = this.within(rare);
      for (const { shows } of [...this.begins, ...edges]) for (const at of shows) found[at]?.add(rare);
      this.rules.forEach((rule, at) => {
        if (rule.kind !== 'ends') return;
        for (const node of nodes) {
          const status = this.nodes[node]?.end?.split(' ')[0];
          if (status !== undefined && rule.statuses?.includes(status) === false) found[at]?.add(rare);
        }
      });
    }
    return found;
  }
}

function happen(run: Run, effect: string, { what }: Event): void {
  if (what.kind === 'outcome') settle(run, effect, what.outcome);
  else if (what.kind === 'answer') answer(run, effect, what.value, 'user');
  else receiveSignal(run, what.name, what.value, 'user');
}

function endsFrom(nodes: readonly Node[], edges: readonly Edge[]): ReadonlySet<number> {
  const before: number[][] = nodes.map(() => []);
  for (const { from, to } of edges) before[to]?.push(from);
  const found = new Set(nodes.flatMap(({ end }, at) => (end === null ? [] : [at])));
  for (const at of found) for (const from of before[at] ?? []) found.add(from);
  return found;
}

/** The numbers of the strongly connected components: an edge leads to an equal or smaller number. */
function componentsOf(count: number, edges: readonly Edge[]): Int32Array {
  const after: number[][] = Array.from({ length: count }, () => []);
  const before: number[][] = Array.from({ length: count }, () => []);
  for (const { from, to } of edges) {
    after[from]?.push(to);
    before[to]?.push(from);
  }
  // First in the order in which nodes are left, then backwards (Kosaraju).
  const left: number[] = [];
  const seen = new Uint8Array(count);
  for (let root = 0; root < count; root++) {
    if (seen[root] === 1) continue;
    seen[root] = 1;
    const way = [{ at: root, next: 0 }];
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      const to = after[top.at]?.[top.next++];
      if (to === undefined) {
        left.push(top.at);
        way.pop();
      } else if (seen[to] === 0) {
        seen[to] = 1;
        way.push({ at: to, next: 0 });
      }
    }
  }
  const component = new Int32Array(count).fill(-1);
  let found = 0;
  for (const root of left.reverse()) {
    if (component[root] !== -1) continue;
    component[root] = found;
    const open = [root];
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const from of before[at] ?? [])
        if (component[from] === -1) {
          component[from] = found;
          open.push(from);
        }
    found++;
  }
  // The first one found comes first in the order of edges.
  return component.map((one) => found - 1 - one);
}
