/** A folder for one row's files, removed when the row is done. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { median } from './timing.js';

/** The repository; the launcher says where it is, since the benchmark runs as one bundle elsewhere. */
export const root = process.env.STATEDSL_BENCH_ROOT ?? process.cwd();
export const cli = join(root, 'dist/cli.js');

export interface Scratch {
  readonly path: string;
  write(name: string, text: string): string;
}

/**
 * The numbers that modules of `fresh/` print (`names` are files, with words for them), each the median of some rounds, in which they take turns. Each round starts a
 * new process, in which nothing has been compiled and optimized before, as a user's.
 */
export function freshly(rounds: number, folder: string, names: readonly string[]): number[] {
  const printed = names.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [at, name] of names.entries()) printed[at]?.push(oneFresh(folder, name));
  return printed.map(median);
}

function oneFresh(folder: string, name: string): number {
  const [file, ...words] = name.split(' ');
  const args = [join(root, 'bench/fresh', file as string), ...words];
  const text = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  const number = Number(text);
  if (text.trim() === '' || Number.isNaN(number)) throw new Error(`${name} did not print a number: ${text}`);
  return number;
}

export async function inScratch<T>(action: (scratch: Scratch) => Promise<T>): Promise<T> {
  const path = mkdtempSync(join(tmpdir(), 'statedsl-bench-'));
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
    return join(path, name);
  };
  try {
    return await action({ path, write });
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}
