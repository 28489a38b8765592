/** What `drive` is given and what it gives back: the seam between the loop and whoever starts it. */
import type { RunEvent, Waiting } from '../../interpreter/events/event.js';
import type { EffectContext, Effects } from '../effect-context.js';
import type { Redactor } from '../redact.js';
import type { Checkpoints } from '../store/checkpoint.js';
import type { Inbox } from '../store/inbox.js';
import type { OpenJournal } from '../store/journal.js';
import type { StateFile } from '../store/state-file.js';
import type { Growth } from './growth.js';

/** The position of an event in the record of its run. */
export interface EventPosition {
  /** The number of the event; the first is 1. */
  readonly seq: number;
  /** ISO 8601. */
  readonly time: string;
  /** The event as the journal has it: of a list or text that grew, only what was appended. */
  readonly recorded: RunEvent;
}

/** A question to a person. */
export interface Question {
  readonly name: string;
  readonly question: string;
  readonly choices: readonly string[] | null;
  readonly default: string | null;
  /** Milliseconds since the epoch. */
  readonly deadlineMs: number | null;
}

/** Asks a person who is there. Null leaves the question open. `signal` ends a question that nobody needs any more. */
export type AskHandler = (question: Question, signal: AbortSignal) => Promise<string | null>;

export interface DriveOptions {
  readonly effects: Effects;
  /** What effects get to know, apart from the signal that stops them. */
  readonly context: Omit<EffectContext, 'stop' | 'show'>;
  /** Null: nothing is kept. */
  readonly journal: OpenJournal | null;
  readonly redactor: Redactor | null;
  readonly stateFile: StateFile | null;
  readonly checkpoints: Checkpoints | null;
  readonly inbox: Inbox | null;
  /** Where the run is taken up. */
  readonly begin: Begin;
  readonly onEvent: ((event: RunEvent, position: EventPosition) => void) | null;
  readonly onOutput: ((effect: string, bytes: Uint8Array, stream: 'stdout' | 'stderr') => void) | null;
  readonly ask: AskHandler | null;
  /** Who answers, for the record. */
  readonly person: string;
  /** Interrupts the run; it can be resumed. */
  readonly signal: AbortSignal | null;
  /** Time the run may take in all. */
  readonly timeMs: number | null;
  /** A wait longer than this suspends the run; null never does. */
  readonly suspendAfterMs: number | null;
  /** A signal whose time-out is nearer than this is waited for; null: whenever it has one. */
  readonly signalUpToMs: number | null;
  /** What the run may put on disk; null: as much as it wants. */
  readonly growth: Growth | null;
  /** Nothing but the run happens in this process, so that it may stand still while the disk writes. */
  readonly ownProcess: boolean;
}

/** Where a run is when it comes to `drive`. */
export interface Begin {
  /** The last event that is on record. */
  readonly seq: number;
  /** To be recorded before anything else. */
  readonly events: readonly RunEvent[];
  /** Time the run was executed before. */
  readonly activeMs: number;
}

export type DriveEnd =
  /** The interpreter came to an end: its result says which. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'suspended'; readonly waiting: readonly Waiting[] }
  | { readonly kind: 'interrupted' }
  /** The record could not be kept. */
  | { readonly kind: 'store-failed'; readonly message: string };
