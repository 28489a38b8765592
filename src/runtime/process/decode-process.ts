/** The outcome of a process: its exit and what it printed. Commands, agents and tools that are commands share it. */
import type { Outcome } from '../../interpreter/events/event.js';
import type { ShellRequest } from '../../interpreter/request.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { ErrorSink, OutputSink } from './output.js';
import type { ProcessEnd } from './process.js';

/** The end of a process that was not started is given back as it is. Rejects with a `StoreError` when the disk is full. */
export async function decodeProcess(
  ended: ProcessEnd,
  request: Pick<ShellRequest, 'timeoutMs' | 'needsText'>,
  stdout: OutputSink,
  stderr: ErrorSink,
): Promise<Outcome | Extract<ProcessEnd, { kind: 'not-started' }>> {
  switch (ended.kind) {
    case 'not-started':
      return ended;
    case 'timed-out':
      return {
        kind: 'timed-out',
        timeout_ms: request.timeoutMs ?? 0,
        stdout: await stdout.finish(request.needsText),
        ...(await decodeErrors(stderr)),
        duration_ms: ended.durationMs,
      };
    case 'exited':
      return omitUndefined({
        kind: 'exited',
        exit: ended.exit,
        signal: ended.signal ?? undefined,
        stdout: await stdout.finish(request.needsText),
        ...(await decodeErrors(stderr)),
        duration_ms: ended.durationMs,
        output_truncated: ended.truncated ? true : undefined,
      });
    default:
      return unreachable(ended);
  }
}

async function decodeErrors(
  stderr: ErrorSink,
): Promise<{ readonly stderr: string; readonly stderr_artifact?: string }> {
  const { text, artifact } = await stderr.finish();
  return omitUndefined({ stderr: text, stderr_artifact: artifact });
}
