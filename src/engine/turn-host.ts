/** The process that executes turns: what a turn gets from it, besides the context of its handler. */
import type { RunEvent } from '../interpreter/events/event.js';
import type { InterpreterOptions, LinkedMachine } from '../interpreter/run.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { MemoOptions } from '../runtime/memo.js';
import type { Redactor, Secret } from '../runtime/redact.js';
import type { InDoubt } from '../runtime/run/in-doubt.js';
import type { LazySignal } from '../runtime/stop-signal.js';
import { otherFormatOf } from '../runtime/store/image.js';
import type { JournalRecord } from '../runtime/store/journal-line.js';
import { VERSION } from '../runtime/version.js';
import type { Reach } from './admin.js';
import type { Doing, PerformedEffect, Placement, Submission, TurnRequest, TurnStart, WaitingFor } from './messages.js';
import type { ServiceNames } from './services.js';
import type { SharedArtifacts } from './shared-artifacts.js';
import type { StartedEffects } from './started-effects.js';
import type { TurnOrigins } from './turn-origins.js';
import type { BegunWorktree, TurnWorktrees, WantedWorktree } from './turn-worktree.js';

/** A program with the options of one run of it. The same whenever it is read, because a submission never changes. */
export interface TurnProgram {
  readonly linked: LinkedMachine;
  readonly options: InterpreterOptions;
  readonly inDoubt: InDoubt;
  readonly placement: Placement;
  /** How the run uses the memo. */
  readonly memo: MemoOptions;
  /** What must not be recorded. */
  readonly secrets: readonly Secret[];
  /** Replaces the secrets; null: there are none. */
  readonly redactor: Redactor | null;
  readonly key?: string | undefined;
  /** Only workers with this name execute the run; null: any worker does. */
  readonly home: string | null;
  /** Null: the run works in the directory of its worker. */
  readonly worktree: WantedWorktree | null;
  /** The `TRACEPARENT` of an effect that was requested by the event with this number; absent: the run is not traced. */
  readonly traceparentOf?: (effect: string, seq: number) => string;
  /** Only single effects of the run are performed here, because of a label. */
  readonly isRouted?: true;
  /** Set by a turn that ends a run which its worker must not execute. */
  readonly refused?: WorkerRefusal;
}

