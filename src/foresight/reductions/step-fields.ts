/**
 * Which results of steps decide anything. Of all others, which only appear in prompts and other texts, an exploration
 * remembers only that they are there.
 */
import type { SlotRef } from '../../machine/expression.js';
import type { Instruction, Machine } from '../../machine/machine.js';
import type { Monitors } from '../monitors.js';
import { LOOKING, type Variable, variableOf } from './reads.js';

/** Instructions that show values: only what they compute with decides something. */
const SHOWING: ReadonlySet<Instruction['op']> = new Set<Instruction['op']>([
  'emit',
  'shell',
  'argv',
  'function',
  'agent',
  'step-begin',
  'step-attempt',
  'step-collect',
  'step-verdict',
  'step-retry',
  'return',
]);

export interface StepFields {
  /** What conditions and the like read. */
  readonly deciding: ReadonlySet<string>;
  /** What is read at all: reading a result that is not there fails. */
  readonly mentioned: ReadonlySet<string>;
}

/** Keys such as `make.output`, and values of the attempt before such as `error`, `gate.test` and `prev.output`. */
export function stepFieldsOf(
  { states }: Machine,
  relevant: ReadonlySet<Variable>,
  { partsOf }: Pick<Monitors, 'partsOf'>,
): StepFields {
  const deciding = new Set<string>();
  const mentioned = new Set<string>();
  const collect = (value: unknown, isShown: boolean): void => {
    if (Array.isArray(value)) for (const item of value) collect(item, isShown);
    else if (typeof value === 'object' && value !== null) {
      const { op, field, path } = value as { readonly op?: unknown; readonly field?: unknown; readonly path?: unknown };
      if (typeof field === 'string') {
        const key = typeof path === 'string' ? `${path}.${field}` : field;
        mentioned.add(key);
        if (!isShown) deciding.add(key);
      }
      const looks = typeof op === 'string' && LOOKING.has(op);
      for (const [name, inner] of Object.entries(value)) if (name !== 'origin') collect(inner, isShown && !looks);
    }
  };
  states.forEach(({ code }, state) => {
    const isWanted = (to: SlotRef): boolean => relevant.has(variableOf(state, to));
    for (const one of code) {
      if (one.op === 'set') collect(one.value, !isWanted(one.to));
      else if (one.op === 'track') collect(one.value, !isWanted({ in: 'tracked', slot: one.slot }));
      else if (one.op === 'step-agent') {
        const { guards, ...shown } = one;
        collect(guards, false);
        collect(shown, partsOf(one).length === 0);
      } else collect(one, SHOWING.has(one.op) && partsOf(one).length === 0);
    }
  });
  return { deciding, mentioned };
}

/** Whether a key of a run is one of these. The path of a step begins with those of the scopes around it. */
export function isField(fields: ReadonlySet<string>, key: string): boolean {
  if (key.startsWith('prev.')) return hasEnding(fields, key.slice(5), '.', 'prev.');
  return fields.has(key) || hasEnding(fields, key, '/', '');
}

function hasEnding(fields: ReadonlySet<string>, key: string, separator: string, before: string): boolean {
  for (let at = key.indexOf(separator); at >= 0; at = key.indexOf(separator, at + 1))
    if (fields.has(before + key.slice(at + 1))) return true;
  return false;
}
