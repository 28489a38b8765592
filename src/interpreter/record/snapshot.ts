/**
 * A run as JSON and back. Taken between two calls of `advance`, after events and requests were taken; a restored
 * run goes on exactly as the other would have, and asks again for everything it still waits for.
 */
import type { Json } from '../../machine/expression.js';
import { restoredBranchData } from '../control/branch-data.js';
import { queueFork, queueReturning } from '../control/semaphore.js';
import { planImage, restoreEndedPlan, restorePlan } from '../plan/start-plan.js';
import { type Fork, type Gate, type Member, type MemberStatus, newGate } from '../run-state/fork.js';
import type { LinkedMachine } from '../run-state/linked-machine.js';
import type { Pending } from '../run-state/pending.js';
import { Run } from '../run-state/run.js';
import { RunData } from '../run-state/run-data.js';
import type { RunOptions } from '../run-state/run-options.js';
import { type Slot, Thread } from '../run-state/thread.js';
import { registerOf } from '../undo/register.js';
import { decode, encode } from '../values/json.js';
import {
  type EncodedSlots,
  type ForkImage,
  type MemberImage,
  type RunImage,
  SNAPSHOT_VERSION,
  type ThreadImage,
} from './run-image.js';
import { restoreStepping, steppingImage } from './stepping-image.js';
import { restoreUndo, undoImage } from './undo-image.js';

const encodeAll = (slots: readonly Slot[]): EncodedSlots => slots.map(encode);
const decodeAll = (slots: EncodedSlots): Slot[] => slots.map(decode);

/** Orders that a walk over threads needs, looked up once. */
interface Orders {
  readonly ready: ReadonlyMap<Thread, number>;
  readonly pending: ReadonlyMap<Pending, number>;
}

function threadImage(thread: Thread, orders: Orders): ThreadImage {
  const { run, counter, output, status, handling } = thread;
  const state = run.linked.machine.states[thread.state];
  const base = run.linked.starts[thread.state] as number;
  return {
    pc: thread.pc - base,
    locals: encodeAll(thread.locals.slice(0, state?.locals.length ?? 0)),
    counter,
    output,
    status,
    handling,
    ...(thread.failures === 0 ? {} : { failures: thread.failures }),
    ...(thread.handled === null ? {} : { handled: thread.handled }),
    ...(thread.frames.length === 0 ? {} : { frames: thread.frames }),
    ...(thread.place.commit === null && thread.place.directory === null ? {} : { place: thread.place }),
    ...(thread.lost === null ? {} : { lost: thread.lost }),
    ...budgetTurn(thread),
    ready: orders.ready.get(thread) ?? null,
    returning: thread.member?.fork.gate.returning.includes(thread) === true,
    pending: thread.pending.map((pending) => {
      const { thread: _, taken: __, ...facts } = pending;
      return { ...facts, order: orders.pending.get(pending) ?? 0 };
    }),
    forks: thread.forks.map((fork) => forkImage(fork, base, orders)),
    ...(thread.plan === null ? {} : { plan: planImage(thread.plan) }),
    ...(thread.rollback === null ? {} : { rollback: thread.rollback }),
    ...(thread.unperformed ? { unperformed: true as const } : {}),
  };
}

function budgetTurn(thread: Thread): { budgetTurn?: number } {
  const turn = thread.run.waitingForBudget.indexOf(thread);
  return turn < 0 ? {} : { budgetTurn: turn };
}

function forkImage(fork: Fork, base: number, orders: Orders): ForkImage {
  const { id, quorum, next, detached } = fork;
  const { run } = fork.parent;
  return {
    id,
    pc: fork.pc - base,
    gate: fork.gate === run.jobs ? 'jobs' : fork.gate === run.agentJobs ? 'agents' : fork.gate.limit,
    quorum,
    locals: encodeAll(fork.locals),
    items: fork.items === null ? null : encodeAll(fork.items),
    next,
    detached,
    ...(fork.data === fork.parent.data.read([]) ? {} : { data: fork.data }),
    members: fork.members.map((member) => memberImage(member, orders)),
  };
}

