/** Properties of all runs: rules about what never happens, what follows, how often, and how runs end, each with its verdict. */
import { link, startRun } from '../../interpreter/run.js';
import type { Slot } from '../../interpreter/run-state/thread.js';
import type { Limits } from '../../machine/machine.js';
import { repeatable } from './counted-rounds.js';
import { stuckIn, unmodeledKindIn, unmodeledKindOf } from './defects.js';
import { tracesToLimit } from './ends.js';
import type { Exploration } from './exploration.js';
import { type Trace, takesTooLong, traceOf } from './exploration.js';
import { componentsOf, cycleThrough, type Edge, type Node, reachedBy, wayTo } from './explored-graph.js';
import { runOptionsOf } from './foresight-options.js';
import { entriesIn, largestSum, orderOf } from './longest-ways.js';
import { endlessIn } from './loops.js';
import {
  evaluatorOf,
  type MomentCondition,
  type MonitoredRule,
  type MonitorState,
  mayBeLimit,
  momentsOf,
  monitorsOf,
} from './monitors.js';
import { RARE, type Rare, rareWords } from './way.js';

export interface Property {
  readonly name: string;
  readonly rules: readonly MonitoredRule[];
  /** What is assumed of the inputs, for this property alone. */
  readonly assumptions: readonly MomentCondition[];
}

/** From the worst to the best. */
const VERDICTS = ['violated', 'possible', 'undecided', 'vacuous', 'bounded', 'proved'] as const;
export type PropertyVerdict = (typeof VERDICTS)[number];

export interface JudgedRule {
  readonly text: string;
  readonly verdict: PropertyVerdict;
  /** Why it is not decided, if that needs words. */
  readonly note?: string;
  /** What is rare and may break what is proved; absent: nothing. */
  readonly except?: readonly Rare[];
  /** A run that violates it; for REACHES one that comes there. */
  readonly trace: Trace | null;
  /** How many edges at its end repeat without end; 0: none. */
  readonly cycle: number;
}

export interface JudgedProperty {
  readonly name: string;
  /** The worst verdict of its rules. */
  readonly verdict: PropertyVerdict;
  /** That of its rules. */
  readonly except?: readonly Rare[];
  readonly rules: readonly JudgedRule[];
}

/** `rulesBefore`: how many rules of other properties the exploration has before these. `withRare`: the same with what is rare. */
export function judgeProperty(
  exploration: Exploration,
  property: Property,
  rulesBefore: number,
  withRare: () => readonly Exploration[],
): JudgedProperty {
  const { name, rules } = property;
  const judged = rules.map((rule, at) => {
    const own = new RuleJudge(exploration, rule, rulesBefore + at).judge();
    return butForRare(own, rule, rulesBefore + at, { withRare, exploration });
  });
  const verdict = VERDICTS.find((one) => judged.some((rule) => rule.verdict === one)) ?? 'proved';
  const kinds = new Set(judged.flatMap(({ except = [] }) => except));
  const except = RARE.filter((one) => kinds.has(one));
  return { name, verdict, ...(except.length === 0 ? {} : { except }), rules: judged };
}

/** What is said of all runs, but for those in which something rare breaks it. */
function butForRare(
  judged: JudgedRule,
  rule: MonitoredRule,
  at: number,
  { withRare, exploration }: { readonly withRare: () => readonly Exploration[]; readonly exploration: Exploration },
): JudgedRule {
  const isAboutAll = ['proved', 'bounded', 'vacuous'].includes(judged.verdict);
  const isReach = rule.kind === 'reaches';
  if (isReach ? judged.verdict !== 'violated' : !isAboutAll) return judged;
  const [explored] = withRare();
  if (explored === undefined) return judged;
  const isExplored = explored.stoppedBy === null;
  const found = isExplored ? new RuleJudge(explored, rule, at).rareKinds() : [];
  // More runs may come to LIMIT with what is rare.
  const ending = limitNote(explored, rule);
  const isEnded = ending !== undefined && ending !== limitNote(exploration, rule);
  const except =
    !isExplored || (found.length === 0 && isEnded) ? RARE.filter((one) => exploration.leftOut.has(one)) : found;
  if (except.length === 0) return judged;
  if (!isReach) return { ...judged, except };
  return { ...judged, verdict: 'undecided', note: `only ${rareWords(except)} may lead there` };
}

