/** Runs of program texts whose commands are functions, kept on disk, and copies of them that a test may damage. */
import { cpSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compile, type RunOptions, type RunReport, run } from '../../src/index.js';
import type { Machine } from '../../src/machine/machine.js';
import { temporaryFolder } from './running.js';

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
  const dir = options.dir ?? join(temporaryFolder(), '.statedsl');
  const cwd = dirname(dir);
  const machine = compiled(text, Object.keys(commands));
  const report = await run(machine, { commands, cwd, env: { PATH: process.env.PATH }, ...options, dir });
  return { report, dir, path: join(dir, 'runs', report.run_id) };
}

/** The same run in a store of its own. */
export function copied({ report, dir }: KeptRun): KeptRun {
  const fresh = join(temporaryFolder(), '.statedsl');
  cpSync(dir, fresh, { recursive: true });
  return { report, dir: fresh, path: join(fresh, 'runs', report.run_id) };
}

/** Names of the files of a run. */
export function filesOf({ path }: KeptRun): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
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
