/** `statedsl resume`: resumes a run that stopped. */
import type { GoingBack } from '../../runtime/run/again/refuse-resume.js';
import type { Delivery } from '../../runtime/store/inbox.js';
import { latestRunning, latestUnfinished } from '../../runtime/store/latest-run.js';
import { RunRefused } from '../../runtime/store/run-refused.js';
import { requireOwnStore } from '../../runtime/store/store-ownership.js';
import { findRunId, openStoredRun } from '../../runtime/store/stored-run.js';
import { escapeControls } from '../../views/drawing/visible-text.js';
import type { ResumeFlags } from '../preparation/prepare-resume.js';
import { detach, isDetached } from '../running/detach.js';
import { canAsk, flagProblem } from '../running/drive-on-command-line.js';
import { driveStoredRun } from '../running/drive-stored-run.js';
import { flagLimits } from '../running/run-settings.js';
import { refusalsAsErrors, storeOf } from '../running/stored-runs.js';
import { runToResume } from '../running/which-run.js';
import type { ExitCode } from '../terminal/exit-code.js';
import { stderr } from '../terminal/streams.js';

export async function resumeCommand(name: string | undefined, flags: ResumeFlags): Promise<ExitCode> {
  const wrong = await flagProblem(flags);
  if (wrong !== null) return wrong;
  if (flags.on !== undefined) return resumeElsewhere(name ?? null, flags);
  return refusalsAsErrors(async () => {
    await requireOwnStore(storeOf(flags));
    const id = name === undefined ? await runToResume(storeOf(flags)) : findRunId(storeOf(flags), name);
    if (typeof openStoredRun(storeOf(flags), id).about.settings.engine === 'string') {
      const { engineOf } = await import('../running/follow-on-engine.js');
      return resumeElsewhere(id, { ...flags, ...engineOf(storeOf(flags), id) });
    }
    if (flags.detach) return detach(flags.json === true, false);
    return resumeRun(id, flags, []);
  });
}

async function resumeElsewhere(name: string | null, flags: ResumeFlags): Promise<ExitCode> {
  const unused = await (await import('../running/unused-on-engine.js')).unusedOnResume(flags);
  if (unused !== null) return unused;
  const confirm = (back: GoingBack) => confirmGoingBack(back, flags.again === true, true);
  const options = { limits: flagLimits(flags), again: confirm };
  return (await import('../running/follow-on-engine.js')).resumeOnEngine(name, flags, options);
}

/** The latest run that is not over. Throws a `RunRefused` when there is none. */
export function findLatestUnfinished(
  store: string,
  fits: (id: string) => boolean = () => true,
  file: string | null = null,
): string {
  const id = latestUnfinished(store, fits);
  if (id !== null) return id;
  const which = file === null ? 'no unfinished run' : `no unfinished run of \`${file}\``;
  const running = latestRunning(store);
  const help = running === null ? 'list the runs: `statedsl runs`' : `run \`${running}\` is still running`;
  throw new RunRefused('unknown', `there is ${which} in \`${store}\``, help);
}

/** Delivers answers and signals to the run, and drives it. */
export async function resumeRun(id: string, flags: ResumeFlags, deliveries: readonly Delivery[]): Promise<ExitCode> {
  await requireOwnStore(storeOf(flags), id);
  const background = isDetached();
  const confirm = (back: GoingBack) => confirmGoingBack(back, flags.again === true, !background);
  // Only a command can ask a person whether the run may go back, so the option has another type.
  return driveStoredRun(id, flags, background, (runs, options) =>
    runs.resume(id, { ...options, deliveries, again: confirm as never }),
  );
}

/**
 * Shows the consequences of going back before a handled failure. Without `--again`, a person at a terminal is asked.
 */
async function confirmGoingBack(back: GoingBack, wanted: boolean, attended: boolean): Promise<boolean> {
  if (!wanted && !(attended && canAsk())) return false;
  const paint = await stderr.paint();
  for (const effect of back.stays) stderr.write(`${paint.warning('stays done')}: ${effectText(effect)}\n`);
  for (const effect of back.again) stderr.write(`${paint.warning('done again')}: ${effectText(effect)}\n`);
  if (back.again.length === 0 && back.failure !== null)
    stderr.write(`${paint.warning('goes back')} to line ${back.failure.line} in state \`${back.failure.state}\`\n`);
  if (wanted) return true;
  const { askOnTerminal } = await import('../running/ask.js');
  const question = { question: 'Resume the run from there?', choices: ['yes', 'no'], default: 'no' };
  const reply = await askOnTerminal(question, new AbortController().signal);
  return typeof reply !== 'string' && reply.answer === 'yes';
}

function effectText({ text, state, line }: GoingBack['again'][number]): string {
  const [first = ''] = text.trim().split('\n', 1);
  return escapeControls(`${first} (${state}, line ${line})`);
}
