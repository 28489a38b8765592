/**
 * Executes a segment: what a run does from one moment at which it is blocked to the next. The shipped interpreter does it,
 * with operations that ask an oracle where a value is not known.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import { RuntimeFailure } from '../../interpreter/failure.js';
import {
  advance,
  answer,
  exceed,
  type InterpreterOptions,
  type LinkedMachine,
  linkWith,
  type Run,
  receiveSignal,
  restoreRun,
  settle,
  startRun,
} from '../../interpreter/run.js';
import type { Pending } from '../../interpreter/run-state/pending.js';
import type { Slot } from '../../interpreter/run-state/thread.js';
import type { Json } from '../../machine/expression.js';
import type { Instruction, Machine, State } from '../../machine/machine.js';
import { limitsAround, waysOf } from './outcomes.js';
import { Spans, type TimeSpan } from './spans.js';
import type { Oracle } from './unknown/knowledge.js';
import { Knowledge, type Unknown, unknownId } from './unknown/knowledge.js';
import { TYPE } from './unknown/known-facts.js';
import { symbolicOperations } from './unknown/symbolic-operations.js';
import type { Happening, Site, Way } from './way.js';
import { makesLarger, type Rare, type RequestFacts, requestFacts } from './way.js';

/** What was executed of a machine, over all segments. */
export interface Executed {
  /** By flat position: how often it led on, and how often it failed. */
  readonly passed: Uint32Array;
  readonly failed: Uint32Array;
  /** By flat position of an IF: whether its condition was true, and false. */
  readonly wasTrue: Uint8Array;
  readonly wasFalse: Uint8Array;
}

/** Where a segment begins. */
export interface SegmentStart {
  readonly image: Json;
  readonly unknowns: ReadonlyMap<number, Unknown>;
  readonly nextId: number;
  /** What the run waits for, by effect. */
  readonly requests: ReadonlyMap<string, RequestFacts>;
}

export interface Segment {
  readonly run: Run;
  readonly knowledge: Knowledge;
  readonly events: readonly RunEvent[];
  readonly requests: ReadonlyMap<string, RequestFacts>;
  /** Whether it can continue without an outcome: it only made many transitions. */
  readonly isRunning: boolean;
  /** How many transitions and rounds it had. */
  readonly fuel: number;
  readonly happened: Happening | null;
  /** How long what it asked for may take. */
  readonly span: TimeSpan;
  /** The tracked variables at its beginning. */
  readonly trackedBefore: readonly Slot[];
}

/** Transitions and loop rounds of one segment. */
const FUEL = 1000;

/** After so many of them, a segment that has decided much ends: it is executed again for each of its decisions. */
export const SLICE = 50;
const MANY_DECISIONS = 32;

/** What is known of a machine before it is explored. */
interface AboutMachine {
  /** Whether the words of failures decide something. */
  readonly looksAtErrors: boolean;
  /** The positions of parallel loops whose members share nothing. */
  readonly independent: ReadonlySet<number>;
  /** Whether what is rare happens, too. */
  readonly withRare: boolean;
  /** Whether a call of an agent may be stopped by a limit of its own. */
  readonly isLimited: (agent: string) => boolean;
}

export class Segments {
  readonly executed: Executed;
  readonly spans: Spans;
  private knowledge = new Knowledge();
  private readonly taskNames: readonly string[];
  private readonly looked: Site['looked'];
  private readonly linked: LinkedMachine;
  private readonly locations: readonly { readonly state: State; readonly instruction: Instruction }[];

  constructor(
    readonly machine: Machine,
    private readonly options: InterpreterOptions,
    private readonly longest: number,
    private readonly about: AboutMachine,
  ) {
    this.locations = machine.states.flatMap((state) => state.code.map((instruction) => ({ state, instruction })));
    this.taskNames = taskNamesIn(machine);
    this.looked = lookedAt(machine);
    this.spans = new Spans(this.locations);
    const count = this.locations.length;
    this.executed = {
      passed: new Uint32Array(count + 1),
      failed: new Uint32Array(count + 1),
      wasTrue: new Uint8Array(count + 1),
      wasFalse: new Uint8Array(count + 1),
    };
    this.linked = this.observe(
      linkWith(
        { ...machine },
        symbolicOperations(() => this.knowledge, about.independent),
      ),
    );
  }

  get starts(): readonly number[] {
    return this.linked.starts;
  }

