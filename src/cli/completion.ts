/**
 * Completion of commands and options in shells: the script that asks, and the answer. Both are made from the same
 * description of the command line that parses it.
 */
import tab from '@bomb.sh/tab/commander';
import { EXIT, type ExitCode } from './exit-code.js';
import { createProgram } from './program.js';

/** Prints the script for a shell. */
export async function completionCommand(shell: string): Promise<ExitCode> {
  await answering().parseAsync(['complete', shell], { from: 'user' });
  return EXIT.returned;
}

/** Answers a shell that asks how a line goes on: `statedsl complete -- words…`. */
export async function completeCommand(argv: string[]): Promise<ExitCode> {
  await answering().parseAsync(argv);
  return EXIT.returned;
}

function answering(): ReturnType<typeof createProgram> {
  const program = createProgram(() => {});
  tab(program);
  return program;
}
