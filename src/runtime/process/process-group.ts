/**
 * Stops everything that a command started. A command runs in its own process group. Stopping it sends TERM to the whole
 * group, and KILL after two seconds, so that nothing in the group outlives it. Processes that left the group on purpose
 * (`setsid`) cannot be reached.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { clockMs } from '../clock.js';
import { errorCode } from '../store/store-error.js';

const GRACE_MS = 2000;
const FIRST_LOOK_MS = 5;
const LONGEST_LOOK_MS = 100;

/** Resolves when no process of the group runs any more, or when even KILL did not end it within the grace period. */
export async function stopGroup(group: number): Promise<void> {
  if (!sendToGroup(group, 'SIGTERM')) return;
  if (await groupEnds(group)) return;
  if (!sendToGroup(group, 'SIGKILL')) return;
  await groupEnds(group);
}

/** The same for one process without its own group, as long as the pid still belongs to it. */
export async function stopProcess({ pid, startedAt }: { pid: number; startedAt: number }): Promise<void> {
  const isSame = (): boolean => {
    const stat = processStat(pid);
    return isProcessNumber(pid) && stat?.startedAt === startedAt && stat.state !== 'Z' && stat.state !== 'X';
  };
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isSame() || !send(pid, signal)) return;
    const end = clockMs() + GRACE_MS;
    for (let pause = FIRST_LOOK_MS; isSame() && clockMs() < end; pause = Math.min(pause * 2, LONGEST_LOOK_MS))
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

/** Returns false if there is no such group. */
function sendToGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  // -1 would mean all processes, and 0 our own group.
  return isProcessNumber(group) && send(-group, signal);
}

function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (cause) {
    // EPERM: the program runs as another user, so it exists but cannot be stopped.
    return (cause as { code?: string }).code === 'EPERM' && signal === 0;
  }
}

async function groupEnds(group: number): Promise<boolean> {
  const end = clockMs() + GRACE_MS;
  for (let pause = FIRST_LOOK_MS; clockMs() < end; pause = Math.min(pause * 2, LONGEST_LOOK_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (!(await groupRuns(group))) return true;
  }
  return !(await groupRuns(group));
}

let nextLook: Promise<ReadonlySet<number> | null> | null = null;

/**
 * The groups with a process that is not a zombie. Zombies stay in their group if no init process collects them, as in
 * many containers, and waiting for such a group would always take the whole grace period. All requests in one turn of
 * the event loop share one scan of the processes, because stopping a thousand groups would otherwise need a million
 * reads. Null if there is no `/proc`.
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

/** All visible processes. Throws if there is no `/proc`. */
export function processIds(): number[] {
  if (!numbersFit()) throw new Error('/proc shows another pid namespace');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/**
 * The environment with which a process was started, as `NAME=value`; empty if it is gone or belongs to another user.
 */
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
  /** The start time in clock ticks since the machine started. With the pid, it identifies one process. */
  readonly startedAt: number;
}

/** Whether there is a process of this number, which may be another program by now. */
export function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // EPERM: it belongs to another user.
    return errorCode(cause) === 'EPERM';
  }
}

/** Facts from Linux about a process; null if there is no such process or no `/proc`. */
export function processStat(pid: number): ProcessStat | null {
  if (!numbersFit()) return null;
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name in parentheses may contain anything, unlike the fields after it.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', group: Number(fields[2]), startedAt: Number(fields[19]) };
}

let fit: boolean | undefined;

/**
 * A process in its own pid namespace may still see the `/proc` of another one, in which its numbers mean other
 * processes.
 */
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

/** All members are null if the system does not report them. */
export interface ProcessOrigin {
  readonly host: string | null;
  /** The id of one start of the machine. */
  readonly boot: string | null;
  readonly pidNamespace: string | null;
}

let known: ProcessOrigin | null = null;

/** The origin of this process. */
export function thisOrigin(): ProcessOrigin {
  known ??= {
    host: hostname() || null,
    boot: readOrNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: readOrNull(() => readlinkSync('/proc/self/ns/pid')),
  };
  return known;
}

/** Whether process numbers recorded with that origin are valid here. */
export function isHere({ host, boot, pidNamespace }: ProcessOrigin): boolean {
  const here = thisOrigin();
  return host === here.host && boot === here.boot && pidNamespace === here.pidNamespace;
}

/**
 * Whether the number can be one of our processes: 0 and negative numbers mean groups or all processes, and 1 belongs to
 * the system.
 */
export function isProcessNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 1 && value < 2 ** 31;
}

function readOrNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