/** Why a worker does not execute a run. */
export interface WorkerRefusal {
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
interface RefusedTurn {
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

export type EndedStep = Extract<RunEvent, { type: 'step_completed' }>;

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
  program(runId: string, needs?: ProgramNeeds): Promise<TurnProgram>;
  perform(runId: string, program: TurnProgram, request: TurnRequest, context: EffectBounds): Promise<PerformedEffect>;
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
  /** Sends the spans that ended with these events of a turn. Never rejects. Absent: nobody wants spans. */
  readonly sendSpans?: (turn: Pick<TurnStart, 'runId' | 'seq'>, recorded: readonly JournalRecord[]) => Promise<void>;
  /** Which versions began the turns of the process; absent: it does not matter. */
  readonly origins?: Pick<TurnOrigins, 'note' | 'explain'>;
  /** A turn was refused. */
  readonly noteRefusal?: (turn: RefusedTurn, reason: string) => void;
  /** A step that the memo may remember has ended; absent: there is no memo. Never rejects. */
  readonly rememberEnd?: (runId: string, ended: EndedStep) => Promise<void>;
  /** A random name. */
  newName(): string;
}

/** A turn that an attempt of this process executes. */
export interface TurnPresence {
  /** Something has ended. */
  noteProgress(): void;
  /** The turn needs another worker. Returns what says that it does not any more. */
  waitsFor(worker: Omit<WaitingFor, 'since'>): () => void;
}

/** Which turn an attempt executes. */
interface AttemptOf {
  readonly runId: string;
  readonly turn: number;
  readonly invocation: string;
  /** Aborted when the attempt is over. */
  readonly over: AbortSignal;
}

/** A turn of which nothing ends for so many milliseconds says what it does, and so does one that waits for other workers. */
const QUIET_MS = 1000;
/** A turn with short effects first says it after so many more of these times: most of them are over by then. */
const MOST_DELAYS = 4;

/** `address`: that of this worker. */
export function presenceOn(
  note: (runId: string, doing: Doing) => Promise<void>,
  address: () => string,
  quietMs = QUIET_MS,
) {
  return ({ runId, turn, invocation, over }: AttemptOf): TurnPresence => {
    const since = new Date().toISOString();
    const waits = new Set<WaitingFor>();
    let timer: ReturnType<typeof setTimeout> | null = null;
    let isBusy = false;
    let delays = 0;
    const say = (): void => {
      timer = null;
      if (isBusy && waits.size === 0 && delays < MOST_DELAYS) {
        isBusy = false;
        delays++;
        return sayLater();
      }
      // From now on readers know something, which must not become wrong.
      delays = MOST_DELAYS;
      const doing: Doing = { turn, worker: address(), invocation, since, waits: [...waits] };
      note(runId, doing).catch(() => undefined);
    };
    const sayLater = (): void => {
      if (over.aborted) return;
      timer ??= setTimeout(say, quietMs).unref();
    };
    over.addEventListener('abort', () => void (timer !== null && clearTimeout(timer)), { once: true });
    sayLater();
    return {
      noteProgress() {
        isBusy = true;
      },
      waitsFor(worker) {
        const one: WaitingFor = { ...worker, since: new Date().toISOString() };
        waits.add(one);
        sayLater();
        return () => {
          if (waits.delete(one)) sayLater();
        };
      },
    };
  };
}

/** A run that has not begun is ended by workers that must not execute it, too. */
export function isEndedAtOnce({ image, mail }: TurnStart): boolean {
  return image === null && mail.some(({ delivery }) => delivery.kind === 'cancel');
}

/** Whether the worker may end the run, because it is new or had failed before. A run that waits continues to wait. */
export function mayEnd({ image, turn, begin = [] }: TurnStart): boolean {
  const hadFailed = begin.some((event) => event.type === 'run_resumed' && event.from !== undefined);
  return image === null || turn === 1 || hadFailed;
}

interface TurnBeginning {
  /** Why the worker does not execute the turn; null: it does. */
  readonly refused: WorkerRefusal | null;
  /** Absent: the run has none. */
  readonly worktree?: BegunWorktree;
}

/** `invocation`: of this attempt, for people. */
export async function beginningOf(start: TurnStart, host: TurnHost, invocation: string): Promise<TurnBeginning> {
  const { runId, turn } = start;
  try {
    const program = await host.program(runId, isEndedAtOnce(start) ? END_ONLY : EXECUTE);
    refuseImage(start, program.home);
    const worktree = await worktreeOf(start, host, program);
    return { refused: null, ...omitUndefined({ worktree }) };
  } catch (cause) {
    if (!(cause instanceof ProgramRefused)) throw cause;
    const { message: reason, isFinal, isOfFunctions, unreadableOf } = cause;
    host.noteRefusal?.({ runId, turn, invocation }, reason);
    return { refused: { reason, isFinal, isOfFunctions, ...omitUndefined({ unreadableOf }) } };
  }
}

/** The attempt is over: another one will be made, perhaps by another worker. The reason was said. */
export class AttemptRefused extends Error {}

/** Another worker, which had the worktree, may have begun the turn. Rejects with an `AttemptRefused`. */
export async function requireWorktree(
  { runId, turn }: TurnStart,
  { worktrees, noteRefusal }: TurnHost,
  invocation: string,
): Promise<void> {
  const reason = worktrees === undefined ? withoutFolder(runId) : await worktrees.problem(runId);
  if (reason === null) return;
  noteRefusal?.({ runId, turn, invocation }, reason);
  throw new AttemptRefused(reason);
}

function withoutFolder(runId: string): string {
  return `run \`${runId}\` needs a worktree, for which its worker has no folder`;
}

async function worktreeOf(
  start: TurnStart,
  { worktrees }: TurnHost,
  { worktree }: TurnProgram,
): Promise<BegunWorktree | undefined> {
  const { runId, turn } = start;
  if (worktree === null || isEndedAtOnce(start)) return undefined;
  if (worktrees !== undefined) return worktrees.begin({ runId, turn, wanted: worktree });
  throw new ProgramRefused(withoutFolder(runId), true);
}

/** Another version of statedsl may have executed the run before. */
function refuseImage({ runId, image }: TurnStart, home: string | null): void {
  const format = image === null ? null : otherFormatOf(image);
  if (format === null) return;
  const by = image?.made_by;
  const [maker, wanted] =
    by === undefined ? ['another statedsl', 'that version'] : [`statedsl ${by}`, `statedsl ${by}`];
  throw new ProgramRefused(
    `run \`${runId}\` was executed by ${maker}, whose images have format ${format}, which statedsl ${VERSION} cannot read: start a worker of ${wanted}`,
    false,
    false,
    home,
  );
}
