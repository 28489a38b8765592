/**
 * What one compilation leaves for the next, so that an edit costs about what it changes: the parts of each file as they were
 * read, and the states as they were lowered. It is held as long as somebody holds the Compilation, which stays plain data.
 */
import { type ParsedPart, parseProgram } from '../syntax/parse.js';
import type { ParseFile, StateDeclaration } from './collect.js';
import type { LoweredMachine } from './lower/lower-machine.js';
import type { StateReuse } from './lower/lower-states.js';
import type { ReusableStates } from './lower/reused-state.js';

interface Leftovers {
  /** The parts of each file, by the index of the file. */
  readonly files: (readonly ParsedPart[])[];
  /** By the name of the machine. */
  readonly machines: Map<string, ReusableStates>;
}

const leftoversOf = new WeakMap<object, Leftovers>();

/** What one compilation takes from the one before, and gathers for the one after. */
interface Reuse {
  /** Reads a file of the language; parts whose text did not change are taken over. */
  readonly parse: ParseFile;
  /** What the states of a machine may take over; null where nothing is kept. */
  statesOf(machine: string): StateReuse | null;
  /** For the compilation after this one; null where nothing is kept. */
  readonly next: Leftovers | null;
}

/** Reuse of an earlier compilation: null the first time, undefined where nothing is to be kept. */
export function reuseFrom(previous: object | null | undefined): Reuse {
  const before = previous ? leftoversOf.get(previous) : undefined;
  const next: Leftovers | null = previous === undefined ? null : { files: [], machines: new Map() };
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

/** Leaves to the next compilation what this one read and lowered. */
export function keepForNext(compilation: object, { next }: Reuse, lowered: readonly LoweredMachine[]): void {
  if (next === null) return;
  for (const { unit, reusable } of lowered) if (reusable !== null) next.machines.set(unit.name, reusable);
  leftoversOf.set(compilation, next);
}

/** The texts of states that are all that was read of a part. */
function declaredTexts(parts: readonly ParsedPart[]): Map<StateDeclaration, string> {
  const texts = new Map<StateDeclaration, string>();
  for (const { items, text } of parts) {
    const [only, more] = items;
    if (only?.kind === 'state' && more === undefined) texts.set(only, text);
  }
  return texts;
}
