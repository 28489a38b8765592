/** Medians of several rounds. The sides of a comparison take turns, so that a busy moment meets both. */
import { spawnSync } from 'node:child_process';

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

/** The median of each action in milliseconds; the first round warms up and does not count. */
export async function takeTurns(rounds: number, actions: readonly (() => unknown)[]): Promise<number[]> {
  const taken = actions.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, action] of actions.entries()) {
      const ms = await timed(action);
      if (round > 0) taken[index]?.push(ms);
    }
  }
  return taken.map(median);
}

/** Runs a program to its end, output thrown away; a failure ends the benchmark. */
export function spawned(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr.toString()}`);
}

export function milliseconds(ms: number): string {
  return ms < 10 ? `${ms.toFixed(2)} ms` : `${Math.round(ms)} ms`;
}
