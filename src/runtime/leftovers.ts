/**
 * What a killed runner left behind: commands that go on without anybody who waits for them. They are found by what the
 * run noted when it started them, and stopped before the run goes on, so that a command never runs beside itself.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { processStat, stopGroup } from './process-group.js';
import type { StoredRun } from './stored-run.js';

interface ProcessRecord {
  readonly effect: string;
  readonly pid: number;
  readonly group: number;
  readonly startedAt: number | null;
}

/** Stops the process groups of these effects, with everything they started; null: those of all effects. */
export async function stopLeftovers(stored: StoredRun, effects: ReadonlySet<string> | null): Promise<void> {
  const records = processRecords(stored).filter(({ effect }) => effects === null || effects.has(effect));
  const groups = new Set(records.filter((record) => isOurs(record, stored.about.run_id)).map(({ group }) => group));
  await Promise.all([...groups].map((group) => stopGroup(group)));
}

/** Outputs that were being written when the process died. */
export function removeUnfinished({ path }: StoredRun): void {
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
    text = readFileSync(join(path, 'processes.ndjson'), 'utf8');
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

/** A pid is given to other processes in time; a start time and the run's name in the environment are not. */
function isOurs({ pid, group, startedAt }: ProcessRecord, runId: string): boolean {
  const leader = processStat(pid);
  if (leader !== null && leader.startedAt === startedAt) return true;
  return membersOf(group).some((member) => environmentOf(member).includes(`STATEDSL_RUN_ID=${runId}`));
}

function membersOf(group: number): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => processStat(pid)?.group === group);
  } catch {
    return [];
  }
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
