/** `--allow-outside`, for every command that reads programs: said once, it holds for all files that they name. */
import type { Command } from 'commander';

const READING = new Set([
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

export function addOutsideOption(program: Command): void {
  for (const command of program.commands) {
    addOutsideOption(command);
    if (!READING.has(command.name())) continue;
    command.option('--allow-outside', 'allow programs to use files outside of their project');
    command.hook('preAction', async () => {
      if (command.opts().allowOutside === true) (await import('./host.js')).allowOutside();
    });
  }
}