/** Which limit may make of a rule what the exploration does not see. */
const limitNote = (exploration: Exploration, rule: MonitoredRule): string | undefined =>
  cappedByLimits(exploration, rule, 'proved').note;

/** A way through the graph, of which the last edges may be rounds of a cycle. */
interface CyclicWay {
  readonly edges: readonly Edge[];
  readonly cycle: number;
}

/** What is decided of a rule; without a trace, none shows it. */
type Decided = Pick<JudgedRule, 'verdict' | 'note'> & Partial<Pick<JudgedRule, 'trace' | 'cycle'>>;

/** How many ways that break a rule are tried. */
const MOST_TRIED = 20;

class RuleJudge {
  constructor(
    private readonly exploration: Exploration,
    private readonly rule: MonitoredRule,
    private readonly at: number,
  ) {}

  judge(): JudgedRule {
    const { stoppedBy, isBounded } = this.exploration;
    const explored: Explored = stoppedBy !== null ? 'undecided' : isBounded ? 'bounded' : 'proved';
    const found =
      this.ofNoRun() ??
      (this.rule.kind === 'reaches'
        ? (this.arrival() ?? this.ofNoArrival(explored))
        : (this.counterexample() ?? this.ofNoCounterexample(explored)));
    return { text: this.rule.text, trace: null, cycle: 0, ...found };
  }

  /** Null: runs were explored. */
  private ofNoRun(): Decided | null {
    const { begins, stoppedBy, isBounded } = this.exploration;
    if (begins.length > 0 || stoppedBy !== null) return null;
    return isBounded
      ? { verdict: 'undecided', note: 'no run with the lists that were explored fulfills what is assumed' }
      : { verdict: 'vacuous', note: 'no run fulfills what is assumed; inputs with a default have it' };
  }

  /** The first run that violates the rule, or else the first way of which no run was found. */
  private counterexample(): Decided | null {
    const { exploration, rule } = this;
    let possible: Decided | null = null;
    for (const { edges, cycle } of this.violations()) {
      const trace = traceOf(exploration, edges, { cycle });
      const isForever = cycle === 0 || trace.canRepeat;
      const isViolated =
        trace.isConfirmed && isForever && !takesTooLong(exploration, edges) && this.isSeenIn(trace, cycle);
      if (isViolated) return { verdict: 'violated', trace, cycle };
      possible ??= { verdict: 'possible', trace, cycle };
    }
    if (possible !== null) return possible;
    const atLimit = rule.kind === 'never' && isOfLimit(rule) ? this.traceToLimit() : undefined;
    return atLimit === undefined ? null : { verdict: 'violated', trace: atLimit };
  }

  /** What holds of all runs, since none was found that violates the rule. */
  private ofNoCounterexample(explored: Explored): Decided {
    const { exploration, rule, at } = this;
    if (explored === 'undecided') return { verdict: 'undecided' };
    const ofNoValue = this.ofNoValue();
    if (ofNoValue !== null) return ofNoValue;
    const capped = cappedByLimits(exploration, rule, explored);
    const mayBeAtLimit = isOfLimit(rule) && capped.note !== undefined;
    if (rule.kind === 'after' && !exploration.awoken.has(at) && !mayBeAtLimit)
      return { verdict: 'vacuous', note: 'the first moment never comes' };
    if (rule.kind === 'ends' && rule.statuses !== null && this.hasNoEnd())
      return { verdict: 'vacuous', note: 'no run ends' };
    const ofUnmodeled = this.ofUnmodeledKind();
    if (ofUnmodeled !== null) return ofUnmodeled;
    // Nothing violates it, because no run ends after the first moment.
    if (rule.kind === 'after' && capped.verdict === 'proved' && !exploration.fulfilled.has(at))
      return { verdict: 'vacuous', note: 'the second moment never comes' };
    return capped;
  }

