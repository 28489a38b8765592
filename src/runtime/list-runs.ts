/**
 * Lists the runs of a store. For runs that ended the index is enough, and files are opened only for the few without an end
 * there. So a store of ten thousand runs is listed at once.
 */
import { join } from 'node:path';
import type { RunEvent, Waiting } from '../interpreter/events/event.js';
import { statusAfter } from '../interpreter/events/status-after.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { lastEvents } from './store/journal-lines.js';
import { readOwn } from './store/own-file.js';
import { type IndexEntry, labelsOf, type RunLabels } from './store/run-header.js';
import { type RunAbout, type RunStatus, readIndex, runIds, runStatus } from './store/stored-run.js';

/** A run of the store, as `statedsl runs --json` prints it. What is not known without reading its journal is null. */
export interface ListedRun {
  readonly run_id: string;
  readonly machine: string | null;
  /** What a person calls it: its name, the title of its program or its inputs, or else its program. */
  readonly title: string | null;
  /** `killed`: its process died without recording an end; the run can be resumed. */
  readonly status: RunStatus;
  readonly state: string | null;
  /** ISO 8601. */
  readonly started_at: string;
  /** While it is executed: when it would have begun if it had never been suspended or without a process; ISO 8601. */
  readonly active_since?: string;
  /** ISO 8601; null until it ends. */
  readonly ended_at: string | null;
  readonly duration_ms: number | null;
  /** US dollars. */
  readonly cost: number | null;
  readonly effects: number | null;
  /** The git branch with its work, if it has a worktree. */
  readonly branch?: string;
  /** A user ended it for good. */
  readonly cancelled?: true;
  /** The run that it was copied from. */
  readonly replay_of?: string;
  /** Runs with the same key are executed one at a time. */
  readonly key?: string;
  /** Why it failed, in one line. */
  readonly error?: string;
  /** What it returned, in one line. */
  readonly result?: string;
  /** What it waits for, if it is suspended: at most ten, without choices and shown values. */
  readonly waiting?: readonly Waiting[];
}

/** The newest `last` runs (all where it is null), newest first. Throws a `StoreError` when the store cannot be read. */
export function listRuns(directory: string, last: number | null = null): ListedRun[] {
  const ids = runIds(directory).reverse();
  const index = readIndex(directory);
  return ids.slice(0, last ?? ids.length).map((id) => listedRun(directory, id, index.get(id)));
}

/** The facts of one run. `entry`: its line in the index. */
export function listedRun(directory: string, runId: string, entry: IndexEntry | undefined): ListedRun {
  const status = runStatus(directory, runId, entry);
  if (entry !== undefined && entry.status !== 'running') {
    const { machine, title = machine, state, started_at, ended_at, duration_ms, cost, effects } = entry;
    const { branch, cancelled, replay_of, key, error, result, waiting } = entry;
    const known = { machine, title, status, state, started_at, ended_at, duration_ms, cost, effects };
    const more = omitUndefined({ branch, cancelled, replay_of, key, error, result, waiting });
    return { run_id: runId, ...known, ...more };
  }
  const folder = join(directory, 'runs', runId);
  const about = entry ?? readAbout(folder);
  const labels = labelsIn(about);
  const { end, state } = lastWords(join(folder, 'journal.ndjson'));
  const startedAt = about?.started_at ?? timeOfId(runId);
  return {
    run_id: runId,
    machine: about?.machine ?? null,
    title: labels.title ?? about?.machine ?? null,
    // A run may have ended although its line is not in the index, for example because the disk was full.
    status: status === 'killed' ? (end ?? status) : status,
    state: state ?? entry?.state ?? null,
    started_at: startedAt,
    ...(status === 'running' ? { active_since: activeSince(entry) ?? startedAt } : {}),
    ended_at: null,
    duration_ms: null,
    cost: null,
    effects: null,
    ...omitUndefined({ replay_of: labels.replay_of }),
    ...omitUndefined({ key: typeof about?.key === 'string' ? about.key : about?.key?.name }),
  };
}

/** The last moment that a date can have, in milliseconds since the epoch. */
const LAST_MS = 8.64e15;

/** A line of the index about a run that is executed says when it was resumed, and how long it had been executed before. */
function activeSince(entry: IndexEntry | undefined): string | null {
  if (entry === undefined) return null;
  const ms = Date.parse(entry.ended_at) - entry.duration_ms;
  // A line that was changed may have any number.
  return Number.isFinite(ms) && Math.abs(ms) <= LAST_MS ? new Date(ms).toISOString() : null;
}

function labelsIn(about: IndexEntry | Partial<KnownAbout> | null): RunLabels {
  if (about === null) return {};
  if (!('options' in about)) return about as IndexEntry;
  const { options = {}, settings = {} } = about;
  return labelsOf({ options, settings });
}

type KnownAbout = Pick<RunAbout, 'machine' | 'started_at' | 'key' | 'options' | 'settings'>;

function readAbout(folder: string): KnownAbout | null {
  try {
    return JSON.parse(readOwn(join(folder, 'run.json')).toString('utf8')) as RunAbout;
  } catch {
    // Its process died while making it.
    return null;
  }
}

/** The id of a run begins with the time at which it was made, in milliseconds. Of any other text: a time, too. */
export function timeOfId(runId: string): string {
  const ms = Number.parseInt(runId.slice(0, 8) + runId.slice(9, 13), 16);
  return new Date(Number.isNaN(ms) ? 0 : Math.min(ms, LAST_MS)).toISOString();
}

/** How many bytes at the end of a journal are searched, in order: one outcome may be longer than the smaller sizes. */
const WINDOWS = [16 * 1024, 1024 * 1024];

/** How a journal ends, and the last state in it; null if its end does not say. */
function lastWords(path: string): { readonly end: RunStatus | null; readonly state: string | null } {
  let words: ReturnType<typeof lastWords> = { end: null, state: null };
  for (const bytes of WINDOWS) {
    const events = lastEvents(path, bytes);
    words = { end: statusAfter(events[0]), state: stateOf(events) };
    if (words.state !== null) break;
  }
  return words;
}

function stateOf(newestFirst: readonly RunEvent[]): string | null {
  for (const event of newestFirst) {
    // Earlier events may no longer count, and the index knows where the run was resumed.
    if (event.type === 'run_resumed') return null;
    if (event.type === 'state_entered') return event.state;
  }
  return null;
}
