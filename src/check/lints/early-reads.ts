/**
 * Reports variables that are read before they can have a value: follows the instructions that always run, from the
 * start of a state. Locals are new in every state, and tracked variables have no value when the run begins.
 */
import type { Expr, SlotRef } from '../../machine/expression.js';
import { earlyRead } from '../../source/catalogue/comparisons.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Span } from '../../source/source-file.js';
import type { LoweredState } from '../lower/lowered-state.js';

export function lintEarlyReads(lowered: LoweredState, isFirst: boolean, diagnostics: Diagnostic[]): void {
  const made = new Set<string>();
  const key = (slot: SlotRef): string => `${slot.in} ${slot.slot}`;
  const { code } = lowered.state;
  for (let pc = 0; pc < code.length; pc++) {
    const i = code[pc] as (typeof code)[number];
    const expr = i.op === 'set' || i.op === 'track' ? i.value : i.op === 'unless' ? i.condition : null;
    const early = expr === null ? null : firstRead(expr, (slot) => isMissing(slot, isFirst) && !made.has(key(slot)));
    if (early !== null) {
      const tracked = early.places.some((slot) => slot.in === 'tracked');
      diagnostics.push(earlyRead(lowered.spans[pc] as Span, { name: early.name, tracked }));
      return;
    }
    if (i.op === 'set') made.add(key(i.to));
    else if (i.op === 'track') made.add(`tracked ${i.slot}`);
    else if (i.op === 'shell' || i.op === 'argv' || i.op === 'function' || i.op === 'agent') {
      if (i.bind !== undefined) {
        made.add(`local ${i.bind.slot}`);
        if (i.bind.exitSlot !== undefined) made.add(`local ${i.bind.exitSlot}`);
      }
    } else if (i.op === 'sample') made.add(`local ${i.slot}`);
    else if (i.op !== 'emit' && i.op !== 'increment') return;
  }
}

function isMissing(slot: SlotRef, isFirst: boolean): boolean {
  return slot.in === 'local' || (slot.in === 'tracked' && isFirst);
}

type Read = Extract<Expr, { op: 'read' }>;

/** The first name that certainly has no value. Names that may be missing on purpose are skipped. */
function firstRead(expr: Expr, missing: (slot: SlotRef) => boolean): Read | null {
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
