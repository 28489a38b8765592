/**
 * Completion of commands, options and files in shells: the script that asks, and the answer. Both are made from the
 * same description of the command line that parses it.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import tab from '@bomb.sh/tab/commander';
import { EXIT, type ExitCode } from './exit-code.js';
import { createProgram } from './program.js';

/** Prints the script for a shell. */
export async function completionCommand(shell: string): Promise<ExitCode> {
  const program = createProgram(() => {});
  tab(program);
  await program.parseAsync(['complete', shell], { from: 'user' });
  return EXIT.returned;
}

/** Answers a shell that asks how a line goes on: `statedsl complete -- words…`. */
export async function completeCommand(argv: string[]): Promise<ExitCode> {
  const program = createProgram(() => {});
  const completion = tab(program);
  const word = argv[argv.length - 1] ?? '';
  for (const command of completion.commands.values()) {
    for (const argument of command.arguments.values()) {
      if (!argument.name.startsWith('file')) continue;
      argument.handler = (complete) => {
        for (const name of programFiles(word)) complete(name, '');
      };
    }
  }
  await program.parseAsync(argv);
  return EXIT.returned;
}

/** Programs and folders whose path begins with what is typed. */
function programFiles(word: string): string[] {
  const folder = word.endsWith('/') ? word : dirname(word);
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || /\.(dsl|md)$/.test(entry.name))
      .map((entry) => (word.includes('/') ? join(folder, entry.name) : entry.name) + (entry.isDirectory() ? '/' : ''))
      .filter((name) => name.startsWith(word) && (word !== '' || !name.startsWith('.')))
      .sort();
  } catch {
    return [];
  }
}
