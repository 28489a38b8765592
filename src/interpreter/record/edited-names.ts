/**
 * Names and slots of an edited program: which slot of it has the value of a slot of the old one, and which names it reads from a
 * position on without binding them before, as only these must have a value when a run continues there.
 */
import type { SlotRef } from '../../machine/expression.js';
import type { Instruction, Machine, State } from '../../machine/machine.js';
import { type Alignment, targets } from './alignment.js';
import type { EncodedSlots } from './run-image.js';

type SlotKey = Pick<SlotRef, 'in' | 'slot'>;

/** The line that reads a slot first on some way from here; null: it is bound before, or never read. */
export function lineThatReads(
  machine: Machine,
  at: { readonly state: number; readonly pc: number },
  slot: SlotKey,
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
  slot: SlotKey,
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

function reads(value: unknown, slot: SlotKey): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { op, places, to } = value as { op?: string; places?: readonly SlotRef[]; to?: SlotKey };
  if (op === 'read') return (places ?? []).length > 0 && isSlot(places?.[0], slot);
  if (op === 'increment' && isSlot(to, slot)) return true;
  if (op === 'next' && slot.in === 'local' && (value as { items?: number }).items === slot.slot) return true;
  if ((op === 'rollback' || op === 'keep') && slot.in === 'local' && (value as { mark?: number }).mark === slot.slot)
    return true;
  return Object.values(value).some((one) => reads(one, slot));
}

function isSlot(one: SlotKey | undefined, { in: where, slot }: SlotKey): boolean {
  return one !== undefined && one.in === where && one.slot === slot;
}

function binds(instruction: Instruction, slot: SlotKey): boolean {
  if (instruction.op === 'set') return isSlot(instruction.to, slot);
  if (instruction.op === 'track') return slot.in === 'tracked' && instruction.slot === slot.slot;
  if (slot.in !== 'local') return false;
  if (instruction.op === 'each') return instruction.items === slot.slot;
  const { bind, variable, slot: own } = instruction as unknown as Record<string, unknown>;
  const bound = typeof bind === 'object' && bind !== null ? (bind as { slot: number }).slot : bind;
  if (instruction.op === 'next' && instruction.mark === slot.slot) return true;
  return bound === slot.slot || variable === slot.slot || (instruction.op === 'sample' && own === slot.slot);
}

/** Values under the same names. */
export function byName(values: EncodedSlots, old: readonly string[], fresh: readonly string[]): EncodedSlots {
  const rebased = new Array<string | null>(fresh.length).fill(null);
  values.forEach((value, slot) => {
    const at = fresh.indexOf(old[slot] ?? '');
    if (value !== null && at >= 0) rebased[at] = value;
  });
  return rebased;
}

/** Local slots of the old state in the edited one: by name, and those without one by the instructions that use them. */
export function localsMap(alignment: Alignment, old: State, fresh: State): ReadonlyMap<number, number> {
  const map = new Map<number, number>();
  old.locals.forEach((name, slot) => {
    const at = name.startsWith('$') ? -1 : fresh.locals.indexOf(name);
    if (at >= 0) map.set(slot, at);
  });
  for (const [from, to] of alignment.similarPairs())
    pairSlots(old.code[from], fresh.code[to], (a, b) => {
      if (old.locals[a]?.startsWith('$') && fresh.locals[b]?.startsWith('$') && !map.has(a)) map.set(a, b);
    });
  return map;
}

const SLOTS: ReadonlySet<string> = new Set(
  ['slot', 'items', 'index', 'variable', 'deadline', 'timedOut', 'bind', 'exitSlot', 'handling', 'failures'].concat([
    'turns',
    'chance',
    'keep',
  ]),
);

function pairSlots(old: unknown, fresh: unknown, pair: (old: number, fresh: number) => void): void {
  if (typeof old !== 'object' || typeof fresh !== 'object' || old === null || fresh === null) return;
  const [a, b] = [old as Record<string, unknown>, fresh as Record<string, unknown>];
  if (typeof a.in === 'string' && a.in !== 'local') return;
  for (const [name, value] of Object.entries(a)) {
    const other = b[name];
    if (typeof value !== 'number') pairSlots(value, other, pair);
    else if (SLOTS.has(name) && typeof other === 'number') pair(value, other);
  }
}

/** Local slots that a member hands over. */
export function collectedBy(instruction: Instruction | undefined, index: number): readonly number[] {
  if (instruction?.op === 'fork-each') return instruction.collect;
  return instruction?.op === 'fork' ? (instruction.branches[index]?.collect ?? []) : [];
}
