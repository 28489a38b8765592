/** The options of the interpreter for a run that is explored: nothing of it reaches the world. */
import type { InterpreterOptions } from '../../interpreter/run.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';

/** How a run begins. */
interface RunBeginning {
  readonly inputs: Readonly<Record<string, Json>>;
  readonly agentMaxCost?: Readonly<Record<string, number>>;
  readonly start?: { readonly state: number; readonly with: Readonly<Record<string, Json>> };
}

export function runOptionsOf(machine: Machine, options: RunBeginning): InterpreterOptions {
  const { agentMaxCost } = options;
  const { cost } = machine.limits;
  const needsWorktree = machine.states.some(({ code }) => code.some((one) => one.op === 'step-collect'));
  return {
    inputs: options.inputs,
    jobs: 4,
    record: true,
    autoEvents: false,
    // Calls cost nothing that is known, but what they reserve decides which of them start.
    limits: cost === undefined || agentMaxCost === undefined ? {} : { cost },
    ...omitUndefined({ agentMaxCost }),
    effectTimeoutMs: null,
    matches: (regex, text) => regex.test(text),
    sha256: (text) => `sha256 of ${text}`,
    digest: '',
    version: '',
    ...(needsWorktree ? { worktree: { base: '0'.repeat(40) } } : {}),
    ...(options.start === undefined ? {} : { start: options.start }),
  };
}
