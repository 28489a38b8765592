/**
 * Moves a run into an edited program. Both past and future instructions may have changed there. The edited program only
 * needs the current state, the active instructions, and values for the names that are read from here on. An effect without
 * an outcome is not done: if its instruction has changed, the new one starts instead.
 */
import type { Json } from '../../machine/expression.js';
import type { Instruction, State } from '../../machine/machine.js';
import type { EffectKind, KeptOutcomes } from '../events/event.js';
import { type LinkedMachine, type Run, restoreRun, snapshotOf } from '../run.js';
import type { TrailImage } from '../run-state/trail.js';
import type { UndoEntry } from '../run-state/undo-register.js';
import { encode } from '../values/json.js';
import type { Value } from '../values/value.js';
import { Alignment } from './alignment.js';
import { byName, collectedBy, lineThatReads, localsMap } from './edited-names.js';
import { instructionKey } from './instruction-key.js';
import { keptEffects, type RepeatedInstruction } from './kept-effects.js';
import { type CodeRegion, type FinishedWork, regionOf, type SurvivingThread } from './kept-locations.js';
import type { EncodedSlots, ForkImage, MemberImage, RunImage, ThreadImage } from './run-image.js';
import { endOf } from './structures.js';

type Migration =
  | {
      readonly run: Run;
      /** What the edited program has moved. */
      readonly kept: readonly KeptOutcomes[];
      /** What it does again although it is done. */
      readonly repeated: readonly RepeatedInstruction[];
      /** What it has above where the run is, which nothing comes to any more. */
      readonly leftOut: readonly RepeatedInstruction[];
    }
  /** `input`: the first input without a value, for which no other point of the run has a value either. */
  | { readonly missing: readonly string[]; readonly input: string | null };

/**
 * The run in another machine with all its values, or what this machine lacks. Does not change the given run. `failed`: what
 * the run waits for has failed before, so what was inserted above it is executed first. `inserted`: that is executed first
 * although what the run waits for is open; it begins anew then. `finished`: what the run has done, to find what was moved; a
 * replay has it on record instead (`kept`).
 */
export function migrateRun(
  run: Run,
  linked: LinkedMachine,
  {
    failed,
    inserted = false,
    finished,
    kept: known,
  }: {
    readonly failed: boolean;
    readonly inserted?: boolean | undefined;
    readonly finished?: FinishedWork;
    readonly kept?: readonly KeptOutcomes[] | undefined;
  },
): Migration {
  const image = snapshotOf(run) as unknown as RunImage;
  const move = new RunMigration(run.linked, linked, failed, inserted);
  const rebased = move.run(image);
  const isLost = move.missing.length > 0;
  const { kept, repeated, above } =
    known !== undefined || finished === undefined || isLost
      ? { kept: known ?? [], repeated: [], above: new Set<number>() }
      : move.effects(image, rebased, finished);
  for (const { line } of repeated.filter(({ once }) => once))
    move.missing.push(`the first place of the \`once\` of line ${line}: it has run, and must not run again`);
  if (move.missing.length > 0) return { missing: [...new Set(move.missing)], input: move.input };
  const options = { ...run.options, limits: run.limits };
  const migrated = { ...rebased, kept, trail: rebasedTrail(run, linked) };
  return {
    run: restoreRun(linked, migrated as unknown as Json, options),
    kept,
    repeated,
    leftOut: move.leftOut.filter(({ at }) => !above.has(at)),
  };
}

/** Omits states that were entered before and no longer exist. */
function rebasedTrail(run: Run, { machine }: LinkedMachine): TrailImage {
  const indexes = new Map(machine.states.map(({ name }, at) => [name, at]));
  const last = run.states.flatMap((name) => indexes.get(name) ?? []);
  return { total: run.statesTotal - run.states.length + last.length, last };
}

/** Where a thread is, by its path in the run as it was. `within`: the instructions of the member whose thread it is. */
interface ThreadOrigin {
  readonly old: State;
  readonly fresh: State;
  readonly within: CodeRegion | null;
  readonly path: string;
}

class RunMigration {
  readonly missing: string[] = [];
  readonly leftOut: (RepeatedInstruction & { readonly at: number })[] = [];
  input: string | null = null;
  private alignment!: Alignment;
  private fresh!: State;
  private readonly undone: UndoEntry[] = [];
  private readonly threads = new Map<string, SurvivingThread>();
  /** Local slots of the edited state, by those of the old one. */
  private locals: ReadonlyMap<number, number> = new Map();

