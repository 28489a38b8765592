/**
 * The state of a run: threads (the run itself and branches of PARALLEL), forks, pending requests, and the events and
 * requests that the runtime has not taken yet. Only functions of the interpreter change it.
 */
import type { Json } from '../../machine/expression.js';
import type { Limits } from '../../machine/machine.js';
import type { Mutable } from '../../prelude/mutable.js';
import type { FailureFacts, KeptOutcomes, RunEvent } from '../events/event.js';
import type { EffectRequest } from '../request.js';
import { type Printed, printedForms, unpackValue } from '../values/json.js';
import { plainByName } from '../values/value.js';
import { newSemaphore, type Semaphore } from './fork-state.js';
import { type LinkedMachine, STOP } from './linked-machine.js';
import type { ActivePlan } from './open-plan.js';
import type { Pending } from './pending.js';
import { type DataImage, RunData } from './run-data.js';
import type { InterpreterOptions, RunResult } from './run-result.js';
import { Usage } from './run-usage.js';
import { StepRecords } from './step-records.js';
import { type Slot, Thread } from './thread.js';
import { Trail, type TrailImage } from './trail.js';
import { RunUndo } from './undo-register.js';

const NO_SLOTS: Slot[] = [];

/** A signal that no thread has waited for yet. */
interface KeptSignal {
  readonly name: string;
  readonly payload: Json;
}

/** What a snapshot has of the run itself; threads, steps, usage and the undo register are restored separately. */
interface RestoredRun {
  readonly trail: TrailImage;
  readonly signals: readonly KeptSignal[];
  readonly transitions: number;
  readonly cause: FailureFacts | null;
  readonly result: RunResult | null;
  readonly data?: DataImage;
  readonly blamed?: readonly string[];
  readonly kept?: readonly KeptOutcomes[];
  readonly waitNumbers?: readonly (readonly [string, number])[];
}

/** Its values, by slot. */
interface RestoredValues {
  readonly inputs: readonly Slot[];
  readonly tracked: readonly Slot[];
  readonly entries: ReadonlyMap<number, Slot[]>;
}

export class Run {
  readonly main: Thread;
  readonly quiet: boolean;
  /** Tracked variables. Instructions of threads write them, as they write all variables. */
  readonly trackedSlots: Slot[];
  /** The permits of members if a PARALLEL has no `max`: in general, and for members that are all agent calls. */
  readonly jobs: Semaphore;
  readonly agentJobs: Semaphore;
  readonly usage = new Usage();
  readonly steps = new StepRecords();
  readonly undo = new RunUndo();
  private inputValues: readonly Slot[] = [];
  private readonly entrySlots: Slot[][] = [];
  private readonly trail: Trail;
  private dataTree: RunData;
  private readonly queue: Thread[] = [];
  private readonly waiting = new Map<string, Pending>();
  private readonly keptSignals: KeptSignal[] = [];
  private readonly numbersOfWaits = new Map<string, number>();
  private readonly heldThreads: Thread[] = [];
  private heldFailures: ReadonlySet<string> | null = null;
  private readonly withoutBudget: Thread[] = [];

  private limitsNow: Limits;
  private mostTransitions: number;
  private overlooked = false;
  private transitionCount = 0;
  private fuel = 0;

  private failure: FailureFacts | null = null;
  private ending: RunResult | null = null;
  private rootPlan: ActivePlan | null = null;
  private blamedEffects: readonly string[] = [];
  /** What instructions of an edited program take over from the record of the run. Almost always empty. */
  readonly kept: { entries: readonly KeptOutcomes[] } = { entries: [] };

  private events: RunEvent[] = [];
  private requests: EffectRequest[] = [];
  private cancellations: string[] = [];

  readonly pending: ReadonlyMap<string, Pending> = this.waiting;
  /** Threads that can run; the first one is next. */
  readonly ready: readonly Thread[] = this.queue;
  /** Signals that no thread has waited for yet, oldest first. */
  readonly signals: readonly KeptSignal[] = this.keptSignals;
  /** Threads that are held at a failure; see `control/hold.ts`. */
  readonly held: readonly Thread[] = this.heldThreads;
  /** Threads with agent calls that wait until others have released what they reserved, oldest first. */
  readonly waitingForBudget: readonly Thread[] = this.withoutBudget;

  constructor(
    readonly linked: LinkedMachine,
    readonly options: InterpreterOptions,
  ) {
    const { machine } = linked;
    this.dataTree = new RunData(null, linked.unknownData);
    this.quiet = !options.record;
    this.trackedSlots = new Array<Slot>(machine.tracked.length).fill(undefined);
    this.limitsNow = options.limits;
    this.mostTransitions = options.limits.transitions ?? Number.POSITIVE_INFINITY;
    this.trail = new Trail(machine.states.length);
    this.jobs = newSemaphore(options.jobs);
    this.agentJobs = newSemaphore(options.agentJobs ?? 8);
    this.main = new Thread(this, '', null);
  }

