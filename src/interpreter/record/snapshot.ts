/**
 * Converts a run to JSON and back. A snapshot is made between two calls of `advance`, after events and requests were taken.
 * A restored run continues exactly as the original would, and repeats the requests that it still waits for.
 */
import type { Json } from '../../machine/expression.js';
import { type Machine, RUN_FORMAT } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { restoredBranchData } from '../control/branch-data.js';
import { queueFork, queueReturning } from '../control/semaphore.js';
import { linkKeeping } from '../instructions/link.js';
import { planImage, restoreEndedPlan, restorePlan } from '../plan/start-plan.js';
import { type Fork, type Member, type MemberStatus, newSemaphore, type Semaphore } from '../run-state/fork-state.js';
import type { LinkedMachine } from '../run-state/linked-machine.js';
import type { Pending } from '../run-state/pending.js';
import { Run } from '../run-state/run-memory.js';
import type { InterpreterOptions } from '../run-state/run-result.js';
import { type Slot, Thread } from '../run-state/thread.js';
import { UndoRegister } from '../run-state/undo-register.js';
import { registerOf } from '../undo/register.js';
import { decode, encode, packValue, unpackValue } from '../values/json.js';
import type { EncodedSlots, ForkImage, MemberImage, PendingImage, RunImage, ThreadImage } from './run-image.js';

const encodeAll = (slots: readonly Slot[]): EncodedSlots => slots.map(encode);
const decodeAll = (slots: EncodedSlots): Slot[] => slots.map(decode);

/** Orders that a walk over threads needs, computed once. */
interface Orders {
  readonly ready: ReadonlyMap<Thread, number>;
  readonly pending: ReadonlyMap<Pending, number>;
}

function threadImage(thread: Thread, orders: Orders): ThreadImage {
  const { run, counter, output, status, handling } = thread;
  const state = run.linked.machine.states[thread.state];
  const base = run.linked.starts[thread.state] as number;
  return omitUndefined({
    pc: thread.pc - base,
    locals: encodeAll(thread.locals.slice(0, state?.locals.length ?? 0)),
    counter,
    output,
    status,
    handling,
    failures: thread.failures === 0 ? undefined : thread.failures,
    handled: thread.handled ?? undefined,
    frames: thread.frames.length === 0 ? undefined : thread.frames,
    restarts: thread.restarts ?? undefined,
    place: thread.worktree.commit === null && thread.worktree.directory === null ? undefined : thread.worktree,
    lost: thread.lost ?? undefined,
    budgetTurn: budgetTurn(thread),
    ready: orders.ready.get(thread) ?? null,
    returning: thread.member?.fork.semaphore.returning.includes(thread) === true,
    pending: thread.pending.map((pending) => pendingImage(pending, orders)),
    forks: thread.forks.map((fork) => forkImage(fork, base, orders)),
    plan: thread.plan === null ? undefined : planImage(thread.plan),
    rollback: thread.rollback ?? undefined,
    retrying: thread.retrying ?? undefined,
    unperformed: thread.unperformed ? true : undefined,
  });
}

/** The members in their order, which is that of the request. */
function pendingImage(pending: Pending, orders: Orders): PendingImage {
  const image: Record<string, unknown> = {};
  for (const name in pending) if (name !== 'thread' && name !== 'taken') image[name] = pending[name as keyof Pending];
  image.order = orders.pending.get(pending) ?? 0;
  return image as unknown as PendingImage;
}

function restoredPending(image: PendingImage, thread: Thread): Pending {
  const pending: Record<string, unknown> = {};
  for (const name in image) if (name !== 'order') pending[name] = image[name as keyof PendingImage];
  pending.thread = thread;
  pending.taken = false;
  return pending as unknown as Pending;
}

function budgetTurn(thread: Thread): number | undefined {
  const turn = thread.run.waitingForBudget.indexOf(thread);
  return turn < 0 ? undefined : turn;
}

function forkImage(fork: Fork, base: number, orders: Orders): ForkImage {
  const { id, quorum, next, detached } = fork;
  const { run } = fork.parent;
  return omitUndefined({
    id,
    pc: fork.pc - base,
    gate: fork.semaphore === run.jobs ? 'jobs' : fork.semaphore === run.agentJobs ? 'agents' : fork.semaphore.limit,
    quorum,
    locals: encodeAll(fork.locals),
    items: fork.items === null ? null : encodeAll(fork.items),
    next,
    detached,
    data: fork.data === fork.parent.data.read([]) ? undefined : packValue(fork.data),
    members: fork.members.map((member) => memberImage(member, orders)),
  });
}