function memberImage(member: Member, orders: Orders): MemberImage {
  const { status, events, failure, told, writes, undo, collected, holds, thread } = member;
  const active = thread !== null && status === 'active';
  return {
    status,
    events,
    failure,
    told,
    ...(writes.length === 0 ? {} : { writes }),
    ...(undo.length === 0 ? {} : { undo }),
    collected: collected === null ? null : encodeAll(collected),
    holds,
    thread: active ? threadImage(thread, orders) : null,
  };
}

/**
 * The whole state of a run as JSON, but for the states it went through: those only grow, and are kept beside it.
 * Events and requests that were made must have been taken before.
 */
export function snapshotOf(run: Run): Json {
  const { machine } = run.linked;
  const orders = {
    ready: new Map(run.ready.map((thread, at) => [thread, at] as const)),
    pending: new Map([...run.pending.values()].map((pending, at) => [pending, at] as const)),
  };
  const entries: Record<string, EncodedSlots> = {};
  run.entries.forEach((slots, index) => {
    entries[machine.states[index]?.name ?? ''] = encodeAll(slots);
  });
  const { signals, transitions, cause, result, effects, knownCost, unknownCosts, agentCalls, tokens } = run;
  const image: RunImage = {
    version: SNAPSHOT_VERSION,
    state: run.currentState,
    main: threadImage(run.main, orders),
    tracked: encodeAll(run.trackedSlots),
    inputs: encodeAll(run.inputSlots),
    entries,
    signals: signals.slice(),
    transitions,
    cause,
    result,
    effects,
    knownCost,
    ...(run.sessionAdapters.size === 0 ? {} : { sessionAdapters: [...run.sessionAdapters] }),
    unknownCosts,
    agentCalls,
    tokens: { ...tokens },
    ...(run.data.isUntouched ? {} : { data: run.data.image }),
    ...undoImage(run),
    ...(run.blamed.length === 0 ? {} : { blamed: run.blamed }),
    ...(run.plan === null || run.main.plan === run.plan ? {} : { plan: planImage(run.plan) }),
    ...(run.touched.size === 0 ? {} : { touched: [...run.touched] }),
    ...(run.steps.size === 0 && run.firstClockMs === 0 ? {} : { stepping: steppingImage(run) }),
  };
  return JSON.parse(JSON.stringify(image)) as Json;
}

/** What restoring gathers on its way down and puts in order at the end. */
interface Gathered {
  readonly budget: { readonly thread: Thread; readonly order: number }[];
  readonly ready: { readonly thread: Thread; readonly order: number }[];
  readonly pending: { readonly pending: Pending; readonly order: number }[];
}

function restoreThread(thread: Thread, image: ThreadImage, gathered: Gathered): void {
  const { run } = thread;
  const base = run.linked.starts[thread.state] as number;
  thread.pc = base + image.pc;
  thread.locals = decodeAll(image.locals);
  thread.entry = run.entries[thread.state] ?? [];
  thread.counter = image.counter;
  thread.output = image.output;
  thread.status = image.status;
  thread.handling = image.handling;
  thread.failures = image.failures ?? 0;
  thread.handled = image.handled ?? null;
  if (image.frames !== undefined) thread.frames = image.frames.map((frame) => ({ ...frame }));
  if (image.place !== undefined) thread.place = image.place;
  thread.lost = image.lost ?? null;
  if (image.budgetTurn !== undefined) gathered.budget.push({ thread, order: image.budgetTurn });
  if (image.ready !== null) gathered.ready.push({ thread, order: image.ready });
  if (image.returning && thread.member !== null) queueReturning(thread.member, thread);
  for (const { order, ...facts } of image.pending) {
    const pending: Pending = { ...facts, thread, taken: false };
    thread.pending.push(pending);
    gathered.pending.push({ pending, order });
  }
  for (const fork of image.forks) restoreFork(thread, fork, base, gathered);
  thread.rollback = image.rollback ?? null;
  thread.unperformed = image.unperformed === true;
  const undo = image.rollback === undefined ? undefined : registerOf(thread).at(-1)?.by;
  const instruction = undo ?? run.linked.machine.states[thread.state]?.code[image.pc];
  if (image.plan !== undefined && instruction?.op === 'plan') {
    const launched = image.pending.flatMap(({ call, kind }) => (kind === 'approval' || !call ? [] : [call.key]));
    restorePlan(thread, instruction, image.plan, launched);
  }
}

