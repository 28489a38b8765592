/**
 * A run from what is on disk: from its checkpoint and the events behind it, or from its first event where there is no
 * checkpoint or the run goes on from an earlier point. Nothing is executed and nothing is written here.
 */

import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import type { Outcome, RunEvent } from '../../../interpreter/events/event.js';
import { limitsOf } from '../../../interpreter/events/stored-limits.js';
import { migrateRun } from '../../../interpreter/record/migrate.js';
import { type Difference, Replay, type ReplayOptions } from '../../../interpreter/record/replay.js';
import type { EffectRequest } from '../../../interpreter/request.js';
import { type LinkedMachine, link, type Run, restoreRun, startRun } from '../../../interpreter/run.js';
import type { Json } from '../../../machine/expression.js';
import { VALUE_BYTES } from '../../process/output.js';
import type { Redactor } from '../../redact.js';
import { type Checkpoint, type KnownStates, noStates, readCheckpoint } from '../../store/checkpoint.js';
import type { JournalRecord } from '../../store/journal-line.js';
import { readOwn } from '../../store/own-file.js';
import { type JournalEnd, journalStart, readJournal } from '../../store/read-journal.js';
import { RunRefused } from '../../store/run-refused.js';
import { type StoredRun, storedMachine } from '../../store/stored-run.js';
import { interpreterOptions } from '../run-options.js';
import { type Commits, insteadOf, noteCommit } from '../worktree-record.js';
import {
  areAllAfter,
  type Discarded,
  type DiscardedRange,
  discardedRanges,
  heldAfter,
  isDiscarded,
} from './discarded-ranges.js';

export interface RecoverOptions {
  /** Inputs with their secrets, which are not on disk. */
  readonly inputs: Readonly<Record<string, Json>>;
  readonly redactor: Redactor | null;
  /** Only what came before this event counts, and not these outcomes. Null: all of it. */
  readonly discarded: Discarded | null;
  /** Reads all of the record, whatever the checkpoint says. */
  readonly whole?: boolean;
  /** The run that goes on in the place of this one. */
  readonly id?: string;
  /** Another program to execute the record with from the beginning, where it is compared and not gone on with. */
  readonly instead?: LinkedMachine;
}

export interface Recovered {
  readonly replay: Replay;
  readonly end: JournalEnd;
  /** Time the run was executed. */
  readonly activeMs: number;
  /** Bytes of the inbox that were read. */
  readonly inbox: number;
  readonly states: KnownStates;
  readonly difference: Difference | null;
  /** Events that were looked at. */
  readonly events: number;
  /** Effects that were stopped: their processes may have outlived whoever stopped them. */
  readonly stopped: ReadonlySet<string>;
  /** Where worktrees stood at the end, as far as the part that was read tells; null is the run's own. */
  readonly commits: Readonly<Commits>;
  /** The event that put the run's own there; 0 where none did. */
  readonly committedAt: number;
}

/** Where following the record begins. */
interface Beginning {
  readonly run: Run;
  /** Its checkpoint; null: the first event. */
  readonly checkpoint: Checkpoint | null;
  readonly ranges: readonly DiscardedRange[];
}

/** Throws a `RunRefused` or a `StoreError` for what cannot be read. A difference is given back, not thrown. */
export function recoverRun(stored: StoredRun, options: RecoverOptions): Recovered {
  const { discarded, instead, whole } = options;
  const saved = instead === undefined && whole !== true ? readCheckpoint(stored.path) : null;
  if (saved !== null) {
    const { checkpoint, trail } = saved;
    const ranges = discardedRanges(stored.journal, discarded, checkpoint);
    if (areAllAfter(ranges, checkpoint)) {
      const linked = link(storedMachine(stored, checkpoint.digest));
      const run = restoreRun(linked, checkpoint.snapshot, optionsFor(stored, linked, options), trail);
      run.setLimits(limitsOf(checkpoint.limits));
      return followRecord(stored, options, { run, checkpoint, ranges });
    }
  }
  const linked = instead ?? link(storedMachine(stored, stored.about.digest));
  const run = startRun(linked, optionsFor(stored, linked, options));
  return followRecord(stored, options, {
    run,
    checkpoint: null,
    ranges: discardedRanges(stored.journal, discarded, journalStart),
  });
}

function followRecord(stored: StoredRun, options: RecoverOptions, { run, checkpoint, ranges }: Beginning): Recovered {
  const followed: FollowedWorktrees = { commits: new Map(), at: 0, committedAt: 0 };
  const replay = new Replay(run, replayOptions(stored, options, followed), checkpoint !== null);
  const walk = new Walk(replay, checkpoint, followed);
  run.overlookLimits(ranges.length > 0);
  replay.holdAt(heldAfter(ranges, checkpoint?.seq ?? 0));
  const take = ({ seq, time, event }: JournalRecord): boolean => {
    walk.time(time, event);
    const range = ranges.find(({ from, until }) => seq >= from && seq < until);
    if (range !== undefined) return range.until < Number.POSITIVE_INFINITY;
    if (isDiscarded(ranges, seq)) {
      replay.leaveOut();
      return true;
    }
    const isSame = walk.take(seq, event);
    if (event.type === 'run_resumed') {
      replay.run.overlookLimits(ranges.some(({ until }) => until > seq));
      replay.holdAt(heldAfter(ranges, seq));
    }
    return isSame;
  };
  const end = readJournal(stored.journal, take, checkpoint ?? journalStart);
  replay.releaseHeldFailures();
  replay.run.overlookLimits(false);
  // Another machine numbers its states in another way.
  const holds = checkpoint !== null && replay.run === run;
  return walk.result(end, holds ? { states: checkpoint.states, statesCrc: checkpoint.states_crc } : noStates);
}

