/** `statedsl resume`: resumes a run that stopped. */
import type { ResumeRunOptions } from '../../app/execution-options.js';
import { unwrap } from '../../app/result.js';
import type { GoingBack } from '../../runtime/run/again/refuse-resume.js';
import type { Delivery } from '../../runtime/store/inbox.js';
import { escapeControls } from '../../views/drawing/visible-text.js';
import type { ResumeFlags } from '../preparation/prepare-resume.js';
import { detach, isDetached } from '../running/detach.js';
import { canAsk, flagProblem, withoutLog } from '../running/drive-on-command-line.js';
import { driveStoredRun } from '../running/drive-stored-run.js';
import { refusalsAsErrors, runsOf } from '../running/stored-runs.js';
import { runToResume } from '../running/which-run.js';
import type { ExitCode } from '../terminal/exit-code.js';
import { stderr } from '../terminal/streams.js';

export async function resumeCommand(name: string | undefined, given: ResumeFlags): Promise<ExitCode> {
  const wrong = await flagProblem(given);
  if (wrong !== null) return wrong;
  const flags = withoutLog(given);
  return refusalsAsErrors(async () => {
    if (flags.on !== undefined) return resumeElsewhere(name ?? null, flags);
    const id = name ?? (await runToResume(flags));
    const { run_id, engine } = unwrap(await (await runsOf(flags)).find(id));
    if (engine !== undefined) return resumeElsewhere(run_id, { ...flags, ...engine });
    if (flags.detach) return detach(flags.json === true, false);
    return resumeRun(run_id, { ...flags, confirms: true }, []);
  }, flags);
}

/** Workers continue a run that has not ended without being asked, so it is only shown. */
async function resumeElsewhere(name: string | null, flags: ResumeFlags): Promise<ExitCode> {
  const unused = await (await import('../running/unused-on-engine.js')).unusedOnResume(flags);
  if (unused !== null) return unused;
  const { run_id } = unwrap(await (await runsOf(flags)).find(name));
  return resumeRun(run_id, flags, []);
}

/** Delivers answers and signals to the run, and drives it. */
export async function resumeRun(
  id: string,
  flags: ResumeFlags & { readonly confirms?: boolean },
  deliveries: readonly Delivery[],
): Promise<ExitCode> {
  const background = isDetached();
  const confirm = (back: GoingBack) => confirmGoingBack(back, flags.again === true, !background);
  return driveStoredRun(id, flags, background, (runs, options) => {
    const given = { ...options, deliveries, again: confirm };
    return runs.resume(id, flags.on === undefined ? given : ({ ...given, follows: true } as ResumeRunOptions));
  });
}

/**
 * Shows the consequences of going back before a handled failure. Without `--again`, a person at a terminal is asked.
 */
async function confirmGoingBack(back: GoingBack, wanted: boolean, attended: boolean): Promise<boolean> {
  if (!wanted && !(attended && canAsk())) return false;
  const paint = await stderr.paint();
  for (const effect of back.stays) stderr.write(`${paint.warning('kept')}: ${effectText(effect)}\n`);
  for (const effect of back.again) stderr.write(`${paint.warning('will run again')}: ${effectText(effect)}\n`);
  for (const effect of back.first ?? []) stderr.write(`${paint.warning('will run first')}: ${effectText(effect)}\n`);
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

/** `statedsl rollback`: undoes what a failed or cancelled run did. */
export async function rollbackCommand(name: string, given: ResumeFlags): Promise<ExitCode> {
  const wrong = await flagProblem(given);
  if (wrong !== null) return wrong;
  const flags = withoutLog(given);
  return refusalsAsErrors(async () => {
    const { run_id } = unwrap(await (await runsOf(flags)).find(name));
    return driveStoredRun(run_id, { ...flags, isUndoing: true }, false, (runs, options) =>
      runs.resume(run_id, { ...options, rollback: true }),
    );
  }, flags);
}
