/**
 * What a store has about trials: a folder for each, with what was asked for (`trial.json`) and one line for each run that was
 * begun or judged (`runs.ndjson`). The id of a run is on disk before the run begins, so that after a crash the same run is
 * continued, and no second one begins.
 */
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../machine/expression.js';
import { entryAt, isOwnFolder, readOwn, writeOwn } from './own-file.js';
import { lockHolder } from './run-lock.js';
import { storeError } from './store-error.js';

const FORM = 1;

/** What was asked for. A trial continues with the cases that it began with. */
export interface KeptTrial {
  readonly statedsl_trial: typeof FORM;
  readonly trial_id: string;
  /** The folder in which it was started, absolute. */
  readonly folder: string;
  /** ISO 8601. */
  readonly started_at: string;
  /** The programs that are compared, with the digests of their machines. */
  readonly variants: readonly KeptVariant[];
  readonly cases: { readonly name: string; readonly text: string };
  /** How often each case is run. */
  readonly count: number;
  /** US dollars; null: no limit. */
  readonly budget: number | null;
  /** Options of the preparation. */
  readonly preparation: Readonly<Record<string, Json>>;
  /** How its last execution ended; absent: it is executed, or its process was killed. */
  readonly end?: TrialEnd;
}

/** Runs of a variant that wait, usually for the account of an agent that has reached its limit. */
export interface WaitingRuns {
  readonly run_id: string;
  readonly variant: number;
  /** Absent: the run waits for a time. */
  readonly account?: string;
  /** Milliseconds since the epoch. */
  readonly until: number | null;
}

export interface TrialEnd {
  /** `parked`: runs wait until a time. `budget`: what is left does not suffice for the next run. */
  readonly status: 'complete' | 'parked' | 'budget' | 'interrupted';
  readonly waiting: readonly WaitingRuns[];
}

export interface KeptVariant {
  readonly name: string;
  readonly program: string;
  readonly agents: Readonly<Record<string, string>>;
  readonly digest: string;
}

/** How one run was judged. */
export interface TrialResult {
  readonly run_id: string;
  readonly status: string;
  readonly passed: boolean;
  readonly failures: readonly { readonly expect: string; readonly message: string }[];
  /** US dollars; null: its agents told no cost. */
  readonly cost: number | null;
  readonly cost_unknown?: true;
  /** How long it was executed. Milliseconds. */
  readonly time_ms: number;
}

/** What is known of a run of a trial, by its number. */
export interface TrialSlot {
  readonly run_id: string;
  readonly result: TrialResult | null;
}

const folderOf = (directory: string): string => join(directory, 'trials');
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function trialFolder(directory: string, id: string): string {
  return join(folderOf(directory), id);
}

/** The ids of all trials, newest first. */
export function trialIds(directory: string): string[] {
  try {
    return readdirSync(folderOf(directory))
      .filter((name) => isTrialId(directory, name))
      .sort()
      .reverse();
  } catch {
    return [];
  }
}

/** Whether the store has a trial with this whole id. */
export const isTrialId = (directory: string, id: string): boolean =>
  ID.test(id) &&
  isOwnFolder(trialFolder(directory, id)) &&
  entryAt(join(trialFolder(directory, id), 'trial.json')) !== null;

/** Null: its file cannot be read, or another version has written it. */
export function readTrial(directory: string, id: string): KeptTrial | null {
  try {
    const kept = JSON.parse(readOwn(join(trialFolder(directory, id), 'trial.json')).toString('utf8')) as KeptTrial;
    return kept.statedsl_trial === FORM ? kept : null;
  } catch {
    return null;
  }
}

/** On disk when it returns. Throws a `StoreError`. */
export function keepTrial(directory: string, kept: KeptTrial): void {
  const folder = trialFolder(directory, kept.trial_id);
  const path = join(folder, 'trial.json');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeOwn(`${path}.new`, JSON.stringify(kept), 'w', true);
    renameSync(`${path}.new`, path);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}

const runsFile = (directory: string, id: string): string => join(trialFolder(directory, id), 'runs.ndjson');

/** The runs that were begun, by their numbers. */
export function readSlots(directory: string, id: string): Map<number, TrialSlot> {
  const slots = new Map<number, TrialSlot>();
  const path = runsFile(directory, id);
  if (entryAt(path) === null) return slots;
  for (const line of readOwn(path).toString('utf8').split('\n')) {
    const noted = readLine(line);
    if (noted === null) continue;
    slots.set(noted.slot, { run_id: noted.run_id, result: noted.result ?? null });
  }
  return slots;
}

interface TrialLine {
  readonly slot: number;
  readonly run_id: string;
  readonly result?: TrialResult;
}

/** Null: not a whole line, because a process was killed while it wrote. */
function readLine(line: string): TrialLine | null {
  try {
    const value = JSON.parse(line) as TrialLine | null;
    return Number.isSafeInteger(value?.slot) && typeof value?.run_id === 'string' ? value : null;
  } catch {
    return null;
  }
}

/** On disk when it returns. Throws a `StoreError`. */
export function noteRun(directory: string, id: string, slot: number, run_id: string, result?: TrialResult): void {
  const path = runsFile(directory, id);
  try {
    // It begins with a line end, so that a line which a killed process left unfinished spoils only itself.
    writeOwn(path, `\n${JSON.stringify({ slot, run_id, ...(result === undefined ? {} : { result }) })}\n`, 'a', true);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}

/** Removes the trials of which every run is gone, and returns their ids. One that a process works on stays. */
export function forgetTrials(directory: string, isGone: (run: string) => boolean, dryRun: boolean): string[] {
  const gone = trialIds(directory).filter((id) => {
    const slots = [...readSlots(directory, id).values()];
    const isUnused = slots.length > 0 && slots.every(({ run_id }) => isGone(run_id));
    return isUnused && lockHolder(trialFolder(directory, id)).owner === null;
  });
  if (!dryRun) for (const id of gone) rmSync(trialFolder(directory, id), { recursive: true, force: true });
  return gone;
}
