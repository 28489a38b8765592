/**
 * What a killed runner left behind: commands that go on without anybody who waits for them. They are found by what the
 * run noted when it started them, and stopped before the run goes on, so that a command never runs beside itself.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readOwn } from '../store/own-file.js';
import type { StoredRun } from '../store/stored-run.js';
import { environmentOf, processIds, processStat, stopGroup } from './process-group.js';
import { removeStaleFolders } from './temporary-folder.js';

interface ProcessRecord {
  readonly effect: string;
  readonly pid: number;
  readonly group: number;
  readonly startedAt: number | null;
}

/** Stops the process groups of these effects, with everything they started; null: those of all effects. */
export async function stopLeftovers(stored: StoredRun, effects: ReadonlySet<string> | null): Promise<void> {
  if (effects?.size === 0) return;
  const runId = stored.about.run_id;
  const records = processRecords(stored).filter(({ effect }) => effects === null || effects.has(effect));
  const groups = new Set(records.filter(isSame).map(({ group }) => group));
  for (const group of groupsOf(runId, effects)) groups.add(group);
  const own = processStat(process.pid)?.group;
  await Promise.all([...groups].filter((group) => group !== own).map((group) => stopGroup(group)));
}

/** Outputs that were being written when the process died, and its private files. */
export function removeUnfinished({ path }: StoredRun): void {
  removeStaleFolders();
  const artifacts = join(path, 'artifacts');
  try {
    for (const name of readdirSync(artifacts)) if (name.startsWith('.partial-')) rmSync(join(artifacts, name));
  } catch {
    // They take room and do no harm.
  }
}

function processRecords({ path }: StoredRun): ProcessRecord[] {
  let text: string;
  try {
    text = readOwn(join(path, 'processes.ndjson')).toString('utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as ProcessRecord];
    } catch {
      // The last line, torn when the runner died: that process did not start.
      return [];
    }
  });
}

/** A pid is given to other processes in time; with the time it started at it is one process for good. */
function isSame({ pid, startedAt }: ProcessRecord): boolean {
  return startedAt !== null && processStat(pid)?.startedAt === startedAt;
}

/**
 * Groups of processes whose environment names an effect of the run. They need not be on record: the runner may have died
 * between starting one and noting it, its leader may be gone, and it may have moved to a group of its own.
 */
function groupsOf(runId: string, effects: ReadonlySet<string> | null): number[] {
  const wanted = (variables: readonly string[]): boolean => {
    if (!variables.includes(`STATEDSL_RUN_ID=${runId}`)) return false;
    return effects === null || [...effects].some((id) => variables.includes(`STATEDSL_EFFECT_ID=${runId}:${id}`));
  };
  try {
    return processIds().flatMap((pid) => {
      const stat = pid !== process.pid && wanted(environmentOf(pid)) ? processStat(pid) : null;
      return stat === null ? [] : [stat.group];
    });
  } catch {
    return [];
  }
}
