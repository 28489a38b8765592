/** Verifies a machine: explores it, finds defects and bounds, and confirms what it reports by an ordinary run. */
import type { Machine } from '../../machine/machine.js';
import type { Bound } from './bound.js';
import { boundsOf } from './bounds.js';
import type { Defect } from './defect.js';
import { defectsOf } from './defects.js';
import { type End, endsOf } from './ends.js';
import type { Exploration } from './exploration.js';
import { defectTrace, type Trace } from './exploration.js';
import { explore } from './explore.js';
import { exploreOptions, type VerifyOptions } from './explore-options.js';
import type { MomentCondition } from './monitors.js';
import { monitorsOf } from './monitors.js';
import { type JudgedProperty, judgeProperty, type Property } from './properties.js';
import { RARE, type Rare } from './way.js';

export interface Found extends Omit<Defect, 'edges'> {
  /** Null: it is about what never happens. */
  readonly trace: Trace | null;
  /** An error if a run did it, which none was found to do: so it is only a warning. */
  readonly isOnlyPossible?: true;
}

export interface Verification {
  readonly machine: Machine;
  readonly options: VerifyOptions;
  readonly configurations: number;
  readonly segments: number;
  /** How many configurations were found from which not all was explored. */
  readonly unexplored: number;
  readonly stoppedBy: Exploration['stoppedBy'];
  readonly isBounded: boolean;
  /** Whether that is because of lists. */
  readonly hasLists: boolean;
  /** Why they are shorter than asked for; null: they are not. */
  readonly shortened: Shortened | null;
  /** Whether no run fulfills the assumptions. */
  readonly isEmpty: boolean;
  readonly ends: readonly End[];
  readonly defects: readonly Found[];
  readonly bounds: readonly Bound[];
  /** States that no run enters with these inputs. */
  readonly never: readonly string[];
  /** What is rare and may happen: ends and defects are those of runs without it. */
  readonly leftOut: readonly Rare[];
  readonly properties: readonly JudgedProperty[];
  readonly reached: Reached;
}

/** Longer lists use up a budget. */
export interface Shortened {
  readonly from: number;
  readonly by: NonNullable<Exploration['stoppedBy']>;
}

/** What runs come to, by the numbers of states; what is missing here is only known to be unreachable if all was explored. */
export interface Reached {
  readonly states: ReadonlySet<number>;
  /** As `FROM TO`. */
  readonly transitions: ReadonlySet<string>;
}

export function verify(machine: Machine, given: VerifyOptions): Verification {
  const { properties = [] } = given;
  const own = properties.filter(({ assumptions }) => assumptions.length === 0);
  // All explorations together have the time of one.
  const secondsLeft = stopwatch(given.seconds);
  const inTime = (one: VerifyOptions): VerifyOptions => ({ ...one, seconds: secondsLeft() });
  const { exploration, options, shortened } = exploreLists(given, (one) => exploreFor(machine, inTime(one), own, []));
  const { stoppedBy, isBounded, nodes, segments } = exploration;
  const isComplete = stoppedBy === null;
  const entered = enteredIn(exploration);
  const leftOut = RARE.filter((one) => exploration.leftOut.has(one));
  let withRare: readonly Exploration[] | null = leftOut.length === 0 ? [] : null;
  /** None: nothing rare can happen. */
  const rare = (): readonly Exploration[] => {
    withRare ??= [exploreFor(machine, inTime(rarely(options, segments)), own, [])];
    return withRare;
  };
  let longer: readonly Exploration[] | null = null;
  const longerLists = (): readonly Exploration[] => (longer ??= withLongerLists(exploration, secondsLeft()));
  const notEntered = machine.states.flatMap(({ name, builtin }) =>
    builtin === true || entered.has(name) ? [] : [name],
  );
  const others = isComplete && notEntered.length > 0 ? [...longerLists(), ...rare()] : [];
  const enteredElse = new Set(others.flatMap((one) => [...enteredIn(one)]));
  const bounded = isComplete ? (rare().find((one) => one.stoppedBy === null) ?? exploration) : null;
  return {
    machine,
    options,
    configurations: nodes.length,
    segments,
    unexplored: nodes.filter(({ isExpanded, result }) => !isExpanded && result === null).length,
    stoppedBy,
    isBounded,
    isEmpty: isComplete && exploration.begins.length === 0,
    hasLists: exploration.lists.size > 0,
    ends: endsOf(exploration),
    defects: confirmAll(
      exploration,
      defectsOf(exploration, { inputs: () => withOtherInputs(exploration, inTime(options)), longerLists, rare }),
    ),
    bounds: bounded === null ? [] : boundsOf(bounded, { maxCost: options.maxCost }),
    never:
      others.every((one) => one.stoppedBy === null) && isComplete
        ? notEntered.filter((name) => !enteredElse.has(name))
        : [],
    leftOut,
    shortened,
    properties: judgeAll(exploration, options, inTime, rare),
    reached: reachedIn(exploration, entered),
  };
}

