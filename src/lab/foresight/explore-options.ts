/** What `verify` explores of a machine: its inputs, known and unknown, and the budgets. */
import type { Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { ExploreOptions } from './exploration.js';
import type { Property } from './properties.js';
import { markOf, type Unknown } from './unknown/knowledge.js';
import { ANY_TYPE, type Facts, TYPE, typeBit } from './unknown/known-facts.js';

export interface VerifyOptions
  extends Omit<ExploreOptions, 'unknownInputs' | 'monitors' | 'limitedAgents' | 'agentMaxCost'> {
  /** Inputs that may have any value, although they have a default. */
  readonly free: ReadonlySet<string>;
  /** By agent, in US dollars. */
  readonly maxCost: Readonly<Record<string, number>>;
  /** The agents that a limit of their own may stop; absent: those with a cost; null: any may be. */
  readonly limitedAgents?: ReadonlySet<string> | null;
  readonly properties?: readonly Property[];
  /** The time after which `isTimeUp` is true, in milliseconds, for the report. */
  readonly timeoutMs?: number;
}

/** Everything is explored as far as `verify` explores it without options. */
export const DEFAULTS: VerifyOptions = {
  inputs: {},
  free: new Set(),
  withFailures: true,
  longest: 2,
  maxConfigurations: 200_000,
  seconds: 60,
  without: new Set(),
  maxCost: {},
};

/** The budget of explorations for `check` and for coverage. It counts no time: each machine must come to the same result. */
export const SHORT = { maxConfigurations: 300, maxSegments: 3000, seconds: Number.POSITIVE_INFINITY };

/** Inputs that may be absent are only explored either all absent or all present. */
export const hasOptionalInputs = ({ inputs }: Machine): boolean =>
  inputs.some(({ optional, value }) => optional === true && value === undefined);

/** Unknown inputs, and inputs with one of several values. */
export function exploreOptions(machine: Machine, options: VerifyOptions, free: ReadonlySet<string>): ExploreOptions {
  const inputs: Record<string, Json> = { ...options.inputs };
  const unknownInputs = new Map<number, Unknown>();
  for (const { name, value, optional, type, choices } of machine.inputs) {
    if (Object.hasOwn(inputs, name)) continue;
    if (!free.has(name) && choices === undefined && (value !== undefined || optional === true)) continue;
    const id = unknownInputs.size;
    const facts = choices === undefined ? { types: typesOf(type, value) } : factsOf(choices, value);
    unknownInputs.set(id, { made: null, label: name, facts });
    inputs[name] = markOf(id);
  }
  const { start, withFailures, longest, maxConfigurations, maxSegments, seconds, isTimeUp, without, assumptions } =
    options;
  const { withRare, maxCost, limitedAgents = new Set(Object.keys(maxCost)) } = options;
  return {
    ...{ inputs, unknownInputs, withFailures, longest, maxConfigurations, seconds, without, agentMaxCost: maxCost },
    ...omitUndefined({
      start,
      maxSegments,
      isTimeUp,
      assumptions,
      withRare,
      limitedAgents: limitedAgents ?? undefined,
    }),
  };
}

/** A choice has the type of the default if it can be read as such a value, as on the command line; else it is a text. */
function factsOf(choices: readonly string[], standard: Json | undefined): Facts {
  const values = choices.map((choice) => {
    const isOther = typeof standard === 'number' || typeof standard === 'boolean';
    const read = isOther ? readJson(choice) : choice;
    return typeof read === typeof standard ? (read as Json) : choice;
  });
  const types = values.reduce<number>((all, one) => all | typeBit(one as Value), 0);
  return { types, among: [...new Set(values.map((one) => JSON.stringify(one)))] };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const BY_NAME = { string: TYPE.text, number: TYPE.number, boolean: TYPE.boolean, list: TYPE.list, object: TYPE.object };

/** An input has the type that it declares, or that of its default. It can be null if that is its default. */
function typesOf(type: Machine['inputs'][number]['type'], value: Json | undefined): number {
  if (value === null) return type === undefined ? ANY_TYPE : BY_NAME[type] | TYPE.null;
  if (type !== undefined) return BY_NAME[type];
  if (value === undefined) return ANY_TYPE & ~TYPE.null;
  if (Array.isArray(value)) return TYPE.list;
  return BY_NAME[typeof value as 'string' | 'number' | 'boolean' | 'object'];
}
