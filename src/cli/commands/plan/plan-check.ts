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
import { hasErrors } from '../../../language/source/diagnostic.js';
import { fixText, withSafeFixes } from '../../../language/source/fix-text.js';
import { printPath } from '../../../prelude/reference.js';
import { diagnosticsJson } from '../../../views/diagnostics/diagnostic-json.js';
import { drawFixes } from '../../../views/diagnostics/fixes.js';
import { escapeControls } from '../../../views/drawing/visible-text.js';
import { locationInPlan } from '../../../views/graph/plan-graph.js';
import { commandLineHost } from '../../files/command-line-host.js';
import { replaceRead } from '../../files/replace-file.js';
import { isForAnEngine } from '../../running/configured-engine.js';
import { EXIT, type ExitCode } from '../../terminal/exit-code.js';
import { drawn, filterDiagnostics, hideSecrets, withoutSecrets } from '../../terminal/report-diagnostics.js';
import { stderr, stdout } from '../../terminal/streams.js';
import { usageError } from '../../terminal/usage-error.js';

interface PlanCheckFlags extends PlanFlags {
  readonly json?: boolean;
  readonly strict?: boolean;
  readonly quiet?: boolean;
  /** The engine that is to execute the plan, and a directory that its workers have. */
  readonly on?: string;
  readonly shared?: string;
}

/** Applies the fixes of a plan. Returns false, after reporting the problem, if the file cannot be written. */
export async function fixPlan(file: string, flags: PlanCheckFlags): Promise<boolean> {
  const host = commandLineHost();
  const read = readProgram(host, file);
  if (read.kind !== 'text') return true;
  const known = knownNames(await loadSettings(host, file));
  const { text, fixes } = await fixText(read.text, editedPlan(host, file, flags, known));
  const problem = text === read.text ? null : replaceRead(file, read.text, text);
  if (problem !== null) await usageError(problem);
  else if (flags.quiet !== true) stderr.write(drawFixes(read.name, hideSecrets(fixes)));
  return problem === null;
}

function knownNames(settings: Awaited<ReturnType<typeof loadSettings>>): PlanSurroundings {
  const { configuration } = settings;
  // A configuration with errors provides no names. Every command that runs something reports these errors.
  if (settings.diagnostics.length > 0) return {};
  return toolLookup(commandLineHost(), configuration, { cwd: process.cwd() });
}

export async function planCheckCommand(file: string, flags: PlanCheckFlags): Promise<ExitCode> {
  const known = knownNames(await loadSettings(commandLineHost(), file));
  const isForEngine = await isForAnEngine(file, flags);
  const onlyHere = isForEngine ? pathsOnlyHere(process.cwd(), flags.shared) : undefined;
  const surroundings = { ...known, onlyHere };
  const loaded = loadPlan(commandLineHost(), file, flags, surroundings);
  if (loaded.kind === 'missing') return usageError(loaded.message);
  const { diagnostics, sources } = loaded;
  if (flags.json) {
    const check = editedPlan(commandLineHost(), file, flags, surroundings);
    const text = sources[0]?.text ?? '';
    stdout.write(`${JSON.stringify(planReport(await withSafeFixes(text, loaded, check)))}\n`);
  } else stdout.write((await drawn(filterDiagnostics(diagnostics, flags), sources, stdout)) + signatureText(loaded));
  const invalid = flags.strict === true ? diagnostics.length > 0 : hasErrors(diagnostics);
  return invalid ? EXIT.usage : EXIT.returned;
}

/** The lines `signature:` and `gates:`. Several inputs of which one is enough are joined by `or`. */
function signatureText({ signature, approvals }: Pick<LoadedPlan, 'signature' | 'approvals'>): string {
  const entries = signature.map((paths) => paths.map(printPath).join(' or '));
  const lines = [`signature: ${entries.length === 0 ? 'no required inputs' : entries.join(', ')}`];
  if (approvals.length > 0) lines.push(`gates: ${approvals.map(approvalName).join(', ')}`);
  return escapeControls(lines.map((line) => `${line}\n`).join(''));
}

function planReport({ diagnostics: all, sources, signature, approvals, tree }: LoadedPlan): object {
  const diagnostics = withoutSecrets(all);
  const locations = diagnosticsJson(diagnostics, sources);
  return {
    diagnostics: diagnostics.map(({ code, severity, message, span }, at) => ({
      code,
      severity,
      message,
      ...(tree === null ? { call: null, path: null } : locationInPlan(tree.root, tree.calls, span)),
      file: locations[at]?.file ?? null,
      line: locations[at]?.line ?? null,
      column: locations[at]?.column ?? null,
      help: locations[at]?.help ?? null,
      fix: locations[at]?.fix ?? null,
    })),
    signature: signature.map((paths) =>
      paths.length === 1 ? { path: paths.map(printPath)[0] } : { anyOf: paths.map(printPath) },
    ),
    gates: approvals.map(approvalName),
  };
}

/** The name in an answer, which leaves out `state.`. */
function approvalName(path: readonly [string, ...string[]]): string {
  return printPath(path).replace(/^state\./, '');
}
