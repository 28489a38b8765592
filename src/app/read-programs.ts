/** What `Programs` does, loaded when it is called: a command that lists runs loads no parser. */
import { resolve } from 'node:path';
import { type Diagnostic, hasErrors, type SourceFile, sourceFile } from '../language/source/diagnostic.js';
import { fixText, withSafeFixes } from '../language/source/fix-text.js';
import type { Json } from '../machine/expression.js';
import type { Machine as CompiledMachine, Limits } from '../machine/machine.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { ascii, dot, mermaid } from '../views/graph/graph-text.js';
import { graphOf } from '../views/graph/machine-graph.js';
import { planDot, planGraph, planMermaid } from '../views/graph/plan-graph.js';
import { formatText } from './library/compile-text.js';
import type {
  CheckedProgram,
  CheckOptions,
  FixedProgram,
  FolderOptions,
  Formatted,
  FoundConfiguration,
  GraphOptions,
  Prepared,
  PrepareOptions,
  RunBounds,
} from './programs.js';
import { compileProgram } from './project/compile-program.js';
import { planProgram } from './project/link-plans.js';
import { listPrograms, type ProgramList } from './project/list-programs.js';
import { approvalHash, editedPlan, loadPlan } from './project/load-plan.js';
import {
  type ExaminedInputs,
  type Instead,
  isPlan,
  isWorkflow,
  mayHaveWorktree,
  type Preparation,
  type PrepareContext,
  type PreparedProgram,
  type ProgramSource,
  planFile,
} from './project/preparation.js';
import { prepareProgram, surroundingOptions } from './project/prepare.js';
import { type ProjectHost, pathOf, shortName, withOpenTexts } from './project/project-host.js';
import { emptyCompilation, readNamed } from './project/read-program.js';
import { loadSettings, type Settings, toolLookup } from './project/settings.js';
import { invalidProgram, type Result, refuse, resultOf, resultWith } from './result.js';
import { boundsBeforeStart } from './run-bounds.js';

export async function configurationOf(host: ProjectHost): Promise<FoundConfiguration> {
  const { configuration, diagnostics, warnings, sources } = await loadSettings(host, '-');
  const confirmAbove = configuration.confirm_above;
  return {
    file: configuration.file,
    ...omitUndefined({ confirmAbove }),
    diagnostics: [...diagnostics, ...warnings],
    sources,
  };
}

export function listOf({ folder }: ProjectHost): Promise<Result<ProgramList>> {
  return resultOf(() => listPrograms(folder));
}

export async function formatNamed(text: string, name = 'program.dsl'): Promise<Formatted> {
  if (isPlan(name) || isWorkflow(name)) return { text, diagnostics: [], sources: [sourceFile(name, text)] };
  return formatText(text, name);
}

export async function checkProgram(
  host: ProjectHost,
  folder: FolderOptions,
  program: ProgramSource,
  options: CheckOptions,
): Promise<Result<CheckedProgram>> {
  const name = typeof program === 'string' ? program : (program.name ?? '<stdin>');
  const settings = await loadSettings(host, name === '<stdin>' ? '-' : name);
  if (isPlan(name)) return checkPlan(host, folder, program, { settings, options });
  const read =
    typeof program === 'string'
      ? readNamed(host, program, settings.configuration)
      : { kind: 'text' as const, name, text: program.text };
  if (read.kind === 'missing') return refuse('unknown', read.message);
  const { machine, strict, tools } = options;
  const cwd = resolve(host.folder, options.cwd ?? '.');
  const instead = folder.agents ?? {};
  const known = { cwd, instead, tools, worktree: mayHaveWorktree(cwd) };
  const surroundings = {
    ...omitUndefined({ machine, strict }),
    ...surroundingOptions(host, settings.configuration, known),
    commands: Object.keys(folder.commands ?? {}),
  };
  const compileText = (called: string, text: string) => compileProgram(host, { name: called, text }, surroundings);
  const compiled =
    settings.diagnostics.length > 0
      ? emptyCompilation(settings.diagnostics, settings.sources)
      : read.kind === 'broken'
        ? read.compilation
        : await withSafeFixes(read.text, await compileText(read.name, read.text), (text) =>
            compileText(read.name, text),
          );
  const { machines, declared, diagnostics, sources } = compiled;
  return resultWith({
    name: read.kind === 'text' ? read.name : (sources[0]?.name ?? '<stdin>'),
    isValid: !hasErrors(diagnostics),
    machine: compiled.machine,
    machines,
    inputs: declared?.inputs ?? [],
    diagnostics,
    sources,
  });
}

