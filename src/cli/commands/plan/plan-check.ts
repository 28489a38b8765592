/** `statedsl plan check`: the diagnostics of a plan and its required inputs. */
import {
  editedPlan,
  type LoadedPlan,
  loadPlan,
  type PlanFlags,
  type PlanSurroundings,
} from '../../../app/project/load-plan.js';
import { readProgram } from '../../../app/project/read-program.js';
import { loadSettings, toolLookup } from '../../../app/project/settings.js';
import { pathsOnlyHere } from '../../../app/project/target-problem.js';
import { approvalName } from '../../../interpreter/plan/engine/plan-approvals.js';
import { hasErrors } from '../../../language/source/diagnostic.js';
import { fixText, type MadeEdit, withSafeFixes } from '../../../language/source/fix-text.js';
import { printPath } from '../../../prelude/reference.js';
import type { FindingJson } from '../../../views/diagnostics/findings-json.js';
import { drawFixes } from '../../../views/diagnostics/fixes.js';
import { escapeControls } from '../../../views/drawing/visible-text.js';
import { locationInPlan } from '../../../views/graph/plan-location.js';
import { commandLineHost } from '../../files/command-line-host.js';
import { replaceRead } from '../../files/replace-file.js';
import { isForAnEngine } from '../../running/configured-engine.js';
import { drawn, filterDiagnostics, findingsOf, hideSecrets } from '../../terminal/report-diagnostics.js';
import { stderr, stdout } from '../../terminal/streams.js';

interface PlanCheckFlags extends PlanFlags {
  readonly json?: boolean;
  readonly strict?: boolean;
  readonly quiet?: boolean;
  /** The engine that is to execute the plan, and a directory that its workers have. */
  readonly on?: string;
  readonly shared?: string;
}

/** Applies the fixes of a plan. `problem`: why the file cannot be written. */
export async function fixPlan(
  file: string,
  flags: PlanCheckFlags,
): Promise<{ readonly problem: string | null; readonly made: readonly MadeEdit[] }> {
  const host = commandLineHost();
  const read = readProgram(host, file);
  if (read.kind !== 'text') return { problem: null, made: [] };
  const known = knownNames(await loadSettings(host, file));
  const { text, fixes, made } = await fixText(read.text, editedPlan(host, file, flags, known));
  const problem = text === read.text ? null : replaceRead(file, read.text, text);
  if (problem === null && flags.quiet !== true && flags.json !== true)
    stderr.write(drawFixes(read.name, hideSecrets(fixes)));
  return { problem, made };
}

function knownNames(settings: Awaited<ReturnType<typeof loadSettings>>): PlanSurroundings {
  const { configuration } = settings;
  // A configuration with errors provides no names. Every command that runs something reports these errors.
  if (settings.diagnostics.length > 0) return {};
  return toolLookup(commandLineHost(), configuration, { cwd: process.cwd() });
}

interface CheckedPlan {
  readonly findings: readonly FindingJson[];
  /** What only plans have. */
  readonly about: object;
  readonly isInvalid: boolean;
}

/** Prints what there is to say about a plan, unless it is wanted as JSON. */
export async function checkPlan(
  file: string,
  flags: PlanCheckFlags,
): Promise<CheckedPlan | { readonly missing: string }> {
  const known = knownNames(await loadSettings(commandLineHost(), file));
  const isForEngine = await isForAnEngine(file, flags);
  const onlyHere = isForEngine ? pathsOnlyHere(process.cwd(), flags.shared) : undefined;
  const surroundings = { ...known, onlyHere };
  const loaded = loadPlan(commandLineHost(), file, flags, surroundings);
  if (loaded.kind === 'missing') return { missing: loaded.message };
  const { diagnostics, sources } = loaded;
  const isInvalid = flags.strict === true ? diagnostics.length > 0 : hasErrors(diagnostics);
  if (flags.json !== true) {
    stdout.write((await drawn(filterDiagnostics(diagnostics, flags), sources, stdout)) + signatureText(loaded));
    return { findings: [], about: {}, isInvalid };
  }
  const check = editedPlan(commandLineHost(), file, flags, surroundings);
  const judged = await withSafeFixes(sources[0]?.text ?? '', loaded, check);
  return { findings: await planFindings(judged), about: aboutPlan(judged), isInvalid };
}

/** The lines `signature:` and `gates:`. Several inputs of which one is enough are joined by `or`. */
function signatureText({ signature, approvals }: Pick<LoadedPlan, 'signature' | 'approvals'>): string {
  const entries = signature.map((paths) => paths.map(printPath).join(' or '));
  const lines = [`signature: ${entries.length === 0 ? 'no required inputs' : entries.join(', ')}`];
  if (approvals.length > 0) lines.push(`gates: ${approvals.map(approvalName).join(', ')}`);
  return escapeControls(lines.map((line) => `${line}\n`).join(''));
}

/** The findings of a plan also say in which call they are, and where in it. */
async function planFindings({ diagnostics, sources, tree }: LoadedPlan): Promise<readonly FindingJson[]> {
  return Promise.all(
    diagnostics.map(async (one) => {
      const [finding] = await findingsOf([one], sources);
      return { ...finding, ...(tree === null ? {} : locationInPlan(tree.root, tree.calls, one.span)) };
    }),
  );
}

function aboutPlan({ signature, approvals }: LoadedPlan): object {
  return {
    signature: signature.map((paths) => {
      const [path, ...others] = paths.map(printPath);
      return others.length === 0 ? { path } : { anyOf: [path, ...others] };
    }),
    gates: approvals.map(approvalName),
  };
}
