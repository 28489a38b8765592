/** Compiles a program of a test and verifies it. */

import type { VerifyOptions } from '../../src/lab/foresight/explore-options.js';
import { type Verification, verify } from '../../src/lab/foresight/verify-machine.js';
import { compile } from '../../src/language/check/compile.js';
import type { Machine } from '../../src/machine/machine.js';
import { isLong } from '../amount.js';
import { seed as drawn, sequenceFrom } from '../random.js';

export function machineOf(text: string): Machine {
  const { machine, diagnostics } = compile(text, { name: 'p.dsl' });
  const errors = diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  if (machine === null || errors.length > 0) throw new Error(errors.join('\n'));
  return machine;
}

/** The machine of a random program; null: it has errors. Anything else that goes wrong is a defect. */
export function machineOrNull(text: string): Machine | null {
  const { machine, diagnostics } = compile(text, { name: 'p.dsl' });
  return diagnostics.some(({ severity }) => severity === 'error') ? null : machine;
}

/**
 * The number of the first program that is tried. The few of a short test are always the same ones: what is counted of them
 * holds of many only.
 */
export const FIRST = isLong ? 1 + (drawn % 3000) * 1000 : 1;

/** A repeatable sequence of numbers. */
export const sequence = (seed: number): ((below: number) => number) =>
  sequenceFrom((seed * 2_654_435_761) % 4_294_967_295 || 1);

export const OPTIONS: VerifyOptions = {
  inputs: {},
  free: new Set(),
  withFailures: true,
  longest: 2,
  maxConfigurations: 20_000,
  seconds: 600,
  without: new Set(),
  maxCost: {},
};

export function verified(text: string, options: Partial<VerifyOptions> = {}): Verification {
  return verify(machineOf(text), { ...OPTIONS, ...options });
}

/** Defects as `line code verdict`. */
export function defectsIn({ defects }: Verification): string[] {
  return defects.map(({ line, kind, trace }) => {
    const verdict = trace === null ? '' : trace.isConfirmed ? ' confirmed' : ' possible';
    return `${line} ${kind}${verdict}`;
  });
}

/** The bound of a call or state; null: unbounded. */
export function boundIn({ bounds }: Verification, what: string): number | string | null | undefined {
  const bound = bounds.find((one) => one.what.includes(what));
  return bound === undefined ? undefined : (bound.formula ?? bound.atMost);
}
