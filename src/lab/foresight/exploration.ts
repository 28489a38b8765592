/**
 * What an exploration has found, and traces in it: the steps of a way through the graph, made concrete and run by the
 * ordinary interpreter. Only a trace that does there what it did in the exploration is confirmed.
 */
import type { Outcome, RunEvent } from '../../interpreter/events/event.js';
import { advance, link, type Run, startRun } from '../../interpreter/run.js';
import { filesMatching } from '../../interpreter/steps/glob.js';
import type { Json, Template } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import type { Reduction } from './configuration.js';
import type { CountedSite, Edge, Mistake, Node } from './explored-graph.js';
import { runOptionsOf } from './foresight-options.js';
import type { MomentCondition, MonitorState, Monitors } from './monitors.js';
import { apply, type Executed, type Segment, type SegmentStart, SLICE } from './segment.js';
import { type DecidedCheck, expressionOf, markOf, replaceMarks, type Unknown } from './unknown/knowledge.js';
import type { Happening, Rare, RequestFacts, Way } from './way.js';
import { Witnesses } from './witness.js';

export interface TraceStep {
  /** What the run waited for; null: nothing, it only began or continued. */
  readonly request: RequestFacts | null;
  readonly label: string;
  /** With values; null as above. */
  readonly happening: Happening | null;
  /** The position among what the run waited for. */
  readonly position: number;
  /** Its id in the confirming run; null: nothing, or the run does something else. */
  readonly effect: string | null;
  /** How many transitions and rounds it may have. */
  readonly fuel: number;
  readonly decisions: readonly string[];
  readonly events: readonly RunEvent[];
}

export interface Trace {
  readonly isConfirmed: boolean;
  readonly inputs: Readonly<Record<string, Json>>;
  /** The events are those of the confirming run, or of the exploration. */
  readonly steps: readonly TraceStep[];
  /** Whether the confirming run is at the end of its last round as it was at the beginning of that round, so that it can repeat forever. */
  readonly canRepeat: boolean;
  /** Whether a run did it, but was not the same after the last round. */
  readonly isOtherAfter?: boolean;
}

interface SearchOptions {
  /** The last step is the one in which `LIMIT: transitions` ends the run. */
  readonly toLimit?: true;
  /** The steps of the last round; 0: the way has no rounds. There are two rounds. */
  readonly cycle?: number;
}

/** A step of the exploration, with what it left open. */
interface ExploredStep extends TraceStep {
  readonly unknownHappening: Happening | null;
  /** How much time passes at least. */
  readonly takesMs: number;
  readonly checks: readonly DecidedCheck[];
}

/** The steps of a way from the start, which is also made concrete. */
export function traceOf(exploration: Exploration, edges: readonly Edge[], options: SearchOptions = {}): Trace {
  const steps: ExploredStep[] = [];
  const known = new Map<number, Unknown>();
  let toGlobal = new Map<number, number>();
  for (const id of exploration.options.unknownInputs.keys()) toGlobal.set(id, id);
  let next = toGlobal.size;
  let last: Repeated | null = null;
  for (const edge of edges) {
    const repeated: Repeated = exploration.repeat(last === null ? null : last.moment, edge);
    const { segment, way, pending } = repeated;
    const { knowledge } = segment;
    for (const id of knowledge.unknowns.keys()) if (!toGlobal.has(id)) toGlobal.set(id, next++);
    const global = (text: string): string => replaceMarks(text, (id) => markOf(toGlobal.get(id) ?? -1));
    for (const [id, unknown] of knowledge.unknowns)
      known.set(toGlobal.get(id) as number, globalUnknown(unknown, global));
    steps.push({
      request: pending,
      label: way?.label ?? '',
      happening: null,
      unknownHappening:
        segment.happened === null ? null : (JSON.parse(global(JSON.stringify(segment.happened))) as Happening),
      position: edge.pending,
      takesMs: edge.takesMs,
      effect: null,
      fuel: segment.fuel,
      decisions: knowledge.oracle.taken.map(({ text }) => text),
      checks: knowledge.checks,
      events: segment.events,
    });
    const following = new Map<number, number>();
    for (const [old, fresh] of repeated.renamed) following.set(fresh, toGlobal.get(old) as number);
    toGlobal = following;
    last = repeated;
  }
  const trace = confirm(exploration, steps, new Witnesses(known), options);
  const { cycle = 0 } = options;
  // In a loop, it is a LIMIT that ends what repeats without end.
  return cycle === 0 && takesTooLong(exploration, edges) ? { ...trace, isConfirmed: false } : trace;
}

/** Whether `LIMIT: time` ends the run before the end of this way, because time passes on it. */
export function takesTooLong({ machine }: Exploration, edges: readonly Edge[]): boolean {
  const { timeMs } = machine.limits;
  if (timeMs === undefined) return false;
  // How long something takes that ends by `idle` is not known.
  const ms = edges.reduce((sum, { takesMs }) => sum + takesMs, 0);
  return ms > 0 && ms >= timeMs;
}

