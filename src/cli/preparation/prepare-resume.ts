/** Shared by all commands that resume a run: its settings, secret inputs, and the stored or edited program. */

import { resolve as resolvePath } from 'node:path';
import { fromRecord } from '../../interpreter/values/json.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { compileProgram } from '../../project/compile-program.js';
import { configuredOptions } from '../../project/configured-options.js';
import { surroundingOptions } from '../../project/prepared-program.js';
import { isPlan } from '../../project/program-kind.js';
import { readProgram } from '../../project/read-program.js';
import { loadSettings } from '../../project/settings.js';
import { programOf } from '../../project/stored-program.js';
import type { Configuration } from '../../runtime/configuration/configuration.js';
import type { ResumeOptions } from '../../runtime/run/again/resume-options.js';
import type { AskHandler } from '../../runtime/run/drive-options.js';
import type { StoredRun } from '../../runtime/store/stored-run.js';
import { type Diagnostic, hasErrors } from '../../source/diagnostic.js';
import type { SourceSet } from '../../source/source-file.js';
import { allowOutside } from '../arguments/outside-option.js';
import { commandLineHost } from '../files/host.js';
import { reportConfiguration } from '../running/configuration-line.js';
import { type ShowFlags, suspendOptions } from '../running/drive-on-command-line.js';
import type { RunFlags } from '../running/run-flags.js';
import { createMockedRun, flagLimits } from '../running/run-settings.js';
import { storeOf } from '../running/stored-runs.js';
import type { ExitCode } from '../terminal/exit-code.js';
import { printDiagnostics, reportInvalid } from '../terminal/report-diagnostics.js';
import { usageError } from '../terminal/usage.js';
import { partsOfFlag, readInputs } from './inputs.js';
import { readMock } from './preparation.js';

export interface ResumeFlags
  extends ShowFlags,
    Pick<
      RunFlags,
      | 'input'
      | 'cwd'
      | 'maxTransitions'
      | 'timeout'
      | 'maxCost'
      | 'maxTokens'
      | 'maxJournal'
      | 'maxOutput'
      | 'agent'
      | 'mock'
      | 'realTime'
      | 'detach'
      | 'inDoubt'
      | 'again'
    > {
  readonly fromFile?: string;
}

interface PreparedResume {
  readonly options: (background: boolean) => ResumeOptions;
  /** Answers questions instead of a person, or with one. */
  readonly ask: (person: AskHandler | null) => AskHandler | null;
  readonly sources: SourceSet;
}

/** The flags, files and configuration of `run`, for a stored run. */
export async function prepareResume(
  stored: StoredRun,
  machine: Machine,
  flags: ResumeFlags,
  sources: SourceSet,
): Promise<PreparedResume | { readonly code: ExitCode }> {
  const { settings } = stored.about;
  if (settings.allow_outside === true) allowOutside();
  if (settings.cassette !== undefined)
    return {
      code: await usageError('the outcomes of this run came from a cassette', 'start it again with `--cassette`'),
    };
  const loaded = await loadSettings(commandLineHost(), flags.fromFile ?? programOf(stored) ?? '-');
  if (loaded.diagnostics.length > 0) return reportInvalid(loaded.diagnostics, loaded.sources, flags);
  const { configuration } = loaded;
  const mock = await readMock({ mock: flags.mock ?? textOf(settings.mock) });
  if (mock !== null && 'diagnostics' in mock) return reportInvalid(mock.diagnostics, mock.sources, flags);
  const instead = flags.agent ?? (settings.agent as Readonly<Record<string, string>> | undefined) ?? {};
  const inputs = secretInputs(machine, flags, sources);
  if (inputs.diagnostics.length > 0) return reportInvalid(inputs.diagnostics, sources, flags);
  const edited =
    flags.fromFile === undefined ? null : await editedMachine(flags.fromFile, stored, configuration, instead, flags);
  if (edited !== null && 'code' in edited) return edited;
  const program = programOf(stored) ?? '-';
  const configured = configuredOptions(commandLineHost(), configuration, { program, instead });
  const realTime = flags.realTime ?? settings.real_time === true;
  const mocked =
    mock === null ? null : await createMockedRun({ ...mock.mock, signals: null }, { ...flags, realTime }, configured);
  await printDiagnostics(loaded.warnings, loaded.sources, flags);
  reportConfiguration(configuration, flags);
  const remembered = settings.suspend_after as ShowFlags['suspendAfter'];
  const waits = remembered === undefined ? flags : { suspendAfter: remembered, ...flags };
  return {
    sources: edited?.sources ?? sources,
    ask: mocked?.world.ask ?? ((person) => person),
    options: (background) => ({
      dir: storeOf(flags),
      inputs: inputs.values,
      ...configured,
      limits: flagLimits(flags),
      ...suspendOptions(waits, configuration.defaults.suspend_after, background),
      ...omitUndefined({
        cwd: flags.cwd === undefined ? undefined : resolvePath(flags.cwd),
        inDoubt: flags.inDoubt,
        machine: edited?.machine,
        file: edited === null ? undefined : flags.fromFile,
      }),
      ...mocked?.options,
    }),
  };
}

/** The secret inputs that are passed again. */
export function secretInputs(machine: Machine, flags: ResumeFlags, sources: SourceSet) {
  const read = readInputs(machine, { flags: flags.input ?? [], file: null, complete: false, sources });
  const given = new Set((flags.input ?? []).map((text) => partsOfFlag(text).name));
  const values: Record<string, Json> = {};
  for (const [name, value] of read.values) if (given.has(name)) values[name] = fromRecord(value, read.printed[name]);
  return { values, diagnostics: read.diagnostics };
}

/** The current program, for a run that is resumed in it. */
async function editedMachine(
  file: string,
  stored: StoredRun,
  configuration: Configuration,
  instead: Readonly<Record<string, string>>,
  flags: { readonly json?: boolean },
): Promise<{ readonly machine: Machine; readonly sources: SourceSet } | { readonly code: ExitCode }> {
  const read = readProgram(commandLineHost(), file);
  if (read.kind === 'missing') return { code: await usageError(read.message) };
  if (read.kind === 'broken') return reportInvalid(read.compilation.diagnostics, read.compilation.sources, flags);
  if (isPlan(file)) return (await import('./prepare-plan.js')).editedPlan(file, stored, flags);
  const { machine: name, cwd, settings } = stored.about;
  const worktree = stored.about.options.worktree !== undefined;
  const options = surroundingOptions(commandLineHost(), configuration, {
    cwd,
    instead,
    tools: typeof settings.tools === 'string' ? settings.tools : undefined,
    worktree,
    isPlayed: settings.mock !== undefined,
  });
  const named = await compileProgram(commandLineHost(), read, { ...options, machine: name });
  // A program without a MACHINE line is named after its file, and the edited file may have another name.
  const other = named.diagnostics.some(({ code }) => code === 'unknown-machine');
  const alone = other ? await compileProgram(commandLineHost(), read, options) : null;
  const compiled = alone !== null && alone.machines.length === 1 ? alone : named;
  const { machine, diagnostics, sources } = compiled;
  if (machine === null || hasErrors(diagnostics)) return reportInvalid(diagnostics as Diagnostic[], sources, flags);
  return { machine, sources };
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
