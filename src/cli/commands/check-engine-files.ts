/** `check --on`: warns of files that may be on another machine when they are needed. */
import type { Compilation } from '../../check/compile.js';
import { fileHandovers } from '../../check/lints/engine-files.js';
import type { Machine, Origin } from '../../machine/machine.js';
import { commandLineMessages as say } from '../../source/catalogue/command-line.js';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../../source/diagnostic.js';
import type { SourceSet, Span } from '../../source/source-file.js';

export function withEngineFiles(compilation: Compilation): Compilation {
  const { diagnostics, machines, sources } = compilation;
  if (hasErrors(diagnostics)) return compilation;
  const warnings = machines.flatMap((machine) =>
    fileHandovers(machine).flatMap(({ file, written, named }): Diagnostic[] => {
      const span = spanOf(machine, sources, written, file);
      const later = spanOf(machine, sources, named, file);
      return span === null || later === null ? [] : [say.engineFiles(span, { file, later })];
    }),
  );
  return { ...compilation, diagnostics: sortDiagnostics([...diagnostics, ...warnings]) };
}

/** Where the line of an instruction, or one that continues it, has the name; null: its text is not there. */
function spanOf(machine: Machine, sources: SourceSet, { file, line }: Origin, name: string): Span | null {
  const wanted = machine.files[file];
  const at = Math.max(
    0,
    sources.findIndex((one) => one.name === wanted),
  );
  const source = sources[at];
  if (source === undefined) return null;
  const lines = source.text.split('\n');
  const begin = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const found = source.text.indexOf(name, begin);
  if (found >= 0) return { file: at, start: found, end: found + name.length };
  return { file: at, start: begin, end: begin + (lines[line - 1]?.length ?? 0) };
}
