/**
 * Decodes the end of a process to an outcome with its exit and output, for commands, agents and tools that are
 * commands.
 */
import type { Outcome } from '../../interpreter/events/event.js';
import type { ShellRequest } from '../../interpreter/request.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { ErrorSink, OutputSink } from './output.js';
import type { ProcessEnd } from './process.js';

/** Returns the end of a process that did not start unchanged. Rejects with a `StoreError` if the disk is full. */
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