  constructor(
    private readonly from: LinkedMachine,
    private readonly to: LinkedMachine,
    private readonly failed: boolean,
    private readonly inserted: boolean,
  ) {}

  run(image: RunImage): RunImage {
    const { machine } = this.to;
    const before = this.from.machine;
    const old = before.states.find(({ name }) => name === image.state);
    const fresh = machine.states.find(({ name }) => name === image.state);
    if (old === undefined || fresh === undefined) {
      this.missing.push(`the state \`${image.state}\``);
      return image;
    }
    this.undo(image.undo);
    this.fresh = fresh;
    this.alignment = new Alignment(old, fresh, { old: before, fresh: machine });
    this.locals = localsMap(this.alignment, old, fresh);
    const main = this.thread(image.main, { old, fresh, within: null, path: '' });
    this.lacks('tracked', before.tracked, machine.tracked, { main, fresh });
    this.lacks('entry', old.entry, fresh.entry, { main, fresh });
    return {
      ...image,
      main,
      tracked: byName(image.tracked, before.tracked, machine.tracked),
      inputs: this.inputs(image.inputs),
      entries: this.entries(image.entries),
      ...(this.undone.length === 0 ? {} : { undo: [...(image.undo ?? []), ...this.undone] }),
    };
  }

  /** What the program has moved, and what it does again. */
  effects(image: RunImage, rebased: RunImage, finished: FinishedWork): ReturnType<typeof keptEffects> {
    const machines = { old: this.from.machine, fresh: this.to.machine };
    const align = (old: State, fresh: State): Alignment =>
      old.name === image.state && fresh.name === image.state ? this.alignment : new Alignment(old, fresh, machines);
    const { threads } = this;
    return keptEffects({ from: machines.old, to: machines.fresh, image, rebased, threads, align, finished });
  }

  private inputs(values: EncodedSlots): EncodedSlots {
    const old = this.from.machine.inputs.map(({ name }) => name);
    const { inputs } = this.to.machine;
    const names = inputs.map(({ name }) => name);
    return byName(values, old, names).map((value, index) => {
      const input = inputs[index];
      if (value !== null || input === undefined) return value;
      if (input.value === undefined) {
        this.missing.push(`a value for the new input \`${input.name}\``);
        this.input ??= input.name;
      }
      return input.value === undefined ? null : encode(input.value as Value);
    });
  }

  private entries(entries: RunImage['entries']): RunImage['entries'] {
    const rebased: Record<string, EncodedSlots> = {};
    for (const [name, values] of Object.entries(entries)) {
      const old = this.from.machine.states.find((state) => state.name === name);
      const fresh = this.to.machine.states.find((state) => state.name === name);
      // A state that can no longer be entered needs no values.
      if (old !== undefined && fresh !== undefined) rebased[name] = byName(values, old.entry, fresh.entry);
    }
    return rebased;
  }

  /** Entries have everything that they need, except the plans of CALLs. */
  private undo(entries: readonly UndoEntry[] = []): void {
    const { plans = {} } = this.to.machine;
    for (const { by, line } of entries)
      if (by.op === 'plan' && plans[by.plan] === undefined) this.missing.push(`what the UNDO of line ${line} calls`);
  }

  private thread(image: ThreadImage, where: ThreadOrigin): ThreadImage {
    const thread = this.threadAt(image, where);
    this.threads.set(where.path, { region: where.within, thread });
    return thread;
  }

  private threadAt(image: ThreadImage, { old, fresh, within }: ThreadOrigin): ThreadImage {
    const position = this.positionOf(image, old, within);
    // The outcomes of a plan belong to its calls by number, so a plan with outcomes continues only unchanged.
    if (image.plan !== undefined) {
      const isChanged = plansOf(this.from) !== plansOf(this.to);
      const isBegun = !this.failed || image.plan.log.length > 0;
      if (isChanged && isBegun) this.missing.push('the plan as it was when the run began');
      const { plan: _, ...rest } = image;
      if (!isBegun && (isChanged || position.status === 'ready'))
        return this.restartAt(rest, position.pc, old, fresh, within);
    }
    const restart = this.restartOf(image, old, fresh, within);
    if (restart !== null) {
      this.undone.push(...image.forks.flatMap(undoOf));
      return this.restartAt(image, restart, old, fresh, within);
    }
    const pc = position.pc === null ? this.noteMissing(image.pc, old) : position.pc;
    this.noteLeftOut(pc, fresh, within);
    const rebased = { ...image, ...position, pc, locals: this.slots(image.locals, fresh) };
    this.lacks('local', old.locals, fresh.locals, { main: rebased, fresh });
    this.loops(rebased, fresh);
    let { counter } = image;
    const forks = image.forks.map((fork) => {
      // In another order, the numbers of members would be those of effects that others had.
      const above = fork.id.slice(0, fork.id.lastIndexOf('.') + 1);
      const id = this.alignment.memberOrder(fork.pc) === null ? null : `${above}${++counter}`;
      return this.fork(fork, old, fresh, id);
    });
    return { ...rebased, counter, forks };
  }

