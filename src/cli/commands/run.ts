/** `statedsl run`: from a file and flags to a finished run. */
import { basename, extname } from 'node:path';
import type { StartOptions } from '../../app/execution-options.js';
import type { MockedExecution } from '../../app/folder/start-in-folder.js';
import type { PreparedProgram } from '../../app/project/preparation.js';
import { unwrap } from '../../app/result.js';
import type { StartingOnEngine, SubmittedRun } from '../../engine/runs/start-on-engine.js';
import { callsAgents } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { RunOptions, Started } from '../../runtime/run/run-options.js';
import { emptyReport, type RunReport } from '../../runtime/run/run-report.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { endProcess } from '../end-process.js';
import { prepareRun } from '../preparation/prepare-run.js';
import type { TapedRun } from '../running/cassette-run.js';
import { reportConfiguration } from '../running/configuration-line.js';
import { configuredEngine, NO_ENGINE } from '../running/configured-engine.js';
import { detach, isDetached } from '../running/detach.js';
import {
  driveOnCommandLine,
  flagProblem,
  personName,
  suspendOptions,
  withoutLog,
} from '../running/drive-on-command-line.js';
import type { RunFlags } from '../running/run-flags.js';
import {
  CommandEnded,
  flagLimits,
  refusalsAsErrors,
  reportUnusedAnswers,
  runsOf,
  settingsOf,
} from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

/** With one of these, a run is executed here even if the configuration names an engine. */
const LOCAL: readonly (keyof RunFlags)[] = ['mock', 'record', 'cassette', 'cwd', 'resume', 'replay'];

export async function runCommand(file: string, given: RunFlags): Promise<ExitCode> {
  const { on: typedOn, ...local } = given;
  const on = typedOn ?? (LOCAL.some((flag) => given.typed?.includes(flag)) ? undefined : await configuredEngine(file));
  const all = { ...local, ...omitUndefined({ on: on === NO_ENGINE ? undefined : on }) };
  const wrong = await flagProblem(all);
  if (wrong !== null) return wrong;
  const flags = withoutLog(all);
  const isElsewhere = flags.on !== undefined;
  if (isElsewhere) {
    const refused = await (await import('../running/unused-on-engine.js')).unusedOnSubmission(flags);
    if (refused !== null) return refused;
  }
  if (flags.resume || flags.replay) return (await import('../running/run-again.js')).runAgain(file, flags);
  if (flags.detach && !flags.dryRun && !isElsewhere) return detach(flags.json === true, file === '-');
  const background = isDetached();
  const prepared = await prepareRun(file, flags);
  if ('code' in prepared) return prepared.code;
  if ('nothing' in prepared) return nothingToRun(prepared.nothing, flags);
  if (flags.only !== undefined) {
    const wrongPart = (await import('../../runtime/run/only-part.js')).onlyProblem(prepared.machine, flags.only);
    if (wrongPart !== null) return usageError(wrongPart.message, wrongPart.help);
  }
  if (flags.dryRun) return dryRun(prepared, flags);
  const bound = await boundOf(prepared, flags, background);
  if (typeof bound === 'number') return bound;
  return refusalsAsErrors(() =>
    isElsewhere && flags.detach ? submit(prepared, flags) : start(prepared, flags, { background, bound }),
  );
}

/**
 * What the run spends on agents at most, for the log; null if it calls none, or if nobody reads it. An exit code: somebody
 * has to confirm it first.
 */
async function boundOf(prepared: PreparedProgram, flags: RunFlags, background: boolean) {
  const isPaid = prepared.mock === null && flags.cassette === undefined && callsAgents(prepared.machine);
  if (!isPaid) return null;
  const { boundWords } = await import('../running/bound-line.js');
  return boundWords({ ...prepared, limits: flagLimits(flags) }, flags, background);
}

