/**
 * Calls of git that a killed process left running: they would go on writing beside ours. They are found by the mark in
 * their environment; where there is no `/proc` they end by themselves.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { processStat, stopGroup } from '../process/process-group.js';
import { MARK } from './git.js';

/** Stops all processes with this mark, and returns when they are gone. */
export async function stopLeftCalls(mark: string): Promise<void> {
  const groups = new Set<number>();
  for (const pid of processIds()) {
    const stat = environmentOf(pid).includes(`${MARK}=${mark}`) ? processStat(pid) : null;
    if (stat !== null) groups.add(stat.group);
  }
  const own = processStat(process.pid)?.group;
  await Promise.all([...groups].filter((group) => group !== own).map((group) => stopGroup(group)));
}

function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
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