  /**
   * Where a thread begins whose branches cannot continue as they are: they are begun anew, and take over what is done. Null:
   * they can, or something in them can only be continued.
   */
  private restartOf(
    { pc, forks, pending }: ThreadImage,
    old: State,
    fresh: State,
    within: CodeRegion | null,
  ): number | null {
    const { alignment, failed } = this;
    const [fork] = forks;
    if (fork === undefined || forks.length > 1 || fork.pc !== pc || fork.detached) return null;
    const isNew = failed && alignment.of(pc) === null && hasNoOutcome(fork);
    if (!isNew && (pending.length > 0 || !fork.members.every((one) => this.canRestart(one, old)))) return null;
    const here = alignment.of(pc);
    // The turns of a parallel loop can only be told apart in the same loop.
    if (fork.items !== null && here === null && !isNew) return null;
    // Something else instead of the block is another program.
    if (!isNew && here === null && !alignment.addedLocations().some((at) => fresh.code[at]?.op === 'fork')) return null;
    const start = this.startOf(pc, old, here, within);
    const isSame = start === here && here !== null && this.areMembersThere(fork, old, fresh.code[here] as Instruction);
    return isSame ? null : start;
  }

  private canRestart({ thread, writes = [] }: MemberImage, old: State): boolean {
    if (writes.length > 0) return false;
    if (thread === null) return true;
    const { pc, pending, forks, plan, rollback, frames = [], status } = thread;
    const one = old.code[pc] as Instruction;
    const isOnce = 'once' in one && one.once === true && !this.failed;
    const isFree = pending.every(({ kind, call }) => STARTED.has(kind) && !call) && !isOnce;
    if (!isFree || plan !== undefined || rollback !== undefined || frames.length > 0) return false;
    return (
      status !== 'joining' || forks.every(({ members }) => members.every((member) => this.canRestart(member, old)))
    );
  }

  /** Whether each branch has its place in the edited fork. */
  private areMembersThere(fork: ForkImage, old: State, fresh: Instruction): boolean {
    const was = old.code[fork.pc];
    if (was?.op !== fresh.op) return false;
    if (was.op === 'fork' && fresh.op === 'fork' && was.branches.length !== fresh.branches.length) return false;
    const order = this.alignment.memberOrder(fork.pc);
    return (order ?? fork.members.map((_, index) => index)).every((from, index) => {
      const thread = fork.members[from]?.thread ?? null;
      return thread === null || this.positionOf(thread, old, regionOf(fresh, index)).pc !== null;
    });
  }

  /** Puts the thread before an instruction of which nothing was done. */
  private restartAt(
    image: ThreadImage,
    at: number | null,
    old: State,
    fresh: State,
    within: CodeRegion | null,
  ): ThreadImage {
    const pc = at ?? this.noteMissing(image.pc, old);
    this.noteLeftOut(pc, fresh, within);
    const ready = RESTARTED + image.counter;
    const locals = this.slots(image.locals, fresh);
    const rebased: ThreadImage = { ...image, pc, status: 'ready', ready, pending: [], forks: [], locals };
    this.lacks('local', old.locals, fresh.locals, { main: rebased, fresh });
    this.loops(rebased, fresh);
    return rebased;
  }

  /** What is above where a thread continues, and is not executed any more. */
  private noteLeftOut(pc: number, fresh: State, within: CodeRegion | null): void {
    // The next attempt of a step that has failed executes its body.
    const again = this.failed ? attemptAround(fresh, pc) : pc;
    for (const at of this.alignment.addedLocations()) {
      if (at < (within?.from ?? 0) || at >= Math.min(pc, again) || !isWork(fresh, at)) continue;
      const one = fresh.code[at] as Instruction;
      this.leftOut.push({ text: textOf(one), state: fresh.name, line: one.origin.line, once: false, at });
    }
  }

