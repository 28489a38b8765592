/** `statedsl run`: from a file and flags to a finished run. */

import { basename, extname, resolve } from 'node:path';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { configuredOptions } from '../../project/configured-options.js';
import { emptyReport, type RunReport } from '../../runtime/run/report.js';
import { type RunOptions, run } from '../../runtime/run/run.js';
import { leadsElsewhere } from '../../runtime/store/store-links.js';
import { mayBeForeign } from '../../runtime/store/store-ownership.js';
import { commandLineHost } from '../files/host.js';
import type { Prepared } from '../preparation/preparation.js';
import { prepareRun } from '../preparation/prepare-run.js';
import { reportConfiguration } from '../running/configuration-line.js';
import { detach, isDetached } from '../running/detach.js';
import { cassetteProblem, driveOnCommandLine, flagProblem, suspendOptions } from '../running/drive-on-command-line.js';
import type { RunFlags } from '../running/run-flags.js';
import { createMockedRun, flagLimits, reportUnusedAnswers, STORE, settingsOf } from '../running/run-settings.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stdout } from '../terminal/streams.js';

export async function runCommand(file: string, flags: RunFlags): Promise<ExitCode> {
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
  const prepared = await prepareRun(file, isElsewhere ? { ...flags, worktree: false } : flags);
  if ('code' in prepared) return prepared.code;
  if ('nothing' in prepared) return nothingToRun(prepared.nothing, flags);
  if (flags.dryRun) return dryRun(prepared, flags);
  return isElsewhere ? startElsewhere(prepared, flags) : start(prepared, flags, background);
}

async function start(prepared: Prepared, flags: RunFlags, background: boolean): Promise<ExitCode> {
  const store = resolve(flags.dir ?? STORE);
  // A run that begins in such a store could not be resumed.
  if (leadsElsewhere(store) || mayBeForeign(store)) {
    const wrong = await (await import('../running/stored-runs.js')).storeProblem(store);
    if (wrong !== null) return wrong;
  }
  reportConfiguration(prepared.configuration, flags);
  const { machine, mock, sources } = prepared;
  const configured = configuredFor(prepared, flags);
  const mocked = mock === null ? null : await createMockedRun(mock, flags, configured);
  const plain = { ...runOptions(prepared, configured, flags, background), ...mocked?.options };
  const taped = await tapedRun(prepared, flags, plain);
  if (taped !== null && 'code' in taped) return taped.code;
  const options = { ...plain, ...taped?.options };
  let report: RunReport | null = null;
  const code = await driveOnCommandLine({
    flags,
    background,
    program: machine,
    sources,
    drive: async (shown) => {
      const asked = mocked === null ? {} : { ask: mocked.world.ask(shown.ask ?? null) };
      const all = { ...options, ...shown, ...asked };
      report = await run(machine, { ...all, ...taped?.wrap(all) });
      return report;
    },
  });
  if (taped !== null) return taped.finish(report, code);
  if (mocked !== null && report !== null) await reportUnusedAnswers(mocked.world, report, flags);
  return code;
}

async function startElsewhere(prepared: Prepared, flags: RunFlags): Promise<ExitCode> {
  const { startOnEngine } = await import('../running/run-on-engine.js');
  return startOnEngine(prepared, flags, runOptions(prepared, configuredFor(prepared, flags), flags, false));
}

function configuredFor({ configuration, sources }: Prepared, flags: RunFlags) {
  const program = sources[0]?.name ?? '-';
  return configuredOptions(commandLineHost(), configuration, { program, instead: flags.agent ?? {} });
}

/** Null: the run neither writes nor uses a cassette. */
async function tapedRun({ machine }: Prepared, flags: RunFlags, options: RunOptions) {
  if (flags.record === undefined && flags.cassette === undefined) return null;
  return (await import('../running/cassette-run.js')).prepareTaped(machine, flags, options);
}

function runOptions(
  prepared: Prepared,
  configured: ReturnType<typeof configuredOptions>,
  flags: RunFlags,
  background: boolean,
): RunOptions {
  const { configuration, start: first } = prepared;
  const jobs = flags.jobs ?? configuration.defaults.jobs;
  return {
    inputs: Object.fromEntries(prepared.inputs),
    printedInputs: prepared.printed,
    programDir: prepared.programDir,
    dir: resolve(flags.dir ?? STORE),
    cwd: prepared.cwd,
    worktree: prepared.repository ?? false,
    ...configured,
    limits: flagLimits(flags),
    effectTimeoutMs: flags.effectTimeout ?? null,
    ...suspendOptions(flags, configuration.defaults.suspend_after, background),
    autoEvents: flags.autoEvents ?? false,
    sources: prepared.sources.filter(({ name }) => prepared.machine.files.includes(name)),
    settings: settingsOf(flags),
    ...omitUndefined({
      jobs,
      start: first ?? undefined,
    }),
  };
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
