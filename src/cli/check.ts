/** `statedsl check`: everything that can be said about programs without running them. */
import type { Compilation } from '../check/compile.js';
import { type Diagnostic, hasErrors } from '../source/diagnostic.js';
import { drawDiagnostics } from '../views/diagnostic.js';
import { diagnosticsJson, placeJson } from '../views/diagnostic-json.js';
import { drawExplanations } from '../views/explain.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { compileProgram, type ProgramOptions, readProgram } from './load-program.js';
import { loadSettings } from './settings.js';
import { stderr, stdout } from './streams.js';
import { usageError } from './usage.js';

export interface CheckFlags {
  readonly explain?: boolean;
  readonly json?: boolean;
  readonly strict?: boolean;
  readonly cwd?: string;
}

export async function checkCommand(files: readonly string[], flags: CheckFlags): Promise<ExitCode> {
  const cwd = flags.cwd ?? process.cwd();
  const compilations: Compilation[] = [];
  let missing = false;
  for (const file of files) {
    const settings = await loadSettings(file);
    if ('message' in settings) {
      missing = true;
      await usageError(settings.message, settings.help);
      continue;
    }
    const options: ProgramOptions = {
      cwd,
      ...settings.agents,
      explain: flags.explain ?? false,
      strict: flags.strict ?? false,
    };
    const compilation = await compileFile(file, options);
    if (compilation === null) missing = true;
    else compilations.push(compilation);
  }
  const all = compilations.flatMap(({ diagnostics }) => diagnostics);
  await report(compilations, flags);
  if (flags.json) stdout.write(`${JSON.stringify(jsonReport(compilations, all, flags))}\n`);
  const bad = missing || hasErrors(all) || (flags.strict && all.some(({ severity }) => severity === 'warning'));
  return bad ? EXIT.usage : EXIT.returned;
}

/** Null when there is no file to compile, which has been said then. */
async function compileFile(file: string, options: ProgramOptions): Promise<Compilation | null> {
  const read = readProgram(file);
  if (read.kind === 'broken') return read.compilation;
  if (read.kind === 'text') return compileProgram(read.name, read.text, options);
  await usageError(read.message);
  return null;
}

async function report(compilations: readonly Compilation[], flags: CheckFlags): Promise<void> {
  const paint = await stderr.paint();
  for (const { diagnostics, sources, explanations } of compilations) {
    stderr.write(drawDiagnostics(diagnostics, sources, paint));
    if (flags.explain && !flags.json) stdout.write(drawExplanations(explanations, sources));
  }
}

function jsonReport(compilations: readonly Compilation[], all: readonly Diagnostic[], flags: CheckFlags): object {
  return {
    status: hasErrors(all) ? 'invalid' : 'valid',
    diagnostics: compilations.flatMap(({ diagnostics, sources }) => diagnosticsJson(diagnostics, sources)),
    ...(flags.explain
      ? {
          explanations: compilations.flatMap(({ explanations, sources }) =>
            explanations.map(({ span, text }) => ({ ...placeJson(span, sources), text })),
          ),
        }
      : {}),
  };
}
