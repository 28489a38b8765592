/** Starts the processes that execute runs: the same program, in a process group of its own, which survives the service. */
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { printJson } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import { BEGUN, type PermitRequest } from './ask-permits.js';
import type { PermitPool } from './permit-pool.js';
import type { RunProcess } from './promised-run.js';

/** A tenth of the processor time that the service gets if both need all of it: the service needs little, but at once. */
const RUN_PRIORITY = 10;

export interface ProcessOptions {
  readonly directory: string;
  readonly programs: string;
  /** How many effects a run may perform at once, if there are permits for them. */
  readonly jobs: number;
  /** How many effects it performs at once without the service. */
  readonly share: number;
  readonly permits: PermitPool;
}

/** `secret`: inputs that must not be on disk, in arguments or in an environment. */
export function startRunProcess(
  runId: string,
  secret: Readonly<Record<string, Json>>,
  { directory, programs, jobs, share, permits }: ProcessOptions,
): RunProcess {
  const own = [...process.execArgv, process.argv[1] as string];
  const words = ['serve', '--execute', runId, '--dir', directory, '--programs', programs, '--jobs', String(jobs)];
  // With an open channel to it: execa would keep all messages until the end.
  const child = spawn(process.execPath, [...own, ...words], {
    cwd: programs,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  });
  lowerPriority(child.pid);
  const holder = permits.open(() => {
    // A process that has just ended gives its permits back when its end is known.
    if (child.connected) child.send('permit', () => undefined);
  });
  let onBegun: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    onBegun = resolve;
  });
  child.on('message', (message) => {
    if (message === BEGUN) onBegun();
    if (message === 'take' || message === 'give' || message === 'cancel') holder[message satisfies PermitRequest]();
  });
  const end = new Promise<void>((resolve) => {
    child.once('exit', resolve);
    // It could not be started.
    child.once('error', () => {
      if (child.pid === undefined) resolve();
    });
  });
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(printJson({ secret, parent: process.pid, share } as Value));
  return { begun, end: end.finally(() => holder.close()), interrupt: () => void child.kill('SIGTERM') };
}

/** The service answers also while runs use all processors. What they start inherits it. */
function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, RUN_PRIORITY);
  } catch {
    // It has just ended.
  }
}
