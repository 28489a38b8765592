/** The operations on values of an exploration. Known values behave as in every run, because the concrete operations decide. */
import { badValue, notBoolean, readable } from '../../../interpreter/failure.js';
import { concreteOperations, type ValueOperations } from '../../../interpreter/values/operations.js';
import { isList, isObject, type Missing, numberOf, type Value } from '../../../interpreter/values/value.js';
import { changedMember, unknownData } from './changed-objects.js';
import { areEqual, compareUnknown, hasMember, isNull } from './comparisons.js';
import { type Knowledge, markOf, mentionsUnknown, unknownId } from './knowledge.js';
import { ANY_TYPE, canBe, type Facts, TYPE, typeBit } from './known-facts.js';
import { symbolicFunction } from './symbolic-functions.js';

/**
 * `knowledge` gives that of the segment that is being executed. `independent`: the positions of parallel loops of which longer
 * lists only add calls.
 */
export function symbolicOperations(knowledge: () => Knowledge, independent: ReadonlySet<number>): ValueOperations {
  const concrete = concreteOperations;
  const resolve = (value: Value): Value => knowledge().resolve(value);
  const dependsOnUnknown = (value: Value | Missing): value is string =>
    typeof value === 'string' && mentionsUnknown(value);
  return {
    memberOf: (of, name) =>
      dependsOnUnknown(of) ? memberOf(knowledge(), resolve(of), name) : concrete.memberOf(of, name),
    elementAt: (of, index) => elementAt(knowledge(), resolve(of), resolve(index)),
    forgives: (of, at) => forgives(knowledge(), resolve(of), resolve(at)),
    isNull: (value) => {
      if (!dependsOnUnknown(value)) return value === null;
      const id = unknownId(resolve(value));
      return id === null ? resolve(value) === null : isNull(knowledge(), id);
    },
    isEmpty: (value) => (dependsOnUnknown(value) ? isEmpty(knowledge(), resolve(value)) : concrete.isEmpty(value)),
    isValidJson: (value) =>
      dependsOnUnknown(value) ? isValidJson(knowledge(), resolve(value)) : concrete.isValidJson(value),
    truthOf: (value, what) => truthOf(knowledge(), resolve(value), what),
    areEqual: (operator, left, right) => areEqual(knowledge(), operator, readable(left), readable(right)),
    compare: (operator, left, right, matches) =>
      compareUnknown(knowledge(), operator, readable(left), readable(right), matches),
    arithmetic: (operator, left, right) => arithmetic(knowledge(), operator, resolve(left), resolve(right)),
    negate: (value) => {
      const number = resolve(value);
      return mentionsUnknown(number) ? arithmetic(knowledge(), '-', 0, number) : concrete.negate(number);
    },
    increment: (current, by, name, isTracked) => {
      if (current === undefined) return concrete.increment(current, by, name, isTracked);
      const [a, b] = [resolve(current), resolve(by)];
      if (!mentionsUnknown(a) && !mentionsUnknown(b)) return concrete.increment(a, b, name, isTracked);
      return arithmetic(knowledge(), '-', a, arithmetic(knowledge(), '-', 0, b));
    },
    functionNamed: (name) => symbolicFunction(knowledge, name),
    listIn: (value) => (dependsOnUnknown(value) ? knowledge().listIn(value) : value),
    membersIn: (value, pc) => (dependsOnUnknown(value) ? knowledge().listIn(value, 0, independent.has(pc)) : value),
    countIn: (value) => countIn(knowledge(), resolve(value)),
    durationMs: (value, what) => {
      const text = resolve(value);
      if (!mentionsUnknown(text)) return concrete.durationMs(text, what);
      const index = knowledge().oracle.choose(knowledge().labelOf(text), ['is a duration', 'is not a duration']);
      if (index === 1) throw badValue(`${what} is not a duration`);
      knowledge().usedDuration = true;
      return 1000;
    },
    wholeNumber: (value, convert) => wholeNumber(knowledge(), resolve(value), convert),
    optionText: (text, likely) => {
      const option = resolve(text);
      if (!mentionsUnknown(option)) return String(option);
      knowledge().usedLength = true;
      const index = knowledge().oracle.choose(knowledge().labelOf(option), [
        ...likely.map((one) => `= ${one}`),
        'is wrong',
      ]);
      return likely[index] ?? '?';
    },
    nameAmong: (value, names) => {
      const name = resolve(value);
      if (!mentionsUnknown(name)) return concrete.nameAmong(name, names);
      for (const one of names.keys()) if (isNamed(knowledge(), name, one)) return one;
      return undefined;
    },
    timeText: () => knowledge().fresh(TYPE.text, 'now()'),
    measure: (field, text) => (MEASURED.has(field) ? knowledge().fresh(TYPE.text, field) : text),
    unknownData: unknownData(knowledge, {
      partOf: (of, segment) => partOf(knowledge(), of, segment),
      isFalse: (value) => isFalse(knowledge(), resolve(value)),
    }),
    passesCheck: (check) => {
      if (check.kind !== 'touched' && check.kind !== 'untouched' && check.kind !== 'files') return undefined;
      const passes = knowledge().oracle.choose(`files ${check.kind}`, ['pass', 'fail']) === 0;
      knowledge().checks.push({ check, passes });
      return passes;
    },
  };
}