/** Where worktrees stand, while the record is followed. */
interface FollowedWorktrees {
  readonly commits: Commits;
  /** The event that is being taken. */
  at: number;
  committedAt: number;
}

/** Follows the record with what is not the run's own: the time, the inbox, the first difference. */
class Walk {
  private activeMs: number;
  private inbox: number;
  /** When it was last known to be executed, milliseconds since the epoch. */
  private lastTime: number | null;
  private difference: Difference | null = null;
  private events = 0;
  private readonly stopped = new Set<string>();

  constructor(
    private readonly replay: Replay,
    checkpoint: Checkpoint | null,
    private readonly followed: FollowedWorktrees,
  ) {
    this.activeMs = checkpoint?.active_ms ?? 0;
    this.inbox = checkpoint?.inbox ?? 0;
    this.lastTime = checkpoint?.at ?? null;
  }

  take(seq: number, event: RunEvent): boolean {
    this.events++;
    this.followed.at = seq;
    this.difference = this.replay.take(seq, event);
    return this.difference === null;
  }

  /** The time between two events counts while somebody executes the run. */
  time(time: string, event: RunEvent): void {
    const now = Date.parse(time);
    if (this.lastTime !== null && event.type !== 'run_resumed') this.activeMs += Math.max(0, now - this.lastTime);
    this.lastTime = event.type === 'run_suspended' || event.type === 'run_interrupted' ? null : now;
    if ('inbox' in event && event.inbox !== undefined) this.inbox = event.inbox;
    if (event.type === 'effect_settled' && (event.stopped || event.outcome.kind === 'timed-out'))
      this.stopped.add(event.effect);
  }

  result(end: JournalEnd, states: KnownStates): Recovered {
    const { replay, activeMs, inbox, difference, events, stopped } = this;
    const { commits, committedAt } = this.followed;
    return { replay, end, activeMs, inbox, states, difference, events, stopped, commits, committedAt };
  }
}

function optionsFor(stored: StoredRun, { machine }: LinkedMachine, { inputs }: RecoverOptions) {
  const { options, versions } = stored.about;
  const { cwd, program } = stored.about;
  // Runs of earlier versions did not keep it.
  const program_dir = options.program_dir ?? dirname(resolve(cwd, program ?? 'program'));
  return interpreterOptions(machine, { ...options, program_dir }, { inputs, record: true, version: versions.statedsl });
}

function replayOptions(stored: StoredRun, options: RecoverOptions, followed: FollowedWorktrees): ReplayOptions {
  const { redactor, instead, id } = options;
  return {
    recorded: (event) => (redactor === null ? event : redactor.event(event)),
    compared: instead === undefined ? (event) => event : withoutLocations,
    // What an edited program says differently is a difference.
    allowsRewording: instead === undefined,
    complete: (outcome, request) => {
      if (request?.kind !== 'worktree') return withText(stored, outcome, request);
      noteCommit(followed.commits, request, outcome);
      if (request.task === null) followed.committedAt = followed.at;
      return withText(stored, id === undefined ? outcome : insteadOf(outcome, stored.about.run_id, id), request);
    },
    migrate: (run, digest, failed) => {
      const migrated = migrateRun(run, link(storedMachine(stored, digest)), failed);
      return 'run' in migrated ? migrated.run : null;
    },
  };
}

/** In an edited program the same event may stand in another line. */
function withoutLocations(event: RunEvent): RunEvent {
  if (event.type === 'run_started') return { ...event, digest: '', machine: '' };
  if (event.type === 'run_failed') return { ...event, error: { ...event.error, line: null } };
  return 'line' in event ? { ...event, line: 0 } : event;
}

/** Output that was too large for the journal, where it became a value. */
function withText({ path }: StoredRun, outcome: Outcome, request: EffectRequest | null): Outcome {
  if (outcome.kind !== 'exited' && outcome.kind !== 'timed-out' && outcome.kind !== 'changed') return outcome;
  const { artifact, bytes, text } = outcome.stdout;
  const wanted = outcome.kind === 'changed' || (request !== null && 'needsText' in request && request.needsText);
  if (artifact === undefined || text !== undefined || !wanted || bytes > VALUE_BYTES) return outcome;
  return { ...outcome, stdout: { ...outcome.stdout, text: artifactOf(path, artifact).toString('utf8') } };
}

/** Files there are named by the SHA-256 of what they hold. */
function artifactOf(path: string, artifact: string): Buffer {
  const folder = join(path, 'artifacts');
  let bytes: Buffer;
  try {
    bytes = readOwn(join(folder, artifact));
  } catch {
    throw new RunRefused('unusable', `the output \`${artifact}\` is missing from \`${folder}\``);
  }
  if (createHash('sha256').update(bytes).digest('hex') === artifact) return bytes;
  throw new RunRefused('unusable', `the output \`${artifact}\` in \`${folder}\` is damaged`);
}
