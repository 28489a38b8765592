/** Drives a stored run, or a copy of it, with the settings from flags, files and the configuration. */
import type { ResumeRunOptions } from '../../app/execution-options.js';
import type { ExaminedRun } from '../../app/folder/continued-options.js';
import type { RunCassette } from '../../app/folder/run-cassette.js';
import { namedBoundary } from '../../app/project/read-program.js';
import { type Result, unwrap } from '../../app/result.js';
import type { Execution, Runs } from '../../app/runs.js';
import { type SourceSet, sourceFile } from '../../language/source/diagnostic.js';
import { callsAgents } from '../../machine/machine.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { commandLineHost } from '../files/command-line-host.js';
import { type ResumeFlags, resumeOptions } from '../preparation/prepare-resume.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';
import { driveOnCommandLine, personName } from './drive-on-command-line.js';
import { CommandEnded, flagLimits, runsOf } from './stored-runs.js';

/** The bound of the whole run, of which a part may be spent already. */
async function reportBound(found: ExaminedRun, flags: DrivenFlags, background: boolean): Promise<void> {
  const { continued: machine, isMocked } = found;
  if (isMocked || flags.isUndoing === true || !callsAgents(machine)) return;
  const { boundWords } = await import('./bound-line.js');
  const run = { ...found, machine, limits: flagLimits(flags) };
  const words = await boundWords(run, flags, background, flags.confirms === true);
  if (typeof words === 'number') throw new CommandEnded(words);
  if (words !== null) stderr.write(`${visibleLine(`the whole run: ${words}`)}\n`);
}

interface DrivenFlags extends ResumeFlags {
  /** A rollback calls no agents. */
  readonly isUndoing?: boolean;
  /** A new run begins as a copy of this one. */
  readonly isCopy?: boolean;
  /** The person must confirm what `confirm_above` does not allow. */
  readonly confirms?: boolean;
}

/**
 * `begin` executes the run with the options of the command, or follows it. `background`: no person can be asked. Rejects as
 * `refusalsAsErrors` expects it.
 */
export async function driveStoredRun(
  id: string,
  flags: DrivenFlags,
  background: boolean,
  begin: (runs: Runs, options: ResumeRunOptions) => Promise<Result<Execution>>,
): Promise<ExitCode> {
  const runs = await runsOf(flags);
  const program = unwrap(await runs.program(id));
  let sources: SourceSet = program.sources.map(({ name, text }) => sourceFile(name, text));
  const cassette = flags.record === undefined ? null : await cassetteOf(id, flags.record, flags);
  let report: RunReport | null = null;
  const code = await driveOnCommandLine({
    flags,
    background,
    program: program.machine,
    sources: () => sources,
    drive: async (shown) => {
      const options =
        flags.on === undefined
          ? resumeOptions(flags, background, async (found) => {
              sources = found.sources;
              await reportBound(found, flags, background);
            })
          : { limits: flagLimits(flags) };
      const recorded = cassette === null ? {} : { prepare: cassette.prepare };
      const given = { person: personName(), ...options, ...shown, ...recorded } as ResumeRunOptions;
      report = await unwrap(await begin(runs, given)).report;
      return report;
    },
  });
  if (cassette === null || report === null) return code;
  const refused = await cassette.write(report);
  if (refused === null) {
    if (flags.quiet !== true && !background) stderr.write(`recorded to ${flags.record}\n`);
    return code;
  }
  const wrong = await usageError(refused.message, refused.help ?? undefined);
  return code === EXIT.returned ? wrong : code;
}

async function cassetteOf(runId: string, file: string, flags: DrivenFlags): Promise<RunCassette> {
  const { RunCassette } = await import('../../app/folder/run-cassette.js');
  return new RunCassette({
    ...{ runId, file, boundary: namedBoundary(commandLineHost()) },
    ...{ isCopy: flags.isCopy === true, overwrite: flags.overwrite === true },
    // Also for `run --resume`, where `--cwd` means more than this.
    isElsewhere: flags.cwd !== undefined,
  });
}
