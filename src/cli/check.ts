/** `statedsl check`: everything that can be said about programs without running them. */
import { resolve } from 'node:path';
import type { Compilation } from '../check/compile.js';
import { type Diagnostic, hasErrors } from '../source/diagnostic.js';
import { drawDiagnostics } from '../views/diagnostics/diagnostic.js';
import { diagnosticsJson, placeJson } from '../views/diagnostics/diagnostic-json.js';
import { drawExplanations } from '../views/diagnostics/explain.js';
import { explainAll } from '../views/steps/explain-steps.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { compileProgram, isPlan, nothingCompiled, readNamed } from './reading/load-program.js';
import { agentLookup, callLookup, gateLookup, loadSettings } from './reading/settings.js';
import { mayHaveWorktree } from './running/choose-worktree.js';
import { stderr, stdout } from './streams.js';
import { told } from './told.js';
import { usageError } from './usage.js';

export interface CheckFlags {
  readonly explain?: boolean;
  readonly json?: boolean;
  readonly strict?: boolean;
  readonly quiet?: boolean;
  readonly cwd?: string;
  readonly tools?: string;
  readonly state?: string;
}

/** Plans are told by their names; each is reported by itself, as `plan check` does. */
export async function checkCommand(all: readonly string[], flags: CheckFlags): Promise<ExitCode> {
  const files = all.filter((file) => !isPlan(file));
  let worst: ExitCode = EXIT.returned;
  if (files.length === all.length && flags.state !== undefined)
    return usageError('`--state` is the state a plan begins with, and no plan is checked', 'leave it out');
  for (const file of all.filter(isPlan)) {
    const code = await (await import('./plan/plan-check.js')).planCheckCommand(file, flags);
    if (code !== EXIT.returned) worst = code;
  }
  const code = files.length === 0 ? EXIT.returned : await checkPrograms(files, flags);
  return code === EXIT.returned ? worst : code;
}

async function checkPrograms(files: readonly string[], flags: CheckFlags): Promise<ExitCode> {
  const compilations: Compilation[] = [];
  let missing = false;
  for (const file of files) {
    const compilation = await compileFile(file, flags);
    if (compilation === null) missing = true;
    else compilations.push(compilation);
  }
  const all = compilations.flatMap(({ diagnostics }) => diagnostics);
  await report(compilations, flags);
  if (flags.json && compilations.length > 0) stdout.write(`${JSON.stringify(jsonReport(compilations, all, flags))}\n`);
  return missing || isInvalid(all, flags) ? EXIT.usage : EXIT.returned;
}

function isInvalid(all: readonly Diagnostic[], { strict }: CheckFlags): boolean {
  return strict === true ? all.some(({ severity }) => severity !== 'note') : hasErrors(all);
}

/** Null when there is no file to compile, which has been said then. A configuration with errors is told instead. */
async function compileFile(file: string, flags: CheckFlags): Promise<Compilation | null> {
  const { configuration, diagnostics, sources } = await loadSettings(file);
  const read = readNamed(file, configuration);
  if (read.kind === 'broken') return read.compilation;
  if (read.kind === 'missing') {
    await usageError(read.message);
    return null;
  }
  if (diagnostics.length > 0) return nothingCompiled(diagnostics, sources);
  const cwd = resolve(flags.cwd ?? '.');
  const worktree = mayHaveWorktree(cwd);
  return compileProgram(read.name, read.text, {
    cwd,
    configuration,
    ...agentLookup(configuration, {}),
    ...gateLookup(configuration, cwd),
    ...(worktree === undefined ? {} : { worktree }),
    explain: flags.explain ?? false,
    strict: flags.strict ?? false,
    calls: callLookup(configuration, flags),
  });
}

async function report(compilations: readonly Compilation[], flags: CheckFlags): Promise<void> {
  const paint = await stderr.paint();
  for (const { diagnostics, sources, explanations, machines } of compilations) {
    stderr.write(drawDiagnostics(told(diagnostics, flags), sources, paint));
    if (!flags.explain || flags.json) continue;
    stdout.write(drawExplanations(explainAll(explanations, machines, sources), sources));
  }
}

function jsonReport(compilations: readonly Compilation[], all: readonly Diagnostic[], flags: CheckFlags): object {
  return {
    status: isInvalid(all, flags) ? 'invalid' : 'valid',
    diagnostics: compilations.flatMap(({ diagnostics, sources }) => diagnosticsJson(diagnostics, sources)),
    ...(flags.explain
      ? {
          explanations: compilations.flatMap(({ explanations, machines, sources }) =>
            explainAll(explanations, machines, sources).map(({ span, text }) => ({
              ...placeJson(span, sources),
              text,
            })),
          ),
        }
      : {}),
  };
}
