/**
 * `statedsl fmt`: one form for every program. Files are replaced in place, and only when they change; a file that
 * cannot be read as a program is left as it is.
 */
import { formatText } from '../../app/library/compile-text.js';
import { isWorkflow } from '../../app/project/preparation.js';
import { readProgram } from '../../app/project/read-program.js';
import type { Diagnostic, SourceFile } from '../../language/source/diagnostic.js';
import { commandLineHost } from '../files/command-line-host.js';
import { replaceFile } from '../files/replace-file.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { drawn } from '../terminal/report-diagnostics.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

interface FormatFlags {
  readonly check?: boolean;
}

export async function formatCommand(files: readonly string[], flags: FormatFlags): Promise<ExitCode> {
  let code: ExitCode = EXIT.returned;
  // The worst outcome counts: a broken program, then a file that would change.
  for (const file of files) code = Math.max(code, await formatFile(file, flags)) as ExitCode;
  return code;
}

async function formatFile(path: string, flags: FormatFlags): Promise<ExitCode> {
  if (isWorkflow(path))
    return usageError(
      `\`${path}\` is a workflow file, and \`fmt\` does not change YAML`,
      `print it as a program: \`statedsl convert ${path}\``,
    );
  const read = readProgram(commandLineHost(), path);
  if (read.kind === 'missing') return usageError(read.message);
  if (read.kind === 'broken') return reportBroken(read.compilation.diagnostics, read.compilation.sources);
  const { text: formatted, diagnostics, sources } = await formatText(read.text, read.name);
  if (formatted === null) return reportBroken(diagnostics, sources);
  if (flags.check) {
    if (formatted === read.text) return EXIT.returned;
    stdout.write(`${read.name}\n`);
    return EXIT.failed;
  }
  if (path === '-') stdout.write(formatted);
  else if (formatted !== read.text) {
    const problem = replaceFile(path, formatted);
    if (problem !== null) return usageError(problem);
  }
  return EXIT.returned;
}

async function reportBroken(diagnostics: readonly Diagnostic[], sources: SourceFile[]): Promise<ExitCode> {
  stderr.write(await drawn(diagnostics, sources));
  return EXIT.usage;
}
