/** `statedsl run`: from a file and flags to a finished run. */

import { basename, extname, resolve } from 'node:path';
import { mayRefuseStart, startPrepared } from '../../control/folder/start-prepared.js';
import type { Refusal } from '../../control/result.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { runOptionsOf } from '../../project/prepared-program.js';
import { emptyReport, type RunReport } from '../../runtime/run/report.js';
import type { RunOptions } from '../../runtime/run/run-options.js';
import { commandLineHost } from '../files/host.js';
import type { Prepared } from '../preparation/preparation.js';
import { prepareRun } from '../preparation/prepare-run.js';
import { reportConfiguration } from '../running/configuration-line.js';
import { configuredEngine, NO_ENGINE } from '../running/configured-engine.js';
import { detach, isDetached } from '../running/detach.js';
import { cassetteProblem, driveOnCommandLine, flagProblem, suspendOptions } from '../running/drive-on-command-line.js';
import type { RunFlags } from '../running/run-flags.js';
import { createMockedRun, flagLimits, reportUnusedAnswers, STORE, settingsOf } from '../running/run-settings.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stdout } from '../terminal/streams.js';

/** With one of these, a run is executed here even if the configuration names an engine. */
const LOCAL: readonly (keyof RunFlags)[] = ['mock', 'record', 'cassette', 'cwd', 'resume', 'replay'];

export async function runCommand(file: string, given: RunFlags): Promise<ExitCode> {
  const { on: typedOn, ...local } = given;
  const on = typedOn ?? (LOCAL.some((flag) => given.typed?.includes(flag)) ? undefined : await configuredEngine(file));
  const flags = { ...local, ...omitUndefined({ on: on === NO_ENGINE ? undefined : on }) };
  const wrong = (await flagProblem(flags)) ?? (await cassetteProblem(flags));
  if (wrong !== null) return wrong;
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
  if (flags.dryRun) return dryRun(prepared, flags);
  return isElsewhere ? startElsewhere(prepared, flags) : start(prepared, flags, background);
}

async function start(prepared: Prepared, flags: RunFlags, background: boolean): Promise<ExitCode> {
  const store = resolve(flags.dir ?? STORE);
  const wrong = mayRefuseStart(store) ? await (await import('../running/stored-runs.js')).storeProblem(store) : null;
  if (wrong !== null) return wrong;
  reportConfiguration(prepared.configuration, flags);
  const { machine, mock, sources } = prepared;
  const given = runOptions(prepared, flags, background);
  const { agents, mcp, readable } = given;
  const mocked = mock === null ? null : await createMockedRun(mock, flags, { agents, mcp, readable });
  const plain = { ...given, ...mocked?.options };
  const taped = await tapedRun(prepared, flags, plain);
  if (taped !== null && 'code' in taped) return taped.code;
  const options = { ...plain, ...taped?.options };
  let report: RunReport | null = null;
  let refusal: Refusal | null = null;
  const drive = async (shown: Partial<RunOptions>): Promise<RunReport> => {
    const asked = mocked === null ? {} : { ask: mocked.world.ask(shown.ask ?? null) };
    const all = { ...options, ...shown, ...asked };
    const started = await startPrepared(given.dir, machine, { ...all, ...taped?.wrap(all) });
    if (!started.ok) {
      refusal = started.refusal;
      throw new Error(refusal.message);
    }
    report = await started.value.report;
    return report;
  };
  let code: ExitCode;
  try {
    code = await driveOnCommandLine({ flags, background, program: machine, sources, drive });
  } catch (cause) {
    if (refusal === null) throw cause;
    return (await import('../running/stored-runs.js')).reportRefusal(refusal);
  }
  if (mocked !== null && report !== null) await reportUnusedAnswers(mocked.world, machine, report, flags);
  return taped === null ? code : taped.finish(report, code);
}

async function startElsewhere(prepared: Prepared, flags: RunFlags): Promise<ExitCode> {
  const { startOnEngine } = await import('../running/run-on-engine.js');
  return startOnEngine(prepared, flags, runOptions(prepared, flags, false));
}

/** Null: the run neither writes nor uses a cassette. */
async function tapedRun({ machine }: Prepared, flags: RunFlags, options: RunOptions) {
  if (flags.record === undefined && flags.cassette === undefined) return null;
  return (await import('../running/cassette-run.js')).prepareTaped(machine, flags, options);
}

function runOptions(prepared: Prepared, flags: RunFlags, background: boolean) {
  const { configuration, start: first, inputs, printed, sources } = prepared;
  return {
    ...runOptionsOf(commandLineHost(), prepared, { name: sources[0]?.name ?? '-', instead: flags.agent ?? {} }),
    inputs: Object.fromEntries(inputs),
    printedInputs: printed,
    dir: resolve(flags.dir ?? STORE),
    limits: flagLimits(flags),
    effectTimeoutMs: flags.effectTimeout ?? null,
    ...suspendOptions(flags, configuration.defaults.suspend_after, background),
    autoEvents: flags.autoEvents ?? false,
    settings: settingsOf(flags),
    ...omitUndefined({
      jobs: flags.jobs,
      start: first ?? undefined,
    }),
  } satisfies RunOptions;
}

async function dryRun({ machine, inputs, printed, start: first }: Prepared, flags: RunFlags): Promise<ExitCode> {
  const { drawDryRun, dryRunJson } = await import('../../views/dry-run.js');
  const limits = { ...machine.limits, ...flagLimits(flags), effectTimeoutMs: flags.effectTimeout ?? null };
  const start = first?.state ?? machine.states[machine.initial]?.name ?? '';
  const dry = { machine, inputs, printed, limits, start };
  stdout.write(flags.json ? `${JSON.stringify(dryRunJson(dry))}\n` : drawDryRun(dry, await stdout.paint()));
  return EXIT.returned;
}

/** A file with only comments or declarations: there is nothing to run or to store. */
function nothingToRun(name: string, flags: RunFlags): ExitCode {
  const machine = name === '<stdin>' ? 'stdin' : basename(name, extname(name));
  if (flags.json) stdout.write(`${JSON.stringify(emptyReport(null, machine, 'returned'))}\n`);
  return EXIT.returned;
}