  /** Notes what is executed. Requests are not made again after a restore: what they depend on is remembered. */
  private observe(linked: LinkedMachine): LinkedMachine {
    const { passed, failed, wasTrue, wasFalse } = this.executed;
    const locations = this.locations;
    return {
      ...linked,
      instructions: linked.instructions.map((instruction, pc) => {
        const { instruction: own } = locations[pc] ?? {};
        const isCondition = own?.op === 'unless';
        const isGrowing = own !== undefined && makesLarger(own);
        return (thread) => {
          try {
            if (isGrowing) this.growIn(own);
            const next = instruction(thread);
            passed[pc] = (passed[pc] as number) + 1;
            if (isCondition) (next === pc + 1 ? wasTrue : wasFalse)[pc] = 1;
            return next;
          } catch (thrown) {
            if (!(thrown instanceof RuntimeFailure)) throw thrown;
            failed[pc] = (failed[pc] as number) + 1;
            throw this.withUnknownWords(thrown, pc);
          }
        };
      }),
      suspenders: linked.suspenders.map((suspender, pc) =>
        suspender === null
          ? null
          : {
              resume: (...args) => {
                try {
                  return suspender.resume(...args);
                } catch (thrown) {
                  throw thrown instanceof RuntimeFailure ? this.withUnknownWords(thrown, pc) : thrown;
                }
              },
              reissue: () => undefined,
            },
      ),
    };
  }

  /** The values that an instruction makes of others may be too large. */
  private growIn({ origin: { line } }: Instruction): void {
    if (this.knowledge.unknowns.size === 0) return;
    if (!this.about.withRare) {
      this.leftOut.add('value_too_large');
      return;
    }
    if (this.knowledge.oracle.choose(`line ${line}`, ['', 'makes a value that is too large']) === 0) return;
    this.knowledge.wasTooLarge = true;
    throw new RuntimeFailure('value_too_large', 'a value is too large');
  }

  /** What may have happened, and was not explored. */
  readonly leftOut = new Set<Rare>();

  /** What a failure says depends on more than is known here. Only the words of a FAIL are those of the program. */
  private withUnknownWords(failure: RuntimeFailure, pc: number): RuntimeFailure {
    const { instruction } = this.locations[pc] ?? {};
    if (!this.about.looksAtErrors || instruction === undefined || instruction.op === 'fail') return failure;
    if (unknownId(failure.message) !== null) return failure;
    const { line } = instruction.origin;
    this.reasons.set(line, failure.message);
    const words = this.knowledge.fresh(TYPE.text, `error of line ${line}`, { not: ['""'] });
    const { errorType, tool, exit, about, source } = failure;
    return new RuntimeFailure(errorType, words, tool, exit, about, source);
  }

  /** Why a line failed last, by its number. */
  readonly reasons = new Map<number, string>();

  /** Null: it does not begin, because what is assumed of its inputs is not true. */
  start(
    unknowns: ReadonlyMap<number, Unknown>,
    nextId: number,
    oracle: Oracle,
    isAssumed: (run: Run, knowledge: Knowledge) => boolean,
  ): Segment | null {
    const knowledge = new Knowledge(unknowns, nextId, oracle, this.longest);
    this.knowledge = knowledge;
    const run = startRun(this.linked, this.options);
    if (!isAssumed(run, knowledge)) return null;
    return this.finish(run, new Map(), null, { trackedBefore: [], open: new Set() });
  }

  /** The run at a moment, to look at what it waits for. The next segment from this moment continues it. */
  restore(moment: SegmentStart): Run {
    this.knowledge = new Knowledge(moment.unknowns, moment.nextId, undefined, this.longest);
    const run = restoreRun(this.linked, moment.image, this.options);
    this.unused = { moment, run };
    return run;
  }

  /** A run that was restored and has not continued. */
  private unused: { readonly moment: SegmentStart; readonly run: Run } | null = null;

  private runAt(moment: SegmentStart): Run {
    const { unused } = this;
    this.unused = null;
    return unused?.moment === moment ? unused.run : restoreRun(this.linked, moment.image, this.options);
  }

  /** Lets something happen; null: the run only continues. */
  continue(moment: SegmentStart, effect: string | null, way: Way | null, oracle: Oracle): Segment {
    const knowledge = new Knowledge(moment.unknowns, moment.nextId, oracle, this.longest);
    this.knowledge = knowledge;
    const run = this.runAt(moment);
    const before = { trackedBefore: run.trackedSlots.slice(), open: new Set(run.pending.keys()) };
    const happening = way?.make(knowledge) ?? null;
    if (happening !== null && effect !== null) apply(run, effect, happening);
    return this.finish(run, moment.requests, happening, before);
  }

