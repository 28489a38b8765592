/** Starts the built program as a person would, each test in an empty folder of its own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The built program. */
export const cli = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'dist', 'cli.js');

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Place {
  readonly folder: string;
  /** Writes a file; gives its name. */
  file(name: string, contents: string | Uint8Array): string;
  run(args: readonly string[], more?: { input?: string | Uint8Array; env?: Record<string, string> }): Result;
  start(args: readonly string[], env?: Record<string, string>): ChildProcess;
}

/** A fresh folder with files, removed after the test. Variables that colour or configure are taken away. */
export function place(
  files: Readonly<Record<string, string>> = {},
  /** That of the test's context, where several tests run at once. */
  whenFinished: (action: () => void) => void = onTestFinished,
): Place {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-cli-'));
  whenFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { CI, NO_COLOR, FORCE_COLOR, ...rest } = process.env;
  const base = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('STATEDSL_')));
  const one: Place = {
    folder,
    file(name, contents) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), contents);
      return name;
    },
    run(args, { input = '', env = {} } = {}) {
      const options = { cwd: folder, input, env: { ...base, ...env }, encoding: 'utf8' } as const;
      const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
        ...options,
        maxBuffer: 1 << 28,
      });
      return { code: status, stdout, stderr };
    },
    start: (args, env = {}) =>
      spawn(process.execPath, [cli, ...args], {
        cwd: folder,
        env: { ...base, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
  };
  for (const [name, contents] of Object.entries(files)) one.file(name, contents);
  return one;
}

/** Waits for the end of a process; what it printed comes with it. */
export function ended(child: ChildProcess): Promise<Result> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}
