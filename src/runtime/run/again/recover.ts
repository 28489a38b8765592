/**
 * Recovers a run from disk: from its checkpoint and the events after it, or from its first event if there is no checkpoint
 * or the run is resumed at an earlier point. Nothing is executed or written here.
 */
import type { Buffer } from 'node:buffer';
import type { KeptOutcomes, Outcome, RunEvent } from '../../../interpreter/events/event.js';
import { ActiveTime } from '../../../interpreter/events/status-after.js';
import type { VariableChanged } from '../../../interpreter/record/change.js';
import { migrateRun } from '../../../interpreter/record/migrate.js';
import { type Difference, Replay, type ReplayOptions } from '../../../interpreter/record/replay.js';
import type { EffectRequest } from '../../../interpreter/request.js';
import { type LinkedMachine, link, type Run, startRun } from '../../../interpreter/run.js';
import type { Json } from '../../../machine/expression.js';
import type { Machine } from '../../../machine/machine.js';
import { VALUE_BYTES } from '../../process/output.js';
import {
  areAllAfter,
  type Discarded,
  type DiscardedRange,
  heldAfter,
  isDiscarded,
  knownRanges,
  rangeAt,
} from '../../record/counted-events.js';
import type { Redactor } from '../../redact.js';
import { artifactsFolder, folderArtifacts } from '../../store/artifacts.js';
import { type Checkpoint, readCheckpoint } from '../../store/checkpoint.js';
import { runOf } from '../../store/image.js';
import type { JournalRecord } from '../../store/journal-line.js';
import {
  type JournalEnd,
  type JournalPosition,
  journalHas,
  journalStart,
  readJournal,
  readUntil,
} from '../../store/read-journal.js';
import { JournalDamage, RunRefused, StoreError } from '../../store/store-error.js';
import { type StoredRun, storedMachine } from '../../store/stored-run.js';
import { interpreterOptions } from '../run-options.js';
import { type Commits, insteadOf, noteCommit } from '../worktree-record.js';
import type { RecordedBase } from './as-recorded.js';
import { discardedRanges } from './search-record.js';

interface RecoverOptions {
  /** The inputs with their secrets, which are not on disk. */
  readonly inputs: Readonly<Record<string, Json>>;
  readonly redactor: Redactor | null;
  /** Only events before this one count, except these outcomes. Null: all events count. */
  readonly discarded: Discarded | null;
  /** Reads the whole record and ignores the checkpoint. */
  readonly whole?: boolean;
  /** The id of the new run that continues from this one. */
  readonly id?: string;
  /** For a reader that has scanned the record: all resumes, so that they need not be looked for. */
  readonly resumes?: readonly Pick<JournalRecord, 'seq' | 'event'>[];
  /** Starts at an earlier checkpoint than the last one. */
  readonly checkpoint?: Checkpoint;
  /** Links the programs of the run in another way. */
  readonly linkedOf?: (machine: Machine) => LinkedMachine;
  /** Another program that is fed the record from the beginning, to compare the two and not to resume. */
  readonly instead?: LinkedMachine;
  readonly observer?: RecordObserver;
  /** A change after the last event that counts. */
  readonly change?: VariableChanged;
}

/** Sees a run while it is rebuilt. */
export interface RecordObserver {
  /** Each request that the run makes, before the event with its outcome. */
  readonly request: (request: EffectRequest) => void;
  /** Each event that counts; `activeMs`: how long the run had been executed then. */
  readonly event: (event: RunEvent, activeMs: number) => void;
}

export interface Recovered {
  readonly replay: Replay;
  readonly end: JournalEnd;
  /** How long the run was executed, in milliseconds. */
  readonly activeMs: number;
  /** How many bytes of the inbox were read. */
  readonly inbox: number;
  readonly difference: Difference | null;
  /** How many events were read. */
  readonly events: number;
  /** Effects that were stopped: their processes may have outlived the process that stopped them. */
  readonly stopped: ReadonlySet<string>;
  /** The last commit of each worktree, as far as the events that were read say; null is the run's own worktree. */
  readonly commits: Readonly<Commits>;
  /** The event of the last commit of the run's own worktree; 0 if there is none. */
  readonly committedAt: number;
  /** What the run had where reading started; null: it started at the first event. */
  readonly base: RecordedBase | null;
}

/** Where reading the record starts. */
interface RecoveryStart {
  readonly run: Run;
  /** Its checkpoint; null: the first event. */
  readonly checkpoint: Checkpoint | null;
  readonly ranges: readonly DiscardedRange[];
}

