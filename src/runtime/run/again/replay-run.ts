/**
 * Replays an old run. Without a starting point nothing is executed: the program is fed the record and must produce the
 * same events. With a starting point, a new run starts as a copy of the old one up to this point and is executed from
 * there. The old run stays as it is.
 */
import { copyFileSync, linkSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Difference } from '../../../interpreter/record/replay.js';
import { link } from '../../../interpreter/run.js';
import type { Machine } from '../../../machine/machine.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Redactor } from '../../redact.js';
import { artifactsFolder } from '../../store/artifacts.js';
import { checkpoints } from '../../store/checkpoint.js';
import { openInbox } from '../../store/inbox.js';
import { fileJournal, type OpenJournal } from '../../store/journal.js';
import { DEFAULT_STORE, openOwnRun } from '../../store/open-own-run.js';
import { entryAt } from '../../store/own-file.js';
import { labelsOf } from '../../store/run-header.js';
import { storeError } from '../../store/store-error.js';
import { type StoredRun, storedMachine, storedSources } from '../../store/stored-run.js';
import { driveRun } from '../drive-run.js';
import { newRunId } from '../run-id.js';
import type { RunReport } from '../run-report.js';
import { copiedWorktree, directoryIn } from '../working-directory.js';
import { copyLines, filesAt, worktreeEvents } from './files-at.js';
import { keepMachine, recoveryContextOf } from './prepare-recovery.js';
import { recoverRun } from './recover.js';
import { type ReplayStarting, startOf } from './replay-start.js';
import type { ResumeOptions } from './resume-options.js';

interface DriftOptions extends Pick<ResumeOptions, 'dir' | 'inputs' | 'env' | 'secrets'> {
  /** Feeds the record to an edited program; lines and digests are then not compared. */
  readonly machine?: Machine;
}

/** What `checkDrift` found. */
export interface DriftReport {
  readonly runId: string;
  /** How many events are equal. */
  readonly events: number;
  /** The first event that differs; null: the program produces the events that are on record. */
  readonly difference: Difference | null;
}

/** Feeds a run's record to its program, executing nothing. Rejects with a `RunRefused` or a `StoreError`. */
export async function checkDrift(runId: string, options: DriftOptions = {}): Promise<DriftReport> {
  const stored = await openOwnRun(runId, options.dir ?? DEFAULT_STORE);
  const { inputs, redactor } = recoveryContextOf(stored, options);
  const instead = options.machine === undefined ? undefined : link(options.machine);
  const { difference, events } = recoverRun(
    stored,
    omitUndefined({ inputs, redactor, discarded: null, whole: true, instead }),
  );
  return { runId: stored.about.run_id, events: difference === null ? events : events - 1, difference };
}

interface RunReplayOptions
  extends Omit<ResumeOptions, 'deliveries' | 'inDoubt' | 'again' | 'rollback'>,
    ReplayStarting {
  /** The id of the new run; by default a new one. */
  readonly runId?: string;
}

/** Executes a new run from a point of an old run. Rejects with a `RunRefused` or a `StoreError`. */
export async function replay(runId: string, options: RunReplayOptions): Promise<RunReport> {
  const dir = options.dir ?? DEFAULT_STORE;
  const stored = await openOwnRun(runId, dir);
  const id = options.runId ?? newRunId();
  const { worktree } = stored.about.options;
  const { from, recovered, inputs, redactor, run, edited, events, again } = startOf(stored, id, options);
  const { cwd } = stored.about;
  const files = worktree === undefined ? null : filesAt(stored, from, recovered);
  const worktrees = files === null ? null : await copiedWorktree(files.worktrees, { cwd, dir, runId: id });
  const directory = directoryIn(worktrees, cwd, options.cwd);
  const startedAt = new Date().toISOString();
  const parent = options.trace?.parent ?? null;
  const open = copyOf(stored, dir, { id, startedAt, from, redactor, parent, signer: options.signer });
  const path = open.folder?.path ?? '';
  // The copied events are in the file before anybody looks for the requests there.
  if (again.length > 0) await open.sync();
  options.onStart?.({ runId: id, folder: path, again });
  if (edited !== null) keepMachine(stored.about, path, edited);
  const [resumed, ...rest] = events;
  const position = { seq: from - 1, offset: open.offset ?? 0 };
  return driveRun(
    {
      runId: id,
      run,
      startedAt,
      labels: { ...labelsOf(stored.about), replay_of: stored.about.run_id },
      open,
      redactor,
      checkpoints: checkpoints(path, redactor, position),
      inbox: openInbox(path, 0),
      key: stored.about.key?.name,
      begin: {
        seq: from - 1,
        events: [
          resumed,
          ...worktreeEvents(files, options.from === 'failed' ? from : options.from, from, run),
          ...rest,
        ],
        activeMs: recovered.activeMs,
      },
      cwd: directory,
      worktrees,
    },
    { ...options, inputs },
  );
}

interface Copied {
  readonly id: string;
  readonly startedAt: string;
  readonly from: number;
  readonly redactor: Redactor | null;
  /** The `TRACEPARENT` of the new run. */
  readonly parent: string | null;
  readonly signer: ResumeOptions['signer'];
}

/** Stores a new run with the events of an old one up to a point, and what they refer to. */
function copyOf(stored: StoredRun, dir: string, copied: Copied): OpenJournal {
  const { id, startedAt, from, redactor, parent, signer } = copied;
  const { about } = stored;
  // The copy of a run on an engine is an ordinary run.
  const { engine: _, engine_namespace: __, traceparent: origin, ...settings } = about.settings;
  const open = fileJournal(dir, signer).open({
    runId: id,
    machine: storedMachine(stored, about.digest),
    digest: about.digest,
    inputs: about.inputs,
    startedAt,
    cwd: about.cwd,
    version: about.versions.statedsl,
    sources: storedSources(stored),
    options: about.options,
    key: about.key,
    settings: {
      ...settings,
      replay_of: about.run_id,
      ...omitUndefined({ traceparent: parent ?? undefined, origin_traceparent: origin }),
    },
  });
  const path = open.folder?.path ?? '';
  share(artifactsFolder(stored.path), artifactsFolder(path), () => true);
  share(stored.path, path, (name) => name.startsWith('machine-'));
  const large = open.folder?.large ?? null;
  copyLines(stored, { id, from, redactor, large }, (event, seq, time) => open.append([event], seq, time));
  return open;
}

/** Files that never change are linked instead of copied, if the system can do that. */
function share(source: string, target: string, isWanted: (name: string) => boolean): void {
  for (const name of readdirSync(source)) {
    if (!isWanted(name) || name.startsWith('.') || !entryAt(join(source, name))?.isFile()) continue;
    try {
      linkSync(join(source, name), join(target, name));
    } catch {
      try {
        copyFileSync(join(source, name), join(target, name));
      } catch (cause) {
        throw storeError('copy', join(source, name), cause);
      }
    }
  }
}
