/**
 * Reports variables that are read before they can have a value: follows the instructions that always run, from the start
 * of a state. Locals are new in every state, and tracked variables have no value when the run begins.
 */
import type { Expr, SlotRef } from '../../../machine/expression.js';
import type { Instruction, WorkInstruction } from '../../../machine/machine.js';
import { earlyRead } from '../../source/catalogue/expressions.js';
import type { Diagnostic, Span } from '../../source/diagnostic.js';
import type { LoweredState } from '../lower/lowered-state.js';

export function lintEarlyReads(lowered: LoweredState, isFirst: boolean, diagnostics: Diagnostic[]): void {
  const made = new Set<number>();
  const missing = ({ in: kind, slot }: SlotRef): boolean =>
    (kind === 'local' || (kind === 'tracked' && isFirst)) && !made.has(kind === 'local' ? slot : ofTracked(slot));
  const { code } = lowered.state;
  for (let pc = 0; pc < code.length; pc++) {
    const i = code[pc] as Instruction;
    const early = earlyReadIn(i, missing);
    if (early !== null) {
      const isTracked = early.places.some((slot) => slot.in === 'tracked');
      diagnostics.push(earlyRead(lowered.spans[pc] as Span, { name: early.name, tracked: isTracked }));
      return;
    }
    if (i.op === 'set') {
      if (i.to.in === 'local') made.add(i.to.slot);
      else if (i.to.in === 'tracked') made.add(ofTracked(i.to.slot));
    } else if (i.op === 'track') made.add(ofTracked(i.slot));
    else if (startsWork(i)) {
      if (i.bind !== undefined) {
        made.add(i.bind.slot);
        if (i.bind.exitSlot !== undefined) made.add(i.bind.exitSlot);
      }
    } else if (i.op === 'sample') made.add(i.slot);
    else if (i.op !== 'emit' && i.op !== 'increment' && i.op !== 'undo') return;
  }
}

/** Tracked variables next to locals, which are numbered from 0. */
const ofTracked = (slot: number): number => -1 - slot;

type ReadExpression = Extract<Expr, { op: 'read' }>;

/** The first name that an instruction certainly reads without a value. An UNDO evaluates its values where it stands. */
function earlyReadIn(i: Instruction, missing: (slot: SlotRef) => boolean): ReadExpression | null {
  switch (i.op) {
    case 'set':
    case 'track':
      return i.value === null ? null : firstRead(i.value, missing);
    case 'unless':
      return firstRead(i.condition, missing);
    case 'undo':
      return earlyReadIn(i.by as Instruction, missing);
    case 'shell':
      return firstReadOf(i.template.parts, missing);
    case 'agent':
      return firstReadOf(i.prompt ?? [], missing);
    default:
      return null;
  }
}

function firstReadOf(
  parts: readonly (string | { readonly value: Expr })[],
  missing: (slot: SlotRef) => boolean,
): ReadExpression | null {
  for (const part of parts) {
    const found = typeof part === 'string' ? null : firstRead(part.value, missing);
    if (found !== null) return found;
  }
  return null;
}

/** The first name that certainly has no value. Names that may be missing on purpose are skipped. */
function firstRead(expr: Expr, missing: (slot: SlotRef) => boolean): ReadExpression | null {
  switch (expr.op) {
    case 'read':
      return expr.places.length > 0 && expr.places.every(missing) && !expr.name.startsWith('$') ? expr : null;
    case 'field':
    case 'negate':
    case 'not':
      return firstRead(expr.of, missing);
    case 'arithmetic':
    case 'compare':
      return firstRead(expr.left, missing) ?? firstRead(expr.right, missing);
    case 'and':
    case 'or':
      return firstRead(expr.left, missing);
    default:
      return null;
  }
}

/** Whether it starts work outside, whose outcome it can bind. */
export function startsWork(i: Instruction): i is WorkInstruction {
  return i.op === 'shell' || i.op === 'argv' || i.op === 'function' || i.op === 'agent';
}
