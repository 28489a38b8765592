/** Explores all configurations of a machine, breadth first, until all are known or a budget is used up. */
import type { InterpreterOptions } from '../../interpreter/run.js';
import type { Member } from '../../interpreter/run-state/fork-state.js';
import type { Pending } from '../../interpreter/run-state/pending.js';
import type { Json } from '../../machine/expression.js';
import type { LimitScope, Machine } from '../../machine/machine.js';
import { type ConfigurationEnd, configurationOf, type Reductions, reductionsOf } from './configuration.js';
import type { Exploration, ExploreOptions, Repeated } from './exploration.js';
import { type Edge, type Node, resultOf } from './explored-graph.js';
import { runOptionsOf } from './foresight-options.js';
import { Counted, independentLoops } from './independent-members.js';
import { evaluatorOf, type MonitorState, type Monitors, NO_MONITORS, type Watched } from './monitors.js';
import { type Segment, type SegmentStart, Segments } from './segment.js';
import { Knowledge, Oracle, unknownId } from './unknown/knowledge.js';
import type { RequestFacts, Way } from './way.js';

type AboutEdge = Pick<Edge, 'from' | 'pending' | 'way' | 'isTime' | 'takesMs' | 'isOutside' | 'isLongest' | 'rare'>;

/** The run begins, or only continues. */
const NO_WAY: AboutEdge = {
  from: -1,
  pending: -1,
  way: -1,
  isTime: false,
  takesMs: 0,
  isOutside: false,
  isLongest: false,
  rare: null,
};

/** How many steps of traces are kept, because other traces begin with them. */
const MOST_REPEATED = 4000;

const CHECKED_EVERY_MS = 10;

const MAX_BYTES = 1024 * 1024 * 1024;

