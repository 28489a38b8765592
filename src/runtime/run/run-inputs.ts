/** Checks the inputs of a run against the declarations of its machine, before anything runs. */
import { printJson } from '../../interpreter/values/json.js';
import { deeperThan, isBeyondJson, isNumber, MAX_DEPTH, numberOf, type Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import { type Input, type Machine, typeOfInput } from '../../machine/machine.js';
import { nearest } from '../../prelude/nearest.js';

interface InputProblem {
  readonly kind: 'missing' | 'unknown' | 'type' | 'choice' | 'depth' | 'json';
  readonly name: string;
  /** A lower-case clause with names in backticks. */
  readonly message: string;
  readonly help?: string;
}

/** The inputs of a caller as the record has them, and the mistakes in them. */
export function checkInputs(machine: Machine, given: Readonly<Record<string, unknown>>): RecordableInputs {
  const { inputs, problems } = recordableInputs(given);
  return { inputs, problems: problems.length > 0 ? problems : inputProblems(machine, inputs) };
}

interface RecordableInputs {
  readonly inputs: Readonly<Record<string, Json>>;
  readonly problems: readonly InputProblem[];
}

/**
 * Inputs as the JSON of the record, from which a resumed run reads them: undefined members are omitted, and a date becomes
 * its text.
 */
function recordableInputs(inputs: Readonly<Record<string, unknown>>): RecordableInputs {
  const problems: InputProblem[] = [];
  const given = Object.entries(inputs).filter(([, value]) => value !== undefined);
  const values = given.map(([name, value]) => {
    const copy = copyJson(value);
    if (copy === undefined)
      problems.push({ kind: 'json', name, message: `the input \`${name}\` has a value that JSON cannot represent` });
    return [name, copy ?? null] as const;
  });
  return { inputs: Object.fromEntries(values), problems };
}

function copyJson(value: unknown): Json | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  // Too deep to be copied, which the next check reports.
  if (deeperThan(value as Json, MAX_DEPTH)) return value as Json;
  // Only numbers of our own readers keep how they were written.
  if (isBeyondJson(value as Value)) return value as Json;
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  } catch {
    // A cycle or a BigInt.
    return undefined;
  }
}

/** The mistakes in the inputs of a run, all of which are JSON. */
export function inputProblems(machine: Machine, inputs: Readonly<Record<string, Json>>): InputProblem[] {
  const problems: InputProblem[] = [];
  const names = machine.inputs.map(({ name }) => name);
  for (const name of Object.keys(inputs)) {
    if (names.includes(name)) continue;
    const near = nearest(name, names);
    const help = near === undefined ? {} : { help: `did you mean \`${near}\`?` };
    problems.push({ kind: 'unknown', name, message: `the program has no input \`${name}\``, ...help });
  }
  for (const input of machine.inputs) {
    const problem = Object.hasOwn(inputs, input.name)
      ? wrongValue(input, inputs[input.name] as Json)
      : input.value === undefined && input.optional !== true
        ? { kind: 'missing' as const, name: input.name, message: `the input \`${input.name}\` has no value` }
        : null;
    if (problem !== null) problems.push(problem);
  }
  return problems;
}

function wrongValue(input: Input, value: Json): InputProblem | null {
  const { name, choices } = input;
  const type = typeOfInput(input);
  if (deeperThan(value, MAX_DEPTH))
    return { kind: 'depth', name, message: `the input \`${name}\` is nested deeper than ${MAX_DEPTH} levels` };
  const actual = typeOf(value);
  if (type !== undefined && actual !== type)
    return {
      kind: 'type',
      name,
      message: `the input \`${name}\` must be ${article(type)}${input.type === undefined ? ', as its default is' : ''}, not ${article(actual)}`,
    };
  if (choices !== undefined && !isChoice(value, choices))
    return { kind: 'choice', name, message: `the input \`${name}\` must be one of ${choices.join(', ')}` };
  return null;
}

/** `1.10` matches the choice 1.1. */
function isChoice(value: Json, choices: readonly string[]): boolean {
  if (choices.includes(typeof value === 'string' ? value : printJson(value as Value))) return true;
  const number = numberOf(value as Value);
  return number !== undefined && choices.some((choice) => Number(choice) === number);
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return isNumber(value as Value) ? 'number' : typeof value;
}

function article(type: string): string {
  if (type === 'null') return type;
  return type === 'object' ? `an ${type}` : `a ${type}`;
}
