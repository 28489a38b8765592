/**
 * The entry point of the process. The result of a command is the exit code; an exception is a bug in statedsl and is
 * reported as one.
 */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { VERSION } from '../runtime/version.js';
import { forbidOutside } from './arguments/outside-option.js';
import { readPlainRun } from './arguments/plain-run.js';
import { endProcess, meansToEnd, reportOtherEnds } from './end-process.js';
import { EXIT } from './terminal/exit-code.js';
import { stderr, stdout } from './terminal/streams.js';

function bugText(error: unknown): number {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (error instanceof Error && (error as NodeJS.ErrnoException).code === 'STATEDSL_REPLACED') {
    stderr.write(`error: ${error.message}\n  = help: start the command again; \`statedsl resume\` continues a run\n`);
    return EXIT.failed;
  }
  if (isForeign(text)) {
    stderr.write(`error: a module failed outside of a call, so the process ends\n${text}\n`);
    return EXIT.failed;
  }
  stderr.write(`internal error: this is a bug in statedsl ${VERSION}\n${text}\n`);
  return EXIT.bug;
}

/** Timers of a plan's modules can fail at any time. The innermost file of the stack is then not part of statedsl. */
function isForeign(stack: string): boolean {
  const file = /^ +at (?:.*\()?(?:file:\/\/)?(\/[^\n]+?):\d+:\d+\)?$/m.exec(stack)?.[1];
  const own = dirname(realpathSync(process.argv[1] ?? '.'));
  return file !== undefined && !file.startsWith(own);
}

/** Waits for pending output first, because a pipe accepts it later than it was written. */
async function end(code: number): Promise<never> {
  meansToEnd();
  await stdout.flush();
  const trouble = stdout.trouble();
  if (trouble !== null) stderr.write(`error: cannot write to standard output: ${trouble}\n`);
  await stderr.flush();
  endProcess(trouble !== null && code === EXIT.returned ? EXIT.failed : code);
}

reportOtherEnds();
process.on('uncaughtException', (error) => void end(bugText(error)));
process.on('unhandledRejection', (error) => void end(bugText(error)));
runCommandLine(process.argv).then(end, (error) => end(bugText(error)));

/** `argv` begins with the program and its script, like `process.argv`. Returns the exit code. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  if (argv[2] === 'complete' && argv[3] === '--')
    return (await import('./commands/completion.js')).completeCommand(
      [...argv],
      (await import('./arguments/program.js')).createProgram(() => {}),
    );
  if (!isSomewhere()) {
    const { usageError } = await import('./terminal/usage.js');
    return usageError('the working directory no longer exists', 'change to an existing directory');
  }
  const plain = readPlainRun(argv.slice(2), process.env);
  if (plain === null) return parseCommandLine(argv);
  forbidOutside();
  return (await import('./commands/run.js')).runCommand(plain.file, plain.flags);
}

async function parseCommandLine(argv: readonly string[]): Promise<number> {
  const { createProgram } = await import('./arguments/program.js');
  let code: number = EXIT.returned;
  const program = createProgram((result) => {
    code = result;
  });
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
