/**
 * Stops the commands that a killed runner left running. They are found in the records of the run and stopped before the
 * run resumes, so that a command never runs twice at the same time.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { artifactsFolder } from '../store/artifacts.js';
import { readOwn } from '../store/own-file.js';
import type { StoredRun } from '../store/stored-run.js';
import { groupsMarked, stopMarked } from './marked.js';
import { PARTIAL } from './output.js';
import { isHere, isProcessNumber, type ProcessOrigin, processStat, stopGroup } from './process-group.js';
import { removeStaleFolders } from './temporary-folder.js';

/** A line of `processes.ndjson`. Each process is the leader of its own group. */
interface ProcessRecord {
  readonly effect: string;
  readonly pid: number;
  readonly group: number;
  readonly startedAt: number;
  /** Set for a process that only serves the run. Absent for a command, which may leave processes running on purpose. */
  readonly kind?: 'agent' | 'mcp';
}

/**
 * Stops the processes that these effects left running, with everything they started; null means all effects. Agents and
 * tool servers are stopped in any case, because they only serve the run.
 */
export async function stopLeftovers(stored: StoredRun, effects: ReadonlySet<string> | null): Promise<void> {
  const all = processRecords(stored, effects?.size === 0);
  const records = all.filter(({ effect, kind }) => effects === null || kind !== undefined || effects.has(effect));
  // A line of a record that came in an archive may name the process of another program.
  const groups = new Set(records.filter((one) => one.isHere && isSame(one)).map(({ group }) => group));
  if (groups.size > 0) {
    const mark = markOf(stored.about.run_id);
    const marked = groupsMarked((variables) => variables.includes(mark));
    for (const group of groups) if (!marked.has(group)) groups.delete(group);
  }
  const own = processStat(process.pid)?.group;
  await Promise.all([...groups].filter((group) => group !== own).map((group) => stopGroup(group)));
  if (effects !== null && effects.size === 0 && records.length === 0) return;
  const wanted = effects === null ? null : new Set([...effects, ...records.map(({ effect }) => effect)]);
  await stopEffects(stored.about.run_id, wanted);
}

const markOf = (runId: string): string => `STATEDSL_RUN_ID=${runId}`;

/** Stops processes by the effect that their environment names; null means all effects of the run. */
export function stopEffects(runId: string, effects: ReadonlySet<string> | null): Promise<void> {
  const mark = markOf(runId);
  const prefix = `STATEDSL_EFFECT_ID=${runId}:`;
  return stopMarked((variables) => {
    if (!variables.includes(mark)) return false;
    const effect = variables.find((one) => one.startsWith(prefix))?.slice(prefix.length);
    return effect !== undefined && (effects === null || effects.has(effect));
  });
}

/** Removes unfinished output files and the private files of the dead process. */
export function removeUnfinished({ path }: StoredRun): void {
  removeStaleFolders();
  const artifacts = artifactsFolder(path);
  try {
    for (const name of readdirSync(artifacts)) if (name.startsWith(PARTIAL)) rmSync(join(artifacts, name));
  } catch {
    // They only use space and do no harm.
  }
}

/** `servingOnly` leaves out commands, of which there may be very many. */
function processRecords({ path }: StoredRun, servingOnly: boolean): (ProcessRecord & { readonly isHere: boolean })[] {
  let text: string;
  try {
    text = readOwn(join(path, 'processes.ndjson')).toString('utf8');
  } catch {
    return [];
  }
  if (servingOnly && !text.includes('"kind":')) return [];
  // A process of unknown origin may be a stranger's.
  let here = false;
  return text.split('\n').flatMap((line) => {
    try {
      const entry: unknown = line === '' ? null : JSON.parse(line);
      if (isRecord(entry)) return [{ ...entry, isHere: here }];
      if (isOrigin(entry)) here = isHere(entry);
      return [];
    } catch {
      // The last line may be incomplete if the runner died while writing it. That process did not start.
      return [];
    }
  });
}

/** The content of the file is not trusted: a wrong number could stop all processes. */
export function isRecord(value: unknown): value is ProcessRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { effect, pid, group, startedAt } = value as Partial<Record<keyof ProcessRecord, unknown>>;
  return typeof effect === 'string' && isProcessNumber(pid) && group === pid && Number.isSafeInteger(startedAt);
}

function isOrigin(value: unknown): value is ProcessOrigin {
  return typeof value === 'object' && value !== null && 'host' in value && 'boot' in value && 'pidNamespace' in value;
}

/** A pid is reused, but a pid with a start time identifies one process. */
function isSame({ pid, group, startedAt }: ProcessRecord): boolean {
  const stat = processStat(pid);
  return stat?.startedAt === startedAt && stat.group === group;
}
