/** What the services of an engine send to each other, and what the object of a run remembers. All of it is JSON. */
import type { Outcome, RunEvent } from '../interpreter/events/event.js';
import type { OpenWait } from '../interpreter/run.js';
import type { Json } from '../machine/expression.js';
import type { PerformedRequest } from '../runtime/effect-context.js';
import type { InDoubt } from '../runtime/run/in-doubt.js';
import type { RunReport } from '../runtime/run/run-report.js';
import type { Image } from '../runtime/store/image.js';
import type { Delivery } from '../runtime/store/inbox.js';
import type { OnBusy, RunHeader, RunKey } from '../runtime/store/run-header.js';
import type { KeyEvent } from './run-key.js';
import type { StoredLines } from './stored-lines.js';
import type { WantedWorktree } from './turn-worktree.js';

/** What is fixed when a run is submitted, in addition to the header of every run. */
export interface Submission {
  readonly header: RunHeader;
  readonly inDoubt: InDoubt;
  /** SHA-256 of the module with its functions; absent: the program uses none. */
  readonly functions?: string;
  /** Variables of the worker's environment that have the values of secret inputs, by inputs. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The values of secret inputs, packed as in snapshots; only sent encrypted. */
  readonly secretInputs?: Readonly<Record<string, Json>>;
  /** Who submitted it, for the record. */
  readonly by: string;
  /** What the run does if another one has its key; absent: it waits. */
  readonly onBusy?: OnBusy;
  /** Labels of workers that some effects need; absent: none does. */
  readonly placement?: Placement;
  /** Only workers with this name execute the run; absent: any worker does. */
  readonly home?: string;
  /** The run works in a worktree, which workers with its home have; absent: in the directory of its worker. */
  readonly worktree?: WantedWorktree;
}

/** Where a new run begins that takes over the first events of another one. */
export interface Beginning {
  readonly image: Image;
  /** The first new events. */
  readonly events: readonly RunEvent[];
  /** The lines that are taken over, in order. The object of the run has all artifacts that they refer to. */
  readonly lines: readonly StoredLines[];
  readonly written: WrittenBytes;
}

/** What begins a run. The object of the run does not keep `beginning`. */
export interface Submitting extends Submission {
  /** Absent: the run begins with its program. */
  readonly beginning?: Beginning;
}

/** So many calls of an account may begin that the run has put off. Nobody has sent it, so it is not on record. */
export interface FreedCalls {
  readonly account: string;
  readonly count: number;
}

/** A delivery with its number, by which the run accepts each only once. */
export interface Mail {
  readonly number: number;
  readonly delivery: Delivery | ({ readonly kind: 'freed'; readonly by: string } & FreedCalls);
}

/** How much a run has written so far, in bytes. */
interface WrittenBytes {
  readonly journal: number;
  readonly output: number;
}

/** `made_by`: the version of statedsl that made the image, for people. Absent: it is not known. */
export type StoredImage = Image & {
  readonly made_by?: string;
  /** The numbers of the events that requested effects which the turn has not started; absent: the run is not traced. */
  readonly requested_at?: Readonly<Record<string, number>>;
};

/** Starts a turn. */
export interface TurnStart {
  readonly runId: string;
  /** Its number. Messages of any other turn than the current one are dropped. */
  readonly turn: number;
  /** Null: the run begins. */
  readonly image: StoredImage | null;
  /** The number of the last event on record. */
  readonly seq: number;
  readonly written: WrittenBytes;
  readonly mail: readonly Mail[];
  /** The number of the last delivery that the run has received. */
  readonly seen: number;
  /** Who ended the waiting of the run; null: it did not wait. */
  readonly resumedBy: string | null;
  /** The time that the run waited for, in milliseconds since the epoch; null: it waited for something else. */
  readonly due: number | null;
  /** The first events of a run that is resumed after its end, or with other limits; absent: it is not. */
  readonly begin?: readonly RunEvent[];
  /** What became of its key before the turn; absent: nothing. */
  readonly keyed?: readonly KeyEvent[];
}

/** What a turn begins with, in addition to what the object of its run knows. */
export type TurnBeginning = Pick<TurnStart, 'image' | 'resumedBy' | 'due' | 'begin' | 'keyed'>;

/** Resumes a run that has failed, or one that waits with other limits. */
export interface Resuming {
  /** The number of the last event on record: nothing may have happened since. */
  readonly seq: number;
  readonly image: Image;
  /** The first new events. */
  readonly events: readonly RunEvent[];
  readonly by: string;
}

/** A turn for workers with a name. */
export interface HomeTurn {
  readonly home: string;
  readonly start: TurnStart;
}

/** The lines that a turn has written since its last message, numbered from `from`. */
export interface TurnProgress {
  readonly turn: number;
  readonly from: number;
  readonly lines: StoredLines;
  /** What the run asks after these lines. Absent: more of them follow at once. */
  readonly questions?: readonly OpenWait[];
  /** With `questions`: the last mail that the run has received, so that it answers none of them. */
  readonly seen?: number;
}

/** A turn that begins to wait hears mail by this awakeable. */
export interface ListeningTurn {
  readonly turn: number;
  readonly awakeable: string;
  readonly seen: number;
}

