/**
 * Calls of git that a killed process left running: they would go on writing beside ours. They are found by the mark in
 * their environment; where there is no `/proc` they end by themselves.
 */
import { environmentOf, processIds, processStat, stopGroup } from '../../process/process-group.js';
import { MARK } from './git.js';

/** Stops all processes with this mark, and returns when they are gone. */
export async function stopLeftCalls(mark: string): Promise<void> {
  const groups = new Set<number>();
  for (const pid of seenProcesses()) {
    const stat = environmentOf(pid).includes(`${MARK}=${mark}`) ? processStat(pid) : null;
    if (stat !== null) groups.add(stat.group);
  }
  const own = processStat(process.pid)?.group;
  await Promise.all([...groups].filter((group) => group !== own).map((group) => stopGroup(group)));
}

function seenProcesses(): number[] {
  try {
    return processIds();
  } catch {
    return [];
  }
}
