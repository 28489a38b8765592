/** Options and result of `drive`. */
import type { RunEvent, ShownValues, Through, Waiting } from '../../interpreter/events/event.js';
import type { Run } from '../../interpreter/run.js';
import type { EffectContext, Effects } from '../effect-context.js';
import type { Redactor } from '../redact.js';
import type { StopSignal } from '../stop-signal.js';
import type { Checkpoints } from '../store/checkpoint.js';
import type { Delivery, Inbox } from '../store/inbox.js';
import type { OpenJournal } from '../store/journal.js';
import type { StateFile } from '../store/state-file.js';
import type { VirtualTime } from '../virtual-time.js';
import type { Growth } from './growth.js';

/** The position of an event in the record of its run. */
export interface EventPosition {
  /** The number of the event; the first is 1. */
  readonly seq: number;
  /** ISO 8601. */
  readonly time: string;
  /** The event as the journal has it: for a list or text that grew, only what was appended. */
  readonly recorded: RunEvent;
  /** The hash in its line of the journal; absent: it has none. */
  readonly hash?: string;
}

/** A question to a person. */
export interface Question {
  readonly name: string;
  readonly question: string;
  readonly choices: readonly string[] | null;
  readonly default: string | null;
  /** What the program shows next to it, by name; absent: nothing. */
  readonly show?: ShownValues;
  /** Milliseconds since the epoch. */
  readonly deadlineMs: number | null;
}

/** Asks a person. Null leaves the question open. `signal` withdraws a question that is no longer needed. */
export type AskHandler = (question: Question, signal: AbortSignal) => Promise<string | null>;

export interface DriveOptions {
  readonly effects: Effects;
  /** What effects receive in addition to the signal that stops them. */
  readonly context: Omit<EffectContext, 'stop' | 'show'>;
  /** Null: nothing is stored. */
  readonly journal: OpenJournal | null;
  readonly redactor: Redactor | null;
  readonly stateFile: StateFile | null;
  readonly checkpoints: Checkpoints | null;
  readonly inbox: Inbox | null;
  /** The position from which the run is driven. */
  readonly begin: Begin;
  /** `whole`: the event with all of its values, however large, where the caller has them. */
  readonly onEvent: ((event: RunEvent, position: EventPosition, whole?: RunEvent) => void) | null;
  readonly onOutput: ((effect: string, bytes: Uint8Array, stream: 'stdout' | 'stderr') => void) | null;
  /** Receives what a person should know about a running effect. It is not recorded: the outcome says the same. */
  readonly onNotice: ((effect: string, text: string) => void) | null;
  readonly ask: AskHandler | null;
  /** Who answers, for the record. */
  readonly person: string;
  /** The door through which the person answers. */
  readonly through?: Through | undefined;
  /** Interrupts the run; it can be resumed. */
  readonly signal: StopSignal | null;
  /** The time limit of the whole run, in milliseconds. */
  readonly timeMs: number | null;
  /** A wait longer than this suspends the run; null never does. */
  readonly suspendAfterMs: number | null;
  /** The run waits for a signal whose time-out is nearer than this; null: for every signal with a time-out. */
  readonly signalUpToMs: number | null;
  /** Virtual time, which moves when the run only waits for it; null: real time. */
  readonly time: VirtualTime | null;
  /** How much the run may write to disk; null: no limit. */
  readonly growth: Growth | null;
  /** A debugger, which holds the run between two turns. */
  readonly hold?: Hold | undefined;
  readonly onDebugger?: OnDebugger | undefined;
  /** Whether the process may block while the disk writes: it executes no other run, or the disk is fast. */
  readonly mayBlock: () => boolean;
}

/** Lets a debugger of another process in, which asked with this text. */
export type OnDebugger = (asked: string, run: AttachableRun) => void | Promise<void>;

/** Holds a run for a debugger. Effects in flight continue meanwhile, and their outcomes wait. Nothing of it is recorded. */
export interface Hold {
  /** Sees the run before it is executed. */
  begin(run: Run): void;
  /** Called before each turn and at the end, once all events are on disk: resolves when the run may continue; null: at once. */
  whenReleased(run: Run): Promise<void> | null;
  /** The same effects, of which some are not performed before a person says so. */
  holding(effects: Effects): Effects;
  /** Nothing is executed any more. */
  end?(run: Run): void;
}

/** A run that is executed, for a debugger of another process. */
export interface AttachableRun {
  readonly run: Run;
  /** The folder of its record. */
  readonly folder: string;
  /** Null: no debugger holds it any more. Takes effect between two turns. */
  setHold(hold: Hold | null): void;
}

/** The position of a run when `drive` starts. */
export interface Begin {
  /** The number of the last event on record. */
  readonly seq: number;
  /** Events to record before anything else. */
  readonly events: readonly RunEvent[];
  /** How long the run was executed before, in milliseconds. */
  readonly activeMs: number;
  /** What is delivered to the run when it waits, after what is in its inbox. */
  readonly deliveries?: readonly Delivery[];
}

export type DriveEnd =
  /** The interpreter stopped for good, with a result. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'suspended'; readonly waiting: readonly Waiting[] }
  | { readonly kind: 'interrupted' }
  /** The record could not be written. */
  | { readonly kind: 'store-failed'; readonly message: string };
