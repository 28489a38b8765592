/** A short exploration for `check`: loops without end, each confirmed by a run. */
import type { Machine } from '../../machine/machine.js';
import type { Defect } from './defect.js';
import { noEnd, unmodeledKindIn } from './defects.js';
import type { Exploration } from './exploration.js';
import { defectTrace } from './exploration.js';
import { explore } from './explore.js';
import { exploreOptions, hasOptionalInputs, SHORT, type VerifyOptions } from './explore-options.js';
import { endlessIn, repeatedStates } from './loops.js';

export interface LoopsFound {
  /** Loops that repeat without end, also those that only LIMIT ends. */
  readonly loops: readonly Pick<Defect, 'file' | 'line' | 'message' | 'states'>[];
  /** Whether there are no others but those of `repeated`, for any values of inputs. */
  readonly isComplete: boolean;
  /** All states on cycles of the exploration: a loop is found only once for each group of them. */
  readonly repeated: ReadonlySet<string>;
}

export function confirmedLoops(machine: Machine, options: VerifyOptions): LoopsFound {
  const short = { ...options, ...SHORT };
  const exploration = explore(machine, exploreOptions(machine, short, new Set()));
  const loops = loopsOf(exploration, false);
  const confirmed = loops.filter(
    ({ edges, cycle }) => edges !== null && defectTrace(exploration, edges, cycle).isConfirmed,
  );
  const repeated = repeatedStates(exploration);
  // A cycle on which time passes may still repeat without end.
  const isSure =
    unmodeledKindIn(machine, NONE) === null &&
    !namesLimit(machine) &&
    isWhole(exploration) &&
    confirmed.length === loops.length &&
    loopsOf(exploration, true).length === loops.length;
  const hasOtherInputs = machine.inputs.some(({ value, optional }) => value !== undefined || optional === true);
  if (!isSure || !hasOtherInputs) return { loops: confirmed, isComplete: isSure, repeated };
  // Other inputs may make other loops.
  if (confirmed.length > 0 || hasOptionalInputs(machine)) return { loops: confirmed, isComplete: false, repeated };
  const free = new Set(machine.inputs.map(({ name }) => name));
  const other = explore(machine, exploreOptions(machine, short, free));
  const isComplete = isWhole(other) && loopsOf(other, true).length === 0;
  return { loops: [], isComplete, repeated: new Set([...repeated, ...repeatedStates(other)]) };
}

const NONE: ReadonlySet<never> = new Set();

/** What agents cost is not known here. */
const namesLimit = ({ states }: Machine): boolean =>
  states.some(({ code, handlers }) => JSON.stringify([code, handlers.map(({ kind }) => kind)]).includes('"limit"'));

const loopsOf = (exploration: Exploration, withWaiting: boolean): readonly Defect[] =>
  endlessIn(exploration, { withWaiting, withLimited: true });

/** Lists of another length may make another loop. */
const isWhole = (exploration: Exploration): boolean =>
  exploration.stoppedBy === null && !exploration.isBounded && noEnd(exploration, []).length === 0;