/** Results of steps that no exploration knows, and totals of the run. */
const MEASURED: ReadonlySet<string> = new Set([
  'duration',
  'cost',
  'tokens_in',
  'tokens_out',
  'cache_read',
  'cache_write',
  'turns',
  'session_id',
  'total',
]);

/** Equality with a text that cannot fail: a value of another type is not a name. */
function isNamed(k: Knowledge, value: Value, name: string): boolean {
  const id = unknownId(value);
  if (id !== null && !k.decideType(id, TYPE.text, 'text')) return false;
  return areEqual(k, '==', k.resolve(value), name);
}

function memberOf(k: Knowledge, of: Value, name: string): Value | Missing {
  const id = unknownId(of);
  if (id === null) return isObject(of) ? concreteOperations.memberOf(of, name) : undefined;
  const changed = changedMember(k, id, name, (one) => memberOf(k, k.resolve(one), name));
  if (changed !== null) return changed.value;
  if (!k.decideType(id, TYPE.object, 'an object') || !hasMember(k, id, name)) return undefined;
  return k.asPrinted(k.derive('member', [markOf(id), name], { types: ANY_TYPE }, `${k.of(id).label}.${name}`));
}

function elementAt(k: Knowledge, of: Value, index: Value): Value | Missing {
  const id = unknownId(of);
  if (id === null && !mentionsUnknown(index)) return concreteOperations.elementAt(of, index);
  if (id !== null && typeof index === 'string' && !mentionsUnknown(index)) return memberOf(k, of, index);
  const list = k.listIn(of, lengthWith(index));
  if (isList(list)) {
    if (!mentionsUnknown(index)) return concreteOperations.elementAt(list, index);
    const at = list.findIndex((_, position) => isPosition(k, index, position));
    return at < 0 ? undefined : (list[at] as Value);
  }
  if (!mentionsUnknown(index)) return undefined;
  if (id === null && isObject(of)) {
    const name = Object.keys(of).find((one) => isNamed(k, index, one));
    return name === undefined ? undefined : of[name];
  }
  if (id === null || !k.decideType(id, TYPE.object, 'an object')) return undefined;
  const label = `${k.of(id).label}[${k.labelOf(index)}]`;
  if (k.decide(id, `has ${JSON.stringify(index)}`, ['has the member', 'has no such member']) === 1) return undefined;
  return k.asPrinted(k.derive('member', [of, index], { types: ANY_TYPE }, label));
}

function forgives(k: Knowledge, of: Value, at: Value): boolean {
  const id = unknownId(of);
  const isName = typeof at === 'string' && !mentionsUnknown(at);
  if (id === null) return concreteOperations.forgives(of, mentionsUnknown(at) ? 0 : at);
  if (k.decideType(id, TYPE.object, 'an object') || isNull(k, id)) return true;
  return !isName && k.decideType(id, TYPE.list, 'a list');
}

