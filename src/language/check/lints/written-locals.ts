/** Which locals an instruction gives a value, for lints that follow values through a state. */
import type { Instruction } from '../../../machine/machine.js';

/** By slot; without the exit code that comes with a result, and without what a PARALLEL collects from its turns. */
export function writtenLocals(i: Instruction): readonly number[] {
  switch (i.op) {
    case 'set':
    case 'increment':
      return i.to.in === 'local' ? [i.to.slot] : [];
    case 'each':
      return [i.items];
    case 'next':
    case 'fork-each':
      return [i.variable];
    case 'sample':
      return [i.slot];
    default:
      if (!('bind' in i) || i.bind == null) return [];
      return [typeof i.bind === 'number' ? i.bind : i.bind.slot];
  }
}

/** By local slot, the instructions that write it, in order. */
export function writersBySlot(code: readonly Instruction[]): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  code.forEach((i, pc) => {
    for (const slot of writtenLocals(i)) {
      const known = found.get(slot);
      if (known === undefined) found.set(slot, [pc]);
      else known.push(pc);
    }
  });
  return found;
}