/** Throws a `RunRefused` or a `StoreError` for what cannot be read. A difference is returned, not thrown. */
export function recoverRun(stored: StoredRun, options: RecoverOptions): Recovered {
  const { discarded, instead, whole } = options;
  const checkpoint =
    instead === undefined && whole !== true ? (options.checkpoint ?? readCheckpoint(stored.path)) : null;
  const rangesAfter = (position: JournalPosition): readonly DiscardedRange[] =>
    options.resumes !== undefined && discarded !== null
      ? knownRanges(options.resumes, discarded, position)
      : discardedRanges(stored.journal, discarded, position);
  if (checkpoint !== null) {
    const ranges = rangesAfter(checkpoint);
    if (areAllAfter(ranges, checkpoint)) {
      const linked = link(storedMachine(stored, checkpoint.digest));
      const run = runOf(checkpoint, linked, optionsFor(stored, linked, options));
      return followRecord(stored, options, { run, checkpoint, ranges });
    }
  }
  const linked = instead ?? (options.linkedOf ?? link)(storedMachine(stored, stored.about.digest));
  const run = startRun(linked, optionsFor(stored, linked, options));
  return followRecord(stored, options, {
    run,
    checkpoint: null,
    ranges: rangesAfter(journalStart),
  });
}

function followRecord(stored: StoredRun, options: RecoverOptions, start: RecoveryStart): Recovered {
  const follower = new RecordFollower(stored, options, start);
  const from = start.checkpoint ?? journalStart;
  const end = readPart(stored.journal, (record) => follower.take(record), from, options);
  follower.finish();
  return follower.result(end);
}

/** Follows a whole record from its first event, line after line. What an instruction throws leaves `take`, which may be repeated. */
export function followFromStart(stored: StoredRun, options: RecoverOptions): RecordFollower {
  const linked = (options.linkedOf ?? link)(storedMachine(stored, stored.about.digest));
  const run = startRun(linked, optionsFor(stored, linked, options));
  const ranges = discardedRanges(stored.journal, options.discarded, journalStart);
  return new RecordFollower(stored, options, { run, checkpoint: null, ranges });
}

/** A run that is fed its record. */
export class RecordFollower {
  readonly replay: Replay;
  private readonly walk: RecordWalk;
  private readonly base: RecordedBase | null;
  private readonly ranges: readonly DiscardedRange[];

  constructor(
    stored: StoredRun,
    private readonly options: RecoverOptions,
    { run, checkpoint, ranges }: RecoveryStart,
  ) {
    this.ranges = ranges;
    this.base =
      checkpoint === null ? null : { position: checkpoint, tracked: { ...run.tracked }, states: [...run.states] };
    const followed: FollowedWorktrees = { commits: new Map(), at: 0, committedAt: 0 };
    this.replay = new Replay(run, replayOptions(stored, options, followed), checkpoint !== null);
    this.walk = new RecordWalk(this.replay, checkpoint, followed);
    const changes = changesAfter(stored.journal, ranges, checkpoint ?? journalStart);
    this.replay.expect(options.change === undefined ? changes : [...changes, options.change]);
    run.overlookLimits(ranges.length > 0);
    this.replay.holdAt(heldAfter(ranges, checkpoint?.seq ?? 0));
  }

  /** False: the run made another event, or no more events count. */
  take({ seq, time, event }: JournalRecord): boolean {
    const { walk, ranges, replay } = this;
    walk.time(time, event);
    const range = rangeAt(ranges, seq);
    if (range !== undefined) return range.until < Number.POSITIVE_INFINITY;
    if (isDiscarded(ranges, seq)) {
      replay.leaveOut();
      return true;
    }
    const isSame = walk.take(seq, event);
    this.options.observer?.event(event, walk.activeMs);
    if (event.type === 'run_resumed') {
      replay.run.overlookLimits(ranges.some(({ until }) => until > seq));
      replay.holdAt(heldAfter(ranges, seq));
    }
    return isSame;
  }

  /** Call after the last event. */
  finish(): void {
    this.replay.releaseHeldFailures();
    this.replay.run.overlookLimits(false);
  }

  result(end: JournalEnd): Recovered {
    return { ...this.walk.result(end), base: this.base };
  }
}

/** What was changed in a debugger after a position, as far as it counts. */
function changesAfter(
  journal: string,
  ranges: readonly DiscardedRange[],
  position: JournalPosition,
): readonly VariableChanged[] {
  if (!journalHas(journal, '"type":"variable_changed"', position)) return [];
  const changes: VariableChanged[] = [];
  const take = ({ seq, event }: JournalRecord): void => {
    if (event.type === 'variable_changed' && !isDiscarded(ranges, seq)) changes.push(event);
  };
  readUntil(journal, Number.POSITIVE_INFINITY, take, position);
  return changes;
}

/** Reading stops at the first event that does not count. For a reader and for a new run that event may be damaged. */
function readPart(
  journal: string,
  take: (record: JournalRecord) => boolean,
  from: JournalPosition,
  { resumes, id, discarded }: RecoverOptions,
): JournalEnd {
  try {
    return readJournal(journal, take, from);
  } catch (cause) {
    const isAfter = cause instanceof JournalDamage && discarded !== null && cause.seq >= discarded.from;
    if ((resumes === undefined && id === undefined) || !isAfter) throw cause;
    return { seq: discarded.from - 1, offset: cause.byte, torn: 0, unended: false };
  }
}