/** The length of a list that has an element with this index; 0: it has none. */
function lengthWith(index: Value): number {
  const at = typeof index === 'string' ? Number.NaN : Number(numberOf(index));
  return Number.isInteger(at) && at >= 0 ? at + 1 : 0;
}

function isPosition(k: Knowledge, index: Value, position: number): boolean {
  const id = unknownId(index);
  return id !== null && k.decideType(id, TYPE.number, 'a number') && areEqual(k, '==', k.resolve(index), position);
}

function isEmpty(k: Knowledge, value: Value): boolean {
  const id = unknownId(value);
  if (id === null) return !mentionsUnknown(value) && concreteOperations.isEmpty(value);
  const facts = k.factsOf(id);
  if (k.of(id).made?.op === 'text' && !/^(?:\ue000\d+\ue001)*$/.test(JSON.parse(k.of(id).made?.args[0] as string)))
    return false;
  if (facts.empty !== undefined) return facts.empty;
  if (facts.types === TYPE.text) return areEqual(k, '==', value, '');
  const length = k.unknowns.get(unknownId(k.derive('len', [value], lengthFacts, `len(${k.labelOf(value)})`)) as number);
  if (length?.facts.fixed !== undefined) return length.facts.fixed.value === 0;
  if ((length?.facts.low?.at ?? 0) > 0) return false;
  const canHaveNone = facts.types & ~(TYPE.number | TYPE.boolean);
  if (canHaveNone === 0) return false;
  const isFull = Object.values(facts.members ?? {}).includes(true);
  const isNothing = !isFull && k.oracle.choose(k.of(id).label, ['is not empty', 'is empty']) === 1;
  k.learn(id, { ...facts, types: isNothing ? canHaveNone : facts.types & ~TYPE.null, empty: isNothing });
  return isNothing;
}

const lengthFacts: Facts = { types: TYPE.number, whole: true, low: { at: 0, open: false } };

function isValidJson(k: Knowledge, value: Value): boolean {
  const id = unknownId(value);
  if (id === null) return concreteOperations.isValidJson(value);
  if (!k.decideType(id, TYPE.text, 'text')) return true;
  const { fixed } = k.factsOf(id);
  if (fixed !== undefined) return concreteOperations.isValidJson(fixed.value as Value);
  return k.decide(id, 'is JSON', ['is JSON', 'is not JSON']) === 0;
}

function truthOf(k: Knowledge, value: Value, what: string): boolean {
  if (value === true || value === false) return value;
  const id = unknownId(value);
  if (id === null) throw notBoolean(what, value);
  const facts = k.factsOf(id);
  const ways = [
    ...([true, false].filter((one) => canBe(facts, one)) as (boolean | null)[]),
    ...((facts.types & ~TYPE.boolean) === 0 ? [] : [null]),
  ];
  const way = ways[
    k.oracle.choose(
      k.of(id).label,
      ways.map((one) => (one === null ? 'is neither true nor false' : `= ${one}`)),
    )
  ] as boolean | null;
  if (way !== null) {
    k.learn(id, { ...facts, types: TYPE.boolean, fixed: { value: way } });
    return way;
  }
  k.learn(id, { ...facts, types: facts.types & ~TYPE.boolean });
  throw notBoolean(what, null);
}

type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';

function arithmetic(k: Knowledge, operator: ArithmeticOperator, a: Value, b: Value): Value {
  const [left, right] = [k.chosen(a), k.chosen(b)];
  if (!mentionsUnknown(left) && !mentionsUnknown(right)) return concreteOperations.arithmetic(operator, left, right);
  if (operator === '+') return add(k, left, right);
  for (const side of [left, right]) requireType(k, side, TYPE.number, `\`${operator}\` needs two numbers`);
  if ((operator === '/' || operator === '%') && isZero(k, right)) throw badValue('division by zero');
  return number(k, operator, left, right);
}

function isZero(k: Knowledge, value: Value): boolean {
  return numberOf(value) === 0 || (unknownId(value) !== null && areEqual(k, '==', value, 0));
}