function memberImage(member: Member, orders: Orders): MemberImage {
  const { status, events, failure, isReported: told, writes, undo, collected, holds, thread } = member;
  const active = thread !== null && status === 'active';
  return omitUndefined({
    status,
    events,
    failure,
    told,
    writes: writes.length === 0 ? undefined : writes.map((write) => ({ ...write, value: packValue(write.value) })),
    undo: undo.entries.length === 0 ? undefined : undo.entries,
    collected: collected === null ? null : encodeAll(collected),
    holds,
    thread: active ? threadImage(thread, orders) : null,
  });
}

/**
 * The whole state of a run as JSON. Its events and requests must have been taken before.
 */
export function snapshotOf(run: Run): Json {
  return JSON.parse(JSON.stringify(imageOf(run))) as Json;
}

/** The same, with parts that belong to the run: it holds only until the run continues. */
export function imageOf(run: Run): RunImage {
  const { machine } = run.linked;
  const orders = {
    ready: new Map(run.ready.map((thread, at) => [thread, at] as const)),
    pending: new Map([...run.pending.values()].map((pending, at) => [pending, at] as const)),
  };
  const entries: Record<string, EncodedSlots> = {};
  run.entries.forEach((slots, index) => {
    entries[machine.states[index]?.name ?? ''] = encodeAll(slots);
  });
  const { signals, transitions, cause, result, usage, steps, blamed } = run;
  const { effects, knownCost, unknownCosts, agentCalls, tokens } = usage;
  return omitUndefined({
    version: RUN_FORMAT,
    state: run.currentState,
    main: threadImage(run.main, orders),
    tracked: encodeAll(run.trackedSlots),
    inputs: encodeAll(run.inputSlots),
    entries,
    signals: signals.map(({ name, payload }) => ({ name, payload: packValue(payload) })),
    transitions,
    trail: run.trailImage,
    cause,
    result,
    effects,
    knownCost,
    sessionAdapters: steps.sessionAdapters.size === 0 ? undefined : [...steps.sessionAdapters],
    sessionOrigins: steps.sessionOrigins.size === 0 ? undefined : [...steps.sessionOrigins],
    sessionTokens: steps.sessionTokens.size === 0 ? undefined : [...steps.sessionTokens],
    kept: run.kept.entries.length === 0 ? undefined : run.kept.entries,
    unknownCosts,
    agentCalls,
    tokens,
    data: run.data.isUntouched ? undefined : run.data.image,
    ...run.undo.image,
    blamed: blamed.length === 0 ? undefined : blamed,
    waitNumbers: run.waitNumbers.size === 0 ? undefined : [...run.waitNumbers],
    plan: run.plan === null || run.main.plan === run.plan ? undefined : planImage(run.plan),
    touched: steps.touched.size === 0 ? undefined : [...steps.touched],
    stepping: steps.isEmpty && usage.reserved === 0 ? undefined : { ...steps.image, reserved: usage.reserved },
  });
}

/** What restoring collects and puts in order at the end. */
interface RestoredOrder {
  readonly budget: { readonly thread: Thread; readonly order: number }[];
  readonly ready: { readonly thread: Thread; readonly order: number }[];
  readonly pending: { readonly pending: Pending; readonly order: number }[];
}

function restoreThread(thread: Thread, image: ThreadImage, gathered: RestoredOrder): void {
  const { run } = thread;
  const base = run.linked.starts[thread.state] as number;
  thread.pc = base + image.pc;
  thread.locals = decodeAll(image.locals);
  thread.entry = run.entryOf(thread.state);
  thread.counter = image.counter;
  thread.output = image.output;
  thread.status = image.status;
  thread.handling = image.handling;
  thread.failures = image.failures ?? 0;
  thread.handled = image.handled ?? null;
  if (image.frames !== undefined) thread.frames = image.frames.map((frame) => ({ ...frame }));
  thread.restarts = image.restarts ?? null;
  if (image.place !== undefined) thread.worktree = image.place;
  thread.lost = image.lost ?? null;
  if (image.budgetTurn !== undefined) gathered.budget.push({ thread, order: image.budgetTurn });
  if (image.ready !== null) gathered.ready.push({ thread, order: image.ready });
  if (image.returning && thread.member !== null) queueReturning(thread.member, thread);
  for (const one of image.pending) {
    const pending = restoredPending(one, thread);
    thread.pending.push(pending);
    gathered.pending.push({ pending, order: one.order });
  }
  for (const fork of image.forks) restoreFork(thread, fork, base, gathered);
  thread.rollback = image.rollback ?? null;
  thread.retrying = image.retrying ?? null;
  thread.unperformed = image.unperformed === true;
  const undo = image.rollback === undefined ? undefined : registerOf(thread).newest?.by;
  const instruction = undo ?? run.linked.machine.states[thread.state]?.code[image.pc];
  if (image.plan !== undefined && instruction?.op === 'plan') {
    const launched = image.pending.flatMap(({ call, kind }) => (kind === 'approval' || !call ? [] : [call.key]));
    restorePlan(thread, instruction, image.plan, launched);
  }
}