  /** A run that comes to the moment of REACHES: one proves it. */
  private arrival(): Decided | null {
    const edge = this.exploration.awoken.get(this.at);
    if (edge !== undefined) {
      const trace = traceOf(this.exploration, this.wayBy(edge));
      const isReached = trace.isConfirmed && this.isSeenIn(trace, 0);
      return { verdict: isReached ? 'proved' : 'possible', trace };
    }
    const atLimit = isOfLimit(this.rule) ? this.traceToLimit() : undefined;
    return atLimit === undefined ? null : { verdict: 'proved', trace: atLimit };
  }

  /** That no run comes there is only known of all runs. */
  private ofNoArrival(explored: Explored): Decided {
    const ofNoValue = this.ofNoValue();
    if (ofNoValue !== null) return ofNoValue;
    if (explored === 'bounded')
      return { verdict: 'undecided', note: 'not reached with the lists and values that were explored' };
    const ofUnmodeled = this.ofUnmodeledKind();
    if (ofUnmodeled !== null) return ofUnmodeled;
    if (explored !== 'proved') return { verdict: 'undecided' };
    const { note } = isOfLimit(this.rule) ? cappedByLimits(this.exploration, this.rule, explored) : {};
    return note === undefined
      ? { verdict: 'violated', note: 'no run comes there' }
      : { verdict: 'undecided', note: 'only LIMIT may lead there' };
  }

  private ofNoValue(): Decided | null {
    return this.hasNoValue() ? { verdict: 'undecided', note: 'the condition never has a value' } : null;
  }

  private ofUnmodeledKind(): Decided | null {
    const kind = this.exploration.options.withFailures ? this.unmodeledKind() : null;
    return kind === null ? null : { verdict: 'undecided', note: `failures of kind \`${kind}\` are not explored` };
  }

  /** A run that `LIMIT: transitions` ends, and in which the rule sees that. */
  private traceToLimit(): Trace | undefined {
    return tracesToLimit(this.exploration)
      .map(({ trace }) => trace)
      .find((trace) => trace.isConfirmed && this.isSeenIn(trace, 0));
  }

  /** A kind of failures that the program or the rule names, and that is not explored. */
  private unmodeledKind(): string | null {
    const own = momentsOf(this.rule).map(unmodeledKindOf);
    return own.find((kind) => kind !== null) ?? unmodeledKindIn(this.exploration.machine, this.exploration.leftOut);
  }

  /** Whether a condition was needed that could never be computed. */
  private hasNoValue(): boolean {
    const { asked, answered } = this.exploration.options.monitors ?? {};
    return momentsOf(this.rule).some(({ when }) => when !== null && asked?.has(when) && answered?.has(when) !== true);
  }

  private hasNoEnd(): boolean {
    const { nodes, machine } = this.exploration;
    const { transitions, timeMs } = machine.limits;
    return transitions === undefined && timeMs === undefined && nodes.every(({ result }) => result === null);
  }

  /** Those that are tried until a run confirms one. */
  private violations(): readonly CyclicWay[] {
    const { exploration, rule } = this;
    if (rule.kind === 'ends') return this.wrongEnd(rule.statuses) ?? [];
    const edges = exploration.violations.filter(({ property }) => property === this.at).slice(0, MOST_TRIED);
    if (edges.length > 0) return edges.map(({ edge }) => ({ edges: this.wayBy(edge), cycle: 0 }));
    const open = rule.kind === 'after' ? this.openForever() : null;
    return open === null ? [] : [open];
  }