  /** Where the thread continues, and whether what it waits for is still needed. Null: nowhere. */
  private positionOf(
    { status, pc, pending, forks, plan, counter }: ThreadImage,
    old: State,
    within: CodeRegion | null,
  ): Omit<Partial<ThreadImage>, 'pc'> & { readonly pc: number | null } {
    const { alignment, failed } = this;
    const isFirst = failed || this.inserted;
    if (status === 'ready') return { pc: isFirst ? this.startOf(pc, old, null, within) : alignment.next(pc) };
    const one = old.code[pc] as Instruction;
    const same = alignment.of(pc);
    const isStarted =
      one.op === 'plan'
        ? plan === undefined || plan.log.length === 0
        : EFFECTS.has(one.op) && pending.every(({ kind, call }) => STARTED.has(kind) && !call);
    if (!(isStarted || WAITS.has(one.op)) || forks.length > 0) return { pc: same };
    const here = alignment.newLocation(pc) ?? (alignment.isUnchanged(pc) || !isStarted ? same : null);
    if (here === null && !isStarted && !failed) return { pc: null };
    const start = isStarted || isFirst ? this.startOf(pc, old, here, within) : here;
    if (start === null || start === here) return { pc: start };
    // Nobody knows whether it has run.
    if (!failed && (('once' in one && one.once) || (one.op === 'plan' && one.call?.once))) return { pc: here };
    return { pc: start, status: 'ready', ready: RESTARTED + counter, pending: [] };
  }

  /**
   * The first of the locations at which something is left to do: what follows what was done, the line itself, lines above
   * it that the edited program has in addition or outside of their arms, later lines that are above it now.
   */
  private startOf(pc: number, old: State, here: number | null, within: CodeRegion | null): number | null {
    const { alignment } = this;
    const { from, to } = within ?? { from: 0, to: Number.POSITIVE_INFINITY };
    const own = here !== null && here >= from && here < to ? here : null;
    const next = this.failed || own === null ? alignment.next(pc) : null;
    const locations = [own, next].filter((at) => at !== null && at >= from && at < to) as number[];
    if (locations.length === 0) return null;
    const last = Math.max(...locations);
    const later = old.code.flatMap((_, at) => (at > pc && alignment.isUnchanged(at) ? (alignment.of(at) ?? []) : []));
    const added = this.failed || this.inserted ? alignment.addedLocations() : [];
    const left = [...later, ...added, ...alignment.outsideTheirArms(pc)].filter(
      (at) => at >= from && at < last && isWork(this.fresh, at),
    );
    return Math.min(
      ...[...locations, ...left].map((at) => (at === own && !this.failed ? at : alignment.entryOf(at, pc, from))),
    );
  }

  private fork(image: ForkImage, old: State, fresh: State, id: string | null): ForkImage {
    const pc = this.alignment.of(image.pc) ?? this.noteMissing(image.pc, old);
    const now = fresh.code[pc];
    // Which branch a member that has not begun would be is not known.
    if (now?.op === 'fork' && now.branches.length !== image.members.length && image.members.some(isWaiting))
      this.noteMissing(image.pc, old);
    const order = this.alignment.memberOrder(image.pc);
    const members = (order ?? image.members.map((_, index) => index)).map((from, index) => {
      const member = image.members[from] as MemberImage;
      const region = regionOf(fresh.code[pc], index);
      if (member.thread === null && !isWaiting(member))
        this.threads.set(`${image.id}.${from + 1}`, { region, thread: null });
      return {
        ...member,
        collected:
          member.collected === null
            ? null
            : byName(
                member.collected,
                collectedBy(old.code[image.pc], from).map((slot) => old.locals[slot] ?? ''),
                collectedBy(fresh.code[pc], index).map((slot) => fresh.locals[slot] ?? ''),
              ),
        thread:
          member.thread === null
            ? null
            : this.thread(member.thread, { old, fresh, within: region, path: `${image.id}.${from + 1}` }),
      };
    });
    const waiting = members.findIndex(isWaiting);
    const next = order === null ? image.next : waiting === -1 ? members.length : waiting;
    return { ...image, id: id ?? image.id, pc, next, locals: this.slots(image.locals, fresh), members };
  }

  /** The surrounding instructions have changed so much that the location is ambiguous. */
  private noteMissing(pc: number, old: State): number {
    const line = old.code[pc]?.origin.line ?? 0;
    this.missing.push(
      `the instruction ${describeInstruction(old.code[pc])} of line ${line} in the state \`${old.name}\``,
    );
    return 0;
  }

