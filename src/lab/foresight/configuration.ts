/**
 * Configurations: a snapshot of a run with what is known of its unknown values, without numbers of effects, times and
 * costs. Two runs with the same configuration can do the same from there on, so they are one.
 */
import type { ForkImage, MemberImage, RunImage, ThreadImage } from '../../interpreter/record/run-image.js';
import { imageOf } from '../../interpreter/run.js';
import type { Run } from '../../interpreter/run-state/run-memory.js';
import type { Thread } from '../../interpreter/run-state/thread.js';
import { decode, encode, hasUnreadable } from '../../interpreter/values/json.js';
import { isList, isObject, Unreadable, type UnreadableOutput, type Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { type Monitors, NO_MONITORS } from './monitors.js';
import { type Liveness, livenessOf } from './reductions/liveness.js';
import { readsIn, type Variable } from './reductions/reads.js';
import { isField, relevantVariables, type StepFields, stepFieldsOf } from './reductions/relevance.js';
import { type Saturation, saturatedCounters } from './reductions/saturation.js';
import { keyTexts, Renaming, Texts } from './renaming.js';
import { idsIn, type Knowledge, type Unknown } from './unknown/knowledge.js';

export const REDUCTIONS = ['one-order', 'dead-values', 'slicing', 'saturation'] as const;
export type Reduction = (typeof REDUCTIONS)[number];

/** What the reductions need to know of a machine. */
export interface Reductions {
  readonly machine: Machine;
  readonly relevant: ReadonlySet<Variable> | null;
  readonly liveness: Liveness | null;
  /** What conditions of properties read at any time. */
  readonly watched: ReadonlySet<Variable>;
  readonly saturated: ReadonlyMap<Variable, Saturation>;
  readonly keepsOutput: readonly boolean[];
  /** The results of steps that decide something; null: all. */
  readonly fields: StepFields | null;
  /** Whether the words of failures decide something. */
  readonly looksAtErrors: boolean;
  /** Whether members keep the events that they have recorded, because a property looks at events. */
  readonly keepsEvents: boolean;
  /** The parts of keys. */
  readonly texts: Texts;
}

export function reductionsOf(
  machine: Machine,
  inputs: readonly (Json | undefined)[],
  without: ReadonlySet<Reduction>,
  monitors: Monitors = NO_MONITORS,
): Reductions {
  const relevant = relevantVariables(machine, monitors);
  const fields = stepFieldsOf(machine, relevant, monitors);
  const withErrors = looksAtErrors(machine, relevant, fields);
  return {
    machine,
    relevant: without.has('slicing') ? null : relevant,
    liveness: without.has('dead-values') ? null : livenessOf(machine),
    watched: readsIn(machine, 0, monitors.conditions),
    saturated: without.has('saturation') ? new Map() : saturatedCounters(machine, inputs, relevant, monitors),
    keepsOutput: machine.states.map(({ code }) =>
      code.some((one) => one.op === 'step-collect' && one.plan.work === 'body'),
    ),
    fields: without.has('slicing')
      ? null
      : withErrors
        ? { ...fields, deciding: new Set([...fields.deciding, 'error']) }
        : fields,
    looksAtErrors: withErrors,
    keepsEvents: monitors.looksAtEvents,
    texts: new Texts(),
  };
}

export interface ExploredConfiguration {
  /** Equal for equal configurations of an exploration. */
  readonly key: string;
  /** The snapshot to continue from, and its unknown values, in which they have new numbers. */
  readonly continuation: () => ConfigurationEnd;
}

export interface ConfigurationEnd {
  /** The JSON of the snapshot. */
  readonly text: string;
  readonly unknowns: ReadonlyMap<number, Unknown>;
  readonly nextId: number;
  /** The first so many numbers are those of the key: of equal configurations they mean the same. */
  readonly deciding: number;
  /** The new numbers of unknown values, by their old ones. */
  readonly renamed: ReadonlyMap<number, number>;
}

/** Stands for a value of which only its existence matters. */
const SOME = JSON.stringify('·');

/** Members of a thread that the configuration does not have, or has in another form at the end. */
const CHANGED: ReadonlySet<string> = new Set(['output', 'failures', 'handled', 'frames', 'restarts']);

class Canonical {
  private readonly state: number;

  constructor(
    private readonly image: RunImage,
    private readonly reductions: Reductions,
    private readonly knowledge: Knowledge,
  ) {
    this.state = reductions.machine.states.findIndex(({ name }) => name === image.state);
  }

  /** The values that are known by now, at any depth. */
  private resolveAll(value: Value): Value {
    const resolved = this.knowledge.resolve(value);
    if (resolved instanceof Unreadable) {
      const { exit, printed } = resolved.output;
      const known = { exit: this.knowledge.resolve(exit), printed: this.knowledge.resolve(printed) };
      return new Unreadable({ ...resolved.output, ...(known as Pick<UnreadableOutput, 'exit' | 'printed'>) });
    }
    if (isList(resolved)) return resolved.map((item) => this.resolveAll(item));
    if (!isObject(resolved)) return resolved;
    return Object.fromEntries(Object.entries(resolved).map(([name, item]) => [name, this.resolveAll(item)]));
  }

  private slot(text: string | null, variable: Variable): string | null {
    if (text === null) return null;
    const { relevant, saturated } = this.reductions;
    const counter = saturated.get(variable);
    if (counter !== undefined) {
      const number = Number(text);
      const { beyond, direction } = counter;
      if ((number - beyond) * direction > 0) return String(beyond + direction);
    }
    // Any read of an unreadable output fails.
    const isIrrelevant = relevant !== null && !relevant.has(variable) && !saturated.has(variable);
    if (isIrrelevant && !hasUnreadable(text)) return /^-?\d/.test(text) ? '0' : SOME;
    return text.includes('\ue000') ? encode(this.resolveAll(decode(text) as Value)) : text;
  }

  private locals(slots: readonly (string | null)[], pc: number): (string | null)[] {
    const live = this.reductions.liveness?.localsAt(this.state, pc);
    return slots.map((text, slot) =>
      live !== undefined && !live.has(slot) ? null : this.slot(text, `local ${this.state} ${slot}`),
    );
  }

  private thread(image: ThreadImage): ThreadImage {
    const { output, frames, restarts } = image;
    const canonical: Record<string, unknown> = {};
    for (const name in image) if (!CHANGED.has(name)) canonical[name] = image[name as keyof ThreadImage];
    canonical.locals = this.locals(image.locals, image.pc);
    canonical.output =
      this.reductions.keepsOutput[this.state] === true || output === null ? output : { text: '', bytes: 0 };
    if (frames !== undefined) canonical.frames = frames.map((frame) => this.frame(frame));
    if (restarts !== undefined) {
      const left = Object.entries(restarts.left).map(([path, frame]) => [path, this.frame(frame)]);
      canonical.restarts = { ...restarts, left: Object.fromEntries(left) };
    }
    canonical.forks = image.forks.map((fork) => this.fork(fork));
    return canonical as unknown as ThreadImage;
  }

  private frame(frame: NonNullable<ThreadImage['frames']>[number]): NonNullable<ThreadImage['frames']>[number] {
    if (frame.kind === 'scope') return frame;
    const fields = this.reductions.fields?.deciding ?? null;
    const common = { ...frame, startedMs: 0, session: null, sessionBefore: null };
    if (fields === null) return common;
    const isConstant = idsIn(frame.output).length === 0 || fields.has('error');
    return {
      ...common,
      diff: fields.has('diff') ? frame.diff : '',
      diffBefore: fields.has('diff') ? frame.diffBefore : '',
      errorBefore: fields.has('error') ? frame.errorBefore : '',
      output: isConstant || isField(fields, `${frame.path}.output`) ? frame.output : '·',
      failure: frame.failure === null || fields.has('error') ? frame.failure : '·',
      files: isField(fields, `${frame.path}.files`) ? frame.files : [],
      comments: frame.comments === null || isField(fields, `${frame.path}.comments`) ? frame.comments : '',
      agentBefore: null,
      gates: fields.has('error') ? frame.gates : findingsIn(frame.gates, fields, true),
      gatesBefore: findingsIn(frame.gatesBefore, fields, false),
    };
  }

  private fork(fork: ForkImage): ForkImage {
    return {
      ...fork,
      locals: this.locals(fork.locals, fork.pc),
      items: fork.items === null ? null : fork.items.map((item) => (item === null ? null : this.item(fork, item))),
      members: fork.members.map((member, index) => this.member(fork, member, index)),
    };
  }

  private item(fork: ForkImage, text: string): string | null {
    const one = this.reductions.machine.states[this.state]?.code[fork.pc];
    return one?.op === 'fork-each' ? this.slot(text, `local ${this.state} ${one.variable}`) : text;
  }

  private member(fork: ForkImage, member: MemberImage, index: number): MemberImage {
    const one = this.reductions.machine.states[this.state]?.code[fork.pc];
    const slots =
      one?.op === 'fork-each' ? one.collect : one?.op === 'fork' ? (one.branches[index]?.collect ?? []) : [];
    const live = this.reductions.liveness?.localsAt(this.state, fork.pc);
    return {
      ...member,
      collected:
        member.collected?.map((text, at) => {
          const slot = slots[at] as number;
          return live !== undefined && !live.has(slot) ? null : this.slot(text, `local ${this.state} ${slot}`);
        }) ?? null,
      thread: member.thread === null ? null : this.thread(member.thread),
    };
  }

  /** The snapshot with all values that matter. */
  run(): RunImage {
    const { image, reductions } = this;
    const { liveness, machine, watched } = reductions;
    const isRead = (variable: Variable): boolean =>
      watched.has(variable) || (liveness?.isReadLater(this.state, variable) ?? true);
    const entries: Record<string, (string | null)[]> = {};
    for (const [name, slots] of Object.entries(image.entries)) {
      const at = machine.states.findIndex((state) => state.name === name);
      entries[name] = slots.map((text, slot) => {
        const variable = `entry ${at} ${slot}`;
        return isRead(variable) ? this.slot(text, variable) : null;
      });
    }
    return {
      ...image,
      main: this.thread(image.main),
      tracked: image.tracked.map((text, slot) => {
        const variable = `tracked ${slot}`;
        // Whether it exists decides whether TRACK creates it.
        return isRead(variable) || text === null ? this.slot(text, variable) : '0';
      }),
      inputs: image.inputs.map((text) => (text === null ? null : encode(this.resolveAll(decode(text) as Value)))),
      entries,
      transitions: 0,
      trail: { total: 0, last: [] },
      cause: image.cause === null ? null : { ...image.cause, causes: [] },
      effects: 0,
      waitNumbers: [],
      ...(image.stepping === undefined ? {} : { stepping: this.stepping(image.stepping) }),
    };
  }

  private stepping(stepping: NonNullable<RunImage['stepping']>): NonNullable<RunImage['stepping']> {
    const { fields } = this.reductions;
    const volatile = /\.(?:duration|cost|tokens_in|tokens_out|turns|session_id|cache_read|cache_write)$/;
    const isBlank = (key: string): boolean => volatile.test(key) || (fields !== null && !isField(fields.deciding, key));
    const keys = stepping.keys.filter(([key]) => fields === null || isField(fields.mentioned, key));
    return {
      ...stepping,
      firstClockMs: stepping.firstClockMs === 0 ? 0 : 1,
      lastClockMs: 0,
      keys: keys.map(([key, text]): [string, string] => [key, isBlank(key) ? '' : text]),
      // What is used is not known, and what is reserved decides which calls start.
      budgets: stepping.budgets.filter(([, { reserved }]) => reserved > 0),
      steps: stepping.steps.map((step) => ({
        ...step,
        cost: null,
        ...(fields === null ? {} : { agent: null, attempt: 1 }),
      })),
    };
  }
}

type GateFindings = Extract<NonNullable<ThreadImage['frames']>[number], { kind: 'step' }>['gates'];

/** What gates found: the texts that decide something, and of other gates at most whether they passed. */
function findingsIn(findings: GateFindings, fields: ReadonlySet<string>, withOthers: boolean): GateFindings {
  return Object.fromEntries(
    Object.entries(findings).flatMap(([name, { pass, comments, error }]): [string, GateFindings[string]][] => {
      const [asComments, asError] = [fields.has(`gate.${name}.comments`), fields.has(`gate.${name}.error`)];
      if (!withOthers && !asComments && !asError && !fields.has(`gate.${name}`)) return [];
      return [
        [
          name,
          {
            pass,
            ...omitUndefined({ comments: asComments ? comments : undefined, error: asError ? error : undefined }),
          },
        ],
      ];
    }),
  );
}

/** The configuration of a run that is blocked, interrupted or over. `more` is part of it. */
export function configurationOf(
  run: Run,
  reductions: Reductions,
  knowledge: Knowledge,
  more: Json,
): ExploredConfiguration {
  const { result } = run;
  const { texts, looksAtErrors, keepsEvents } = reductions;
  const image = result === null ? canonicalImage(run, reductions, knowledge) : null;
  // Of a run that is over, only its end matters.
  const parts =
    image === null
      ? [JSON.stringify(['end', result?.status, result?.state, result?.error?.kind])]
      : keyTexts(image, looksAtErrors);
  if (image !== null && keepsEvents) parts.push(JSON.stringify(eventsOf(run.main)));
  const renaming = new Renaming(knowledge);
  const numbers = parts.map((part) => texts.numberOf(renaming.addFrom(part)));
  renaming.addParts();
  renaming.addDerived();
  numbers.push(texts.numberOf(renaming.text()));
  const deciding = renaming.order.size;
  return {
    key: `${numbers.join(' ')} ${JSON.stringify(more)}`,
    continuation: () => {
      const unknowns = renaming.unknowns();
      const text = renaming.addFrom(JSON.stringify(image ?? canonicalImage(run, reductions, knowledge)));
      const { order } = renaming;
      for (const [id, to] of order) if (!unknowns.has(to)) unknowns.set(to, { ...knowledge.of(id), made: null });
      return { text, unknowns, nextId: order.size, deciding, renamed: order };
    },
  };
}

const canonicalImage = (run: Run, reductions: Reductions, knowledge: Knowledge): RunImage =>
  new Canonical(imageOf(run), reductions, knowledge).run();

function eventsOf(thread: Thread): Json {
  return thread.forks.map((fork) =>
    fork.members.map(({ events, status, thread: own }) => [
      events.flatMap((event) => (event.type === 'emitted' ? [[event.event, event.fields]] : [])),
      own === null || status !== 'active' ? [] : eventsOf(own),
    ]),
  ) as Json;
}

/**
 * Whether a program looks at the words of failures. Few do, and the words depend on much that an exploration does not know:
 * where they decide something, they are unknown texts.
 */
function looksAtErrors({ states, error }: Machine, relevant: ReadonlySet<Variable>, { deciding }: StepFields): boolean {
  const entry = states[error ?? -1]?.entry.indexOf('error') ?? -1;
  if (entry >= 0 && relevant.has(`entry ${error} ${entry}`)) return true;
  if ([...deciding].some((field) => /(?:^|\.)error$/.test(field))) return true;
  return states.some(({ code, handlers }, state) => {
    const holders = [
      ...handlers.flatMap(({ names, keep }) => [names.error, keep?.failures]),
      ...code.flatMap((one) => {
        if (one.op === 'fork' || one.op === 'fork-each') return [one.keep];
        if (one.op === 'each') return [one.keep?.failures];
        return one.op === 'rollback' ? [one.bind] : [];
      }),
    ];
    return holders.some((slot) => slot !== undefined && relevant.has(`local ${state} ${slot}`));
  });
}