/** Two rounds show nothing about the third, unless the run is after them as it was before. */
export function defectTrace(exploration: Exploration, edges: readonly Edge[], cycle: number): Trace {
  const trace = traceOf(exploration, edges, { cycle });
  return cycle === 0 || trace.canRepeat ? trace : { ...trace, isConfirmed: false, isOtherAfter: trace.isConfirmed };
}

function globalUnknown({ made, label, facts }: Unknown, global: (text: string) => string): Unknown {
  const answers = Object.fromEntries(Object.entries(facts.answers ?? {}).map(([key, value]) => [global(key), value]));
  return {
    made: made === null ? null : expressionOf(made.op, made.args.map(global)),
    label,
    facts: { ...facts, answers },
  };
}

function confirm(
  exploration: Exploration,
  steps: readonly ExploredStep[],
  witnesses: Witnesses,
  { toLimit, cycle = 0 }: SearchOptions,
): Trace {
  const { machine, options } = exploration;
  const inputs = witnesses.in(options.inputs as Json) as Record<string, Json>;
  const concrete: TraceStep[] = [];
  const common = runOptionsOf(machine, { ...options, inputs });
  const { transitions } = machine.limits;
  const limits = cycle > 0 || transitions === undefined ? common.limits : { ...common.limits, transitions };
  const clock = new VirtualClock();
  let run: Run | null = null;
  let isConfirmed = true;
  const before = new Set<string>();
  for (const [at, explored] of steps.entries()) {
    const { unknownHappening, checks: _, takesMs: __, ...step } = explored;
    // What each round decides may alternate.
    if (cycle > 0 && (steps.length - at) % cycle === 0 && at >= steps.length - 2 * cycle && run !== null)
      before.add(exploration.keyOf(run));
    const atAnyTime =
      unknownHappening === null ? null : concreteHappening(unknownHappening, witnesses, () => checksAfter(steps, at));
    // In a loop, each round is the first one.
    const happening = cycle > 0 ? atAnyTime : clock.read(explored, atAnyTime, run);
    let events: readonly RunEvent[] = step.events;
    let effect: string | null = null;
    if (isConfirmed) {
      const found = runStep(run, { ...step, happening }, () => startRun(link(machine), { ...common, limits }));
      run = found.run;
      effect = found.effect;
      isConfirmed =
        toLimit === true && at === steps.length - 1
          ? run.result?.error?.kind === 'limit'
          : signature(found.events) === signature(step.events);
      if (isConfirmed) events = found.events;
    }
    concrete.push({ ...step, happening, events, effect });
  }
  const canRepeat = isConfirmed && run !== null && before.has(exploration.keyOf(run));
  return { isConfirmed, inputs, steps: concrete, canRepeat };
}

/** The time of a confirming run, in which at least the timers pass that end: a WAIT has no more rounds than fit into its timeout. */
class VirtualClock {
  private nowMs = 0;

  read({ request, position, takesMs }: ExploredStep, happening: Happening | null, run: Run | null): Happening | null {
    const kind = request?.kind;
    const until = run === null ? undefined : [...run.pending.values()][position]?.until;
    if (kind === 'timer' && typeof until === 'number') this.nowMs = Math.max(this.nowMs, until);
    else if (Number.isFinite(takesMs)) this.nowMs += takesMs;
    const isNow = kind === 'clock' && happening?.kind === 'outcome' && happening.outcome.kind === 'value';
    // That a time is over is another number.
    if (!isNow || happening.outcome.value !== 0) return happening;
    return { kind: 'outcome', outcome: { kind: 'value', value: this.nowMs } };
  }
}

function runStep(
  before: Run | null,
  { happening, position, fuel }: Pick<TraceStep, 'happening' | 'position' | 'fuel'>,
  start: () => Run,
): { readonly run: Run; readonly effect: string | null; readonly events: readonly RunEvent[] } {
  const run = before ?? start();
  const effect = [...run.pending.keys()][position] ?? null;
  if (happening !== null && effect !== null) apply(run, effect, happening);
  // In the same slices: each may go a transition further than its number.
  for (let left = fuel; left > 0 && advance(run, SLICE) === 'more'; ) left -= SLICE;
  run.takeRequests();
  run.takeCancellations();
  return { run, effect, events: run.takeEvents() };
}

/** What gates decide about the files of a snapshot: until the next one is made. */
function checksAfter(steps: readonly ExploredStep[], at: number): readonly DecidedCheck[] {
  const isSnapshot = ({ unknownHappening: one }: ExploredStep): boolean =>
    one?.kind === 'outcome' && one.outcome.kind === 'changed';
  const next = steps.findIndex((step, index) => index > at && isSnapshot(step));
  return steps.slice(at, next < 0 ? steps.length : next).flatMap(({ checks }) => checks);
}

