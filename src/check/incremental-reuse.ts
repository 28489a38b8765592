/**
 * The data that one compilation keeps for the next, so that the cost of an edit depends on its size: the parsed parts
 * of each file, and the lowered states. A WeakMap attaches it to the Compilation, which remains plain data.
 */
import { type ParsedPart, parseProgram } from '../syntax/parse.js';
import type { ParseFile, StateDeclaration } from './collect.js';
import type { LoweredMachine } from './lower/lower-machine.js';
import type { StateReuse } from './lower/lower-states.js';
import type { ReusableStates } from './lower/reused-state.js';

interface Leftovers {
  /** The parts of each file, by the index of the file. */
  readonly files: (readonly ParsedPart[])[];
  /** The lowered states, by the name of the machine. */
  readonly machines: Map<string, ReusableStates>;
  /** All lowered machines, also those of a program with errors. */
  lowered: readonly LoweredMachine[];
}

const leftoversOf = new WeakMap<object, Leftovers>();

/** The data that one compilation takes from the previous one and collects for the next one. */
interface Reuse {
  /** Parses a file of the language, and reuses parts with unchanged text. */
  readonly parse: ParseFile;
  /** The reusable states of a machine; null if nothing is kept. */
  statesOf(machine: string): StateReuse | null;
  /** The data for the next compilation; null if nothing is kept. */
  readonly next: Leftovers | null;
}

/** Prepares the reuse of an earlier compilation: null the first time, undefined if nothing is to be kept. */
export function reuseFrom(previous: object | null | undefined): Reuse {
  const before = previous ? leftoversOf.get(previous) : undefined;
  const next: Leftovers | null = previous === undefined ? null : { files: [], machines: new Map(), lowered: [] };
  return {
    next,
    parse: (file, index) => {
      const parsed = parseProgram(file, index, undefined, before?.files[index]);
      if (next !== null) next.files[index] = parsed.parts;
      return parsed;
    },
    statesOf: (machine) =>
      next === null ? null : { previous: before?.machines.get(machine), textOf: declaredTexts(next.files[0] ?? []) },
  };
}

/** Keeps the parsed parts and lowered states for the next compilation. */
export function keepForNext(compilation: object, { next }: Reuse, lowered: readonly LoweredMachine[]): void {
  if (next === null) return;
  next.lowered = lowered;
  for (const { unit, reusable } of lowered) if (reusable !== null) next.machines.set(unit.name, reusable);
  leftoversOf.set(compilation, next);
}

/** The texts of the states that are the only declaration of their part. */
function declaredTexts(parts: readonly ParsedPart[]): Map<StateDeclaration, string> {
  const texts = new Map<StateDeclaration, string>();
  for (const { items, text } of parts) {
    const [only, more] = items;
    if (only?.kind === 'state' && more === undefined) texts.set(only, text);
  }
  return texts;
}

/**
 * The machines of a compilation with `previous`. Those of a program with errors cannot run, but the instructions of its lines
 * without errors are as they were meant.
 */
export function loweredOf(compilation: object): readonly LoweredMachine[] {
  return leftoversOf.get(compilation)?.lowered ?? [];
}
