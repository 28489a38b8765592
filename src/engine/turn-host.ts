/** The process that executes turns: what a turn gets from it, besides the context of its handler. */
import type { LinkedMachine, RunOptions } from '../interpreter/run.js';
import type { PerformedRequest } from '../runtime/effect-context.js';
import type { LazySignal } from '../runtime/lazy-signal.js';
import type { Redactor, Secret } from '../runtime/redact.js';
import type { InDoubt } from '../runtime/run/in-doubt.js';
import type { Performed, Submission } from './messages.js';
import type { AttemptOf, TurnPresence } from './presence.js';
import type { Placement } from './routes.js';
import type { ServiceNames } from './services.js';
import type { SharedArtifacts } from './shared-artifacts.js';
import type { StartedEffects } from './started-effects.js';
import type { TurnOrigins } from './turn-origins.js';
import type { TurnWorktrees, WantedWorktree } from './turn-worktree.js';
import type { Reach } from './whereabouts.js';

/** A program with the options of one run of it. The same whenever it is read, because a submission never changes. */
export interface Program {
  readonly linked: LinkedMachine;
  readonly options: RunOptions;
  readonly inDoubt: InDoubt;
  readonly placement: Placement;
  /** What must not be recorded. */
  readonly secrets: readonly Secret[];
  /** Replaces the secrets; null: there are none. */
  readonly redactor: Redactor | null;
  /** Only workers with this name execute the run; null: any worker does. */
  readonly home: string | null;
  /** Null: the run works in the directory of its worker. */
  readonly worktree: WantedWorktree | null;
  /** Only single effects of the run are performed here, because of a label. */
  readonly isRouted?: true;
  /** Set by a turn that ends a run which its worker must not execute. */
  readonly refused?: Refusal;
}

/** Why a worker does not execute a run. */
export interface Refusal {
  readonly reason: string;
  /** No other worker executes it either. */
  readonly isFinal: boolean;
  /** It is only about functions: the worker may perform what is none. */
  readonly isOfFunctions: boolean;
  /** Set if the worker cannot read the run, so that it cannot even end it: whose workers execute the run; null: any. */
  readonly unreadableOf?: string | null;
}

/** A worker that only has what it was given at its start: `--label` or `--home`. */
export interface WantedWorker {
  readonly kind: 'label' | 'home';
  readonly name: string;
}

/** What must be there before the process executes something of a run. */
export interface ProgramNeeds {
  /** The run must be by somebody whose programs the process executes. */
  readonly submitter: boolean;
  /** The process must have the functions of the program. */
  readonly functions: boolean;
  /** The process must have the secret inputs. */
  readonly secrets: boolean;
}

export const EXECUTE: ProgramNeeds = { submitter: true, functions: true, secrets: true };
/** Ends a run that has not begun. */
export const END_ONLY: ProgramNeeds = { submitter: false, functions: false, secrets: false };

/** What this process does not execute, another one may. `isFinal`: no other one may. */
export class ProgramRefused extends Error {
  constructor(
    message: string,
    readonly isFinal: boolean,
    readonly isOfFunctions = false,
    readonly unreadableOf?: string | null,
  ) {
    super(message);
  }
}

/** A turn that this process does not execute. */
export interface RefusedTurn {
  readonly runId: string;
  readonly turn: number;
  readonly invocation: string;
}

/** What ends an effect early. */
export interface EffectBounds {
  /** Aborted when the effect must end. */
  readonly stopping: LazySignal;
  /** How many bytes it may print before the run exceeds its limit. */
  readonly outputLimit: number;
  /** Called when the effects of the run in this process have printed more. Stops this one. */
  readonly onExceeded: () => void;
}

/** The process that executes turns. */
export interface TurnHost {
  readonly services: ServiceNames;
  readonly started: StartedEffects;
  /** Whose programs the process executes; null: those of everybody. */
  readonly submitters: readonly string[] | null;
  /** The variables of the process, from which secret inputs come. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** SHA-256 of the module with functions; null: there is none. */
  readonly functions: string | null;
  /** A run was submitted here, and its first turn probably comes here, too; absent: the process asks the engine. */
  readonly remember?: (submission: Submission) => void;
  /** Rejects with a `ProgramRefused` if what it needs is not there. */
  program(runId: string, needs?: ProgramNeeds): Promise<Program>;
  perform(runId: string, program: Program, request: PerformedRequest, context: EffectBounds): Promise<Performed>;
  /** Whether there is such a worker, or came one before `until`. Resolves at once with false if stopped. */
  hasWorker(wanted: WantedWorker, until: number, stop: AbortSignal): Promise<boolean>;
  /** Says where turns are executed; absent if no reader needs it. */
  readonly presence?: (attempt: AttemptOf) => TurnPresence;
  /** What it finds out about other workers; absent: nothing. */
  readonly reach?: Reach;
  /** The worktrees of runs that have one; absent: the process has no place for them. */
  readonly worktrees?: TurnWorktrees;
  /** Artifacts that all workers have; absent: the engine has them. */
  readonly shared?: SharedArtifacts;
  /** Which versions began the turns of the process; absent: it does not matter. */
  readonly origins?: Pick<TurnOrigins, 'note' | 'explain'>;
  /** A turn was refused. */
  readonly noteRefusal?: (turn: RefusedTurn, reason: string) => void;
  /** A random name. */
  newName(): string;
}
