/** Command lines as a person would type them, each test in an empty folder of its own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { commandLine } from '../harness/command-line.js';
import { cli, type Result, runProgram, type Started, start } from '../harness/process.js';

export { cli, ended, type Result, type Started } from '../harness/process.js';

type Environment = Readonly<Record<string, string>>;

export interface ProjectFolder {
  readonly folder: string;
  /** Writes a file; gives its name. */
  file(name: string, contents: string | Uint8Array): string;
  /** Executes a command line in this process. */
  run(args: readonly string[], more?: { env?: Environment; laterMs?: number }): Promise<Result>;
  /** Executes a command line in a process of the built program, which can be killed, read standard input, and exit. */
  runProcess(args: readonly string[], more?: { input?: string | Uint8Array; env?: Environment }): Promise<Result>;
  /** Such a process, before its end. */
  start(args: readonly string[], env?: Environment): Started;
}

/** A fresh folder with files, removed after the test. It has no variables that set colors or options. */
export function projectFolder(
  files: Readonly<Record<string, string>> = {},
  /** That of the test's context, where several tests run at the same time. */
  whenFinished: (action: () => void) => void = onTestFinished,
): ProjectFolder {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-cli-'));
  // What one test learns of the limits of an account does not concern the others.
  const state = `${folder}.state`;
  whenFinished(() => {
    for (const one of [folder, state]) rmSync(one, { recursive: true, force: true });
  });
  const { CI, NO_COLOR, FORCE_COLOR, ...rest } = process.env;
  const own = Object.entries(rest).filter(([name]) => !name.startsWith('STATEDSL_'));
  const base = { ...Object.fromEntries(own), XDG_STATE_HOME: state };
  const one: ProjectFolder = {
    folder,
    file(name, contents) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), contents);
      return name;
    },
    async run(args, { env = {}, laterMs = 0 } = {}) {
      const { output: _, ...result } = await commandLine(args, { cwd: folder, env: { ...base, ...env }, laterMs });
      return result;
    },
    runProcess: (args, { input = '', env = {} } = {}) =>
      runProgram(process.execPath, [cli, ...args], { cwd: folder, env: { ...base, ...env }, input }),
    start: (args, env = {}) => start(process.execPath, [cli, ...args], { cwd: folder, env: { ...base, ...env } }),
  };
  for (const [name, contents] of Object.entries(files)) one.file(name, contents);
  return one;
}
