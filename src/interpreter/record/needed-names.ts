/**
 * Names that an edited program reads from a position on, without binding them before. Only such names have to have a value
 * when a run is moved there.
 */
import type { SlotRef } from '../../machine/expression.js';
import type { Instruction, Machine } from '../../machine/machine.js';
import { targets } from './alignment.js';

type Slot = Pick<SlotRef, 'in' | 'slot'>;

/** The line that reads a slot first on some way from here; null: it is bound before, or never read. */
export function lineThatReads(
  machine: Machine,
  at: { readonly state: number; readonly pc: number },
  slot: Slot,
): number | null {
  const seen = new Set<string>();
  const ahead = [at];
  for (let one = ahead.shift(); one !== undefined; one = ahead.shift()) {
    const key = `${one.state} ${one.pc}`;
    const instruction = machine.states[one.state]?.code[one.pc];
    if (seen.has(key) || instruction === undefined) continue;
    seen.add(key);
    if (reads(instruction, slot)) return instruction.origin.line;
    if (!binds(instruction, slot)) ahead.push(...successorsOf(machine, instruction, one, slot));
  }
  return null;
}

function successorsOf(
  machine: Machine,
  instruction: Instruction,
  { state, pc }: { readonly state: number; readonly pc: number },
  slot: Slot,
): { readonly state: number; readonly pc: number }[] {
  const isLeft = slot.in === 'tracked';
  switch (instruction.op) {
    case 'jump':
      return [{ state, pc: instruction.to }];
    case 'goto':
      return isLeft ? [{ state: instruction.state, pc: 0 }] : [];
    case 'goto-dynamic':
      return isLeft ? machine.states.map((_, index) => ({ state: index, pc: 0 })) : [];
    case 'return':
    case 'fail':
    case 'fell-off':
    case 'branch-end':
      return [];
    case 'fork':
      return [instruction.join, ...instruction.branches.map((branch) => branch.pc)].map((to) => ({ state, pc: to }));
    case 'fork-each':
      return [instruction.join, instruction.body].map((to) => ({ state, pc: to }));
    default:
      return [pc + 1, ...targets(instruction)].map((to) => ({ state, pc: to }));
  }
}

function reads(value: unknown, slot: Slot): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { op, places, to } = value as { op?: string; places?: readonly SlotRef[]; to?: Slot };
  if (op === 'read') return (places ?? []).length > 0 && isSlot(places?.[0], slot);
  if (op === 'increment' && isSlot(to, slot)) return true;
  if (op === 'next' && slot.in === 'local' && (value as { items?: number }).items === slot.slot) return true;
  return Object.values(value).some((one) => reads(one, slot));
}

function isSlot(one: Slot | undefined, { in: where, slot }: Slot): boolean {
  return one !== undefined && one.in === where && one.slot === slot;
}

function binds(instruction: Instruction, slot: Slot): boolean {
  if (instruction.op === 'set') return isSlot(instruction.to, slot);
  if (instruction.op === 'track') return slot.in === 'tracked' && instruction.slot === slot.slot;
  if (slot.in !== 'local') return false;
  if (instruction.op === 'each') return instruction.items === slot.slot;
  const { bind, variable, slot: own } = instruction as unknown as Record<string, unknown>;
  const bound = typeof bind === 'object' && bind !== null ? (bind as { slot: number }).slot : bind;
  return bound === slot.slot || variable === slot.slot || (instruction.op === 'sample' && own === slot.slot);
}