/** The text as if it were that of the file, corrected until nothing is left that can be corrected safely. */
export async function fixProgram(
  host: ProjectHost,
  folder: FolderOptions,
  program: ProgramSource,
): Promise<Result<FixedProgram>> {
  const first = await checkProgram(host, folder, program, {});
  if (!first.ok) return first;
  const { sources } = first.value;
  const original = typeof program === 'string' ? (sources[0]?.text ?? '') : program.text;
  const check = async (text: string) => {
    const { diagnostics, sources } = await checkFixed(host, folder, program, text);
    return { diagnostics: diagnostics as readonly Diagnostic[], sources: sources as SourceFile[] };
  };
  const { text, made } = await fixText(original, check);
  const left = text === original ? first.value : await checkFixed(host, folder, program, text);
  return resultWith({ ...left, text, fixed: made.length });
}

async function checkFixed(
  host: ProjectHost,
  folder: FolderOptions,
  program: ProgramSource,
  text: string,
): Promise<CheckedProgram> {
  const path = typeof program === 'string' ? pathOf(host, program) : null;
  const open = (one: string): string | undefined => (one === path ? text : undefined);
  const checked =
    path === null
      ? await checkProgram(host, folder, { ...(program as object), text }, {})
      : await checkProgram({ ...host, files: withOpenTexts(host.files, open) }, folder, program, {});
  return (checked as Extract<typeof checked, { ok: true }>).value;
}

export async function boundsOfRun(
  host: ProjectHost,
  folder: FolderOptions,
  program: ProgramSource | CheckedProgram,
  { inputs, limits }: { readonly inputs: Readonly<Record<string, Json>>; readonly limits: Limits },
): Promise<Result<RunBounds | null>> {
  const isChecked = typeof program !== 'string' && 'machines' in program;
  const result = isChecked ? resultWith(program) : await checkProgram(host, folder, program, {});
  if (!result.ok) return result;
  const { machine, isValid, name } = result.value;
  if (!isValid || machine === null) return invalidProgram(result.value);
  const { configuration } = await loadSettings(host, name === '<stdin>' ? '-' : name);
  const instead = folder.agents ?? {};
  return resultWith(await boundsBeforeStart(machine as CompiledMachine, { configuration, instead, inputs, limits }));
}

async function checkPlan(
  given: ProjectHost,
  folder: FolderOptions,
  program: ProgramSource,
  { settings, options }: { readonly settings: Settings; readonly options: CheckOptions },
): Promise<Result<CheckedProgram>> {
  const { host, file } = planFile(given, program);
  const { tools, state, inputs } = options;
  const cwd = resolve(host.folder, options.cwd ?? '.');
  const lookup = toolLookup(host, settings.configuration, { agent: folder.agents ?? {}, cwd });
  const flags = omitUndefined({ tools, state });
  const loaded = loadPlan(host, file, flags, lookup);
  const surroundings = { ...lookup, ...omitUndefined({ inputs }) };
  const complete = inputs === undefined ? loaded : loadPlan(host, file, flags, surroundings);
  if (loaded.kind === 'missing') return refuse('unknown', loaded.message);
  if (complete.kind === 'missing') return refuse('unknown', complete.message);
  const isConfigured = settings.diagnostics.length === 0;
  const { sources } = isConfigured ? loaded : settings;
  const { diagnostics } = isConfigured
    ? await withSafeFixes(sources[0]?.text ?? '', complete, editedPlan(host, file, flags, surroundings))
    : settings;
  const isSound = !hasErrors(diagnostics) && loaded.plan !== null;
  const machine = isSound ? planProgram(host, loaded, { file, given: Object.keys(inputs ?? {}) }).machine : null;
  return resultWith({
    name: shortName(host, pathOf(host, file)),
    isValid: !hasErrors(diagnostics),
    machine,
    machines: machine === null ? [] : [machine],
    inputs: machine?.inputs ?? [],
    diagnostics,
    sources,
    ...(isSound ? { approvalHash: approvalHash(loaded) } : {}),
  });
}

