/**
 * Everything that happens before a plan runs: the plan and its inner plans are read and checked, its inputs are found,
 * and its approval is compared.
 */
import { basename, extname } from 'node:path';
import { planMessages as planWords } from '../../language/source/catalogue/plan.js';
import {
  type Diagnostic,
  hasErrors,
  type SourceSet,
  sortDiagnostics,
  sourceFile,
} from '../../language/source/diagnostic.js';
import { isJsonObject } from '../../prelude/json-object.js';
import { nearest } from '../../prelude/nearest.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { missingTools } from '../../runtime/mock.js';
import type { Mock } from '../../runtime/mock-file.js';
import type { RunAbout } from '../../runtime/store/stored-run.js';
import { planProgram } from './link-plans.js';
import { approvalHash, type LoadedPlan, loadPlan, needsApproval } from './load-plan.js';
import {
  chosenWorktree,
  type DeclaredInputs,
  type Preparation,
  type PreparationBase,
  type ProgramSource,
  planFile,
  ready,
} from './preparation.js';
import type { ProjectHost } from './project-host.js';
import { toolLookup } from './settings.js';

export async function preparePlan(
  given: ProjectHost,
  source: ProgramSource,
  base: PreparationBase,
): Promise<Preparation> {
  const { request, context, configuration, cwd, mock, findings } = base;
  const { isPlayed = false, isDryRun = false, instead = {} } = context;
  const { host, file } = planFile(given, source);
  const surroundings = mock === null && !isPlayed ? toolLookup(host, configuration, { agent: instead, cwd }) : {};
  const first = loadPlan(host, file, request, surroundings);
  if (first.kind === 'missing') return { kind: 'refused', findings, message: first.message, isUnknown: true };
  const sources = [...first.sources];
  const invalid = (diagnostics: readonly Diagnostic[]): Preparation => ({
    kind: 'invalid',
    findings: [...findings, { diagnostics, sources }],
  });
  if (first.tree === null) return invalid(sortDiagnostics(first.diagnostics));
  const name = basename(file, extname(file));
  const examined = await context.examine({
    declared: declaredBy(first, name),
    machine: null,
    diagnostics: [],
    sources,
    isPlan: true,
    isOpen: first.inputs === null,
  });
  const ofInputs = examined.diagnostics.map((one) => unreadInput(one, first, sources));
  const { inputs } = examined;
  // A dry run needs no values; a run has all of its inputs now.
  const loaded = isDryRun ? first : loadPlan(host, file, request, { ...surroundings, inputs });
  if (loaded.kind === 'missing') return { kind: 'refused', findings, message: loaded.message };
  const diagnostics = [...loaded.diagnostics, ...ofInputs];
  if (hasErrors(diagnostics)) return invalid(withoutRepetition(diagnostics, hasErrors(ofInputs)));
  const refused = refusal(file, loaded, base);
  if (refused !== null) return refused;
  const standIns = isPlayed ? () => true : standInsOf(mock);
  const { machine, tools } = planProgram(host, first, { file, standIns, given: Object.keys(inputs) });
  const missing = mock === null ? [] : notMocked(mock, tools, sources);
  if (missing.length > 0) return invalid(missing);
  const worktree = await chosenWorktree(file, base);
  if (hasErrors(worktree.diagnostics)) return { kind: 'invalid', findings };
  findings.push({ diagnostics, sources });
  const { repository } = worktree;
  return ready(host, base, examined, { name: file, machine, sources, repository, approvalHash: approvalHash(loaded) });
}

/** A plan declares no inputs. A value in its context is a default, which also says which type another value must have. */
function declaredBy({ plan, inputs }: LoadedPlan, name: string): DeclaredInputs {
  const context = plan?.given.input;
  const known = isJsonObject(context) ? context : {};
  const names = inputs ?? Object.keys(known);
  return {
    name,
    inputs: names.map((one) =>
      omitUndefined({ name: one, optional: true, value: Object.hasOwn(known, one) ? known[one] : undefined }),
    ),
  };
}

/** The plan as its file has it now, for a run that resumes in it. */
export async function editedPlan(
  given: ProjectHost,
  source: ProgramSource,
  about: Pick<RunAbout, 'machine' | 'program' | 'inputs'>,
  {
    tools,
    state,
    mock,
  }: { readonly tools: string | undefined; readonly state: string | undefined; readonly mock: Mock | null },
) {
  const { host, file } = planFile(given, source);
  const loaded = loadPlan(host, file, omitUndefined({ tools, state }));
  if (loaded.kind === 'missing') return { missing: loaded.message };
  const { diagnostics, sources } = loaded;
  if (hasErrors(diagnostics) || loaded.plan === null) return { diagnostics, sources };
  const { machine } = planProgram(host, loaded, {
    file: about.program ?? file,
    name: about.machine,
    standIns: standInsOf(mock),
    given: Object.keys(about.inputs),
  });
  return { machine, sources };
}

function standInsOf(mock: Mock | null): (name: string) => boolean {
  return (name) => mock?.tools != null && Object.hasOwn(mock.tools, name);
}

/** A plan declares no inputs; it reads them. */
function unreadInput(one: Diagnostic, { inputs }: LoadedPlan, sources: SourceSet): Diagnostic {
  if (one.code !== 'unknown-input') return one;
  const name = sources[one.span.file]?.text.slice(one.span.start, one.span.end) ?? '';
  return planWords.unreadInput(one.span, { name, near: nearest(name, inputs ?? []) });
}

/** A mistake in an input is reported where it was given, so the plan is not reported for lacking that input as well. */
function withoutRepetition(diagnostics: readonly Diagnostic[], inputsAreWrong: boolean): Diagnostic[] {
  return sortDiagnostics(inputsAreWrong ? diagnostics.filter(({ code }) => code !== 'missing-input') : diagnostics);
}

/** Refuses a plan that differs from the approved one, if approval is required. */
function refusal(
  file: string,
  loaded: LoadedPlan,
  { request, context, findings }: PreparationBase,
): Preparation | null {
  const { approved } = request;
  if (approved === undefined) {
    if (context.isDryRun === true || !needsApproval(loaded)) return null;
    const help = `approve it with \`statedsl plan approve ${file}\`, then run it with \`${context.option('approved')} HASH\``;
    return {
      kind: 'refused',
      findings,
      message: `\`${file}\` must be approved before it runs: its mode is \`lazy\``,
      help,
    };
  }
  const hash = approvalHash(loaded);
  if (approved.toLowerCase() === hash) return null;
  const message = `\`${file}\` has changed since it was approved: its hash is ${hash}`;
  const help = 'review the changes, and approve the plan with `statedsl plan approve`';
  return { kind: 'refused', findings, message, help };
}

/** Reports tools without answers in a mock, so that nothing starts by mistake. */
function notMocked(mock: Mock, tools: ReturnType<typeof planProgram>['tools'], sources: SourceSet): Diagnostic[] {
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