  // ---- variables and data ---------------------------------------------------------------------------

  get inputSlots(): readonly Slot[] {
    return this.inputValues;
  }

  setInputs(values: readonly Slot[]): void {
    this.inputValues = values;
  }

  /** Entry values by state; a state that never received any has none. */
  get entries(): readonly (readonly Slot[])[] {
    return this.entrySlots;
  }

  /** The slots of the entry values of a state, which keep their values from one entry to the next. */
  entryOf(state: number): Slot[] {
    const known = this.entrySlots[state];
    if (known !== undefined) return known;
    const size = this.linked.machine.states[state]?.entry.length ?? 0;
    if (size === 0) return NO_SLOTS;
    const fresh = new Array<Slot>(size).fill(undefined);
    this.entrySlots[state] = fresh;
    return fresh;
  }

  /** The data that `†` names and the run writes. */
  get data(): RunData {
    return this.dataTree;
  }

  // ---- the way through the states -------------------------------------------------------------------

  get transitions(): number {
    return this.transitionCount;
  }

  get limits(): Limits {
    return this.limitsNow;
  }

  get maxTransitions(): number {
    return this.mostTransitions;
  }

  /** While a record is read, no limit ends the run, because what it repeats has happened. Calls wait for budget as before. */
  get overlooksLimits(): boolean {
    return this.overlooked;
  }

  setLimits(limits: Limits): void {
    this.limitsNow = { ...this.limitsNow, ...limits };
    this.mostTransitions = this.limitsNow.transitions ?? Number.POSITIVE_INFINITY;
  }

  overlookLimits(overlooked: boolean): void {
    this.overlooked = overlooked;
  }

  countTransition(): void {
    this.transitionCount++;
  }

  noteEntry(state: number): void {
    this.trail.push(state);
  }

  get trailImage(): TrailImage {
    return this.trail.image;
  }

  /** How many transitions and loop rounds may be made before `advance` returns. */
  refuel(turns: number): void {
    this.fuel = turns;
  }

  /** Uses one round; false if it was the last one. */
  burnFuel(): boolean {
    return --this.fuel >= 0;
  }

  get isOutOfFuel(): boolean {
    return this.fuel < 0;
  }

  // ---- threads --------------------------------------------------------------------------------------

  enqueue(thread: Thread): void {
    this.queue.push(thread);
  }

  /** Makes the thread run next, because it was only interrupted. */
  enqueueFirst(thread: Thread): void {
    this.queue.unshift(thread);
  }

  /** For a debugger: the thread stops before an instruction, which is executed next when the run is advanced again. */
  stopBefore(thread: Thread, pc: number): typeof STOP {
    thread.pc = pc;
    this.queue.unshift(thread);
    this.fuel = STOP;
    return STOP;
  }

  /** For a debugger, between two calls of `advance`: the same machine, with other instructions. */
  relink(linked: LinkedMachine): void {
    (this as Mutable<Run>).linked = linked;
  }

  dequeue(): Thread | undefined {
    return this.queue.shift();
  }

  clearQueue(): void {
    this.queue.length = 0;
  }

  /** Failures at which threads are held, as `holdKey` names them; null: all failures are taken. */
  get holds(): ReadonlySet<string> | null {
    return this.heldFailures;
  }

  holdAt(failures: ReadonlySet<string> | null): void {
    this.heldFailures = failures;
  }

  hold(thread: Thread): void {
    this.heldThreads.push(thread);
  }

  takeHeld(): Thread[] {
    return this.heldThreads.splice(0);
  }

  waitForBudget(thread: Thread): void {
    if (!this.withoutBudget.includes(thread)) this.withoutBudget.push(thread);
  }

  takeWaitingForBudget(): Thread[] {
    return this.withoutBudget.splice(0);
  }

  // ---- what it waits for ----------------------------------------------------------------------------

  addPending(pending: Pending): void {
    this.waiting.set(pending.effect, pending);
  }

  removePending(effect: string): void {
    this.waiting.delete(effect);
  }

  /** A question, an approval or a wait for a signal gets its id when it opens: how often its name was waited for. */
  nextWaitId(name: string): string {
    const number = (this.numbersOfWaits.get(name) ?? 0) + 1;
    this.numbersOfWaits.set(name, number);
    return `${name}@${number}`;
  }

