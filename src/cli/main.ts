#!/usr/bin/env node
/**
 * The entry point of the process. The result of a command is the exit code; an exception is a bug in statedsl and is
 * reported as one.
 */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { endProcess, meansToEnd } from './end-process.js';
import { EXIT } from './exit-code.js';
import { createProgram, version } from './program.js';
import { stderr, stdout } from './streams.js';

async function main(argv: string[]): Promise<number> {
  if (argv[2] === 'complete' && argv[3] === '--')
    return (await import('./completion.js')).completeCommand(
      argv,
      createProgram(() => {}),
    );
  if (!isSomewhere()) {
    const { usageError } = await import('./usage.js');
    return usageError('the working directory no longer exists', 'change to an existing directory');
  }
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

/** `--worktree` alone takes no value: without this the file that follows would be it. */
function withValues(argv: readonly string[]): string[] {
  const rest = argv.indexOf('--');
  return argv.map((word, at) => (word === '--worktree' && (rest < 0 || at < rest) ? '--worktree=on' : word));
}

/** The working directory of a shell may have been removed. Then no path can be read or written. */
function isSomewhere(): boolean {
  try {
    return process.cwd() !== '';
  } catch {
    return false;
  }
}

function bugText(error: unknown): number {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (isForeign(text)) {
    stderr.write(`error: a module failed outside of a call, so the process ends\n${text}\n`);
    return EXIT.failed;
  }
  stderr.write(`internal error: this is a bug in statedsl ${version()}\n${text}\n`);
  return EXIT.bug;
}

/** Timers of foreign modules can fail at any time. Then the innermost file of the stack is not part of this program. */
function isForeign(stack: string): boolean {
  const file = /^ +at (?:.*\()?(?:file:\/\/)?(\/[^\n]+?):\d+:\d+\)?$/m.exec(stack)?.[1];
  const own = dirname(realpathSync(process.argv[1] ?? '.'));
  return file !== undefined && !file.startsWith(own);
}

/** Pending output is handed over first: a pipe takes it later than it was written. */
async function end(code: number): Promise<never> {
  meansToEnd();
  await stdout.flush();
  const trouble = stdout.trouble();
  if (trouble !== null) stderr.write(`error: cannot write to standard output: ${trouble}\n`);
  await stderr.flush();
  endProcess(trouble !== null && code === EXIT.returned ? EXIT.failed : code);
}

process.on('uncaughtException', (error) => void end(bugText(error)));
process.on('unhandledRejection', (error) => void end(bugText(error)));
main(process.argv).then(end, (error) => end(bugText(error)));