/** The commits of worktrees while the record is read. */
interface FollowedWorktrees {
  readonly commits: Commits;
  /** The number of the event that is being read. */
  at: number;
  committedAt: number;
}

/** Reads the record and keeps what is not part of the run: the time, the inbox, the first difference. */
class RecordWalk {
  private readonly active: ActiveTime;
  private inbox: number;
  private difference: Difference | null = null;
  private events = 0;
  private readonly stopped = new Set<string>();

  constructor(
    private readonly replay: Replay,
    checkpoint: Checkpoint | null,
    private readonly followed: FollowedWorktrees,
  ) {
    this.active = new ActiveTime(checkpoint?.active_ms ?? 0, checkpoint?.at ?? null);
    this.inbox = checkpoint?.inbox ?? 0;
  }

  take(seq: number, event: RunEvent): boolean {
    this.events++;
    this.followed.at = seq;
    this.difference = this.replay.take(seq, event);
    return this.difference === null;
  }

  get activeMs(): number {
    return this.active.ms;
  }

  time(time: string, event: RunEvent): void {
    this.active.take(Date.parse(time), event);
    if ('inbox' in event && event.inbox !== undefined) this.inbox = event.inbox;
    if (event.type === 'effect_settled' && (event.stopped || event.outcome.kind === 'timed-out'))
      this.stopped.add(event.effect);
  }

  result(end: JournalEnd): Omit<Recovered, 'base'> {
    const { replay, inbox, difference, events, stopped } = this;
    const { commits, committedAt } = this.followed;
    return { replay, end, activeMs: this.active.ms, inbox, difference, events, stopped, commits, committedAt };
  }
}

function optionsFor(stored: StoredRun, { machine }: LinkedMachine, { inputs }: RecoverOptions) {
  const { options, versions } = stored.about;
  return interpreterOptions(machine, options, { inputs, record: true, version: versions.statedsl });
}

function replayOptions(stored: StoredRun, options: RecoverOptions, followed: FollowedWorktrees): ReplayOptions {
  const { redactor, instead, id } = options;
  return {
    toRecorded: (event) => (redactor === null ? event : redactor.event(event)),
    toCompared: instead === undefined ? (event) => event : withoutLocations,
    onRequest: options.observer?.request,
    complete: (outcome, request) => {
      if (request?.kind !== 'worktree') return withText(stored, outcome, request);
      noteCommit(followed.commits, request, outcome);
      if (request.task === null) followed.committedAt = followed.at;
      return withText(stored, id === undefined ? outcome : insteadOf(outcome, stored.about.run_id, id), request);
    },
    migrate: (run, { digest, from, inserted, kept = [] }) => {
      const outcomes = kept.map((one) => keptWithTexts(stored, one));
      const migrated = migrateRun(run, (options.linkedOf ?? link)(storedMachine(stored, digest)), {
        failed: from !== undefined,
        inserted,
        kept: outcomes,
      });
      return 'run' in migrated ? migrated.run : null;
    },
  };
}

/** In an edited program, the same event may come from another line. */
function withoutLocations(event: RunEvent): RunEvent {
  if (event.type === 'run_started') return { ...event, digest: '', machine: '' };
  if (event.type === 'run_failed') return { ...event, error: { ...event.error, line: null } };
  return 'line' in event ? { ...event, line: 0 } : event;
}

/** What an edited program has moved, with the output that was too large for the journal. */
export function keptWithTexts(stored: StoredRun, kept: KeptOutcomes): KeptOutcomes {
  const whole = { needsText: true } as EffectRequest;
  const outcomes = kept.outcomes.map((one) => ({ ...one, outcome: withText(stored, one.outcome, whole) }));
  return { ...kept, outcomes };
}

/** Output that was too large for the journal, if it became a value. */
function withText({ path }: StoredRun, outcome: Outcome, request: EffectRequest | null): Outcome {
  if (outcome.kind !== 'exited' && outcome.kind !== 'timed-out' && outcome.kind !== 'changed') return outcome;
  const { artifact, bytes, text, unbound } = outcome.stdout;
  const wanted = outcome.kind === 'changed' || (request !== null && 'needsText' in request && request.needsText);
  if (artifact === undefined || text !== undefined || !wanted || bytes > VALUE_BYTES || unbound) return outcome;
  return { ...outcome, stdout: { ...outcome.stdout, text: artifactOf(path, artifact).toString('utf8') } };
}

function artifactOf(path: string, artifact: string): Buffer {
  const folder = artifactsFolder(path);
  const artifacts = folderArtifacts(folder);
  try {
    return artifacts.get(artifact);
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    const problem =
      artifacts.sizeOf(artifact) === null
        ? `the output \`${artifact}\` is missing from \`${folder}\``
        : `the output \`${artifact}\` in \`${folder}\` is damaged`;
    throw new RunRefused('unusable', problem);
  }
}