  private finish(
    run: Run,
    before: ReadonlyMap<string, RequestFacts>,
    happened: Happening | null,
    { trackedBefore, open }: { readonly trackedBefore: readonly Slot[]; readonly open: ReadonlySet<string> },
  ): Segment {
    let isRunning = true;
    let fuel = 0;
    do {
      isRunning = advance(run, SLICE) === 'more';
      fuel += SLICE;
    } while (isRunning && fuel < FUEL && this.knowledge.oracle.taken.length < MANY_DECISIONS);
    const requests = new Map<string, RequestFacts>();
    const asked = run.takeRequests();
    const made = new Map(asked.map((request) => [request.effect, requestFacts(request)] as const));
    for (const effect of run.pending.keys()) {
      const facts = made.get(effect) ?? before.get(effect);
      if (facts !== undefined) requests.set(effect, facts);
    }
    run.takeCancellations();
    const { knowledge } = this;
    const span = this.spans.of(run, asked, open);
    return { run, knowledge, events: run.takeEvents(), requests, isRunning, fuel, happened, span, trackedBefore };
  }

  /** What may come of something that the run waits for. */
  waysOf(pending: Pending, facts: RequestFacts | undefined): readonly Way[] {
    const { pc } = pending.thread;
    const location = this.locations[pc];
    const known = facts ?? {
      kind: pending.kind,
      text: pending.kind,
      state: '',
      line: 0,
      tool: null,
      hasTimeout: false,
    };
    const state = location?.state ?? (this.machine.states[0] as State);
    const label = labelOf(state, location?.instruction, known);
    const ways = waysOf({
      facts: known,
      pending,
      instruction: location?.instruction,
      state,
      longest: this.longest,
      taskNames: this.taskNames,
      looked: this.looked,
      isLimited: this.about.isLimited,
      label,
    });
    const ends = limitsAround(pending, this.machine.limits).map(
      (limit): Way => ({
        label: `LIMIT: ${limit} ends the run`,
        limit,
        isFailure: true,
        make: () => ({ kind: 'limit', scope: limit }),
      }),
    );
    return ends.length === 0 ? ways : [...ways, ...ends];
  }
}

export function apply(run: Run, effect: string, happening: Happening): void {
  if (happening.kind === 'outcome') settle(run, effect, happening.outcome);
  else if (happening.kind === 'limit') exceed(run, happening.scope, 0, 0);
  else if (happening.kind === 'answer') answer(run, effect, happening.value, 'user');
  else receiveSignal(run, happening.name, happening.value, 'user');
}

/** How people call the value that is waited for. */
function labelOf(state: State, instruction: Instruction | undefined, { output, text }: RequestFacts): string {
  const isInPlan = instruction?.op === 'plan' && instruction.call === undefined;
  return (isInPlan ? null : bindName(state, instruction)) ?? output ?? shorten(text);
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 40 ? `${line.slice(0, 40)}…` : line;
}

/** How people call what an instruction binds. */
function bindName({ locals }: State, instruction: Instruction | undefined): string | null {
  const slot = slotOf(instruction);
  const name = slot === null ? undefined : locals[slot];
  return name === undefined || name.startsWith('$') ? null : name;
}

function slotOf(instruction: Instruction | undefined): number | null {
  switch (instruction?.op) {
    case 'shell':
    case 'argv':
    case 'function':
    case 'agent':
    case 'plan':
      return instruction.bind?.slot ?? null;
    case 'ask':
    case 'signal':
      return instruction.bind;
    default:
      return null;
  }
}

/** The names of tasks that a program mentions, as in `{plan/login/build.diff}`: tasks of a split have these names first. */
function taskNamesIn({ states }: Machine): readonly string[] {
  const splits = new Set<string>();
  for (const { code } of states)
    for (const one of code) if (one.op === 'step-collect' && one.plan.type === 'split') splits.add(one.plan.name);
  const names = new Set<string>();
  if (splits.size === 0) return [];
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { path } = value as { readonly path?: unknown };
    if (typeof path === 'string') {
      const parts = path.split('/');
      parts.forEach((part, at) => {
        if (at + 1 < parts.length && splits.has(parts[at - 1] ?? '')) names.add(part);
      });
    }
    for (const inner of Object.values(value)) collect(inner);
  };
  for (const { code } of states) collect(code);
  return [...names];
}

/** Whether it may read the comments of a validation, the files of a task, and the tool that failed: only then they are distinguished. */
function lookedAt({ states }: Machine): Site['looked'] {
  const code = JSON.stringify(states.map((state) => state.code));
  return {
    comments: /\.?comments"/.test(code),
    files: code.includes('"name":"files"'),
    tool: code.includes('"name":"tool"'),
  };
}
