/** Where `DO: |` has a source: an earlier effect in its state. */
import { successors } from '../../machine/control-flow.js';
import type { Instruction } from '../../machine/machine.js';

function isSource(i: Instruction): boolean {
  return i.op === 'shell' || i.op === 'argv' || i.op === 'function' || i.op === 'agent';
}

/** The pcs of piped effects that a path can reach without an earlier effect. */
export function pipesWithoutSource(code: readonly Instruction[], handlers: readonly { pc: number }[]): number[] {
  if (!code.some((i) => isSource(i) && 'piped' in i && i.piped)) return [];
  // 1: every path so far has a source, 2: some path has none.
  const known = new Uint8Array(code.length + 1);
  const work: number[] = [];
  const reach = (pc: number, has: boolean): void => {
    const value = has ? 1 : 2;
    if ((known[pc] as number) >= value) return;
    known[pc] = value;
    work.push(pc);
  };
  reach(0, false);
  for (const handler of handlers) reach(handler.pc, false);
  while (work.length > 0) {
    const pc = work.pop() as number;
    const i = code[pc];
    if (i === undefined) continue;
    const has = known[pc] === 1;
    if (i.op === 'fork') for (const branch of i.branches) reach(branch.pc, false);
    if (i.op === 'fork-each') reach(i.body, false);
    for (const next of successors(code, pc)) {
      if (i.op === 'fork' || i.op === 'fork-each') reach(next, false);
      else if (i.op === 'next' && next === i.exit) reach(next, has || code.slice(pc + 1, i.exit).some(isSource));
      else reach(next, has || isSource(i));
    }
  }
  const missing: number[] = [];
  code.forEach((i, pc) => {
    if (isSource(i) && 'piped' in i && i.piped && known[pc] === 2) missing.push(pc);
  });
  return missing;
}
