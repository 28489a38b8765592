/** Which turns a worker does not execute, and why: the first entry of a turn. */
import { omitUndefined } from '../prelude/omit-undefined.js';
import { otherVersionOf } from '../runtime/store/image.js';
import { VERSION } from '../runtime/version.js';
import type { TurnStart } from './messages.js';
import { END_ONLY, EXECUTE, ProgramRefused, type Refusal, type TurnHost } from './turn-host.js';

/** A run that has not begun is ended by workers that must not execute it, too. */
export function isEndedAtOnce({ image, mail }: TurnStart): boolean {
  return image === null && mail.some(({ delivery }) => delivery.kind === 'cancel');
}

/** Why the worker does not execute a turn; null: it does. `invocation`: of this attempt, for people. */
export async function refusalOf(start: TurnStart, host: TurnHost, invocation: string): Promise<Refusal | null> {
  const { runId, turn } = start;
  try {
    const { home } = await host.program(runId, isEndedAtOnce(start) ? END_ONLY : EXECUTE);
    refuseImage(start, home);
    return null;
  } catch (cause) {
    if (!(cause instanceof ProgramRefused)) throw cause;
    const { message: reason, isFinal, isOfFunctions, unreadableOf } = cause;
    host.noteRefusal?.({ runId, turn, invocation }, reason);
    return { reason, isFinal, isOfFunctions, ...omitUndefined({ unreadableOf }) };
  }
}

/** Another version of statedsl may have executed the run before. */
function refuseImage({ runId, image }: TurnStart, home: string | null): void {
  const version = image === null ? null : otherVersionOf(image);
  if (version === null) return;
  const by = image?.made_by;
  const [maker, wanted] =
    by === undefined ? ['another statedsl', 'that version'] : [`statedsl ${by}`, `statedsl ${by}`];
  throw new ProgramRefused(
    `run \`${runId}\` was executed by ${maker}, whose images have version ${version}, which statedsl ${VERSION} cannot read: start a worker of ${wanted}`,
    false,
    false,
    home,
  );
}
