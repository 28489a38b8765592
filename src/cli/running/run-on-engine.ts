/** `run --on`: the program is checked here, and workers of an engine execute it. */

import type { PreparedProgram } from '../../app/project/preparation.js';
import { runOptionsOf } from '../../app/project/prepare.js';
import { EngineFailure } from '../../engine/client.js';
import type { Submission } from '../../engine/messages.js';
import { submissionOf } from '../../engine/runs/submission.js';
import type { RunOptions } from '../../runtime/run/run-options.js';
import { endProcess } from '../end-process.js';
import { commandLineHost } from '../files/command-line-host.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';
import { personName, repeatedFlags } from './drive-on-command-line.js';
import { clientOf, type EngineFlags, engineAccess, failuresAsErrors } from './engine-flags.js';
import { type FollowedRun, followOnCommandLine } from './follow-on-engine.js';
import type { RunFlags } from './run-flags.js';
import { reportRefusal } from './stored-runs.js';

/** How long the engine and its workers may be starting. Milliseconds. */
const FIRST_PATIENCE_MS = 5000;
/** What is said only if a server was there. */
const SAY_MS = FIRST_PATIENCE_MS + 1500;
/** How long a run that nobody follows waits for a worker that answers. Milliseconds. */
const DETACH_MS = 10_000;
const PAUSE_MS = 250;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type OnFlags = RunFlags & EngineFlags;

export async function startOnEngine(
  prepared: PreparedProgram,
  flags: OnFlags,
  given: Partial<RunOptions>,
): Promise<ExitCode> {
  const { machine, sources, variables, functions, configuration, worktreeElsewhere = false } = prepared;
  const supplied = runOptionsOf(commandLineHost(), prepared);
  const options = { ...supplied, ...given, settings: { ...supplied.settings, ...given.settings } };
  const made = submissionOf({
    ...{ machine, options, variables, functions: functions ?? null, engine: configuration.engine ?? {} },
    ...{ home: flags.home, inDoubt: flags.inDoubt, by: personName() },
    worktree: worktreeElsewhere,
    isEncrypted: (engineAccess().key ?? '') !== '',
  });
  if (!made.ok) return reportRefusal(made.refusal);
  const submission = made.value;
  return failuresAsErrors(async () => {
    const hasAnswer = await (flags.detach ? submitWithin(submission, flags) : submit(submission, flags));
    const { runId } = submission.header;
    const missing = waitingFor(submission, flags);
    if (!flags.detach) return followSubmitted({ runId, machine, sources, flags, from: 1, missing });
    const started = { run_id: runId, machine: machine.name, status: 'running' };
    stdout.write(flags.json ? `${JSON.stringify(started)}\n` : `${runId}\n`);
    if (hasAnswer !== false) return EXIT.returned;
    if (!flags.quiet) stderr.write(`no worker answers; the engine at ${flags.on} keeps the run until one comes\n`);
    // Its answer is not waited for.
    return endProcess(EXIT.returned);
  });
}

/** The run is on record, so a failure here is not one of the command line. */
async function followSubmitted(followed: FollowedRun): Promise<ExitCode> {
  const { runId, flags } = followed;
  try {
    return await followOnCommandLine(followed);
  } catch (cause) {
    if (!(cause instanceof EngineFailure)) throw cause;
    const words = ['statedsl show', runId, '--follow', ...repeatedFlags(flags)];
    await usageError(cause.message, `run \`${runId}\` is on record; follow it with: \`${words.join(' ')}\``);
    return EXIT.failed;
  }
}

function waitingFor({ home }: Pick<Submission, 'home'>, { on }: OnFlags): string {
  return `waiting for a worker of ${on}${home === undefined ? '' : ` with the home ${home}`}`;
}

/** False: the engine has it, and no worker has answered in time. Rejects with an `EngineFailure`. */
async function submitWithin(submission: Submission, flags: OnFlags): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), DETACH_MS);
  });
  try {
    return await Promise.race([submit(submission, { ...flags, quiet: true }).then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects with an `EngineFailure`. */
async function submit(submission: Submission, flags: OnFlags): Promise<void> {
  const client = clientOf(flags, FIRST_PATIENCE_MS);
  const waiting = setTimeout(() => {
    if (!flags.quiet) stderr.write(`${waitingFor({}, flags)}\n`);
  }, SAY_MS).unref();
  const leaving = (): void => leave(submission, flags);
  for (const name of SIGNALS) process.once(name, leaving);
  try {
    for (const end = Date.now() + FIRST_PATIENCE_MS; ; ) {
      try {
        return await client.submit(submission);
      } catch (cause) {
        // The first worker may be about to register.
        if (!(cause instanceof EngineFailure) || cause.kind !== 'no-service' || Date.now() > end) throw cause;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  } finally {
    clearTimeout(waiting);
    for (const name of SIGNALS) process.off(name, leaving);
  }
}

/** The engine may have the submission already, and gives it to the next worker. */
function leave({ header: { runId } }: Submission, flags: OnFlags): void {
  const words = ['statedsl cancel', runId, ...repeatedFlags(flags)].join(' ');
  if (!flags.quiet)
    stderr.write(`left alone: the run may begin when a worker comes  run ${runId}\n  end it then with: ${words}\n`);
  endProcess(EXIT.interrupted);
}