function concreteHappening(
  happening: Happening,
  witnesses: Witnesses,
  checks: () => readonly DecidedCheck[],
): Happening {
  if (happening.kind === 'limit') return happening;
  if (happening.kind !== 'outcome') return { ...happening, value: witnesses.in(happening.value) };
  const outcome = concreteOutcome(happening.outcome, witnesses);
  if (outcome.kind !== 'changed') return { kind: 'outcome', outcome };
  return { kind: 'outcome', outcome: { ...outcome, files: changedFiles(outcome.files, checks()) ?? outcome.files } };
}

function concreteOutcome(outcome: Outcome, witnesses: Witnesses): Outcome {
  if (outcome.kind !== 'exited' && outcome.kind !== 'changed')
    return witnesses.in(outcome as unknown as Json) as unknown as Outcome;
  const text = witnesses.print(outcome.stdout.text ?? '');
  const stdout = { text, bytes: new TextEncoder().encode(text).length };
  if (outcome.kind === 'changed')
    return { ...outcome, files: outcome.files.map((file) => witnesses.print(file)), stdout };
  return { ...(witnesses.in(outcome as unknown as Json) as unknown as typeof outcome), stdout };
}

/** What must be the same: states, requests, events and the end, without values. */
function signature(events: readonly RunEvent[]): string {
  return events
    .map((event) => {
      switch (event.type) {
        case 'state_entered':
          return `state ${event.state}`;
        case 'effect_requested':
          return `request ${event.effect} ${event.kind} ${event.line}`;
        case 'emitted':
          return `event ${event.by} ${event.event} ${event.line}`;
        case 'asked':
          return `ask ${event.name}`;
        case 'run_failed':
          return `failed ${event.error.kind} ${event.error.line}`;
        case 'run_returned':
          return `returned ${event.state}`;
        default:
          return event.type;
      }
    })
    .join('\n');
}

/** What files must be: at least one that matches each of `some`, and none that matches `none`. */
interface FileDemand {
  readonly some: readonly (readonly string[])[];
  readonly none: readonly string[];
}

/** Files that fit; `given` if it does. Null: none were found. */
export function changedFiles(given: readonly string[], checks: readonly DecidedCheck[]): readonly string[] | null {
  const wanted = wantedBy(checks);
  if (wanted === null) return null;
  const { some, none } = wanted;
  const isFree = (file: string): boolean => filesMatching([file], none).length === 0;
  const fits = (files: readonly string[]): boolean =>
    files.every(isFree) && some.every((globs) => filesMatching(files, globs).length > 0);
  if (fits(given)) return given;
  const files = some.flatMap(
    (globs) => globs.flatMap(namesOf).find((name) => filesMatching([name], globs).length > 0 && isFree(name)) ?? [],
  );
  return fits(files) ? files : null;
}

/** Null: the patterns depend on values. */
function wantedBy(checks: readonly DecidedCheck[]): FileDemand | null {
  const some: (readonly string[])[] = [];
  const none: string[] = [];
  for (const { check, passes } of checks) {
    // A task that names files is one that may change them.
    if (check.kind !== 'touched' && check.kind !== 'untouched') continue;
    const globs = check.globs.map(textOf);
    if (!globs.every((glob) => glob !== null)) return null;
    if ((check.kind === 'touched') === passes) some.push(globs);
    else none.push(...globs);
  }
  return { some, none };
}

const textOf = (glob: Template): string | null =>
  glob.every((part) => typeof part === 'string') ? glob.join('') : null;

/** Names that may match a pattern: with little, and with more, in the place of its stars. */
function namesOf(glob: string): string[] {
  const ways = choicesOf(glob.endsWith('/') ? `${glob}**` : glob);
  return ways.flatMap((way) =>
    ['file', 'other', 'file.txt', 'folder/file', 'folder/other.txt', ''].map((filling) =>
      way
        .replace(/^(?:\.?\/)+/, '')
        .replaceAll('**/', filling.includes('/') ? 'folder/' : '')
        .replaceAll(/\*+/g, (stars) => (stars.length > 1 ? filling : filling.replaceAll('/', '_')))
        .replaceAll('?', 'x')
        .replaceAll(/(?<!\\)\[[!^]?(.)[^\]]*\]/g, '$1')
        .replaceAll(/\\(.)/g, '$1'),
    ),
  );
}

/** The pattern with the choices of its first braces, and so on. */
function choicesOf(glob: string): string[] {
  const braces = /(?<!\\)\{([^{}]*,[^{}]*)\}/.exec(glob);
  if (braces === null) return [glob];
  const [all, inside = ''] = braces;
  const [first = '', ...others] = inside.split(',');
  const before = glob.slice(0, braces.index);
  const after = glob.slice(braces.index + all.length);
  return [first, ...others.slice(-1)].flatMap((choice) => choicesOf(`${before}${choice}${after}`));
}