async function start(
  prepared: PreparedProgram,
  flags: RunFlags,
  { background, bound }: { readonly background: boolean; readonly bound: string | null },
): Promise<ExitCode> {
  const { machine, sources, configuration } = prepared;
  const runs = await runsOf(flags);
  const made: { taped?: TapedRun; execution?: MockedExecution; report?: RunReport } = {};
  const adapt = async (options: RunOptions): Promise<Partial<RunOptions>> => {
    const { prepareTaped } = await import('../running/cassette-run.js');
    const taped = await prepareTaped(machine, flags, options);
    if ('code' in taped) throw new CommandEnded(taped.code);
    made.taped = taped;
    return { ...taped.options, ...taped.wrap({ ...options, ...taped.options }) };
  };
  const isTaped = flags.record !== undefined || flags.cassette !== undefined;
  const isElsewhere = flags.on !== undefined;
  const given = {
    ...runOptions(flags),
    ...(isElsewhere ? submissionOptions(flags) : suspendOptions(flags, background)),
    ...(isTaped ? { adapt } : {}),
  };
  let hasBegun = false;
  const code = await driveOnCommandLine({
    flags,
    background,
    isPlayed: flags.cassette !== undefined,
    program: machine,
    sources: () => sources,
    missing: () => {
      const home = hasBegun ? (flags.home ?? configuration.engine?.home) : undefined;
      return `waiting for a worker of ${flags.on}${home === undefined ? '' : ` with the home ${home}`}`;
    },
    drive: async (shown) => {
      // What is refused is all that is said.
      const onStart = (started: Started): void => {
        hasBegun = true;
        if (!isElsewhere) reportConfiguration(configuration, flags);
        if (bound !== null) stderr.write(`${visibleLine(bound)}\n`);
        shown.onStart?.(started);
      };
      made.execution = unwrap(await runs.start(prepared, { ...given, ...shown, onStart } as StartOptions));
      made.report = await made.execution.report;
      return made.report;
    },
  });
  const { taped, execution, report } = made;
  if (report?.only?.message !== undefined) await usageError(report.only.message, report.only.help);
  if (report !== undefined) await reportUnusedAnswers(execution?.unusedAnswers?.() ?? [], report, flags);
  return taped === undefined ? code : taped.finish(report ?? null, code);
}

/** How long a run that nobody follows waits for a worker that accepts it. Milliseconds. */
const ACCEPTING_MS = 10_000;

/** `--detach` on an engine: workers execute the run, so no process stays here. */
async function submit(prepared: PreparedProgram, flags: RunFlags): Promise<ExitCode> {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => endProcess(EXIT.interrupted));
  const onUnsent = (text: string): void => void (flags.quiet !== true && stderr.write(`warning: ${text}\n`));
  const given = { ...runOptions(flags), ...submissionOptions(flags), person: personName(), onUnsent };
  const runs = await runsOf(flags);
  const submitted = unwrap(await runs.start(prepared, { ...given, answerWithinMs: ACCEPTING_MS } as StartOptions));
  const { started, isAccepted } = submitted as SubmittedRun;
  stdout.write(flags.json ? `${JSON.stringify(started)}\n` : `${started.run_id}\n`);
  if (!isAccepted && !flags.quiet)
    stderr.write(`no worker answers; the engine at ${flags.on} keeps the run until one comes\n`);
  return EXIT.returned;
}

/** What flags say about a run on an engine. */
function submissionOptions({ home, inDoubt }: RunFlags): Pick<StartingOnEngine, 'home' | 'inDoubt'> {
  return omitUndefined({ home, inDoubt });
}

/** What flags say about the run itself. */
function runOptions(flags: RunFlags) {
  return {
    limits: flagLimits(flags),
    effectTimeoutMs: flags.effectTimeout ?? null,
    autoEvents: flags.autoEvents ?? false,
    settings: settingsOf(flags),
    ...omitUndefined({ name: flags.name, jobs: flags.jobs, realTime: flags.realTime }),
    ...omitUndefined({ key: flags.key, onBusy: flags.onBusy, keyWhile: flags.keyWhile }),
    ...(flags.fresh === undefined && flags.memoMaxAge === undefined && flags.only === undefined
      ? {}
      : { memo: omitUndefined({ fresh: flags.fresh, maxAgeMs: flags.memoMaxAge, only: flags.only }) }),
  };
}

async function dryRun(prepared: PreparedProgram, flags: RunFlags): Promise<ExitCode> {
  const { machine, inputs, printed, start: first } = prepared;
  const { drawDryRun, dryRunJson } = await import('../../views/dry-run.js');
  const limits = { ...machine.limits, ...flagLimits(flags), effectTimeoutMs: flags.effectTimeout ?? null };
  const start = first?.state ?? machine.states[machine.initial]?.name ?? '';
  const { boundsBeforeStart } = await import('../../app/run-bounds.js');
  const { boundWords } = await import('../../views/drawing/bound-words.js');
  const bounds = callsAgents(machine)
    ? await boundsBeforeStart(machine, { ...prepared, limits: flagLimits(flags) })
    : null;
  const bound = bounds === null ? undefined : { words: boundWords(bounds), bounds };
  const dry = { machine, inputs: new Map(Object.entries(inputs)), printed, limits, start, ...omitUndefined({ bound }) };
  stdout.write(
    flags.json ? `${JSON.stringify(dryRunJson(dry))}\n` : drawDryRun(dry, await stdout.paint(), flags.verbose === true),
  );
  return EXIT.returned;
}

/** A file with only comments or declarations: there is nothing to run or to store. */
function nothingToRun(name: string, flags: RunFlags): ExitCode {
  const machine = name === '<stdin>' ? 'stdin' : basename(name, extname(name));
  if (flags.json) stdout.write(`${JSON.stringify(emptyReport(null, machine, 'returned'))}\n`);
  return EXIT.returned;
}