function gateOf(run: Run, gate: ForkImage['gate']): Gate {
  if (typeof gate === 'number') return newGate(gate);
  return gate === 'jobs' ? run.jobs : run.agentJobs;
}

function restoreFork(parent: Thread, image: ForkImage, base: number, gathered: Gathered): void {
  const statuses = image.members.map(({ status }) => status);
  const count = (status: MemberStatus): number => statuses.filter((one) => one === status).length;
  const fork: Fork = {
    id: image.id,
    parent,
    pc: base + image.pc,
    gate: gateOf(parent.run, image.gate),
    quorum: image.quorum,
    members: [],
    locals: decodeAll(image.locals),
    data: image.data ?? (parent.data.read([]) as Json),
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
      told,
      writes: [...(facts.writes ?? [])],
      undo: [...(facts.undo ?? [])],
      collected,
      holds,
    };
    fork.members.push(member);
    if (holds) fork.gate.active++;
    if (facts.thread === null) return;
    const thread = new Thread(parent.run, `${fork.id}.${index + 1}`, member);
    thread.state = parent.state;
    thread.branchData = restoredBranchData(member);
    member.thread = thread;
    restoreThread(thread, facts.thread, gathered);
  });
}

/**
 * The run of a snapshot, asking again for what it waits for. `trail`: the bytes of the states it went through. Throws when
 * the snapshot is of another version.
 */
export function restoreRun(
  linked: LinkedMachine,
  snapshot: Json,
  options: RunOptions,
  trail: Uint8Array | null = null,
): Run {
  const image = snapshot as unknown as RunImage;
  if (image.version !== SNAPSHOT_VERSION) throw new Error(`a snapshot of version ${image.version} cannot be read`);
  const run = new Run(linked, options);
  const { states } = linked.machine;
  const index = new Map(states.map((state, at) => [state.name, at] as const));
  run.inputSlots = decodeAll(image.inputs);
  image.tracked.forEach((text, slot) => {
    run.trackedSlots[slot] = decode(text);
  });
  for (const [name, slots] of Object.entries(image.entries)) {
    const at = index.get(name);
    if (at !== undefined) run.entries[at] = decodeAll(slots);
  }
  if (trail !== null) run.trail.load(trail);
  run.signals.push(...image.signals);
  const { transitions, cause, result, effects, knownCost, unknownCosts, agentCalls, tokens } = image;
  Object.assign(run, { transitions, cause, result, effects, knownCost, unknownCosts, agentCalls });
  for (const [session, adapter] of image.sessionAdapters ?? []) run.sessionAdapters.set(session, adapter);
  Object.assign(run.tokens, tokens);
  if (image.data !== undefined) run.data = new RunData(image.data);
  restoreUndo(run, image);
  run.blamed = image.blamed ?? [];
  for (const task of image.touched ?? []) run.touched.add(task);
  if (image.stepping !== undefined) restoreStepping(run, image.stepping);
  const gathered: Gathered = { ready: [], pending: [], budget: [] };
  run.main.state = index.get(image.state) ?? linked.machine.initial;
  restoreThread(run.main, image.main, gathered);
  if (image.plan !== undefined) restoreEndedPlan(run, image.plan);
  gathered.ready.sort((a, b) => a.order - b.order);
  run.ready.push(...gathered.ready.map(({ thread }) => thread));
  gathered.budget.sort((a, b) => a.order - b.order);
  run.waitingForBudget.push(...gathered.budget.map(({ thread }) => thread));
  gathered.pending.sort((a, b) => a.order - b.order);
  for (const { pending } of gathered.pending) run.pending.set(pending.effect, pending);
  for (const { pending } of gathered.pending) linked.suspenders[pending.thread.pc]?.reissue(pending.thread, pending);
  return run;
}
