/**
 * Processes that carry a mark in their environment, wherever they went: a program may leave the group it was started in,
 * and whoever started it may have died before noting it. A group is stopped only when it is all ours; of a group that
 * somebody else leads, such as the shell that a runner was started from, only the marked processes are.
 */
import { environmentOf, processIds, processStat, stopGroup, stopProcess } from './process-group.js';

/** One process for good: the pid is given to others in time. */
export interface SeenProcess {
  readonly pid: number;
  readonly group: number;
  /** Clock ticks since the machine started. */
  readonly startedAt: number;
  readonly marked: boolean;
}

/** Stops every process with the mark, and returns when they are gone. Where there is no `/proc`, none is found. */
export async function stopMarked(isMarked: (variables: readonly string[]) => boolean): Promise<void> {
  const { groups, alone } = targets(seenProcesses(isMarked), process.pid);
  await Promise.all([...groups.map((group) => stopGroup(group)), ...alone.map((one) => stopProcess(one))]);
}

/** What is to be stopped of what was seen. `own`: the process that asks, whose group stays whoever else is in it. */
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
      // A dead process that nobody collects has no environment any more, and leads nobody.
      if (stat === null || stat.state === 'Z' || stat.state === 'X') return [];
      return [{ pid, group: stat.group, startedAt: stat.startedAt, marked: isMarked(environmentOf(pid)) }];
    });
  } catch {
    return [];
  }
}
