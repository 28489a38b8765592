/**
 * `checkpoint.json`: the state of a run and how much of its journal this state covers, so that resuming reads only the
 * rest. It is a shortcut: if it is missing or damaged, the journal gives the same state.
 */
import { linkSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '../../interpreter/run.js';
import type { Json } from '../../machine/expression.js';
import { clockMs } from '../clock.js';
import type { Redactor } from '../redact.js';
import { artifactsFolder, folderArtifacts } from './artifacts.js';
import { CHECKPOINT, checkpointSum, uncheckedText } from './covered-journal.js';
import { type Image, imageOf } from './image.js';
import { decodeValue, LargeValues, REFERS } from './large-values.js';
import { makeFolder, readOwn } from './own-file.js';
import type { JournalPosition } from './read-journal.js';
import { replaceFile } from './store.js';

/** A new checkpoint is due after this many events: executing them again takes about 70 ms. */
const EVERY_EVENTS = 8192;
/** A small one is due after fewer: readers that show the run as it was begin at the one before. */
const EVERY_EVENTS_IF_SMALL = 2048;
/** A checkpoint is small if the journal has grown by so many times its length. */
const SMALL_PART = 16;
const EVERY_BYTES = 8 * 1024 * 1024;

export interface Checkpoint extends JournalPosition, Image {
  /** How many bytes of the inbox the run has read. */
  readonly inbox: number;
  /** When it was written, in milliseconds since the epoch; null if its process did not execute the run after that. */
  readonly at: number | null;
}

/** What a checkpoint records besides the run itself. */
interface CheckpointFacts extends JournalPosition {
  readonly activeMs: number;
  readonly inbox: number;
  /** Whether the process executes the run after it. */
  readonly isExecuted: boolean;
}

export interface Checkpoints {
  /**
   * Whether enough events were recorded since the last checkpoint, or the clock was set. How long the run was executed is computed from
   * the times of events, if its process is killed, and only a checkpoint knows better.
   */
  due(position: JournalPosition): boolean;
  /** Writes one; everything up to `place` must be durable. Throws a `StoreError`. */
  write(run: Run, facts: CheckpointFacts): void;
}

/** `last`: the position where the run was resumed. */
export function checkpoints(folder: string, redactor: Redactor | null, last: JournalPosition): Checkpoints {
  let { seq, offset } = last;
  let keptOffset = last.offset;
  let length = 0;
  let ahead = aheadMs();
  const large = new LargeValues(folderArtifacts(artifactsFolder(folder)));
  return {
    due(position) {
      const bytes = position.offset - offset;
      const every = bytes >= SMALL_PART * length ? EVERY_EVENTS_IF_SMALL : EVERY_EVENTS;
      return position.seq - seq >= every || bytes >= EVERY_BYTES || Math.abs(aheadMs() - ahead) > SET_MS;
    },
    write(run, { activeMs, inbox, isExecuted, ...position }) {
      seq = position.seq;
      offset = position.offset;
      ahead = aheadMs();
      const { digest, active_ms, limits, snapshot: image } = imageOf(run, { activeMs });
      // A state that holds a secret is never written. Resuming then reads the journal from its beginning.
      if (redactor !== null && JSON.stringify(redactor.value(image)) !== JSON.stringify(image)) return;
      const snapshot = JSON.stringify(large.document(image as Json & object, false));
      const about = {
        digest,
        ...position,
        at: isExecuted ? Date.now() : null,
        active_ms,
        inbox,
        limits,
      };
      const text = `${JSON.stringify(about).slice(0, -1)},"snapshot":${snapshot}`;
      length = text.length;
      const file = join(folder, CHECKPOINT);
      replaceFile(file, `${text},"crc":"${checkpointSum(text)}"}\n`);
      // Together they never take more room than the journal.
      if (text.length > offset - keptOffset) return;
      keptOffset = offset;
      keepCheckpoint(file, join(folder, HISTORY), seq);
    },
  };
}

/** A clock that differs by more from one that nobody sets was set, or the machine was asleep. Milliseconds. */
const SET_MS = 30_000;

const aheadMs = (): number => Date.now() - clockMs();

/** Earlier checkpoints, for readers that show the run as it was. They are copies without a content of their own. */
const HISTORY = 'checkpoints';

function keepCheckpoint(file: string, history: string, seq: number): void {
  try {
    makeFolder(history, 0o700);
    linkSync(file, join(history, `${seq}.json`));
  } catch {
    // Readers then start at an earlier one.
  }
}

/** The numbers of the events after which there are earlier checkpoints, largest first. */
export function earlierCheckpoints(folder: string): number[] {
  try {
    const names = readdirSync(join(folder, HISTORY));
    return names
      .flatMap((name) => /^([1-9]\d{0,14})\.json$/.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => b - a);
  } catch {
    return [];
  }
}

/** The checkpoint of a run; null if there is none or it cannot be used. `seq`: an earlier one. */
export function readCheckpoint(folder: string, seq: number | null = null): Checkpoint | null {
  try {
    const name = seq === null ? CHECKPOINT : join(HISTORY, `${seq}.json`);
    const text = readOwn(join(folder, name)).toString('utf8');
    if (uncheckedText(text) === null) return null;
    const checkpoint = JSON.parse(text) as Checkpoint;
    const snapshot = text.includes(REFERS)
      ? decodeValue(checkpoint.snapshot, artifactsFolder(folder))
      : checkpoint.snapshot;
    return { ...checkpoint, snapshot };
  } catch {
    return null;
  }
}