/** The end of a turn. */
export interface Turned extends TurnProgress {
  /**
   * `stopped`: the run has ended. `suspended`: it waits for the clock, a person or a signal. `limit`: the turn was long
   * enough, and the next one continues.
   */
  readonly end: 'stopped' | 'suspended' | 'limit';
  /** Null: the run has ended. */
  readonly image: StoredImage | null;
  readonly written: WrittenBytes;
  readonly seen: number;
  /** The time of the last line; ISO 8601. */
  readonly endedAt: string;
  /** The earliest time that a suspended run waits for, and how long that is. */
  readonly due: { readonly until: number; readonly ms: number } | null;
  /** What the run asks. The names are those of the program; choices that have a secret are null. */
  readonly questions: readonly OpenWait[];
  /** Null: the next turn continues at once. */
  readonly report: RunReport | null;
}

/** A request, and the `TRACEPARENT` for what performs it. */
export type TurnRequest = PerformedRequest & { readonly traceparent?: string };

/** An effect for a worker with a label. */
export interface RoutedEffect {
  readonly runId: string;
  readonly request: TurnRequest;
  readonly outputLimit: number;
  readonly inDoubt: InDoubt;
}

/** What an effect came to, as the engine records it. */
export interface PerformedEffect {
  readonly outcome: Outcome;
  /** When it ended, in milliseconds since the epoch. */
  readonly at: number;
  /** How many bytes it printed. */
  readonly printed: number;
}

/** The changing part of what the object of a run remembers. */
export interface Head {
  readonly status: 'running' | 'suspended' | 'returned' | 'failed' | 'skipped';
  readonly seq: number;
  readonly turn: number;
  /** The numbers of the first events of the stored chunks of the journal. */
  readonly chunks: readonly number[];
  readonly written: WrittenBytes;
  /** Mail that the run may not have received. */
  readonly mail: readonly Mail[];
  readonly mailNumber: number;
  readonly seen: number;
  /** The awakeable by which the current turn hears mail; null: it does not listen yet. */
  readonly listening: string | null;
  /** Readers that wait for an event with this number, or for the end of the run. */
  readonly watchers: readonly { readonly from: number; readonly awakeable: string }[];
  /** Only workers with this name execute turns; absent: any worker does. */
  readonly home?: string;
  /** Absent: the run has no key. */
  readonly key?: HeadKey;
  /** What lists of runs have from the submission, which is large. */
  readonly listed: {
    readonly machine: string;
    readonly title?: string;
    readonly startedAt: string;
    readonly key?: string;
  };
  /** What the current turn asks, as far as its lines are on record; absent: it is not known, or no turn executes the run. */
  readonly questions?: readonly OpenWait[];
  /** Whether the object has an image and questions. */
  readonly hasImage: boolean;
}

/** How a run stands to its key. */
export interface HeadKey extends RunKey {
  /** The number of its last wish for the key. */
  readonly claim: number;
  /** `waits`: its next turn begins when it has the key. `skipped`: it does not get it. */
  readonly state: 'free' | 'waits' | 'held' | 'skipped';
  /** While it waits: the run that has the key, as far as it is known. */
  readonly busy?: string;
}

/** A worker that a turn needs. */
export interface WaitingFor {
  readonly kind: 'label' | 'home';
  readonly name: string;
  /** ISO 8601. */
  readonly since: string;
}

/** What a turn does, as the worker that executes it says. Not part of the record: for people. */
export interface Doing {
  readonly turn: number;
  /** The address of the worker. */
  readonly worker: string;
  /** The name that the engine has for this execution. */
  readonly invocation: string;
  /** When the worker began; ISO 8601. */
  readonly since: string;
  readonly waits: readonly WaitingFor[];
  /** The version of statedsl that began the turn, if the worker cannot continue it because it makes other entries. */
  readonly made_by?: string;
  /** Why the worker does not execute the turn, which waits for another one. */
  readonly refused?: string;
}

/** The content of an artifact, or a part of it: a text, or the bytes of what is not a text. `next`: the offset of the next part. */
export type ArtifactContent = { readonly text: string } | { readonly base64: string; readonly next?: number };

/** A part of an artifact. A name alone is the first part. */
export type ArtifactWanted = string | { readonly name: string; readonly from: number };

/** An artifact of a run. `name`: the SHA-256 of its content. */
export interface StoredArtifact {
  readonly name: string;
  readonly content: ArtifactContent;
  /** The run is about to be submitted. Otherwise an artifact of a run that is not there, or was removed, is refused. */
  readonly isEarly?: true;
}

/** Labels of workers: by the name of an agent or a command, or by the kind of an effect. */
interface Routes {
  readonly agents?: Readonly<Record<string, string>>;
  readonly commands?: Readonly<Record<string, string>>;
  readonly kinds?: Readonly<Record<string, string>>;
}

/** What a submission says about the workers that may execute the run. */
export interface Placement {
  readonly routes: Routes;
  /** How long an effect waits for a worker with its label, in milliseconds. */
  readonly patienceMs: number;
}

/** How long an effect waits by default: an hour. */
export const LABEL_PATIENCE_MS = 3_600_000;

export const NO_ROUTES: Placement = { routes: {}, patienceMs: LABEL_PATIENCE_MS };

/** The label that a worker must have; null: the effect is performed where the turn is. A name wins over a kind. */
export function routeOf(request: PerformedRequest, { agents = {}, commands = {}, kinds = {} }: Routes): string | null {
  if (!('tool' in request)) return null;
  const names = request.kind === 'agent' ? agents : commands;
  return own(names, request.tool ?? '') ?? own(kinds, request.kind) ?? null;
}

function own(labels: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(labels, name) ? labels[name] : undefined;
}