export function explore(machine: Machine, options: ExploreOptions): Exploration {
  // Failures of a program are exceptions of its interpreter. A stack for each of them takes a tenth of the time.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return new Explorer(machine, options).run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * Whether a call of an agent may cost more than a whole budget, so that it ends the run as soon as no other call is open: what
 * other members have done until then depends on their order.
 */
function mayNeverFit({ limits, states }: Machine, agentMaxCost: ExploreOptions['agentMaxCost'] = {}): boolean {
  const code = states.flatMap((state) => state.code);
  const budgets = [limits, ...code.flatMap((one) => (one.op === 'workflow-enter' ? [one.limits] : []))];
  const least = Math.min(...budgets.map(({ cost = Number.POSITIVE_INFINITY }) => cost));
  const prices = code.flatMap((one) => (one.op === 'step-agent' ? (one.guards.maxCost ?? []) : []));
  return [...Object.values(agentMaxCost), ...prices].some((price) => price > least);
}

class Explorer {
  private readonly segments: Segments;
  private readonly reductions: Reductions;
  private readonly nodes: Node[] = [];
  private readonly begins: Edge[] = [];
  private readonly moments: (StoredMoment | null)[] = [];
  private readonly states: MonitorState[] = [];
  private readonly known = new Map<string, number>();
  private readonly counted: Counted;
  private readonly violations: { readonly edge: Edge; readonly property: number }[] = [];
  private readonly awoken = new Map<number, Edge>();
  private readonly fulfilled = new Map<number, Set<Edge>>();
  private readonly limitEnds = new Map<string, Edge>();
  private readonly monitors: Monitors;
  private readonly mayNeverFit: boolean;
  private readonly assumptions: readonly ReturnType<typeof evaluatorOf>[];
  private readonly runOptions: InterpreterOptions;
  private readonly began = process.cpuUsage();
  private nextCheck = 0;
  private expanded = 0;
  private executions = 0;
  /** Of the segment that is added. */
  private lastEdge: Edge | null = null;
  private isBounded = false;
  private hasUnknownTime = false;
  private hasTooLong = false;
  private readonly lists = new Set<string>();
  private readonly freeLists = new Set<string>();
  private stoppedBy: Exploration['stoppedBy'] = null;

  constructor(
    private readonly machine: Machine,
    private readonly options: ExploreOptions,
  ) {
    this.counted = new Counted(machine);
    this.runOptions = runOptionsOf(machine, options);
    this.monitors = options.monitors ?? NO_MONITORS;
    this.mayNeverFit = mayNeverFit(machine, options.agentMaxCost);
    this.assumptions = (options.assumptions ?? []).map(evaluatorOf);
    const inputs = machine.inputs.map(({ name, value }) =>
      Object.hasOwn(options.inputs, name) ? options.inputs[name] : value,
    );
    this.reductions = reductionsOf(machine, inputs, options.without, this.monitors);
    const { looksAtErrors } = this.reductions;
    // What is assumed may be about a list.
    const isFree = this.assumptions.length === 0;
    const independent = isFree ? independentLoops(machine, this.monitors, looksAtErrors) : new Set<number>();
    const { limitedAgents, withRare = false } = options;
    const isLimited = (agent: string): boolean =>
      limitedAgents?.has(agent) !== false || (unknownId(agent) !== null && limitedAgents.size > 0);
    const about = { looksAtErrors, independent, withRare, isLimited };
    this.segments = new Segments(machine, this.runOptions, options.longest, about);
  }

  run(): Exploration {
    // The process may be one that embeds this and holds much else.
    const before = process.memoryUsage.rss();
    this.begin();
    for (let at = 0; at < this.nodes.length && this.stoppedBy === null; at++) {
      this.expanded = at;
      if (at % 32 === 0) this.checkTime();
      if (at % 256 === 0 && process.memoryUsage.rss() - before > MAX_BYTES) this.stoppedBy ??= 'memory';
      if (this.stoppedBy !== null) break;
      this.expand(at);
      // A budget may have ended it in the middle.
      (this.nodes[at] as Node).isExpanded = this.stoppedBy === null;
      this.moments[at] = null;
    }
    if (this.hasTooLong) this.stoppedBy ??= 'long-list';
    const { machine, nodes, begins, options, violations, awoken, fulfilled, limitEnds } = this;
    const { sites, mistakes, agentLines } = this.counted;
    return {
      machine,
      nodes,
      begins,
      sites,
      mistakes,
      agentLines,
      executed: this.segments.executed,
      starts: this.segments.starts,
      segments: this.executions,
      stoppedBy: this.stoppedBy,
      leftOut: this.segments.leftOut,
      isBounded: this.isBounded,
      lists: this.lists,
      freeLists: this.freeLists,
      options,
      repeat: (moment, edge) => this.repeatOnce(moment, edge),
      timeOfWait: (position) => this.segments.spans.ofWait(position),
      mayBeSuspended: this.segments.spans.mayBeSuspended,
      hasUnknownTime: this.hasUnknownTime,
      keyOf: (run) => configurationOf(run, this.reductions, new Knowledge(), null).key,
      violations,
      monitorStates: this.states,
      awoken,
      fulfilled,
      limitEnds,
    };
  }

  private checkTime(): void {
    // Asking for the CPU time takes as long as a segment.
    const now = performance.now();
    if (now < this.nextCheck) return;
    this.nextCheck = now + CHECKED_EVERY_MS;
    const { user, system } = process.cpuUsage(this.began);
    // Shorter lists are explored in the rest of the time.
    const { seconds, longest } = this.options;
    const part = this.lists.size > 0 && longest > 1 ? 0.5 : 1;
    if ((user + system) / 1e6 > seconds * part) this.stoppedBy ??= 'seconds';
    const configurations = this.nodes.length;
    if (this.options.isTimeUp?.({ configurations, waiting: configurations - this.expanded }) === true)
      this.stoppedBy ??= 'timeout';
  }

  /** All ways in which a segment can go. One that decides in each round of a loop needs the time limit, too. */
  private forAll(execute: (oracle: Oracle) => Segment | null, then: (segment: Segment, oracle: Oracle) => void): void {
    const scripts: number[][] = [[]];
    for (let script = scripts.shift(); script !== undefined; script = scripts.shift()) {
      if (this.executions >= (this.options.maxSegments ?? Number.POSITIVE_INFINITY))
        this.stoppedBy ??= 'configurations';
      if (this.executions % 32 === 31) this.checkTime();
      if (this.stoppedBy !== null) return;
      const oracle = new Oracle(script);
      this.executions++;
      let segment: Segment | null;
      try {
        segment = execute(oracle);
      } catch (cause) {
        const decisions = oracle.taken.map(({ text }) => text).join('; ');
        throw new Error(`exploring failed after the decisions: ${decisions || 'none'}`, { cause });
      }
      // A monitor may decide more, and look into lists.
      if (segment !== null) {
        then(segment, oracle);
        this.note(segment.knowledge);
      }
      this.options.onSegment?.(this.lastEdge, segment?.events ?? [], this.segments.executed);
      this.lastEdge = null;
      scripts.push(...oracle.others());
    }
  }

  private note({ needsTooLong, usedLength, usedDuration, lists, freeLists }: Knowledge): void {
    if (needsTooLong) this.hasTooLong = true;
    if (usedLength) this.isBounded = true;
    if (usedDuration) this.hasUnknownTime = true;
    for (const list of lists) this.addList(list);
    for (const list of freeLists) this.freeLists.add(list);
  }

  /** A list of unknown length is explored up to a length. */
  private addList(name: string): void {
    this.lists.add(name);
    this.isBounded = true;
  }

  private begin(): void {
    this.forAll(
      (oracle) => this.startSegment(oracle),
      (segment, oracle) => this.add(segment, oracle, NO_WAY),
    );
  }

  /** Null: what is assumed is not true. */
  private startSegment(oracle: Oracle): Segment | null {
    const { unknownInputs } = this.options;
    return this.segments.start(unknownInputs, unknownInputs.size, oracle, (run, knowledge) => {
      const isAssumed = this.assumptions.every((evaluate) => evaluate({ run, knowledge, tracked: [] }) === true);
      // Longer lists may fulfill what is assumed.
      this.note(knowledge);
      return isAssumed;
    });
  }

  /** What the monitors see in a segment. They may decide more of its unknown values. */
  private watch({ run, events, knowledge, trackedBefore }: Segment, from: number): Watched {
    const before = from < 0 ? this.monitors.first : (this.states[from] as MonitorState);
    return this.monitors.step(before, { run, events, knowledge, trackedBefore, isOver: run.result !== null });
  }

  private expand(at: number): void {
    const node = this.nodes[at] as Node;
    const stored = this.moments[at];
    if (stored === null || stored === undefined || node.result !== null) return;
    const moment = openMoment(stored);
    const run = this.segments.restore(moment);
    if (run.ready.length > 0) {
      this.forAll(
        (oracle) => this.segments.continue(moment, null, null, oracle),
        (segment, oracle) => this.add(segment, oracle, { ...NO_WAY, from: at }),
      );
      return;
    }
    const all = [...run.pending.values()];
    const next = nextOf(all, this.options.without.has('one-order') || this.monitors.looksAtOrder || this.mayNeverFit);
    // The first segment continues the run that was looked at.
    const choices = next.map((pending) => ({
      effect: pending.effect,
      index: all.indexOf(pending),
      ways: this.segments.waysOf(pending, moment.requests.get(pending.effect)),
    }));
    const limits = new Set<LimitScope>();
    for (const { effect, index, ways } of choices)
      ways.forEach((way, number) => {
        if (way.isFailure === true && !this.options.withFailures) return;
        if (way.limit !== undefined) {
          const isNew = this.monitors !== NO_MONITORS || !this.limitEnds.has(`${node.state} ${way.limit}`);
          if (!isNew || limits.has(way.limit)) return;
          limits.add(way.limit);
          this.forAll(
            (oracle) => this.segments.continue(moment, effect, way, oracle),
            (segment, oracle) =>
              this.addLimitEnd(segment, oracle, { ...NO_WAY, from: at, pending: index, way: number }, way.limit),
          );
          return;
        }
        const { isTime = false, takesMs = isTime ? Number.POSITIVE_INFINITY : 0 } = way;
        const { isOutside = false, isLongest = false, rare = null, list } = way;
        if (rare !== null && this.options.withRare !== true) {
          this.segments.leftOut.add(rare);
          return;
        }
        if (list !== undefined) this.addList(list);
        this.forAll(
          (oracle) => this.segments.continue(moment, effect, way, oracle),
          (segment, oracle) =>
            this.add(segment, oracle, {
              from: at,
              pending: index,
              way: number,
              isTime,
              takesMs,
              isOutside,
              isLongest,
              rare,
            }),
        );
      });
  }

  /** An end that no other end leads to, so it is no part of the graph. What a run undoes after its end is not limited. */
  private addLimitEnd(segment: Segment, oracle: Oracle, about: AboutEdge, scope: LimitScope | undefined): void {
    const { run, knowledge } = segment;
    if (run.result === null) return;
    const { awoken, violated } = this.watch(segment, about.from);
    if (knowledge.needsTooLong) return;
    const edge = this.edgeOf(segment, oracle, about, -1);
    const key = `${run.currentState} ${scope}`;
    if (!this.limitEnds.has(key)) this.limitEnds.set(key, edge);
    for (const property of awoken) if (!this.awoken.has(property)) this.awoken.set(property, edge);
    // Of what must follow, nothing is said for runs that a LIMIT ends.
    for (const property of violated)
      if (!this.monitors.looksAhead.has(property)) this.violations.push({ edge, property });
  }

  private edgeOf(segment: Segment, oracle: Oracle, about: AboutEdge, to: number): Edge {
    const { run, events, knowledge, span } = segment;
    const rare = about.rare ?? (knowledge.wasTooLarge ? 'value_too_large' : null);
    // One of the most frequent objects: in V8 of Node 20, each member after a spread takes longer than all of these.
    const { from, pending, way, isTime, isOutside } = about;
    return {
      from,
      pending,
      way,
      isTime,
      isOutside,
      to,
      rare,
      takesMs: events.reduce((sum, one) => sum + (one.type === 'effect_retried' ? one.delay_ms : 0), about.takesMs),
      isLongest: about.isLongest || knowledge.usedLongest,
      decisions: oracle.indexes,
      counts: this.counted.sitesOf(events),
      mistakes: this.counted.mistakesIn(events, run.result !== null, this.segments.reasons),
      span,
    };
  }

  private add(segment: Segment, oracle: Oracle, about: AboutEdge): void {
    const { run, knowledge } = segment;
    if (knowledge.usedForced && this.options.withoutForced === true) return;
    const watched = this.watch(segment, about.from);
    if (knowledge.needsTooLong) return;
    const configuration = configurationOf(run, this.reductions, knowledge, [segment.isRunning, [...watched.state]]);
    const known = this.known.get(configuration.key);
    const to = known ?? this.nodes.length;
    if (to >= this.options.maxConfigurations) {
      this.stoppedBy ??= 'configurations';
      return;
    }
    const edge = this.edgeOf(segment, oracle, about, to);
    this.lastEdge = edge;
    if (about.from < 0) this.begins.push(edge);
    else this.nodes[about.from]?.out.push(edge);
    for (const property of watched.awoken) if (!this.awoken.has(property)) this.awoken.set(property, edge);
    for (const property of watched.fulfilled) {
      const edges = this.fulfilled.get(property);
      if (edges === undefined) this.fulfilled.set(property, new Set([edge]));
      else edges.add(edge);
    }
    for (const property of watched.violated) this.violations.push({ edge, property });
    if (known !== undefined) return;
    this.known.set(configuration.key, to);
    this.states.push(watched.state);
    this.nodes.push({
      id: to,
      by: edge,
      state: run.currentState,
      result: resultOf(run),
      out: [],
      isExpanded: false,
    });
    this.moments.push(run.result === null ? storedMoment(configuration.continuation(), segment) : null);
  }

  /** Traces have their beginnings in common. */
  private repeatOnce(moment: SegmentStart | null, edge: Edge): Repeated {
    const known = this.repeated.get(edge);
    if (known !== undefined && known.from === moment) return known.repeated;
    const repeated = this.repeat(moment, edge);
    if (known === undefined && this.repeated.size < MOST_REPEATED) this.repeated.set(edge, { from: moment, repeated });
    return repeated;
  }

  private readonly repeated = new Map<Edge, { readonly from: SegmentStart | null; readonly repeated: Repeated }>();

  private repeat(moment: SegmentStart | null, edge: Edge): Repeated {
    const oracle = new Oracle(edge.decisions);
    let way: Way | null = null;
    let facts: RequestFacts | null = null;
    let effect: string | null = null;
    let segment: Segment;
    if (moment === null) segment = this.startSegment(oracle) as Segment;
    else {
      const pending = edge.pending < 0 ? undefined : [...this.segments.restore(moment).pending.values()][edge.pending];
      if (pending !== undefined) {
        facts = moment.requests.get(pending.effect) ?? null;
        way = this.segments.waysOf(pending, facts ?? undefined)[edge.way] ?? null;
        effect = pending.effect;
      }
      segment = this.segments.continue(moment, effect, way, oracle);
    }
    this.watch(segment, edge.from);
    const continuation = configurationOf(segment.run, this.reductions, segment.knowledge, null).continuation();
    const { run: _, ...rest } = segment;
    return {
      moment: openMoment(storedMoment(continuation, segment)),
      segment: rest,
      renamed: continuation.renamed,
      deciding: continuation.deciding,
      way,
      pending: facts,
    };
  }
}

/** Moments that are explored later. Their snapshots are texts until then: objects take three times as much memory. */
type StoredMoment = Omit<SegmentStart, 'image'> & Pick<ConfigurationEnd, 'text'>;

function storedMoment(
  { text, unknowns, nextId }: ConfigurationEnd,
  { requests }: Pick<Segment, 'requests'>,
): StoredMoment {
  return { text, unknowns, nextId, requests };
}

function openMoment({ text, unknowns, nextId, requests }: StoredMoment): SegmentStart {
  return { image: JSON.parse(text) as Json, unknowns, nextId, requests };
}

/**
 * What is settled next. A clock gives its time at once. Members that nothing else can end need one order only: their
 * join does not depend on it.
 */
export function nextOf(pending: readonly Pending[], allOrders: boolean): readonly Pending[] {
  const instant = pending.find(({ kind }) => kind === 'clock' || kind === 'uuid' || kind === 'random');
  if (instant !== undefined) return [instant];
  if (allOrders) return pending;
  const free = pending.find(isIndependent);
  return free === undefined ? pending : [free];
}

/** Whether a member waits for its own effect, and no quorum, limit of time or detached join can end it earlier. */
function isIndependent({ purpose, thread, kind }: Pending): boolean {
  if (purpose !== 'result' || thread.member === null || kind === 'signal') return false;
  for (let member: Member | null = thread.member; member !== null; member = member.fork.parent.member) {
    const { fork } = member;
    if (fork.quorum !== null || fork.detached || fork.parent.pending.length > 0) return false;
  }
  return true;
}