function gateOf(run: Run, gate: ForkImage['gate']): Semaphore {
  if (typeof gate === 'number') return newSemaphore(gate);
  return gate === 'jobs' ? run.jobs : run.agentJobs;
}

function restoreFork(parent: Thread, image: ForkImage, base: number, gathered: RestoredOrder): void {
  const statuses = image.members.map(({ status }) => status);
  const count = (status: MemberStatus): number => statuses.filter((one) => one === status).length;
  const fork: Fork = {
    id: image.id,
    parent,
    pc: base + image.pc,
    semaphore: gateOf(parent.run, image.gate),
    quorum: image.quorum,
    members: [],
    locals: decodeAll(image.locals),
    data: image.data === undefined ? (parent.data.read([]) as Json) : unpackValue(image.data),
    items: image.items === null ? null : (decodeAll(image.items) as Fork['items']),
    next: image.next,
    open: count('waiting') + count('active'),
    succeeded: count('succeeded'),
    failed: count('failed'),
    detached: image.detached,
  };
  parent.forks.push(fork);
  if (fork.next < image.members.length) queueFork(fork);
  image.members.forEach((facts, index) => {
    const { status, failure, told, holds } = facts;
    const collected = facts.collected === null ? null : decodeAll(facts.collected);
    const member: Member = {
      fork,
      index,
      status,
      thread: null,
      events: [...facts.events],
      failure,
      isReported: told,
      writes: (facts.writes ?? []).map((write) => ({ ...write, value: unpackValue(write.value) })),
      undo: new UndoRegister(),
      collected,
      holds,
    };
    member.undo.push(...(facts.undo ?? []));
    fork.members.push(member);
    if (holds) fork.semaphore.active++;
    if (facts.thread === null) return;
    const thread = new Thread(parent.run, `${fork.id}.${index + 1}`, member);
    thread.state = parent.state;
    thread.branchData = restoredBranchData(member);
    member.thread = thread;
    restoreThread(thread, facts.thread, gathered);
  });
}

const indexes = new WeakMap<Machine, ReadonlyMap<string, number>>();

/** The states of a machine by name. A program that is explored is restored thousands of times. */
function stateIndexOf(machine: Machine): ReadonlyMap<string, number> {
  let index = indexes.get(machine);
  if (index === undefined) {
    index = new Map(machine.states.map(({ name }, at) => [name, at] as const));
    indexes.set(machine, index);
  }
  return index;
}

/** The run of a snapshot of this format, with the requests that it waits for. */
export function restoreRun(machine: LinkedMachine, snapshot: Json, options: InterpreterOptions): Run {
  const image = snapshot as unknown as RunImage;
  const linked = image.kept === undefined || image.kept.length === 0 ? machine : linkKeeping(machine, image.kept);
  const run = new Run(linked, options);
  const index = stateIndexOf(linked.machine);
  const entries = new Map<number, Slot[]>();
  for (const name in image.entries) {
    const at = index.get(name);
    if (at !== undefined) entries.set(at, decodeAll(image.entries[name] as EncodedSlots));
  }
  run.restore(image, { inputs: decodeAll(image.inputs), tracked: decodeAll(image.tracked), entries });
  run.usage.restore(image, image.stepping?.reserved ?? 0);
  run.undo.restore(image);
  for (const [session, adapter] of image.sessionAdapters ?? []) run.steps.setSessionAdapter(session, adapter);
  for (const [session, origin] of image.sessionOrigins ?? []) run.steps.setSessionOrigin(session, origin);
  for (const [session, tokens] of image.sessionTokens ?? []) run.steps.setSessionTokens(session, tokens);
  for (const task of image.touched ?? []) run.steps.touch(task);
  if (image.stepping !== undefined) run.steps.restore(image.stepping);
  const gathered: RestoredOrder = { ready: [], pending: [], budget: [] };
  run.main.state = index.get(image.state) ?? linked.machine.initial;
  restoreThread(run.main, image.main, gathered);
  if (image.plan !== undefined) restoreEndedPlan(run, image.plan);
  gathered.ready.sort((a, b) => a.order - b.order);
  for (const { thread } of gathered.ready) run.enqueue(thread);
  gathered.budget.sort((a, b) => a.order - b.order);
  for (const { thread } of gathered.budget) run.waitForBudget(thread);
  gathered.pending.sort((a, b) => a.order - b.order);
  for (const { pending } of gathered.pending) run.addPending(pending);
  for (const { pending } of gathered.pending) linked.suspenders[pending.thread.pc]?.reissue(pending.thread, pending);
  return run;
}
