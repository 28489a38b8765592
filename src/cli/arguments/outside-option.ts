/**
 * `--allow-outside`, for every command that reads programs. It applies to all files that the command and its programs
 * name.
 */
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

/** They read files that others may have made, or write next to them. */
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
  'fmt',
  'test',
  'verify',
  'report',
]);

/** Starts without the permission: a process may run several command lines, and each must give it anew. */
export function addOutsideOption(program: Command): void {
  forbidOutside();
  for (const command of program.commands) {
    addOutsideOption(command);
    if (!PROGRAM_READERS.has(command.name())) continue;
    command.option('--allow-outside', 'allow files outside of the project');
    command.hook('preAction', () => {
      isAllowed = command.opts().allowOutside === true;
    });
  }
}
