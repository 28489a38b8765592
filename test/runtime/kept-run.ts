/** Runs of program texts with functions as commands, stored on disk, and copies of them that a test may damage. */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { compile } from '../../src/language/check/compile.js';
import type { Machine } from '../../src/machine/machine.js';
import type { RunOptions } from '../../src/runtime/run/run-options.js';
import type { RunReport } from '../../src/runtime/run/run-report.js';
import { run } from '../../src/runtime/run/start-run.js';

/** In memory where that is possible: these tests are about what is in files, not about how fast a disk is. */
export const scratchRoot = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

function scratchFolder(): string {
  const folder = mkdtempSync(join(scratchRoot, 'statedsl-kept-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type Commands = NonNullable<RunOptions['commands']>;

export function compiled(text: string, commands: readonly string[] = []): Machine {
  const { machine, diagnostics } = compile(text, { name: 'program.dsl', commands: [...commands] });
  if (machine === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return machine;
}

export interface KeptRun {
  readonly report: RunReport;
  /** The store. */
  readonly dir: string;
  /** The folder of the run. */
  readonly path: string;
}

export async function keptRun(text: string, commands: Commands = {}, options: RunOptions = {}): Promise<KeptRun> {
  const dir = options.dir ?? join(scratchFolder(), '.statedsl');
  const cwd = dirname(dir);
  const machine = compiled(text, Object.keys(commands));
  const report = await run(machine, { commands, cwd, env: { PATH: process.env.PATH }, ...options, dir });
  return { report, dir, path: join(dir, 'runs', report.run_id) };
}

/** The same run in a store of its own. */
export function copied({ report, dir }: KeptRun): KeptRun {
  const fresh = join(scratchFolder(), '.statedsl');
  cpSync(dir, fresh, { recursive: true });
  return { report, dir: fresh, path: join(fresh, 'runs', report.run_id) };
}

/** What `action` rejects with, as a text. */
export async function refusal(action: () => unknown): Promise<string> {
  try {
    await action();
  } catch (cause) {
    return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  }
  return 'nothing was refused';
}
