/**
 * Runs one command line. The process may run others after it, so state that outlives a command is reset here. The
 * working directory and the environment are those of the process.
 */
import { forbidOutside } from './arguments/outside-option.js';
import { readPlainRun } from './arguments/plain-run.js';
import { EXIT } from './terminal/exit-code.js';

/** `argv` begins with the program and its script, like `process.argv`. Returns the exit code. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  if (argv[2] === 'complete' && argv[3] === '--')
    return (await import('./commands/completion.js')).completeCommand(
      [...argv],
      (await import('./arguments/create-program.js')).createProgram(() => {}),
    );
  if (argv[2] === 'help' && argv[3]?.startsWith('std/') === true)
    return (await import('./commands/pattern-help.js')).patternHelp(argv[3]);
  if (!isSomewhere()) {
    const { usageError } = await import('./terminal/usage-error.js');
    return usageError('the working directory no longer exists', 'change to an existing directory');
  }
  const plain = readPlainRun(argv.slice(2), process.env);
  if (plain === null) return parseCommandLine(argv);
  forbidOutside();
  return (await import('./commands/run.js')).runCommand(plain.file, plain.flags);
}

async function parseCommandLine(argv: readonly string[]): Promise<number> {
  const { createProgram } = await import('./arguments/create-program.js');
  let code: number = EXIT.returned;
  const program = createProgram((result) => {
    code = result;
  }, argv.slice(2));
  try {
    await program.parseAsync(withValues(argv));
    return code;
  } catch (error) {
    const { code: kind, exitCode } = error as { code?: unknown; exitCode?: unknown };
    if (typeof kind !== 'string' || !kind.startsWith('commander.')) throw error;
    // Commander has reported the problem. Its exit code is 1, which means a failed run here.
    return exitCode === 0 ? EXIT.returned : EXIT.usage;
  }
}

/** Options that take a value only after `=`, and what they mean without one. */
const VALUES: Readonly<Record<string, string>> = {
  '--worktree': 'on',
  '--coverage': 'table',
  '--faults': 'crash,fail,late',
};

/** Without this, the parser would take the next word, a file, as the value of such an option. */
function withValues(argv: readonly string[]): string[] {
  const rest = argv.indexOf('--');
  return argv.map((word, at) =>
    Object.hasOwn(VALUES, word) && (rest < 0 || at < rest) ? `${word}=${VALUES[word]}` : word,
  );
}

/** The working directory of a shell may have been removed. Then no path can be read or written. */
function isSomewhere(): boolean {
  try {
    return process.cwd() !== '';
  } catch {
    return false;
  }
}
