/** What `runProcess` needs, where a test has no wish of its own: no input, no time-out, output that is not read. */
import { onTestFinished } from 'vitest';
import { createForkServer, type ForkServer } from '../../src/runtime/process/fork-server.js';
import { createPipePool } from '../../src/runtime/process/pipes.js';
import type { runProcess } from '../../src/runtime/process/process.js';

type ProcessSpec = Parameters<typeof runProcess>[0];
type Starter = Pick<ProcessSpec, 'pipes' | 'forkServer'>;

/** What starts processes: a fork server or, without one, `spawn`. It is closed with the test. */
export function processStarter(isForked: boolean, pipesOf?: (server: ForkServer) => ProcessSpec['pipes']): Starter {
  const forkServer = isForked ? createForkServer() : null;
  const pipes = forkServer === null || pipesOf === undefined ? createPipePool() : pipesOf(forkServer);
  onTestFinished(() => {
    forkServer?.close();
    pipes.remove();
  });
  return { pipes, forkServer };
}

/** What all commands inherit. */
export const inherited: Readonly<Record<string, string>> = { PATH: process.env.PATH ?? '' };

export function processSpec(
  [program = '', ...args]: readonly string[],
  starter: Starter,
  given: Partial<ProcessSpec> = {},
): ProcessSpec {
  return {
    program,
    args,
    cwd: '/',
    stdin: null,
    timeoutMs: null,
    ok: [0],
    stop: new AbortController().signal,
    ...starter,
    isLive: false,
    groups: new Set(),
    onStdout: () => undefined,
    onStderr: () => undefined,
    onStart: () => undefined,
    ...given,
    variables: given.variables ?? { shared: inherited, own: {} },
  };
}
