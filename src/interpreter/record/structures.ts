/** The arms, loops, steps and blocks of a state, as far as pairing the instructions of two versions needs them. */
import type { Instruction, State } from '../../machine/machine.js';

/** For each instruction of a state the arms, loops, steps and blocks around it, as one text. */
export function blocksOf(state: State, keys: readonly string[]): string[] {
  const around = state.code.map(() => '');
  for (const { start, from, end } of structuresOf(state)) {
    const one = state.code[start];
    const second = one?.op === 'unless' ? one.to : end;
    for (let at = from; at < end; at++) around[at] += `${at < second ? 'in' : 'else'} ${keys[start]}\n`;
  }
  return around;
}

export interface Structure {
  /** Where execution comes to it. */
  readonly start: number;
  readonly from: number;
  readonly end: number;
}

/** For each instruction of a state what kind of block the innermost one around it is; empty: it is in none. */
export function kindsOfBlocks(state: State): string[] {
  const kinds = state.code.map(({ op }) => op);
  return blocksOf(state, kinds).map((around) => around.slice(around.lastIndexOf('\n', around.length - 2) + 1));
}

/** Whether an instruction is in an arm of an IF, so that it may never be executed. */
export function isInArm(state: State, pc: number): boolean {
  return structuresOf(state).some(
    ({ start, from, end }) => state.code[start]?.op === 'unless' && pc >= from && pc < end,
  );
}

/** The arms, loops, steps and blocks of a state, outer ones first. */
export function structuresOf({ code }: State): Structure[] {
  return code.flatMap((one, start): Structure[] => {
    switch (one.op) {
      case 'unless': {
        const last = code[one.to - 1];
        const isElse = last?.op === 'jump' && last.to > one.to;
        return one.to > start ? [{ start, from: start + 1, end: isElse ? last.to : one.to }] : [];
      }
      case 'each': {
        const head = code.findIndex((next, at) => at > start && next.op === 'next' && next.items === one.items);
        const next = code[head];
        return next?.op === 'next' ? [{ start, from: start + 1, end: next.exit }] : [];
      }
      case 'fork':
      case 'fork-each':
        return [{ start, from: start + 1, end: one.join }];
      case 'wait-start':
      case 'step-begin':
        return [{ start, from: start + 1, end: endOf(code, start) }];
      default:
        return [];
    }
  });
}

/** Where execution continues after an instruction of a state and everything that belongs to it. */
export function endOf(code: readonly Instruction[], pc: number): number {
  const one = code[pc];
  if (one?.op === 'wait-start')
    for (const other of code.slice(pc))
      if (other.op === 'wait-turn' && other.deadline === one.deadline) return other.exit;
  if (one?.op !== 'step-begin') return pc + 1;
  let open = 0;
  for (const other of code.slice(pc)) {
    if (other.op === 'step-begin') open++;
    if (other.op === 'step-verdict' && --open === 0) return other.done;
  }
  return pc + 1;
}