  private wrongEnd(statuses: readonly string[] | null): readonly CyclicWay[] | null {
    const { exploration } = this;
    const { nodes } = exploration;
    const ends = nodes.filter(({ result }) => result !== null && statuses?.includes(result.status) === false);
    if (ends.length > 0) return ends.slice(0, MOST_TRIED).map(({ id }) => ({ edges: wayTo(nodes, id), cycle: 0 }));
    const [loop] = endlessIn(exploration, {
      withWaiting: statuses === null,
      withLimited: statuses?.includes('failed') === false,
    });
    if (loop?.edges) return [{ edges: loop.edges, cycle: loop.cycle }];
    // A run that never ends does not end in another way.
    const stuck = exploration.stoppedBy === null && statuses === null ? stuckIn(exploration) : undefined;
    return stuck === undefined ? null : [{ edges: wayTo(nodes, stuck.id), cycle: 0 }];
  }

  /** What is rare and breaks the rule, each kind for itself; all that may happen, if it is not known. */
  rareKinds(): readonly Rare[] {
    const { exploration, rule, at } = this;
    const { nodes, begins, violations, awoken } = exploration;
    const possible = new Set([...begins, ...nodes.flatMap(({ out }) => out)].flatMap(({ rare }) => rare ?? []));
    const all = RARE.filter((one) => possible.has(one));
    const isBrokenBy = (kind: Rare): boolean => {
      const follows = ({ rare }: Edge): boolean => rare === null || rare === kind;
      const reached = reachedBy(exploration, follows);
      const happens = (edge: Edge): boolean => follows(edge) && (edge.from < 0 || reached.has(edge.from));
      if (rule.kind === 'ends')
        return nodes.some(
          ({ id, result }) => result !== null && reached.has(id) && rule.statuses?.includes(result.status) === false,
        );
      if (rule.kind === 'reaches')
        return [...begins, ...nodes.flatMap(({ out }) => out)].some((edge) => awoken.get(at) === edge && happens(edge));
      return violations.some(({ edge, property }) => property === at && happens(edge));
    };
    const found = all.filter(isBrokenBy);
    if (found.length > 0) return found;
    return (rule.kind === 'reaches' ? awoken.has(at) : this.violations().length > 0) ? all : [];
  }

  private wayBy(edge: Edge): readonly Edge[] {
    return [...(edge.from < 0 ? [] : wayTo(this.exploration.nodes, edge.from)), edge];
  }

  /** A loop without end in which the second moment never comes. */
  private openForever(): CyclicWay | null {
    const { nodes, monitorStates, fulfilled } = this.exploration;
    const closing = fulfilled.get(this.at);
    const isOpen = (id: number): boolean => (monitorStates[id] as MonitorState)[this.at] === 1;
    const follows = repeatable(
      this.exploration,
      (edge) => !edge.isTime && !edge.isOutside && isOpen(edge.from) && isOpen(edge.to) && closing?.has(edge) !== true,
    );
    const component = componentsOf(nodes, follows);
    for (const { id, out } of nodes as readonly Node[]) {
      if (!isOpen(id)) continue;
      const inside = (edge: Edge): boolean => follows(edge) && component[edge.to] === component[id];
      const cycle = out.some(inside) ? cycleThrough(nodes, id, inside) : null;
      if (cycle !== null) return { edges: [...wayTo(nodes, id), ...cycle, ...cycle], cycle: cycle.length };
    }
    return null;
  }

  /** Whether a run with the values of the trace shows it, too. */
  private isSeenIn({ steps, inputs }: Trace, cycle: number): boolean {
    const { exploration, rule } = this;
    const { machine, options } = exploration;
    const run = startRun(link(machine), runOptionsOf(machine, { ...options, inputs }));
    const surroundings = { run, tracked: [], knowledge: null };
    if (!(options.assumptions ?? []).every((one) => evaluatorOf(one)(surroundings) === true)) return false;
    if (rule.kind === 'ends') return true;
    const monitors = monitorsOf([rule]);
    const names = machine.tracked;
    const tracked: Slot[] = [];
    let state = monitors.first;
    let isSeen = false;
    let wasClosed = false;
    steps.forEach(({ events }, at) => {
      const isOver = events.some(({ type }) => type === 'run_returned' || type === 'run_failed');
      const seen = monitors.step(state, { run, events, knowledge: null, trackedBefore: tracked, isOver });
      for (const event of events)
        if (event.type === 'tracked_set') tracked[names.indexOf(event.name)] = event.value as Slot;
      state = seen.state;
      isSeen ||= (rule.kind === 'reaches' ? seen.awoken : seen.violated).length > 0;
      if (cycle > 0 && at >= steps.length - 2 * cycle) wasClosed ||= state[0] !== 1 || seen.fulfilled.length > 0;
    });
    return cycle > 0 ? !wasClosed : isSeen;
  }
}

