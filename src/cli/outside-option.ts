/** `--allow-outside`, for every command that reads programs: said once, it holds for all files that they name. */
import type { Command } from 'commander';

/** `--allow-outside` applies to everything that a command reads. */
let isAllowed = false;

export const isOutsideAllowed = (): boolean => isAllowed;

export function allowOutside(): void {
  isAllowed = true;
}

export function forbidOutside(): void {
  isAllowed = false;
}

const PROGRAM_READERS = new Set([
  'run',
  'check',
  'resume',
  'replay',
  'answer',
  'signal',
  'graph',
  'disassemble',
  'convert',
  'simulate',
  'approve',
]);

/** Nothing is allowed until a command line says so: a process may run several. */
export function addOutsideOption(program: Command): void {
  forbidOutside();
  for (const command of program.commands) {
    addOutsideOption(command);
    if (!PROGRAM_READERS.has(command.name())) continue;
    command.option('--allow-outside', 'allow programs to use files outside of their project');
    command.hook('preAction', () => {
      isAllowed = command.opts().allowOutside === true;
    });
  }
}
