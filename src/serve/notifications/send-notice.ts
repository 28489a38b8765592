/** Gives a notice to a receiver: as the body of a POST, or on the standard input of a command. */
import { execa } from 'execa';
import type { NotifyTarget } from '../../runtime/configuration/configuration.js';
import type { Notice } from './notice.js';

/** A receiver that does not answer within this time is tried again. */
const ANSWER_MS = 30_000;

/** Resolves with null if the receiver has the notice, else with the reason. `folder`: where commands are executed. */
export type SendNotice = (target: NotifyTarget, notice: Notice, signal: AbortSignal) => Promise<string | null>;

export function noticeSender(folder: string): SendNotice {
  return (target, notice, signal) => {
    const body = `${JSON.stringify(notice)}\n`;
    const until = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    return 'url' in target ? post(target.url, notice.id, body, until) : pipe(target.run, folder, body, until);
  };
}

async function post(url: string, id: string, body: string, signal: AbortSignal): Promise<string | null> {
  try {
    const headers = { 'content-type': 'application/json', 'idempotency-key': id, 'user-agent': 'statedsl' };
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await response.body?.cancel();
    return response.ok ? null : `the receiver answered with ${response.status}`;
  } catch (cause) {
    const { message, cause: inner } = cause as Error;
    return inner instanceof Error ? inner.message : message;
  }
}

async function pipe(
  [program, ...args]: readonly string[],
  folder: string,
  body: string,
  cancelSignal: AbortSignal,
): Promise<string | null> {
  const child = execa(program as string, args, {
    cwd: folder,
    // A group of its own, so that what it has started ends with it.
    detached: true,
    input: body,
    cancelSignal,
    stdout: 'ignore',
    stderr: 'ignore',
    reject: false,
  });
  const end = (): void => endGroup(child.pid, 'SIGTERM');
  cancelSignal.addEventListener('abort', end);
  const result = await child;
  cancelSignal.removeEventListener('abort', end);
  // What ignores the first signal must not stay either.
  if (cancelSignal.aborted) endGroup(child.pid, 'SIGKILL');
  return result.failed ? (result.shortMessage ?? 'the command failed') : null;
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}
