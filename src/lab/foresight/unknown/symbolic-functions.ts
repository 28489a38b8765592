/** Functions of expressions with arguments that are not known: what they accept, what they may give, and when they fail. */
import { badValue } from '../../../interpreter/failure.js';
import type { Callable } from '../../../interpreter/values/functions.js';
import { functionNamed } from '../../../interpreter/values/functions.js';
import { isList, type Value } from '../../../interpreter/values/value.js';
import { type Knowledge, mentionsUnknown, unknownId } from './knowledge.js';
import { ANY_TYPE, type Facts, TYPE, typeBit } from './known-facts.js';

interface Signature {
  /** The types of the arguments. */
  readonly takes: readonly number[];
  readonly gives: number;
  /** Whether it may fail for arguments of these types. */
  readonly mayFail?: true;
}

const { text, list, number, object, version } = TYPE;
const SIGNATURES: Readonly<Record<string, Signature>> = {
  upper: { takes: [text], gives: text },
  lower: { takes: [text], gives: text },
  trim: { takes: [text], gives: text },
  split: { takes: [text, text], gives: list },
  join: { takes: [list, text], gives: text },
  lines: { takes: [text], gives: list },
  replace: { takes: [text, text, text], gives: text },
  keys: { takes: [object], gives: list },
  values: { takes: [object], gives: list },
  slice: { takes: [text | list, number, number], gives: text | list },
  sort: { takes: [list], gives: list, mayFail: true },
  unique: { takes: [list], gives: list },
  sum: { takes: [list], gives: number, mayFail: true },
  min: { takes: [list | number, number, number], gives: number, mayFail: true },
  max: { takes: [list | number, number, number], gives: number, mayFail: true },
  abs: { takes: [number], gives: number },
  round: { takes: [number, number], gives: number },
  floor: { takes: [number], gives: number },
  ceil: { takes: [number], gives: number },
  int: { takes: [number | text], gives: number, mayFail: true },
  float: { takes: [number | text], gives: number, mayFail: true },
  version: { takes: [text | number | version], gives: version, mayFail: true },
  string: { takes: [ANY_TYPE | version], gives: text },
  json: { takes: [ANY_TYPE | version], gives: text },
  parse_json: { takes: [ANY_TYPE], gives: ANY_TYPE, mayFail: true },
  base64_encode: { takes: [text], gives: text },
  base64_decode: { takes: [text], gives: text, mayFail: true },
  range: { takes: [number, number], gives: list, mayFail: true },
  sha256: { takes: [text], gives: text },
};

/** They show a number as it was printed. */
const PRINTING = new Set(['string', 'json']);

const WHOLE = new Set(['floor', 'ceil', 'int']);

export function symbolicFunction(knowledge: () => Knowledge, name: string): Callable | null {
  const concrete = functionNamed(name);
  if (concrete === null) return null;
  return (args, host) => {
    const k = knowledge();
    const known = args.map((arg) => {
      // How a number was printed is known neither before nor after it was decided which one it is.
      return PRINTING.has(name) ? k.asPrinted(arg) : k.chosen(arg);
    });
    if (!known.some(mentionsUnknown)) return concrete(known, host);
    if (name === 'len') return lengthOf(k, known[0] as Value);
    if (name === 'first' || name === 'last') return endOf(k, name, known[0] as Value, (all) => concrete(all, host));
    if (name === 'string' && typeof known[0] === 'string') {
      const id = unknownId(known[0]);
      if (id === null || k.factsOf(id).types === TYPE.text) return known[0];
    }
    // What looks only at the length of a list, or at the list as a whole, works with unknown elements too.
    return call(k, name, known);
  };
}

function call(k: Knowledge, name: string, args: readonly Value[]): Value {
  const { takes, gives, mayFail } = SIGNATURES[name] ?? { takes: [], gives: ANY_TYPE, mayFail: true };
  args.forEach((arg, at) => {
    const wanted = takes[at] ?? ANY_TYPE;
    const id = unknownId(arg);
    if (id !== null && !k.decideType(id, wanted, 'what the function takes'))
      throw badValue(`\`${name}\` needs another type`);
    if (id === null && arg !== undefined && (typeBit(arg) & wanted) === 0)
      throw badValue(`\`${name}\` needs another type`);
  });
  const label = `${name}(${args.map((arg) => k.labelOf(arg)).join(', ')})`;
  const facts: Facts = {
    types: givenTypes(k, name, args, gives),
    ...(WHOLE.has(name) ? { whole: true as const } : {}),
  };
  const result = k.derive(`call ${name}`, args, facts, label);
  if (mayFail === true && k.decide(unknownId(result) as number, 'fails', ['has a value', 'fails']) === 1)
    throw badValue(`\`${name}\` fails`);
  return k.asPrinted(result);
}

/** `slice` of a text is a text. */
function givenTypes(k: Knowledge, name: string, args: readonly Value[], gives: number): number {
  if (name !== 'slice') return gives;
  const id = unknownId(args[0]);
  return id === null ? typeBit(args[0] as Value) & gives : k.factsOf(id).types & gives;
}

function lengthOf(k: Knowledge, value: Value): Value {
  if (isList(value)) return value.length;
  const id = unknownId(value);
  if (id === null && typeof value !== 'string') return Object.keys(value as object).length;
  if (id !== null && !k.decideType(id, TYPE.text | TYPE.list | TYPE.object, 'a text, a list or an object'))
    throw badValue('`len` needs a text, a list or an object');
  const { empty, not, types } = id === null ? { empty: undefined, not: undefined, types: 0 } : k.factsOf(id);
  const isFilled = empty === false || (types === TYPE.text && not?.includes('""') === true);
  const facts: Facts = { types: TYPE.number, whole: true, low: { at: isFilled ? 1 : 0, open: false } };
  if (empty === true) return 0;
  return k.resolve(k.derive('len', [value], facts, `len(${k.labelOf(value)})`));
}

function endOf(k: Knowledge, name: string, value: Value, concrete: (all: readonly Value[]) => Value): Value {
  const all = k.listIn(value);
  if (!isList(all)) throw badValue(`\`${name}\` needs a list`);
  if (all.length === 0) return concrete([all]);
  return k.asPrinted((name === 'first' ? all[0] : all.at(-1)) as Value);
}
