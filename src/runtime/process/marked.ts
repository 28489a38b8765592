/**
 * Finds processes by a mark in their environment, because a program may leave its group, and a runner may die before it
 * records a process. A whole group is stopped only if all of it belongs to the run. In a group with another leader,
 * such as the shell that started the runner, only the marked processes are stopped.
 */
import { environmentOf, processIds, processStat, stopGroup, stopProcess } from './process-group.js';

/** Identifies one process, because pids are reused. */
export interface SeenProcess {
  readonly pid: number;
  readonly group: number;
  /** Clock ticks since the machine started. */
  readonly startedAt: number;
  readonly marked: boolean;
}

/** Stops every process with the mark, and resolves when they are gone. Without `/proc`, none is found. */
export async function stopMarked(isMarked: (variables: readonly string[]) => boolean): Promise<void> {
  const { groups, alone } = targets(seenProcesses(isMarked), process.pid);
  await Promise.all([...groups.map((group) => stopGroup(group)), ...alone.map((one) => stopProcess(one))]);
}

/** The groups with a process that has the mark. */
export function groupsMarked(isMarked: (variables: readonly string[]) => boolean): ReadonlySet<number> {
  return new Set(seenProcesses(isMarked).flatMap(({ marked, group }) => (marked ? [group] : [])));
}

/** Selects the groups and processes to stop. `own` is the calling process; its group is never stopped as a whole. */
export function targets(
  seen: readonly SeenProcess[],
  own: number,
): { readonly groups: readonly number[]; readonly alone: readonly SeenProcess[] } {
  const ownGroup = seen.find(({ pid }) => pid === own)?.group;
  const marked = seen.filter((one) => one.marked && one.pid !== own && one.pid > 1 && one.group !== ownGroup);
  const groups = new Set<number>();
  const alone: SeenProcess[] = [];
  for (const one of marked) {
    const others = seen.filter(({ group }) => group === one.group);
    const leader = others.find(({ pid }) => pid === one.group);
    const isOurs = leader === undefined ? others.every((other) => other.marked) : leader.marked;
    if (isOurs && one.group > 1) groups.add(one.group);
    else alone.push(one);
  }
  return { groups: [...groups], alone };
}

function seenProcesses(isMarked: (variables: readonly string[]) => boolean): SeenProcess[] {
  try {
    return processIds().flatMap((pid) => {
      const stat = processStat(pid);
      // A zombie has no environment, and does not count as a leader.
      if (stat === null || stat.state === 'Z' || stat.state === 'X') return [];
      return [{ pid, group: stat.group, startedAt: stat.startedAt, marked: isMarked(environmentOf(pid)) }];
    });
  } catch {
    return [];
  }
}
