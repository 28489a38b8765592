/** What `runProcess` needs, where a test has no wish of its own: no input, no time-out, output that is not read. */
import { onTestFinished } from 'vitest';
import { createPipePool } from '../../src/runtime/process/pipes.js';
import type { runProcess } from '../../src/runtime/process/process.js';

type ProcessSpec = Parameters<typeof runProcess>[0];
/** What all commands inherit. */
export const inherited: Readonly<Record<string, string>> = { PATH: process.env.PATH ?? '' };

export function processSpec([program = '', ...args]: readonly string[], given: Partial<ProcessSpec> = {}): ProcessSpec {
  const pipes = createPipePool();
  onTestFinished(() => pipes.remove());
  return {
    program,
    args,
    cwd: '/',
    stdin: null,
    timeoutMs: null,
    ok: [0],
    stop: new AbortController().signal,
    pipes,
    isLive: false,
    groups: new Set(),
    onStdout: () => undefined,
    onStderr: () => undefined,
    onStart: () => undefined,
    ...given,
    variables: given.variables ?? { shared: inherited, own: {} },
  };
}
