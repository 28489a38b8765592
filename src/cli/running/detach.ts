/**
 * `--detach`: runs the same command in a background process. Until its run has started, its messages are passed on, so
 * that mistakes are visible here. After that, it only writes the journal.
 */
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';

const MARK = 'STATEDSL_DETACHED';

/** The message of the background process when its run is stored. */
interface DetachedStart {
  readonly runId: string;
  readonly machine: string;
}

/** Starts the background process. Returns when its run has started, or with its exit code if it has not. */
export async function detach(json: boolean, readsInput: boolean): Promise<ExitCode> {
  const args = process.argv.slice(1).filter((word) => word !== '--detach');
  const { execa } = await import('execa');
  const child = execa(process.execPath, [...process.execArgv, ...args], {
    detached: true,
    cleanup: false,
    stdin: readsInput ? 'inherit' : 'ignore',
    ipc: true,
    serialization: 'json',
    env: { [MARK]: '1' },
    buffer: false,
    reject: false,
  });
  // As bytes: a chunk may end inside a character.
  child.stdout.on('data', (chunk: Buffer) => stdout.write(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.write(chunk));
  const outcome = await new Promise<DetachedStart | number>((resolve) => {
    child.once('message', (message) => resolve(message as unknown as DetachedStart));
    void child.then(({ exitCode }) => resolve(exitCode ?? EXIT.failed));
  });
  if (typeof outcome === 'number') return outcome as ExitCode;
  child.disconnect();
  child.unref();
  if (json) stdout.write(`${JSON.stringify({ run_id: outcome.runId, machine: outcome.machine, status: 'running' })}\n`);
  else stdout.write(`${outcome.runId}\n`);
  return EXIT.returned;
}

/** Whether this is the background process. Removes the mark, because the commands of the run must not inherit it. */
export function isDetached(): boolean {
  const marked = process.env[MARK] === '1' && process.send !== undefined;
  delete process.env[MARK];
  return marked;
}

/** Notifies the waiting process, which then ends and closes the connection. */
export function announceStart(started: DetachedStart): void {
  process.send?.(started, () => process.disconnect?.());
}