/** With what is rare, an exploration has a few times as many segments: that of a large program would take too long. */
const MOST_RARE_SEGMENTS = 10_000;

function rarely(options: VerifyOptions, segments: number): VerifyOptions {
  return { ...options, withRare: true, maxSegments: segments > MOST_RARE_SEGMENTS / 2 ? 0 : MOST_RARE_SEGMENTS };
}

/** Counts the processor's time. */
function stopwatch(seconds: number): () => number {
  const began = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(began);
    return Math.max(0, seconds - (user + system) / 1e6);
  };
}

/** Explores with shorter lists if those that are asked for take too long: loops inside each other have very many ways. */
function exploreLists(
  given: VerifyOptions,
  exploreWith: (options: VerifyOptions) => Exploration,
): { readonly exploration: Exploration; readonly options: VerifyOptions; readonly shortened: Shortened | null } {
  const whole = exploreWith(given);
  const { stoppedBy, lists } = whole;
  if (stoppedBy === null || stoppedBy === 'long-list' || stoppedBy === 'timeout' || lists.size === 0)
    return { exploration: whole, options: given, shortened: null };
  for (let longest = given.longest - 1; longest > 0; longest--) {
    const options = { ...given, longest };
    const exploration = exploreWith(options);
    if (exploration.stoppedBy === null)
      return { exploration, options, shortened: { from: given.longest, by: stoppedBy } };
  }
  return { exploration: whole, options: given, shortened: null };
}

function enteredIn({ sites }: Exploration): ReadonlySet<string> {
  return new Set(sites.flatMap(({ kind, name }) => (kind === 'state' ? [name] : [])));
}

function reachedIn({ machine, executed, starts }: Exploration, entered: ReadonlySet<string>): Reached {
  const transitions = new Set<string>();
  machine.states.forEach(({ code }, from) => {
    code.forEach((one, pc) => {
      if (one.op === 'goto' && (executed.passed[(starts[from] as number) + pc] as number) > 0)
        transitions.add(`${from} ${one.state}`);
    });
  });
  const states = machine.states.flatMap(({ name }, at) => (entered.has(name) ? [at] : []));
  return { states: new Set(states), transitions };
}

/** Explores with the monitors of properties. */
function exploreFor(
  machine: Machine,
  options: VerifyOptions,
  properties: readonly Property[],
  assumptions: readonly MomentCondition[],
): Exploration {
  const monitors = monitorsOf(properties.flatMap(({ rules }) => rules));
  const common = exploreOptions(machine, options, options.free);
  return explore(machine, { ...common, monitors, assumptions: [...(common.assumptions ?? []), ...assumptions] });
}

