/** Medians of several rounds. The sides of a comparison take turns, so that a busy moment meets both. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Milliseconds of one call. */
export async function timed(action: () => unknown): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

/** What an action took: medians of the time that passed, and means of the time that processors worked for it. */
export interface Taken {
  readonly ms: number;
  /** Of this process and of all that it waited for. */
  readonly cpuMs: number;
}

/** What each action took; the first round warms up and does not count. */
export async function measureTurns(rounds: number, actions: readonly (() => unknown)[]): Promise<Taken[]> {
  const taken = actions.map(() => ({ passed: [] as number[], cpuMs: 0 }));
  for (let round = 0; round <= rounds; round++) {
    for (const [index, action] of actions.entries()) {
      const before = cpuMs();
      const ms = await timed(action);
      const one = taken[index];
      if (round === 0 || one === undefined) continue;
      one.passed.push(ms);
      one.cpuMs += cpuMs() - before;
    }
  }
  return taken.map((one) => ({ ms: median(one.passed), cpuMs: one.cpuMs / rounds }));
}

/** The median of each action in milliseconds. */
export async function takeTurns(rounds: number, actions: readonly (() => unknown)[]): Promise<number[]> {
  return (await measureTurns(rounds, actions)).map(({ ms }) => ms);
}

/** Linux counts the time of processes that ended in hundredths of a second; the sum over some rounds is exact enough. */
const TICK_MS = 10;

/** How long processors have worked for this process and for the processes that it waited for. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childrenCpuMs();
}

function childrenCpuMs(): number {
  try {
    // The name of the program, in parentheses, may contain spaces. Then user and system time of children are 14th and 15th.
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}

/** How many times longer, in time that passed and in time of processors. */
export function compare(one: Taken, other: Taken): { readonly ratio: number; readonly cpuRatio: number } {
  return { ratio: one.ms / other.ms, cpuRatio: one.cpuMs / other.cpuMs };
}

/** Runs a program to its end, output thrown away; a failure ends the benchmark. */
export function spawned(
  command: string,
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): void {
  const { status, stderr, error } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr.toString()}`);
}

export function milliseconds(ms: number): string {
  return ms < 10 ? `${ms.toFixed(2)} ms` : `${Math.round(ms)} ms`;
}
