/** A folder for one row's files, removed when the row is done. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The repository; the launcher says where it is, since the benchmark runs as one bundle elsewhere. */
export const root = process.env.STATEDSL_BENCH_ROOT ?? process.cwd();
export const cli = join(root, 'dist/cli.js');

export interface Scratch {
  readonly path: string;
  write(name: string, text: string): string;
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
