/**
 * Stopping what a command started. A command runs in a process group of its own; stopping means TERM to the whole
 * group, two seconds to clean up, then KILL, so that nothing a command started outlives it. What has left the group
 * on purpose (`setsid`) cannot be reached.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { isProcessNumber } from './process-origin.js';

const GRACE_MS = 2000;
const FIRST_LOOK_MS = 5;
const LONGEST_LOOK_MS = 100;

/** Returns when no process of the group runs any more, or when even KILL did not end it within the grace period. */
export async function stopGroup(group: number): Promise<void> {
  if (!sendToGroup(group, 'SIGTERM')) return;
  if (await groupEnds(group)) return;
  if (!sendToGroup(group, 'SIGKILL')) return;
  await groupEnds(group);
}

/** The same for one process that has no group of its own, as long as it is still the one that was seen. */
export async function stopProcess({ pid, startedAt }: { pid: number; startedAt: number }): Promise<void> {
  const isSame = (): boolean => {
    const stat = processStat(pid);
    return isProcessNumber(pid) && stat?.startedAt === startedAt && stat.state !== 'Z' && stat.state !== 'X';
  };
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isSame() || !send(pid, signal)) return;
    const end = Date.now() + GRACE_MS;
    for (let pause = FIRST_LOOK_MS; isSame() && Date.now() < end; pause = Math.min(pause * 2, LONGEST_LOOK_MS))
      await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** KILL at once, for a second Ctrl-C. */
export function killGroup(group: number): void {
  sendToGroup(group, 'SIGKILL');
}

/** Whether a process of the group still runs. */
async function groupRuns(group: number): Promise<boolean> {
  if (!sendToGroup(group, 0)) return false;
  const running = await runningGroups();
  return running === null || running.has(group);
}

/** False when there is no such group. */
function sendToGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  // -1 would be every process there is, and 0 our own group.
  return isProcessNumber(group) && send(-group, signal);
}

function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (cause) {
    // EPERM: a program that changed its user is still there, but not ours to stop.
    return (cause as { code?: string }).code === 'EPERM' && signal === 0;
  }
}

async function groupEnds(group: number): Promise<boolean> {
  const end = Date.now() + GRACE_MS;
  for (let pause = FIRST_LOOK_MS; Date.now() < end; pause = Math.min(pause * 2, LONGEST_LOOK_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (!(await groupRuns(group))) return true;
  }
  return !(await groupRuns(group));
}

let nextLook: Promise<ReadonlySet<number> | null> | null = null;

/**
 * The groups that have a process which is not dead. A dead process that nobody collects stays in its group:
 * containers often have no init process that would, and waiting for such a group would always take the whole grace
 * period. Whoever asks in one turn shares one look at all processes, or stopping a thousand groups would be a million
 * reads. Null where there is no `/proc`.
 */
function runningGroups(): Promise<ReadonlySet<number> | null> {
  nextLook ??= new Promise((resolve) => {
    setImmediate(() => {
      nextLook = null;
      resolve(lookAtProcesses());
    });
  });
  return nextLook;
}

function lookAtProcesses(): ReadonlySet<number> | null {
  const groups = new Set<number>();
  try {
    for (const pid of processIds()) {
      const stat = processStat(pid);
      if (stat !== null && stat.state !== 'Z' && stat.state !== 'X') groups.add(stat.group);
    }
  } catch {
    return null;
  }
  return groups;
}

/** All processes that can be seen. Throws where there is no `/proc`. */
export function processIds(): number[] {
  if (!numbersFit()) throw new Error('/proc shows another pid namespace');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** The variables a process was started with, as `NAME=value`; none where it is gone or belongs to somebody else. */
export function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** Whether a process has a file open. */
export function hasOpen(pid: number, path: string): boolean {
  try {
    const { dev, ino } = statSync(path);
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const open = statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false });
      return open?.ino === ino && open.dev === dev;
    });
  } catch {
    return false;
  }
}

interface ProcessStat {
  readonly state: string;
  readonly group: number;
  /** Clock ticks since the machine started: with the pid it names one process for good. */
  readonly startedAt: number;
}

/** What Linux tells about a process; null where there is no such process or no `/proc`. */
export function processStat(pid: number): ProcessStat | null {
  if (!numbersFit()) return null;
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name in parentheses may hold anything; the fields after it do not.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', group: Number(fields[2]), startedAt: Number(fields[19]) };
}

let fit: boolean | undefined;

/** In a pid namespace of its own a process may still see the `/proc` of another, where its numbers are other processes. */
function numbersFit(): boolean {
  if (fit === undefined) {
    try {
      fit = readlinkSync('/proc/self') === String(process.pid);
    } catch {
      fit = false;
    }
  }
  return fit;
}