/** What the exploration says if no run violates a rule. */
type Explored = 'undecided' | 'bounded' | 'proved';

interface Capped {
  readonly verdict: Explored;
  readonly note?: string;
}

/** What is known of all runs, if LIMIT may end some of them before the explored end. */
function cappedByLimits(exploration: Exploration, rule: MonitoredRule, whole: Explored): Capped {
  // What never happens does not happen in a run that ends earlier, either, unless it is that end.
  const isAboutEnd =
    rule.kind === 'after' || (rule.kind === 'ends' && rule.statuses?.includes('failed') === false) || isOfLimit(rule);
  if (!isAboutEnd || whole === 'undecided') return { verdict: whole };
  const { limits } = exploration.machine;
  // Who asks for this kind means the limit that every run has, too.
  const transitions = limits.transitions ?? (isOfLimit(rule, 'limit') ? DEFAULT_TRANSITIONS : undefined);
  if (transitions !== undefined && mostTransitions(exploration) > transitions)
    return { verdict: 'undecided', note: `${limitOf(limits)} may end a run earlier` };
  const name = limitOfEffects(exploration, limits);
  const own = isOfLimit(rule, 'limit') && printsAnything(exploration) ? DEFAULT_OUTPUT : null;
  const ending = name === null ? own : `\`LIMIT: ${name}\``;
  return ending === null ? { verdict: whole } : { verdict: 'bounded', note: `for runs that ${ending} does not end` };
}

/** That of a run without `LIMIT: output`. */
const DEFAULT_OUTPUT = 'the limit of 256 MiB of output';

/** A command that prints very much is one of the failures of effects. */
function printsAnything({ sites, options }: Exploration): boolean {
  return options.withFailures && sites.some(({ kind }) => kind !== 'state' && kind !== 'ask');
}

/** That of a run without `LIMIT: transitions`. */
const DEFAULT_TRANSITIONS = 100_000;

const limitOf = ({ transitions }: Limits): string =>
  transitions === undefined ? `the limit of ${DEFAULT_TRANSITIONS} transitions` : '`LIMIT: transitions`';

/** Whether the first moment of a rule is the end of a run by LIMIT: as one of all failures, or as this kind alone. */
function isOfLimit(rule: MonitoredRule, only?: 'limit'): boolean {
  const [moment] = momentsOf(rule);
  return moment?.kind === 'failed' && mayBeLimit(moment) && (only === undefined || moment.error === only);
}

function limitOfEffects({ sites, machine }: Exploration, limits: Limits): string | null {
  const { timeMs, cost, tokens, journal, output } = limits;
  // Those of called workflows are within these.
  const ofWorkflows = machine.states
    .flatMap(({ code }) => code)
    .flatMap((one) => (one.op === 'workflow-enter' ? Object.keys(one.limits) : []));
  const callsAgents = sites.some(({ kind }) => kind === 'agent');
  if (timeMs !== undefined || ofWorkflows.includes('timeMs')) return 'time';
  if (callsAgents && (cost !== undefined || ofWorkflows.includes('cost'))) return 'cost';
  if (callsAgents && (tokens !== undefined || ofWorkflows.includes('tokens'))) return 'tokens';
  if (output !== undefined) return 'output';
  return journal === undefined ? null : 'journal';
}

/** The most state changes of a run; infinite if they can repeat without end. The first state is entered without one. */
function mostTransitions(exploration: Exploration): number {
  const countIn = entriesIn(exploration);
  const ordered = orderOf(exploration);
  return largestSum(exploration, ordered, ordered.edges.map(countIn), (edge) => countIn(edge) - 1);
}
