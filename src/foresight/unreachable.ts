/** What no run of a machine executes, whatever its inputs are. For coverage. */
import type { Machine } from '../machine/machine.js';
import { explore } from './explore.js';
import { DEFAULTS, exploreOptions, hasOptionalInputs, SHORT } from './explore-options.js';
import { unmodeledKindIn } from './unmodeled.js';

export interface Position {
  /** The position of an instruction, over all states. */
  readonly pc: number;
  /** Of a condition; null: the instruction itself. */
  readonly is: boolean | null;
}

/** Nothing is said of programs that are larger than the budget, for which tests would wait. */
export function unreachableIn(machine: Machine): (position: Position) => boolean {
  if (hasOptionalInputs(machine) || unmodeledKindIn(machine, new Set()) !== null) return () => false;
  const free = new Set(machine.inputs.map(({ name }) => name));
  const options = { ...DEFAULTS, ...SHORT, withRare: true, limitedAgents: null } as const;
  const { stoppedBy, isBounded, executed } = explore(machine, exploreOptions(machine, options, free));
  if (stoppedBy !== null || isBounded) return () => false;
  const { passed, failed, wasTrue, wasFalse } = executed;
  return ({ pc, is }) => {
    if (is !== null) return (is ? wasTrue : wasFalse)[pc] === 0;
    return passed[pc] === 0 && failed[pc] === 0;
  };
}