/** What is explored of a machine. */
export interface ExploreOptions {
  /** Inputs that have a value. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Inputs that may have any value. */
  readonly unknownInputs: ReadonlyMap<number, Unknown>;
  readonly start?: { readonly state: number; readonly with: Readonly<Record<string, Json>> };
  /** Whether effects may fail. */
  readonly withFailures: boolean;
  /** The longest list that a program goes through. */
  readonly longest: number;
  /** Leaves out lists that are longer than that because the program asks for them. */
  readonly withoutForced?: true;
  readonly maxConfigurations: number;
  /** How many segments are executed at most; undefined: as many as there are. */
  readonly maxSegments?: number;
  /** CPU time of the exploration. */
  readonly seconds: number;
  /** Asked up to a hundred times a second, with how much is explored: whether the caller's time is up. */
  readonly isTimeUp?: (progress: ExplorationProgress) => boolean;
  /** What a call of an agent reserves of `LIMIT: cost`, by its name. */
  readonly agentMaxCost?: Readonly<Record<string, number>>;
  /** The agents that a limit of their own may stop; absent: any may be. */
  readonly limitedAgents?: ReadonlySet<string>;
  /** Whether what is rare happens, too. */
  readonly withRare?: true;
  readonly without: ReadonlySet<Reduction>;
  readonly monitors?: Monitors;
  /** What is true of the inputs of all runs. */
  readonly assumptions?: readonly MomentCondition[];
  /** Called after each segment; without an edge it is not part of any run. It may set what it has read back to 0. */
  readonly onSegment?: (edge: Edge | null, events: readonly RunEvent[], executed: Executed) => void;
}

/** How far an exploration is. */
export interface ExplorationProgress {
  readonly configurations: number;
  /** Configurations that are known and from which nothing was explored yet. */
  readonly waiting: number;
}

/** What came of an exploration. */
export interface Exploration {
  readonly machine: Machine;
  readonly nodes: readonly Node[];
  /** The segments with which runs begin. */
  readonly begins: readonly Edge[];
  readonly sites: readonly CountedSite[];
  readonly mistakes: readonly Mistake[];
  /** Where each agent is called, as `STATE LINE`. */
  readonly agentLines: ReadonlyMap<string, ReadonlySet<string>>;
  readonly executed: Executed;
  readonly starts: readonly number[];
  /** How many segments were executed. */
  readonly segments: number;
  /** Why it is not complete; null: it is. */
  readonly stoppedBy: 'configurations' | 'seconds' | 'timeout' | 'memory' | 'long-list' | null;
  /** What may happen and was not explored, because it is rare. */
  readonly leftOut: ReadonlySet<Rare>;
  /** Whether a list of unknown length was cut. */
  readonly isBounded: boolean;
  /** The lists of unknown length that were cut. */
  readonly lists: ReadonlySet<string>;
  /** The lists of unknown length of which longer ones only add calls. */
  readonly freeLists: ReadonlySet<string>;
  readonly options: ExploreOptions;
  /** Executes the segment of an edge again. */
  readonly repeat: (moment: SegmentStart | null, edge: Edge) => Repeated;
  /** How long the rounds of a WAIT take, by its position. */
  readonly timeOfWait: (position: number) => number;
  /** Whether a run may be suspended. */
  readonly mayBeSuspended: boolean;
  /** Whether a duration is unknown. */
  readonly hasUnknownTime: boolean;
  /** Equal for runs without unknown values that can do the same from there on. */
  readonly keyOf: (run: Run) => string;
  /** What monitors found, by node. */
  readonly violations: readonly { readonly edge: Edge; readonly property: number }[];
  /** By node. */
  readonly monitorStates: readonly MonitorState[];
  /** For each rule whose first moment happened, the first edge on which it did. */
  readonly awoken: ReadonlyMap<number, Edge>;
  /** For each rule, the edges on which its second moment happens. */
  readonly fulfilled: ReadonlyMap<number, ReadonlySet<Edge>>;
  /** The first edges with which a LIMIT ends a run, by state and limit; they lead to no node. */
  readonly limitEnds: ReadonlyMap<string, Edge>;
}

/** A segment that was executed again: what a trace needs to know of it. */
export interface Repeated {
  readonly moment: SegmentStart;
  readonly segment: Omit<Segment, 'run'>;
  /** The new numbers of unknown values. */
  readonly renamed: ReadonlyMap<number, number>;
  /** The first so many of them are the same for each way to the configuration. */
  readonly deciding: number;
  readonly way: Way | null;
  readonly pending: RequestFacts | null;
}
