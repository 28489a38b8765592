/** What a run spends on agents at most, said before the first call, and confirmed by a person if it is much. */
import { boundsBeforeStart, whyConfirm } from '../../app/run-bounds.js';
import type { Machine } from '../../machine/machine.js';
import { boundWords as wordsOf } from '../../views/drawing/bound-words.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { usageError } from '../terminal/usage-error.js';
import { canAsk } from './drive-on-command-line.js';

type BoundedRun = Parameters<typeof boundsBeforeStart>[1] & { readonly machine: Machine };

interface BoundFlags {
  readonly quiet?: boolean;
  readonly yes?: boolean;
}

/** Null: nobody reads it. An exit code: the run was not confirmed. The run calls agents. */
export async function boundWords(
  run: BoundedRun,
  flags: BoundFlags,
  background: boolean,
  mustConfirm = true,
): Promise<string | null | ExitCode> {
  const { confirm_above } = run.configuration;
  const confirms = mustConfirm && confirm_above !== undefined && flags.yes !== true;
  const isRead = flags.quiet !== true && !background;
  if (!isRead && !confirms) return null;
  const bound = await boundsBeforeStart(run.machine, run);
  const why = confirms ? whyConfirm(bound, confirm_above) : null;
  const refused = why === null ? null : await askToStart(why, !background);
  return refused ?? (bound === null || !isRead ? null : wordsOf(bound));
}

/** Null: a person at the terminal wants to start it. */
async function askToStart(why: string, attended: boolean): Promise<ExitCode | null> {
  if (!(attended && canAsk())) return usageError(`nothing was started: ${why}`, 'add `--yes` to start it');
  const { askOnTerminal } = await import('./ask.js');
  const question = { question: `${why}. Start it?`, choices: ['yes', 'no'], default: 'no' };
  const reply = await askOnTerminal(question, new AbortController().signal);
  if (reply === 'interrupted') return EXIT.interrupted;
  if (typeof reply !== 'string' && reply.answer === 'yes') return null;
  return usageError('nothing was started: the run was not confirmed');
}
