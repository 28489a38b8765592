/** Starts the processes that execute runs: the same program, in a process group of its own, which survives the service. */
import { execa } from 'execa';
import type { Json } from '../../machine/expression.js';
import type { RunProcess } from './executions.js';

export interface ProcessOptions {
  readonly directory: string;
  readonly programs: string;
  readonly jobs: number;
}

/** `secret`: inputs that must not be on disk, in arguments or in an environment. */
export function startRunProcess(
  runId: string,
  secret: Readonly<Record<string, Json>>,
  { directory, programs, jobs }: ProcessOptions,
): RunProcess {
  const own = [...process.execArgv, process.argv[1] as string];
  const words = ['serve', '--execute', runId, '--dir', directory, '--programs', programs, '--jobs', String(jobs)];
  const child = execa(process.execPath, [...own, ...words], {
    cwd: programs,
    detached: true,
    cleanup: false,
    input: JSON.stringify({ secret, parent: process.pid }),
    stdout: 'ignore',
    stderr: 'ignore',
    reject: false,
  });
  return { end: child.then(() => undefined), interrupt: () => void child.kill('SIGTERM') };
}
