/**
 * The image of a run as JSON, and names of an edited program: which it reads from a position on without binding them
 * before, as only such names must have a value when a run is moved there, and in which slots.
 */
import type { Json, SlotRef } from '../../machine/expression.js';
import type { Instruction, Machine, RUN_FORMAT, State } from '../../machine/machine.js';
import type {
  EffectKind,
  FailureCause,
  FailureFacts,
  KeptOutcomes,
  Output,
  RunEvent,
  TokenCounts,
  Waiting,
} from '../events/event.js';
import type { RolledBack } from '../events/facts.js';
import type { PlanImage } from '../plan/engine/plan-entry.js';
import type { SessionOrigin } from '../request.js';
import type { MemberStatus } from '../run-state/fork-state.js';
import type { Frame, Restarts, ThreadWorktree } from '../run-state/frame.js';
import type { Pending } from '../run-state/pending.js';
import type { DataImage, DataWrite } from '../run-state/run-data.js';
import type { RunResult } from '../run-state/run-result.js';
import type { RunTokens } from '../run-state/run-usage.js';
import type { StepRecordsImage } from '../run-state/step-records.js';
import type { Thread } from '../run-state/thread.js';
import type { TrailImage } from '../run-state/trail.js';
import type { UndoEntry, UndoImage } from '../run-state/undo-register.js';
import { type Alignment, targets } from './alignment.js';

type SlotKey = Pick<SlotRef, 'in' | 'slot'>;

/** The line that reads a slot first on some way from here; null: it is bound before, or never read. */
export function lineThatReads(
  machine: Machine,
  at: { readonly state: number; readonly pc: number },
  slot: SlotKey,
): number | null {
  const seen = new Set<string>();
  const ahead = [at];
  for (let one = ahead.shift(); one !== undefined; one = ahead.shift()) {
    const key = `${one.state} ${one.pc}`;
    const instruction = machine.states[one.state]?.code[one.pc];
    if (seen.has(key) || instruction === undefined) continue;
    seen.add(key);
    if (reads(instruction, slot)) return instruction.origin.line;
    if (!binds(instruction, slot)) ahead.push(...successorsOf(machine, instruction, one, slot));
  }
  return null;
}

function successorsOf(
  machine: Machine,
  instruction: Instruction,
  { state, pc }: { readonly state: number; readonly pc: number },
  slot: SlotKey,
): { readonly state: number; readonly pc: number }[] {
  const isLeft = slot.in === 'tracked';
  switch (instruction.op) {
    case 'jump':
      return [{ state, pc: instruction.to }];
    case 'goto':
      return isLeft ? [{ state: instruction.state, pc: 0 }] : [];
    case 'goto-dynamic':
      return isLeft ? machine.states.map((_, index) => ({ state: index, pc: 0 })) : [];
    case 'return':
    case 'fail':
    case 'fell-off':
    case 'branch-end':
      return [];
    case 'fork':
      return [instruction.join, ...instruction.branches.map((branch) => branch.pc)].map((to) => ({ state, pc: to }));
    case 'fork-each':
      return [instruction.join, instruction.body].map((to) => ({ state, pc: to }));
    default:
      return [pc + 1, ...targets(instruction)].map((to) => ({ state, pc: to }));
  }
}

function reads(value: unknown, slot: SlotKey): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { op, places, to } = value as { op?: string; places?: readonly SlotRef[]; to?: SlotKey };
  if (op === 'read') return (places ?? []).length > 0 && isSlot(places?.[0], slot);
  if (op === 'increment' && isSlot(to, slot)) return true;
  if (op === 'next' && slot.in === 'local' && (value as { items?: number }).items === slot.slot) return true;
  if ((op === 'rollback' || op === 'keep') && slot.in === 'local' && (value as { mark?: number }).mark === slot.slot)
    return true;
  return Object.values(value).some((one) => reads(one, slot));
}

function isSlot(one: SlotKey | undefined, { in: where, slot }: SlotKey): boolean {
  return one !== undefined && one.in === where && one.slot === slot;
}

function binds(instruction: Instruction, slot: SlotKey): boolean {
  if (instruction.op === 'set') return isSlot(instruction.to, slot);
  if (instruction.op === 'track') return slot.in === 'tracked' && instruction.slot === slot.slot;
  if (slot.in !== 'local') return false;
  if (instruction.op === 'each') return instruction.items === slot.slot;
  const { bind, variable, slot: own } = instruction as unknown as Record<string, unknown>;
  const bound = typeof bind === 'object' && bind !== null ? (bind as { slot: number }).slot : bind;
  if (instruction.op === 'next' && instruction.mark === slot.slot) return true;
  return bound === slot.slot || variable === slot.slot || (instruction.op === 'sample' && own === slot.slot);
}

/** Values under the same names. */
export function byName(values: EncodedSlots, old: readonly string[], fresh: readonly string[]): EncodedSlots {
  const rebased = new Array<string | null>(fresh.length).fill(null);
  values.forEach((value, slot) => {
    const at = fresh.indexOf(old[slot] ?? '');
    if (value !== null && at >= 0) rebased[at] = value;
  });
  return rebased;
}

/** Local slots of the old state in the edited one: by name, and those without one by the instructions that use them. */
export function localsMap(alignment: Alignment, old: State, fresh: State): ReadonlyMap<number, number> {
  const map = new Map<number, number>();
  old.locals.forEach((name, slot) => {
    const at = name.startsWith('$') ? -1 : fresh.locals.indexOf(name);
    if (at >= 0) map.set(slot, at);
  });
  for (const [from, to] of alignment.similarPairs())
    pairSlots(old.code[from], fresh.code[to], (a, b) => {
      if (old.locals[a]?.startsWith('$') && fresh.locals[b]?.startsWith('$') && !map.has(a)) map.set(a, b);
    });
  return map;
}

