/** How people call what an instruction binds. */
import type { Instruction, State } from '../machine/machine.js';

export function bindName({ locals }: State, instruction: Instruction | undefined): string | null {
  const slot = slotOf(instruction);
  const name = slot === null ? undefined : locals[slot];
  return name === undefined || name.startsWith('$') ? null : name;
}

function slotOf(instruction: Instruction | undefined): number | null {
  switch (instruction?.op) {
    case 'shell':
    case 'argv':
    case 'function':
    case 'agent':
    case 'plan':
      return instruction.bind?.slot ?? null;
    case 'ask':
    case 'signal':
      return instruction.bind;
    default:
      return null;
  }
}
