/**
 * What a stored run continues with: what the caller gives, what the run keeps of the options that it began with, and what
 * the configuration says now.
 */

import type { SourceSet } from '../../language/source/diagnostic.js';
import { parseDuration } from '../../machine/duration.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Configuration } from '../../runtime/configuration/load-configuration.js';
import type { Mock } from '../../runtime/mock-file.js';
import type { ResumeOptions } from '../../runtime/run/again/resume-options.js';
import { memoOfSettings } from '../../runtime/run/memo-effects.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { openStoredRun, storedMachine } from '../../runtime/store/stored-run.js';
import { traceOptions } from '../../runtime/trace/trace-options.js';
import type { OpenedFolder } from '../programs.js';
import { editedProgram } from '../project/edited-program.js';
import type { Instead, ProgramFindings, ProgramSource } from '../project/preparation.js';
import { configuredOptions, readMock } from '../project/prepare.js';
import type { ProjectHost } from '../project/project-host.js';
import { uncalledReplacements } from '../project/replaced-agents.js';
import { loadSettings, signingOf } from '../project/settings.js';
import { programOf, sourcesOf } from '../project/stored-program.js';
import { InvalidProgram } from '../result.js';
import { mockedRun } from './mocked-run.js';

/** Where the runs are, and what was given when they were opened. */
export interface StoredRuns {
  readonly directory: string;
  readonly host: ProjectHost;
  readonly options: OpenedFolder;
}

/** What only this package gives in addition to the options of the library. */
export interface ContinuedOptions extends Omit<ResumeOptions, 'dir' | 'machine' | 'file'> {
  /** The edited program in which the run continues. */
  readonly program?: ProgramSource;
  /** A file with answers, instead of the one that the run began with. */
  readonly mock?: string;
  /** With a mock: waits take their time. */
  readonly realTime?: boolean;
  /**
   * Receives what the options come from, before anything begins, and gives those that depend on it. What it throws, the
   * operation rejects with.
   */
  readonly examine?: (found: ExaminedRun) => Promise<Pick<ContinuedOptions, 'inputs'>>;
  /** Receives all options before anything begins. What it throws, the operation rejects with. */
  readonly prepare?: (options: ResumeOptions) => Promise<void>;
  /** How long a wait may be that nobody limits, in milliseconds. */
  readonly otherwiseSuspendAfterMs?: number | null;
  /** A new run begins as a copy of the stored one. */
  readonly isCopy?: boolean;
}

export interface ExaminedRun {
  /** The machine with which the run began. */
  readonly machine: Machine;
  /** The machine that continues: another one if the program was edited. */
  readonly continued: Machine;
  /** The inputs on record. */
  readonly inputs: Readonly<Record<string, Json>>;
  readonly instead: Instead;
  /** Nothing is really called. */
  readonly isMocked: boolean;
  /** The texts of the program that continues. */
  readonly sources: SourceSet;
  readonly configuration: Configuration;
  /** Warnings about the configuration. */
  readonly warnings: ProgramFindings;
}

/** Rejects with a `RunRefused`, an `InvalidProgram` or a `StoreError`. */
export async function continuedOptions(
  { directory, host: given, options: opened }: StoredRuns,
  id: string,
  asked: ContinuedOptions,
): Promise<ResumeOptions> {
  const stored = openStoredRun(directory, id);
  const { about } = stored;
  const kept = about.settings;
  if (kept.cassette !== undefined)
    throw new RunRefused(
      'wrong-use',
      'the outcomes of this run came from a cassette',
      'start it again with `--cassette`',
    );
  const {
    isCopy = false,
    program,
    mock: mockFile,
    realTime,
    examine,
    suspendAfterMs: _,
    otherwiseSuspendAfterMs: __,
    prepare: ___,
    ...rest
  } = asked;
  const host = kept.allow_outside === true ? { ...given, allowOutside: true } : given;
  const named = programOf(stored) ?? '-';
  const settings = await loadSettings(host, typeof program === 'string' ? program : named);
  if (settings.diagnostics.length > 0) throw new InvalidProgram(settings);
  const { configuration } = settings;
  const instead = opened.agents ?? (kept.agent as Instead | undefined) ?? {};
  const mock = await mockOf(host, mockFile ?? textOf(kept.mock));
  const edited =
    program === undefined ? null : await editedProgram(host, program, about, { configuration, instead, mock });
  if (edited !== null && 'missing' in edited) throw new RunRefused('unknown', edited.missing);
  if (edited !== null && 'diagnostics' in edited) throw new InvalidProgram(edited);
  const machine = storedMachine(stored, about.digest);
  const continued = edited?.machine ?? machine;
  const uncalled = uncalledReplacements(continued, opened.agents ?? {});
  const examined = await examine?.({
    machine,
    continued,
    inputs: about.inputs,
    instead,
    isMocked: mock !== null,
    sources: edited?.sources ?? sourcesOf(stored),
    configuration,
    warnings: { diagnostics: [...settings.warnings, ...uncalled], sources: settings.sources },
  });
  const configured = withTrial(configuredOptions(host, configuration, { program: named, instead }), opened);
  const suspendAfterMs = suspension(asked, [kept.suspend_after, configuration.defaults.suspend_after]);
  const env = opened.env ?? process.env;
  // A copy is a trace of its own, with the run that it is copied from as its origin.
  const [parent, origin] = isCopy ? [env.TRACEPARENT, kept.traceparent] : [kept.traceparent, kept.origin_traceparent];
  const trace = traceOptions(env, configuration.otel, textOf(parent) || null, textOf(origin));
  const common = {
    ...configured,
    ...omitUndefined({ commands: opened.commands, onDebugger: opened.onDebugger, suspendAfterMs, trace }),
    ...signingOf(configuration, opened.env),
    ...(edited === null ? {} : editedOptions(edited.machine, program)),
    memo: memoOfSettings(kept),
    ...rest,
    ...examined,
    dir: directory,
  };
  if (mock === null) return common;
  const waits = {
    realTime: realTime ?? kept.real_time === true,
    isBounded: asked.suspendAfterMs !== undefined || kept.suspend_after !== undefined,
  };
  return { ...common, ...(await mockedRun(mock, common, waits)).options };
}

/** The runs of a trial share its budget. */
export function withTrial<T extends Pick<ReturnType<typeof configuredOptions>, 'agents'>>(
  options: T,
  { trial }: OpenedFolder,
): T {
  return trial === undefined ? options : { ...options, agents: { ...options.agents, trial } };
}

/** Throws an `InvalidProgram`. Signals of a mock are sent when a run begins. */
async function mockOf(host: ProjectHost, path: string | undefined): Promise<Mock | null> {
  const read = await readMock(host, path);
  if (read === null) return null;
  if ('diagnostics' in read) throw new InvalidProgram(read);
  return { ...read.mock, signals: null };
}

function editedOptions(machine: Machine, program: ProgramSource | undefined) {
  return { machine, ...omitUndefined({ file: typeof program === 'string' ? program : program?.name }) };
}

/** The first that says it: the caller, the run, the configuration. */
export function suspension(
  { suspendAfterMs, otherwiseSuspendAfterMs }: Pick<ContinuedOptions, 'suspendAfterMs' | 'otherwiseSuspendAfterMs'>,
  kept: readonly (Json | undefined)[],
): number | null | undefined {
  if (suspendAfterMs !== undefined) return suspendAfterMs;
  for (const one of kept) {
    if (one === 'never') return null;
    const ms = typeof one === 'number' ? one : typeof one === 'string' ? parseDuration(one) : null;
    if (ms !== null) return ms;
  }
  return otherwiseSuspendAfterMs;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