const SLOTS: ReadonlySet<string> = new Set(
  ['slot', 'items', 'index', 'variable', 'deadline', 'timedOut', 'bind', 'exitSlot', 'handling', 'failures'].concat([
    'turns',
    'chance',
    'keep',
  ]),
);

function pairSlots(old: unknown, fresh: unknown, pair: (old: number, fresh: number) => void): void {
  if (typeof old !== 'object' || typeof fresh !== 'object' || old === null || fresh === null) return;
  const [a, b] = [old as Record<string, unknown>, fresh as Record<string, unknown>];
  if (typeof a.in === 'string' && a.in !== 'local') return;
  for (const [name, value] of Object.entries(a)) {
    const other = b[name];
    if (typeof value !== 'number') pairSlots(value, other, pair);
    else if (SLOTS.has(name) && typeof other === 'number') pair(value, other);
  }
}

/** Local slots that a member hands over. */
export function collectedBy(instruction: Instruction | undefined, index: number): readonly number[] {
  if (instruction?.op === 'fork-each') return instruction.collect;
  return instruction?.op === 'fork' ? (instruction.branches[index]?.collect ?? []) : [];
}

/** The content of a snapshot of a run, as plain JSON. */
export type EncodedSlots = readonly (string | null)[];

export interface PendingImage {
  readonly effect: string;
  readonly kind: EffectKind;
  readonly attempt: number;
  readonly purpose: Pending['purpose'];
  readonly until: number | null;
  readonly waiting: Waiting | null;
  readonly waits?: number;
  readonly putsOff?: Pending['putsOff'];
  readonly continues?: Pending['continues'];
  readonly retries?: Pending['retries'];
  readonly call?: Pending['call'];
  /** The number of its registration, which orders signals and questions. */
  readonly order: number;
}

export interface MemberImage {
  readonly status: MemberStatus;
  readonly events: readonly RunEvent[];
  readonly failure: FailureFacts | null;
  readonly told: boolean;
  /** What it wrote; absent: nothing. */
  readonly writes?: readonly DataWrite[];
  /** Absent: nothing to undo. */
  readonly undo?: readonly UndoEntry[];
  readonly collected: EncodedSlots | null;
  readonly holds: boolean;
  readonly thread: ThreadImage | null;
}

export interface ForkImage {
  readonly id: string;
  /** The position inside the state. */
  readonly pc: number;
  /** Whether its permits are shared, or the `max` of this fork alone. */
  readonly gate: 'jobs' | 'agents' | number;
  readonly quorum: number | null;
  readonly locals: EncodedSlots;
  readonly items: EncodedSlots | null;
  readonly next: number;
  readonly detached: boolean;
  /** The data of the run at the fork, if the parent has written since. */
  readonly data?: Json;
  readonly members: readonly MemberImage[];
}

export interface ThreadImage {
  readonly pc: number;
  readonly locals: EncodedSlots;
  readonly counter: number;
  readonly output: Output | null;
  readonly status: Thread['status'];
  readonly handling: boolean;
  /** Absent: it never failed. */
  readonly failures?: number;
  readonly handled?: readonly FailureCause[];
  /** Steps and scopes that are open; absent: none. */
  readonly frames?: readonly Frame[];
  /** Absent: nothing. */
  readonly restarts?: Restarts;
  /** Its working directory, if that is not the run's. */
  readonly place?: ThreadWorktree;
  /** Names of members that failed or were stopped; absent: none. */
  readonly lost?: NonNullable<Thread['lost']>;
  /** Its position among the threads that wait for budget. */
  readonly budgetTurn?: number;
  /** Its position in the queue of threads that can run, or null. */
  readonly ready: number | null;
  /** Whether it needs its permit again. */
  readonly returning: boolean;
  readonly pending: readonly PendingImage[];
  readonly forks: readonly ForkImage[];
  /** The plan that its instruction executes. */
  readonly plan?: PlanImage;
  /** The active ROLLBACK. */
  readonly rollback?: RolledBack;
  readonly unperformed?: true;
  /** A call that waits for budget before its next attempt. */
  readonly retrying?: NonNullable<Thread['retrying']>;
}

export interface RunImage extends UndoImage {
  readonly version: typeof RUN_FORMAT;
  readonly state: string;
  readonly main: ThreadImage;
  readonly tracked: EncodedSlots;
  readonly inputs: EncodedSlots;
  readonly entries: Readonly<Record<string, EncodedSlots>>;
  readonly signals: readonly { readonly name: string; readonly payload: Json }[];
  readonly transitions: number;
  /** The states that it entered. */
  readonly trail: TrailImage;
  readonly cause: FailureFacts | null;
  readonly result: RunResult | null;
  readonly effects: number;
  readonly knownCost: number;
  readonly unknownCosts: number;
  readonly agentCalls: number;
  readonly tokens: RunTokens;
  readonly sessionAdapters?: readonly [string, string][];
  readonly sessionOrigins?: readonly [string, SessionOrigin][];
  readonly sessionTokens?: readonly [string, TokenCounts][];
  /** What instructions of an edited program take over; absent: nothing. */
  readonly kept?: readonly KeptOutcomes[];
  /** Absent: nothing was written. */
  readonly data?: DataImage;
  readonly blamed?: readonly string[];
  /** How often each name was waited for; absent: nothing was. */
  readonly waitNumbers?: readonly (readonly [string, number])[];
  /** The plan that the run was, if no thread executes it any more. */
  readonly plan?: PlanImage;
  /** Worktrees with changes that are in no commit; absent: none. */
  readonly touched?: readonly (string | null)[];
  /** Keys and status of steps; absent: there were none. */
  readonly stepping?: StepRecordsImage & { readonly reserved: number };
}
