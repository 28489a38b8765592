/**
 * All runs of a store, as a list. Runs that ended are told by the index alone: a store of ten thousand is listed at once
 * because only those that have no end there, which are few, have files opened.
 */
import { join } from 'node:path';
import type { RunEvent } from '../interpreter/events/event.js';
import { statusAfter } from './status-after.js';
import { lastEvents } from './store/last-events.js';
import { readOwn } from './store/own-file.js';
import type { IndexEntry } from './store/run-header.js';
import { type RunAbout, type RunStatus, readIndex, runIds, runStatus } from './store/stored-run.js';

/** A run of the store, as `statedsl runs --json` prints it. What is not known without reading its journal is null. */
export interface ListedRun {
  readonly run_id: string;
  readonly machine: string | null;
  /** `killed`: its process died without recording an end, and the run can be resumed. */
  readonly status: RunStatus;
  readonly state: string | null;
  /** ISO 8601. */
  readonly started_at: string;
  /** ISO 8601; null while it is not over. */
  readonly ended_at: string | null;
  readonly duration_ms: number | null;
  /** US dollars. */
  readonly cost: number | null;
  readonly effects: number | null;
  /** The git branch with what it did, where it has a worktree. */
  readonly branch?: string;
  /** A person ended it for good. */
  readonly cancelled?: true;
}

/** The newest `last` runs (all where it is null), newest first. Throws a `StoreError` when the store cannot be read. */
export function listRuns(directory: string, last: number | null = null): ListedRun[] {
  const ids = runIds(directory).reverse();
  const index = readIndex(directory);
  return ids.slice(0, last ?? ids.length).map((id) => listedRun(directory, id, index.get(id)));
}

/** What is known of one run. `entry`: its line in the index. */
export function listedRun(directory: string, runId: string, entry: IndexEntry | undefined): ListedRun {
  const status = runStatus(directory, runId, entry);
  if (entry !== undefined && entry.status !== 'running') {
    const { machine, state, started_at, ended_at, duration_ms, cost, effects, branch, cancelled } = entry;
    const known = { machine, status, state, started_at, ended_at, duration_ms, cost, effects };
    const more = { ...(branch === undefined ? {} : { branch }), ...(cancelled === undefined ? {} : { cancelled }) };
    return { run_id: runId, ...known, ...more };
  }
  const folder = join(directory, 'runs', runId);
  const about = entry ?? readAbout(folder);
  const { end, state } = lastWords(join(folder, 'journal.ndjson'));
  return {
    run_id: runId,
    machine: about?.machine ?? null,
    // A run whose line did not get into the index, for example because the disk was full, ended all the same.
    status: status === 'killed' ? (end ?? status) : status,
    state: state ?? entry?.state ?? null,
    started_at: about?.started_at ?? timeOfId(runId),
    ended_at: null,
    duration_ms: null,
    cost: null,
    effects: null,
  };
}

function readAbout(folder: string): Pick<RunAbout, 'machine' | 'started_at'> | null {
  try {
    return JSON.parse(readOwn(join(folder, 'run.json')).toString('utf8')) as RunAbout;
  } catch {
    // It was being made when its process died.
    return null;
  }
}

/** The ids of runs begin with the time they were made at, in milliseconds. */
function timeOfId(runId: string): string {
  return new Date(Number.parseInt(runId.slice(0, 8) + runId.slice(9, 13), 16)).toISOString();
}

/** How far back the end of a journal is searched: one outcome may fill several of the smaller. */
const WINDOWS = [16 * 1024, 1024 * 1024];

/** How a journal ends, and the last state in it; null where its end does not say. */
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
    // What stands before it may not count any more, and the index knows where the run went on.
    if (event.type === 'run_resumed') return null;
    if (event.type === 'state_entered') return event.state;
  }
  return null;
}