function number(k: Knowledge, operator: ArithmeticOperator, left: Value, right: Value): Value {
  const label = `(${k.labelOf(left)} ${operator} ${k.labelOf(right)})`;
  const isWhole = [left, right].every((side) => {
    const id = unknownId(side);
    return id === null ? Number.isInteger(numberOf(side)) : k.factsOf(id).whole === true;
  });
  const whole = isWhole && operator !== '/' ? { whole: true as const } : {};
  return k.resolve(k.derive(operator, [left, right], { types: TYPE.number, ...whole }, label));
}

function requireType(k: Knowledge, value: Value, types: number, message: string): void {
  const id = unknownId(value);
  if (id === null ? (typeBit(value) & types) === 0 : !k.decideType(id, types, 'a number')) throw badValue(message);
}

function add(k: Knowledge, a: Value, b: Value): Value {
  let [left, right] = [a, b];
  if (isList(left) || isList(right)) {
    [left, right] = [k.listIn(left), k.listIn(right)];
    if (isList(left) && isList(right)) return left.concat(right);
    throw badValue('`+` cannot add these');
  }
  const types = [left, right].map((side) => {
    const id = unknownId(side);
    return id === null ? typeBit(side) : k.factsOf(id).types;
  });
  const both = (types[0] as number) & (types[1] as number);
  const ways = [TYPE.number, TYPE.text, TYPE.list].filter((type) => (both & type) !== 0);
  const isSure = types[0] === types[1] && ways.length === 1 && types[0] === ways[0];
  const names = ways.map((type) =>
    type === TYPE.number ? 'as numbers' : type === TYPE.text ? 'as texts' : 'as lists',
  );
  const index = k.oracle.choose(`${k.labelOf(left)} + ${k.labelOf(right)}`, isSure ? names : [...names, 'fails']);
  const way = ways[index];
  if (way === undefined) throw badValue('`+` cannot add these');
  for (const side of [left, right]) {
    const id = unknownId(side);
    if (id !== null) k.learn(id, { ...k.factsOf(id), types: way });
  }
  if (way === TYPE.number) return number(k, '+', k.resolve(left), k.resolve(right));
  if (way === TYPE.text) return k.resolve(`${String(k.resolve(left))}${String(k.resolve(right))}`);
  return (k.listIn(left) as readonly Value[]).concat(k.listIn(right) as readonly Value[]);
}

/** Numbers of members that an option may give: the explored ones. */
const COUNTS = [1, 2, 8];

function countIn(k: Knowledge, value: Value): number | undefined {
  const id = unknownId(value);
  if (id === null) return concreteOperations.countIn(value);
  k.usedLength = true;
  const facts = k.factsOf(id);
  const counts = COUNTS.filter((count) => canBe(facts, count));
  const ways = [...counts.map((count) => `= ${count}`), 'is not a possible number of members'];
  const count = counts[k.oracle.choose(k.of(id).label, ways)];
  if (count !== undefined) k.learn(id, { types: TYPE.number, fixed: { value: count } });
  return count;
}

function wholeNumber(k: Knowledge, value: Value, convert: (value: Value) => Value): Value {
  if (!mentionsUnknown(value)) return convert(value);
  const result = k.derive('whole', [value], { types: TYPE.number, whole: true }, `${k.labelOf(value)}:int`);
  if (k.decide(unknownId(result) as number, 'fails', ['is a whole number', 'is not a whole number']) === 1)
    throw badValue('a whole number is needed');
  return k.resolve(result);
}

/** Data below an unknown value is part of that value. */
function partOf(k: Knowledge, value: Value, name: string): Value | Missing {
  const of = k.resolve(value);
  const inside = /^(?:0|[1-9]\d*)$/.test(name) ? elementAt(k, of, Number(name)) : undefined;
  return inside === undefined ? memberOf(k, of, name) : inside;
}

function isFalse(k: Knowledge, value: Value): boolean {
  const id = unknownId(value);
  if (id === null || !k.decideType(id, TYPE.boolean, 'a boolean')) return value === false;
  return areEqual(k, '==', k.resolve(value), false);
}