  private slots(values: EncodedSlots, fresh: State): EncodedSlots {
    const rebased = new Array<string | null>(fresh.locals.length).fill(null);
    values.forEach((value, slot) => {
      const at = this.locals.get(slot);
      if (value !== null && at !== undefined) rebased[at] = value;
    });
    return rebased;
  }

  /** Names that only the edited program has, and that it reads from here on without binding them before. */
  private lacks(
    where: 'local' | 'entry' | 'tracked',
    old: readonly string[],
    fresh: readonly string[],
    { main, fresh: state }: { readonly main: { readonly pc: number }; readonly fresh: State },
  ): void {
    const { machine } = this.to;
    const at = { state: machine.states.indexOf(state), pc: main.pc };
    fresh.forEach((name, slot) => {
      if (name.startsWith('$') || old.includes(name)) return;
      const line = lineThatReads(machine, at, { in: where, slot });
      if (line !== null) this.missing.push(`a value for \`${name}\`, which line ${line} reads`);
    });
  }

  /** A loop that the run has not started, but in whose middle it would be. */
  private loops({ pc, locals }: { readonly pc: number; readonly locals: EncodedSlots }, fresh: State): void {
    const { machine } = this.to;
    const at = { state: machine.states.indexOf(fresh), pc };
    for (const { op, ...one } of fresh.code) {
      if (op !== 'next') continue;
      const { items, origin } = one as Extract<Instruction, { op: 'next' }>;
      const isOpen = locals[items] === null && lineThatReads(machine, at, { in: 'local', slot: items }) !== null;
      if (isOpen) this.missing.push(`the beginning of the loop in line ${origin.line}`);
    }
  }
}

const isWaiting = ({ status }: MemberImage): boolean => status === 'waiting';

/** Queues after all threads that could already run. */
const RESTARTED = 1_000_000;
const STARTED: ReadonlySet<EffectKind> = new Set(['shell', 'argv', 'function', 'agent']);
const EFFECTS: ReadonlySet<string> = STARTED;
const WAITS: ReadonlySet<string> = new Set(['ask', 'signal', 'sleep']);

const WORK: ReadonlySet<string> = new Set(['set', 'goto', 'goto-dynamic', 'fail', 'return']);

/** Whether executing an instruction does something, or leaves the state. */
function isWork(state: State, at: number): boolean {
  const one = state.code[at] as Instruction;
  return WORK.has(one.op) || instructionKey(one, state, at) !== null;
}

/** Where the outermost step around an instruction begins; without one, the instruction. */
function attemptAround({ code }: State, pc: number): number {
  const begin = code.findIndex((one, at) => one.op === 'step-begin' && at < pc && pc < endOf(code, at));
  return begin === -1 ? pc : begin;
}

/** What the members of a fork registered to undo, which belongs to the run if the fork begins anew. */
function undoOf({ members }: ForkImage): UndoEntry[] {
  return members.flatMap(({ undo = [], thread }) => [...undo, ...(thread?.forks ?? []).flatMap(undoOf)]);
}

/** No member has received an outcome: everything that they began still waits for its first one. */
function hasNoOutcome({ members }: ForkImage): boolean {
  return members.every(
    ({ status, thread }) =>
      status === 'waiting' ||
      (thread !== null && thread.counter === thread.pending.length && thread.forks.length === 0 && !thread.plan),
  );
}

/** The plans of a machine, wherever they stand in their documents. */
function plansOf({ machine }: LinkedMachine): string {
  return JSON.stringify(Object.values(machine.plans ?? {}), (name, value) => (name === 'line' ? undefined : value));
}

function describeInstruction(instruction: Instruction | undefined): string {
  return instruction === undefined ? '' : `\`${textOf(instruction)}\``;
}

/** Verbs of instructions whose name in the machine is another one. */
const VERBS: Readonly<Record<string, string>> = {
  ...{ 'goto-dynamic': 'GOTO', 'wait-start': 'WAIT', sleep: 'WAIT', signal: 'WAIT: signal', fork: 'PARALLEL' },
  'fork-each': 'FOR EACH',
};

/** An instruction as people know it: its text, or its verb and its name. */
function textOf(one: Instruction): string {
  if ('text' in one) return one.text;
  if (one.op.startsWith('step-') && 'plan' in one) return `STEP: ${(one.plan as { name: string }).name}`;
  const verb = VERBS[one.op] ?? one.op.toUpperCase();
  return 'name' in one ? `${verb} ${one.name}` : verb;
}
