/**
 * Everything that happens before a plan runs: the plan and its inner plans are read and checked, its inputs are found,
 * and its approval is compared. Nothing is written or started here.
 */

import { basename, extname, resolve } from 'node:path';
import { planMachine } from '../../check/plan/plan-machine.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { nearest } from '../../prelude/nearest.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { chooseWorktree } from '../../project/choose-worktree.js';
import { linkPlans } from '../../project/link-plans.js';
import { type LoadedPlan, loadPlan, type PlanSurroundings } from '../../project/load-plan.js';
import { approvalHash, needsApproval } from '../../project/plan-approval.js';
import { programDirOf } from '../../project/prepared-program.js';
import { loadSettings, toolLookup } from '../../project/settings.js';
import { missingTools } from '../../runtime/mock.js';
import type { Mock } from '../../runtime/mock-file.js';
import type { StoredRun } from '../../runtime/store/stored-run.js';
import { planMessages as planWords } from '../../source/catalogue/plan.js';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../../source/diagnostic.js';
import { type SourceSet, sourceFile } from '../../source/source-file.js';
import { commandLineHost } from '../files/host.js';
import type { RunFlags } from '../running/run-flags.js';
import { worktreeFlags } from '../running/run-settings.js';
import type { ExitCode } from '../terminal/exit-code.js';
import { printDiagnostics, reportInvalid } from '../terminal/report-diagnostics.js';
import { usageError } from '../terminal/usage.js';
import { readInputFile } from './input-file.js';
import { partsOfFlag, readInputs } from './inputs.js';
import { badInputFile, directoryProblem, type Preparation, readMock } from './preparation.js';

export async function preparePlan(file: string, flags: RunFlags): Promise<Preparation> {
  const wrong = wrongUse(flags);
  if (wrong !== null) return { code: await usageError(...wrong) };
  const settings = await loadSettings(commandLineHost(), file);
  if (settings.diagnostics.length > 0) return reportInvalid(settings.diagnostics, settings.sources, flags);
  await printDiagnostics(settings.warnings, settings.sources, flags);
  const { configuration } = settings;
  const read = await readMock(flags);
  if (read !== null && 'diagnostics' in read) return reportInvalid(read.diagnostics, read.sources, flags);
  const mock = read?.mock ?? null;
  const isPlayed = flags.cassette !== undefined;
  const surroundings: PlanSurroundings =
    mock === null && !isPlayed
      ? toolLookup(commandLineHost(), configuration, { ...flags, cwd: resolve(flags.cwd ?? '.') })
      : {};
  const first = loadPlan(commandLineHost(), file, flags, surroundings);
  if (first.kind === 'missing') return { code: await usageError(first.message) };
  const sources = [...first.sources];
  const given = await givenInputs(file, first, flags, sources);
  if (given === null) return reportInvalid(sortDiagnostics(first.diagnostics), sources, flags);
  // A dry run needs no values; a run has all of its inputs now.
  const inputs = Object.fromEntries(given.values);
  const loaded = flags.dryRun ? first : loadPlan(commandLineHost(), file, flags, { ...surroundings, inputs });
  if (loaded.kind === 'missing') return { code: await usageError(loaded.message) };
  const diagnostics = [...loaded.diagnostics, ...given.diagnostics];
  if (hasErrors(diagnostics))
    return reportInvalid(withoutRepetition(diagnostics, hasErrors(given.diagnostics)), sources, flags);
  const refused = await refusal(file, loaded, flags);
  if (refused !== null) return refused;
  const { name, plans, tools } = linkPlans(commandLineHost(), first, isPlayed ? () => true : standInsOf(mock));
  const missing = mock === null ? [] : notMocked(mock, tools, sources);
  if (missing.length > 0) return reportInvalid(missing, sources, flags);
  const cwd = resolve(flags.cwd ?? '.');
  const worktree = await chooseWorktree({
    ...worktreeFlags(isPlayed || flags.on !== undefined ? { ...flags, worktree: false } : flags),
    name: file,
    cwd,
    configuration,
  });
  if (hasErrors(worktree.diagnostics)) return reportInvalid(worktree.diagnostics, [], flags);
  await printDiagnostics([...diagnostics, ...worktree.diagnostics], sources, flags);
  const all = first.inputs ?? [...given.values.keys()];
  const machine = planMachine({ name: basename(file, extname(file)), file, plan: name, plans, inputs: all });
  const { repository } = worktree;
  return {
    machine,
    sources,
    inputs: given.values,
    programDir: programDirOf(commandLineHost(), file, cwd),
    printed: given.printed,
    variables: {},
    start: null,
    mock,
    configuration,
    cwd,
    repository,
  };
}

