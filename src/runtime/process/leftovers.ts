/**
 * What a killed runner left behind: commands that go on without anybody who waits for them. They are found by what the
 * run noted when it started them, and stopped before the run goes on, so that a command never runs beside itself.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readOwn } from '../store/own-file.js';
import type { StoredRun } from '../store/stored-run.js';
import { PARTIAL } from './live-output.js';
import { stopMarked } from './marked.js';
import { processStat, stopGroup } from './process-group.js';
import { isHere, isProcessNumber, type ProcessOrigin } from './process-origin.js';
import { removeStaleFolders } from './temporary-folder.js';

/** A line of `processes.ndjson`. A process is started as the leader of a group of its own. */
interface ProcessRecord {
  readonly effect: string;
  readonly pid: number;
  readonly group: number;
  readonly startedAt: number;
  /** It serves the run and means nothing without it; absent: a command, which may leave something behind on purpose. */
  readonly kind?: 'agent' | 'mcp';
}

/**
 * Stops what these effects left running, with everything they started; null: what all effects did. Agents and servers
 * of tools that are still there serve nobody any more, whatever effects are meant.
 */
export async function stopLeftovers(stored: StoredRun, effects: ReadonlySet<string> | null): Promise<void> {
  const all = processRecords(stored, effects?.size === 0);
  const records = all.filter(({ effect, kind }) => effects === null || kind !== undefined || effects.has(effect));
  const groups = new Set(records.filter((one) => one.isHere && isSame(one)).map(({ group }) => group));
  const own = processStat(process.pid)?.group;
  await Promise.all([...groups].filter((group) => group !== own).map((group) => stopGroup(group)));
  if (effects !== null && effects.size === 0 && records.length === 0) return;
  const wanted = effects === null ? null : new Set([...effects, ...records.map(({ effect }) => effect)]);
  await stopEffects(stored.about.run_id, wanted);
}

/** Stops processes by the effect that their environment names; null: those of all effects of the run. */
export function stopEffects(runId: string, effects: ReadonlySet<string> | null): Promise<void> {
  const prefix = `STATEDSL_EFFECT_ID=${runId}:`;
  return stopMarked((variables) => {
    if (!variables.includes(`STATEDSL_RUN_ID=${runId}`)) return false;
    const effect = variables.find((one) => one.startsWith(prefix))?.slice(prefix.length);
    return effect !== undefined && (effects === null || effects.has(effect));
  });
}

/** Outputs that were being written when the process died, and its private files. */
export function removeUnfinished({ path }: StoredRun): void {
  removeStaleFolders();
  const artifacts = join(path, 'artifacts');
  try {
    for (const name of readdirSync(artifacts)) if (name.startsWith(PARTIAL)) rmSync(join(artifacts, name));
  } catch {
    // They take room and do no harm.
  }
}

/** `servingOnly`: commands do not matter, of which there may be very many. */
function processRecords({ path }: StoredRun, servingOnly: boolean): (ProcessRecord & { readonly isHere: boolean })[] {
  let text: string;
  try {
    text = readOwn(join(path, 'processes.ndjson')).toString('utf8');
  } catch {
    return [];
  }
  if (servingOnly && !text.includes('"kind":')) return [];
  // Older versions did not note where a process was started.
  let here = true;
  return text.split('\n').flatMap((line) => {
    try {
      const entry: unknown = line === '' ? null : JSON.parse(line);
      if (isRecord(entry)) return [{ ...entry, isHere: here }];
      if (isOrigin(entry)) here = isHere(entry);
      return [];
    } catch {
      // The last line, torn when the runner died: that process did not start.
      return [];
    }
  });
}

/** What is in a file may be anything: a number that is no process would stop everything there is. */
export function isRecord(value: unknown): value is ProcessRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { effect, pid, group, startedAt } = value as Partial<Record<keyof ProcessRecord, unknown>>;
  return typeof effect === 'string' && isProcessNumber(pid) && group === pid && Number.isSafeInteger(startedAt);
}

function isOrigin(value: unknown): value is ProcessOrigin {
  return typeof value === 'object' && value !== null && 'host' in value && 'boot' in value && 'pidNamespace' in value;
}

/** A pid is given to other processes in time; with the time it started at it is one process for good. */
function isSame({ pid, group, startedAt }: ProcessRecord): boolean {
  const stat = processStat(pid);
  return stat?.startedAt === startedAt && stat.group === group;
}