  /** An open wait keeps the id that is on record, also where a run that goes back counts otherwise than it did. */
  adoptWaitId(effect: string, id: string): void {
    const at = id.lastIndexOf('@');
    const name = id.slice(0, at);
    this.numbersOfWaits.set(name, Math.max(this.numbersOfWaits.get(name) ?? 0, Number(id.slice(at + 1))));
    const pending = this.waiting.get(effect);
    if (pending?.waiting?.id !== undefined) pending.waiting = { ...pending.waiting, id };
  }

  get waitNumbers(): ReadonlyMap<string, number> {
    return this.numbersOfWaits;
  }

  keepSignal(signal: KeptSignal): void {
    this.keptSignals.push(signal);
  }

  /** Takes the oldest signal with this name. */
  takeSignal(name: string): KeptSignal | undefined {
    const at = this.keptSignals.findIndex((signal) => signal.name === name);
    return at < 0 ? undefined : this.keptSignals.splice(at, 1)[0];
  }

  // ---- its end --------------------------------------------------------------------------------------

  /** The failure with which the state ERROR was entered. */
  get cause(): FailureFacts | null {
    return this.failure;
  }

  setCause(cause: FailureFacts | null): void {
    this.failure = cause;
  }

  get result(): RunResult | null {
    return this.ending;
  }

  end(result: RunResult): void {
    this.ending = result;
  }

  /** Starts to roll back what the failed run did. */
  reopen({ error, value }: RunResult): void {
    this.undo.beginLateRollback({ error, value });
    this.ending = null;
  }

  /** If the run is a plan: the plan, active or ended; null for programs. */
  get plan(): ActivePlan | null {
    return this.rootPlan;
  }

  setPlan(plan: ActivePlan): void {
    this.rootPlan = plan;
  }

  /** Effects that made the last plan fail. */
  get blamed(): readonly string[] {
    return this.blamedEffects;
  }

  blame(effects: readonly string[]): void {
    this.blamedEffects = effects;
  }

  restore(image: RestoredRun, { inputs, tracked, entries }: RestoredValues): void {
    this.inputValues = inputs;
    tracked.forEach((value, slot) => {
      this.trackedSlots[slot] = value;
    });
    for (const [state, slots] of entries) this.entrySlots[state] = slots;
    this.trail.restore(image.trail);
    for (const { name, payload } of image.signals) this.keepSignal({ name, payload: unpackValue(payload) });
    this.transitionCount = image.transitions;
    this.failure = image.cause;
    this.ending = image.result;
    for (const [name, number] of image.waitNumbers ?? []) this.numbersOfWaits.set(name, number);
    if (image.data !== undefined) this.dataTree = new RunData(image.data, this.linked.unknownData);
    [this.blamedEffects, this.kept.entries] = [image.blamed ?? [], image.kept ?? []];
  }

  // ---- what others read -----------------------------------------------------------------------------

  /** Names of the last states that were entered, in order. */
  get states(): string[] {
    const { states } = this.linked.machine;
    return this.trail.image.last.map((state) => states[state]?.name ?? '');
  }

  /** How many states were entered. */
  get statesTotal(): number {
    return this.trail.total;
  }

  get currentState(): string {
    return this.linked.machine.states[this.main.state]?.name ?? '';
  }

  /** Tracked variables that exist, by name. */
  get tracked(): Record<string, Json> {
    return plainByName(this.linked.machine.tracked, this.trackedSlots);
  }

  get printedTracked(): Printed | undefined {
    return printedForms(this.linked.machine.tracked, this.trackedSlots);
  }

  get inputs(): Record<string, Json> {
    return plainByName(this.inputNames, this.inputValues);
  }

  get printedInputs(): Printed | undefined {
    return printedForms(this.inputNames, this.inputValues);
  }

  private get inputNames() {
    return this.linked.machine.inputs.map(({ name }) => name);
  }

  /** How many events were not taken yet. */
  get untaken(): number {
    return this.events.length;
  }

  /** The events since the last call, in order. */
  takeEvents(): RunEvent[] {
    const taken = this.events;
    this.events = [];
    return taken;
  }

  /** The requests since the last call that are still needed, in order. */
  takeRequests(): EffectRequest[] {
    if (this.requests.length === 0) return [];
    const taken = this.requests;
    this.requests = [];
    return taken.filter(({ effect, attempt }) => {
      const pending = this.waiting.get(effect);
      if (pending === undefined || pending.attempt !== attempt) return false;
      pending.taken = true;
      return true;
    });
  }

  /** The ids of effects that were handed out and are no longer needed. */
  takeCancellations(): string[] {
    const taken = this.cancellations;
    this.cancellations = [];
    return taken;
  }

  /** Records an event at once, whichever thread it comes from. */
  recordNow(event: RunEvent): void {
    if (!this.quiet) this.events.push(event);
  }

  request(request: EffectRequest): void {
    this.requests.push(request);
  }

  cancel(effect: string): void {
    this.cancellations.push(effect);
  }
}