/** The plan as its file has it now, for a run that resumes in it. */
export async function editedPlan(
  file: string,
  { about }: StoredRun,
  flags: { readonly json?: boolean },
): Promise<{ readonly machine: Machine; readonly sources: SourceSet } | { readonly code: ExitCode }> {
  const { tools, state, mock } = about.settings;
  const text = (name: string, value: Json | undefined) => (typeof value === 'string' ? { [name]: value } : {});
  const loaded = loadPlan(commandLineHost(), file, { ...text('tools', tools), ...text('state', state) });
  if (loaded.kind === 'missing') return { code: await usageError(loaded.message) };
  if (hasErrors(loaded.diagnostics)) return reportInvalid(loaded.diagnostics, loaded.sources, flags);
  const read = await readMock({ mock: typeof mock === 'string' ? mock : undefined });
  if (read !== null && 'diagnostics' in read) return reportInvalid(read.diagnostics, read.sources, flags);
  const { name, plans } = linkPlans(commandLineHost(), loaded, standInsOf(read?.mock ?? null));
  const inputs = loaded.inputs ?? Object.keys(about.inputs);
  const machine = planMachine({ name: about.machine, file: about.program ?? file, plan: name, plans, inputs });
  return { machine, sources: loaded.sources };
}

function standInsOf(mock: Mock | null): (name: string) => boolean {
  return (name) => mock?.tools != null && Object.hasOwn(mock.tools, name);
}

function wrongUse(flags: RunFlags): [string, string?] | null {
  const cwd = directoryProblem(resolve(flags.cwd ?? '.'), flags.cwd ?? '.');
  if (cwd !== null) return [cwd];
  if (flags.machine !== undefined)
    return ['a plan is one machine, so there is none to choose', 'leave out `--machine`'];
  if (flags.start !== undefined) return ['a plan has no states, so there is none to start in', 'leave out `--start`'];
  return null;
}

/** Null if the file of inputs cannot be read, which is reported with all other mistakes. */
async function givenInputs(file: string, loaded: LoadedPlan, flags: RunFlags, sources: SourceSet) {
  const read = flags.inputFile === undefined ? null : await readInputFile(flags.inputFile);
  if (read !== null && 'reason' in read) {
    const diagnostics = [badInputFile(flags.inputFile as string, read.reason, sources)];
    return { values: new Map<string, Json>(), printed: {}, diagnostics };
  }
  if (loaded.tree === null) return null;
  const named = [...(flags.input ?? []).map((flag) => partsOfFlag(flag).name), ...Object.keys(read?.members ?? {})];
  // A value in the context is a default, which also determines the type of a value that replaces it.
  const context = loaded.plan?.given.input;
  const known = typeof context === 'object' && context !== null && !Array.isArray(context) ? context : {};
  const inputs = (loaded.inputs ?? [...new Set(named)]).map((name) =>
    omitUndefined({ name, optional: true, value: Object.hasOwn(known, name) ? known[name] : undefined }),
  );
  const declared = { name: basename(file, extname(file)), inputs };
  // A missing input may have alternatives, which only the check of the plan considers.
  const given = readInputs(declared, { flags: flags.input ?? [], file: read, complete: false, sources });
  return { ...given, diagnostics: given.diagnostics.map((one) => unreadInputs(one, loaded, sources)) };
}

/** A plan declares no inputs; it reads them. */
function unreadInputs(one: Diagnostic, { inputs }: LoadedPlan, sources: SourceSet): Diagnostic {
  if (one.code !== 'unknown-input') return one;
  const name = sources[one.span.file]?.text.slice(one.span.start, one.span.end) ?? '';
  return planWords.unreadInput(one.span, { name, near: nearest(name, inputs ?? []) });
}

/** A mistake in an input is reported at its flag, so the plan is not reported for lacking that input as well. */
function withoutRepetition(diagnostics: readonly Diagnostic[], flagsAreWrong: boolean): Diagnostic[] {
  return sortDiagnostics(flagsAreWrong ? diagnostics.filter(({ code }) => code !== 'missing-input') : diagnostics);
}

/** Refuses a plan that differs from the approved one, if approval is required. */
async function refusal(
  file: string,
  loaded: LoadedPlan,
  flags: RunFlags,
): Promise<Extract<Preparation, { code: unknown }> | null> {
  if (flags.approved === undefined) {
    if (flags.dryRun || !needsApproval(loaded)) return null;
    const help = `approve it with \`statedsl plan approve ${file}\`, then run it with \`--approved HASH\``;
    return { code: await usageError(`\`${file}\` must be approved before it runs: its mode is \`lazy\``, help) };
  }
  const hash = approvalHash(loaded);
  if (flags.approved.toLowerCase() === hash) return null;
  const message = `\`${file}\` has changed since it was approved: its hash is ${hash}`;
  return { code: await usageError(message, 'review the changes, and approve the plan with `statedsl plan approve`') };
}

/** Reports tools without answers in a mock, so that nothing starts by mistake. */
function notMocked(mock: Mock, tools: ReturnType<typeof linkPlans>['tools'], sources: SourceSet): Diagnostic[] {
  const missing = missingTools(mock, tools);
  if (missing.length === 0) return [];
  const text = `--mock ${mock.file}`;
  const file = sources.push(sourceFile('command line', text)) - 1;
  return missing.map((name) => ({
    code: 'not-in-mock',
    severity: 'error',
    message: `the mock \`${mock.file}\` has no answers for the tool \`${name}\``,
    span: { file, start: 7, end: text.length },
  }));
}
