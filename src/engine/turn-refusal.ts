/** How a turn begins on a worker, or why the worker does not execute it: the first entry of a turn. */
import { omitUndefined } from '../prelude/omit-undefined.js';
import { otherFormatOf } from '../runtime/store/image.js';
import { VERSION } from '../runtime/version.js';
import type { TurnStart } from './messages.js';
import { END_ONLY, EXECUTE, type Program, ProgramRefused, type Refusal, type TurnHost } from './turn-host.js';
import type { BegunWorktree } from './turn-worktree.js';

/** A run that has not begun is ended by workers that must not execute it, too. */
export function isEndedAtOnce({ image, mail }: TurnStart): boolean {
  return image === null && mail.some(({ delivery }) => delivery.kind === 'cancel');
}

/** Whether the worker may end the run, because it is new or had failed before. A run that waits continues to wait. */
export function mayEnd({ image, turn, begin = [] }: TurnStart): boolean {
  const hadFailed = begin.some((event) => event.type === 'run_resumed' && event.from !== undefined);
  return image === null || turn === 1 || hadFailed;
}

interface Beginning {
  /** Why the worker does not execute the turn; null: it does. */
  readonly refused: Refusal | null;
  /** Absent: the run has none. */
  readonly worktree?: BegunWorktree;
}

/** `invocation`: of this attempt, for people. */
export async function beginningOf(start: TurnStart, host: TurnHost, invocation: string): Promise<Beginning> {
  const { runId, turn } = start;
  try {
    const program = await host.program(runId, isEndedAtOnce(start) ? END_ONLY : EXECUTE);
    refuseImage(start, program.home);
    const worktree = await worktreeOf(start, host, program);
    return { refused: null, ...omitUndefined({ worktree }) };
  } catch (cause) {
    if (!(cause instanceof ProgramRefused)) throw cause;
    const { message: reason, isFinal, isOfFunctions, unreadableOf } = cause;
    host.noteRefusal?.({ runId, turn, invocation }, reason);
    return { refused: { reason, isFinal, isOfFunctions, ...omitUndefined({ unreadableOf }) } };
  }
}

/** The attempt is over: another one will be made, perhaps by another worker. The reason was said. */
export class AttemptRefused extends Error {}

/** Another worker, which had the worktree, may have begun the turn. Rejects with an `AttemptRefused`. */
export async function requireWorktree(
  { runId, turn }: TurnStart,
  { worktrees, noteRefusal }: TurnHost,
  invocation: string,
): Promise<void> {
  const reason = worktrees === undefined ? withoutFolder(runId) : await worktrees.problem(runId);
  if (reason === null) return;
  noteRefusal?.({ runId, turn, invocation }, reason);
  throw new AttemptRefused(reason);
}

function withoutFolder(runId: string): string {
  return `run \`${runId}\` needs a worktree, for which its worker has no folder`;
}

async function worktreeOf(
  start: TurnStart,
  { worktrees }: TurnHost,
  { worktree }: Program,
): Promise<BegunWorktree | undefined> {
  const { runId, turn } = start;
  if (worktree === null || isEndedAtOnce(start)) return undefined;
  if (worktrees !== undefined) return worktrees.begin({ runId, turn, wanted: worktree });
  throw new ProgramRefused(withoutFolder(runId), true);
}

/** Another version of statedsl may have executed the run before. */
function refuseImage({ runId, image }: TurnStart, home: string | null): void {
  const format = image === null ? null : otherFormatOf(image);
  if (format === null) return;
  const by = image?.made_by;
  const [maker, wanted] =
    by === undefined ? ['another statedsl', 'that version'] : [`statedsl ${by}`, `statedsl ${by}`];
  throw new ProgramRefused(
    `run \`${runId}\` was executed by ${maker}, whose images have format ${format}, which statedsl ${VERSION} cannot read: start a worker of ${wanted}`,
    false,
    false,
    home,
  );
}
