/** `statedsl disassemble`: the instructions of a program as text, for bug reports and tests. */
import { isPlan } from '../../app/project/preparation.js';
import { disassemble } from '../../views/disassemble.js';
import { type MachineFlags, readMachines } from '../preparation/read-machines.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

export async function disassembleCommand(file: string, flags: MachineFlags): Promise<ExitCode> {
  if (isPlan(file))
    return usageError('a plan has calls and no instructions', `draw it with \`statedsl graph ${file}\``);
  const machines = await readMachines(file, flags);
  if (typeof machines === 'number') return machines;
  stdout.write(machines.map(disassemble).join('\n'));
  return EXIT.returned;
}
