/** What a snapshot of a run holds. All of it is plain JSON; a field that a version added is absent in older snapshots. */
import type { Json } from '../../machine/expression.js';
import type {
  EffectKind,
  FailureCause,
  FailureFacts,
  Output,
  RunEvent,
  TokenCounts,
  Waiting,
} from '../events/event.js';
import type { RolledBack } from '../events/undo-facts.js';
import type { PlanImage } from '../plan/engine/plan-entry.js';
import type { SessionOrigin } from '../request.js';
import type { MemberStatus } from '../run-state/fork.js';
import type { Frame, ThreadWorktree } from '../run-state/frame.js';
import type { Pending } from '../run-state/pending.js';
import type { DataImage, DataWrite } from '../run-state/run-data.js';
import type { RunResult } from '../run-state/run-options.js';
import type { StepRecordsImage } from '../run-state/step-records.js';
import type { Thread } from '../run-state/thread.js';
import type { TrailImage } from '../run-state/trail.js';
import type { UndoEntry } from '../run-state/undo-entry.js';
import type { UndoImage } from '../run-state/undo-register.js';
import type { Tokens } from '../run-state/usage.js';

export const SNAPSHOT_VERSION = 1;

export type EncodedSlots = readonly (string | null)[];

interface PendingImage {
  readonly effect: string;
  readonly kind: EffectKind;
  readonly attempt: number;
  readonly purpose: Pending['purpose'];
  readonly until: number | null;
  readonly waiting: Waiting | null;
  readonly waits?: number;
  readonly putsOff?: Pending['putsOff'];
  readonly retries?: Pending['retries'];
  readonly call?: Pending['call'];
  /** Registered so many-th: the order in which signals and questions are found. */
  readonly order: number;
}

export interface MemberImage {
  readonly status: MemberStatus;
  readonly events: readonly RunEvent[];
  readonly failure: FailureFacts | null;
  readonly told: boolean;
  /** What it wrote; left out when that is nothing. */
  readonly writes?: readonly DataWrite[];
  /** Left out when there is nothing to take back. */
  readonly undo?: readonly UndoEntry[];
  readonly collected: EncodedSlots | null;
  readonly holds: boolean;
  readonly thread: ThreadImage | null;
}

export interface ForkImage {
  readonly id: string;
  /** Position inside the state. */
  readonly pc: number;
  /** Shared places, or the `max` of this fork alone. */
  readonly gate: 'jobs' | 'agents' | number;
  readonly quorum: number | null;
  readonly locals: EncodedSlots;
  readonly items: EncodedSlots | null;
  readonly next: number;
  readonly detached: boolean;
  /** The data of the run at the fork, where the parent has written since. */
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
  /** Where it works, where that is not where the run does. */
  readonly place?: ThreadWorktree;
  /** Names of members that did not end well; absent: none. */
  readonly lost?: NonNullable<Thread['lost']>;
  /** Its turn among those that wait for a free budget. */
  readonly budgetTurn?: number;
  /** Place in the queue of threads that can run, or null. */
  readonly ready: number | null;
  /** It wants its place among the active members back. */
  readonly returning: boolean;
  readonly pending: readonly PendingImage[];
  readonly forks: readonly ForkImage[];
  /** The plan that its instruction runs. */
  readonly plan?: PlanImage;
  /** The ROLLBACK under way. */
  readonly rollback?: RolledBack;
  readonly unperformed?: true;
}

export interface RunImage extends UndoImage {
  readonly version: typeof SNAPSHOT_VERSION;
  readonly state: string;
  readonly main: ThreadImage;
  readonly tracked: EncodedSlots;
  readonly inputs: EncodedSlots;
  readonly entries: Readonly<Record<string, EncodedSlots>>;
  readonly signals: readonly { readonly name: string; readonly payload: Json }[];
  readonly transitions: number;
  /** The states it went through; absent in snapshots of earlier versions. */
  readonly trail?: TrailImage;
  readonly cause: FailureFacts | null;
  readonly result: RunResult | null;
  readonly effects: number;
  readonly knownCost: number;
  readonly unknownCosts: number;
  readonly agentCalls: number;
  readonly tokens: Tokens;
  readonly sessionAdapters?: readonly [string, string][];
  readonly sessionOrigins?: readonly [string, SessionOrigin][];
  readonly sessionTokens?: readonly [string, TokenCounts][];
  /** Left out while nothing was written. */
  readonly data?: DataImage;
  readonly blamed?: readonly string[];
  /** The plan that the run was, where no thread runs it any more. */
  readonly plan?: PlanImage;
  /** Worktrees that hold what no commit has; absent: none. */
  readonly touched?: readonly (string | null)[];
  /** What steps wrote and how they stand; absent: there were none. */
  readonly stepping?: StepRecordsImage & { readonly reserved: number };
}
