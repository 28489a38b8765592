/** The image of a run: the content of a snapshot, as plain JSON. */
import type { Json } from '../../machine/expression.js';
import type { RUN_FORMAT } from '../../machine/machine.js';
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

/** Values by slot; null: the slot is empty. */
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