/** Where programs are prepared. `dir`: absolute. */
export interface PreparingFolder {
  readonly dir: string;
  readonly agents?: Instead;
  readonly commands?: Readonly<Record<string, unknown>>;
}

export async function prepareFor(
  host: ProjectHost,
  folder: PreparingFolder,
  program: ProgramSource,
  options: PrepareOptions,
  elsewhere?: PrepareContext['elsewhere'],
): Promise<Result<Prepared & PreparedProgram>> {
  const { inputs = {}, printedInputs = {}, ...request } = options;
  const preparation = await prepareProgram(host, program, request, {
    store: folder.dir,
    instead: folder.agents ?? {},
    commands: Object.keys(folder.commands ?? {}),
    // The run itself refuses wrong values, and says so in its report.
    examine: ({ diagnostics }): ExaminedInputs => ({ inputs, printed: printedInputs, diagnostics }),
    option: (name) => (name === 'agent' ? 'agents' : name),
    ...omitUndefined({ elsewhere }),
  });
  return resultOfPreparation(preparation);
}

/** A preparation as programs get it. */
function resultOfPreparation(preparation: Preparation): Result<Prepared & PreparedProgram> {
  switch (preparation.kind) {
    case 'ready':
      return resultWith(preparation.program);
    case 'invalid':
      return invalidProgram(preparation.findings[preparation.findings.length - 1] ?? { diagnostics: [], sources: [] });
    case 'refused': {
      const { message, help, isUnknown } = preparation;
      return refuse(isUnknown === true ? 'unknown' : 'invalid-program', message, help ?? null);
    }
    default:
      return refuse('invalid-program', `there is nothing to run in \`${preparation.name}\``);
  }
}

export async function drawGraph(
  host: ProjectHost,
  folder: FolderOptions,
  program: ProgramSource | CheckedProgram,
  { format = 'mermaid', machine: name }: GraphOptions,
): Promise<Result<string>> {
  const isChecked = typeof program !== 'string' && 'machines' in program;
  const result = isChecked ? resultWith(program) : await checkProgram(host, folder, program, {});
  if (!result.ok) return result;
  const checked = result.value;
  if (!checked.isValid) return invalidProgram(checked as { diagnostics: readonly Diagnostic[] } & CheckedProgram);
  const machines = checked.machines as readonly CompiledMachine[];
  const plan = isPlan(checked.name) ? Object.values(machines[0]?.plans ?? {})[0] : undefined;
  if (plan !== undefined) {
    if (format === 'ascii') return refuse('wrong-use', 'a plan is not drawn in characters');
    return resultWith(format === 'dot' ? planDot(planGraph(plan)) : planMermaid(planGraph(plan)));
  }
  const wanted = machines.filter((one) => name === undefined || one.name === name);
  if (wanted.length === 0 && name !== undefined)
    return refuse('wrong-use', `there is no machine \`${name}\` in \`${checked.name}\``);
  return resultWith({ mermaid, dot, ascii }[format](wanted.map((one) => graphOf(one))));
}