/** Properties without assumptions of their own were explored together; each other one is explored alone. */
function judgeAll(
  exploration: Exploration,
  options: VerifyOptions,
  inTime: (options: VerifyOptions) => VerifyOptions,
  rare: () => readonly Exploration[],
): JudgedProperty[] {
  let rules = 0;
  return (options.properties ?? []).map((property) => {
    const { assumptions } = property;
    if (assumptions.length > 0) {
      const exploreAlone = (given: VerifyOptions): Exploration =>
        exploreFor(exploration.machine, inTime(given), [property], assumptions);
      const alone = exploreAlone(options);
      const aloneWithRare = (): Exploration[] =>
        alone.leftOut.size === 0 ? [] : [exploreAlone(rarely(options, alone.segments))];
      return judgeProperty(alone, property, 0, aloneWithRare);
    }
    const judged = judgeProperty(exploration, property, rules, rare);
    rules += property.rules.length;
    return judged;
  });
}

function confirmAll(exploration: Exploration, defects: readonly Defect[]): Found[] {
  return defects.map(({ edges, failure, ...defect }) => {
    const trace = edges === null ? null : defectTrace(exploration, edges, defect.cycle);
    const found = { ...defect, message: messageAsRun(defect, failure, trace), trace };
    if (trace === null || trace.isConfirmed || defect.severity !== 'error') return found;
    return { ...found, severity: 'warning', isOnlyPossible: true };
  });
}

/** The exploration fails with any value of a wrong type, and the run that confirms it with one of them. */
function messageAsRun(
  { message, line }: Pick<Defect, 'message' | 'line'>,
  failure: string | undefined,
  trace: Trace | null,
): string {
  if (failure === undefined || trace?.isConfirmed !== true || !message.endsWith(failure)) return message;
  const end = trace.steps.at(-1)?.events.find((event) => event.type === 'run_failed');
  if (end?.error.line !== line) return message;
  return `${message.slice(0, message.length - failure.length)}${end.error.message}`;
}

/** With any value of inputs that are given or have a default, and without what is assumed; none: that changes nothing. */
function withOtherInputs({ machine, stoppedBy, nodes }: Exploration, given: VerifyOptions): Exploration[] {
  const { assumptions = [], inputs, ...options } = given;
  const fixed = machine.inputs.filter(
    ({ name, value, optional, choices }) =>
      Object.hasOwn(inputs, name) ||
      ((value !== undefined || optional === true) && choices === undefined && !options.free.has(name)),
  );
  if (stoppedBy !== null || (fixed.length === 0 && assumptions.length === 0)) return [];
  const free = new Set([...options.free, ...fixed.map(({ name }) => name)]);
  const maxConfigurations = Math.min(options.maxConfigurations, 2 * nodes.length + 1000);
  return [explore(machine, { ...exploreOptions(machine, { ...options, inputs: {} }, free), maxConfigurations })];
}

/** The longest list that is explored because the program compares something with its length. */
const MOST_ELEMENTS = 12;

/** With lists as long as the numbers of the program suggest; none: lists of unknown length do not matter. */
function withLongerLists({ machine, options, lists, nodes, stoppedBy }: Exploration, seconds: number): Exploration[] {
  if (stoppedBy !== null || lists.size === 0) return [];
  const numbers = numbersIn(machine.states.map(({ code }) => code)).filter((one) => one <= MOST_ELEMENTS - 1);
  const longest = Math.max(options.longest, ...numbers) + 1;
  const maxConfigurations = Math.min(options.maxConfigurations, 4 * nodes.length + 1000);
  return [explore(machine, { ...options, longest, maxConfigurations, seconds })];
}

/** The constants of expressions. */
function numbersIn(value: unknown): number[] {
  if (Array.isArray(value)) return value.flatMap(numbersIn);
  if (typeof value !== 'object' || value === null) return [];
  const { op, value: constant } = value as { readonly op?: unknown; readonly value?: unknown };
  if (op === 'const') return typeof constant === 'number' ? [Math.ceil(Math.abs(constant))] : [];
  return Object.values(value).flatMap(numbersIn);
}
