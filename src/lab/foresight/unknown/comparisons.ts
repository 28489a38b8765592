/** Comparisons with values that are not known: what cannot be told from the facts is decided, and becomes a fact. */
import { badValue, notComparable, notOrdered } from '../../../interpreter/failure.js';
import { concreteOperations } from '../../../interpreter/values/operations.js';
import {
  equal,
  isList,
  isObject,
  longWhole,
  numberOf,
  type Value,
  Version,
  wholeNumber,
} from '../../../interpreter/values/value.js';
import type { Comparison, Json } from '../../../machine/expression.js';
import { hasChangedMember } from './changed-objects.js';
import { idsIn, type Knowledge, markOf, mentionsUnknown, unknownId } from './knowledge.js';
import { canBe, comparableTypes, type Facts, type IntervalEnd, TYPE, typeBit } from './known-facts.js';
import { agreesWith, impliedAnswer, textQuestions } from './text-answers.js';

type OrderOperator = '<' | '<=' | '>' | '>=';
const TURNED: Readonly<Record<OrderOperator, OrderOperator>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };
const ORDERS: Readonly<Record<OrderOperator, (sign: number) => boolean>> = {
  '<': (sign) => sign < 0,
  '<=': (sign) => sign <= 0,
  '>': (sign) => sign > 0,
  '>=': (sign) => sign >= 0,
};

/** `==`: scalars of different types, and a structure and a scalar, have no equality. */
export function areEqual(k: Knowledge, operator: '==' | '!=', a: Value, b: Value): boolean {
  const [left, right] = [k.resolve(a), k.resolve(b)];
  if (!mentionsUnknown(left) && !mentionsUnknown(right)) return concreteOperations.areEqual(operator, left, right);
  const [x, y] = [unknownId(left), unknownId(right)];
  if ((isVersionOnly(k, left) || isVersionOnly(k, right)) && left !== null && right !== null)
    return orderOfVersions(k, left, right, operator) === 0;
  if (x !== null && y === null) return equalsKnown(k, operator, x, right, true);
  if (y !== null && x === null) return equalsKnown(k, operator, y, left, true);
  if (x !== null && y !== null) return x === y || equalUnknown(k, operator, x, y);
  if (left === null || right === null) return false;
  if (comparableTypes(left) !== comparableTypes(right)) throw notComparable(operator, left, right);
  return areAlike(k, left, right);
}

/** Equality of elements: values of different types are different. */
function areAlike(k: Knowledge, a: Value, b: Value): boolean {
  const [left, right] = [k.resolve(a), k.resolve(b)];
  if (!mentionsUnknown(left) && !mentionsUnknown(right)) return equal(left, right);
  const [x, y] = [unknownId(left), unknownId(right)];
  if (x !== null && x === y) return true;
  if (isVersionOnly(k, left) || isVersionOnly(k, right))
    return isVersion(k, left) && isVersion(k, right) && orderOfVersions(k, left, right) === 0;
  if (x !== null && y === null) return equalsKnown(k, '==', x, right, false);
  if (y !== null && x === null) return equalsKnown(k, '==', y, left, false);
  if (x !== null && y !== null) return k.decide(Math.min(x, y), `= ${JSON.stringify([left, right])}`, SAME) === 0;
  if (isList(left) && isList(right))
    return left.length === right.length && left.every((item, at) => areAlike(k, item, right[at] as Value));
  if (isObject(left) && isObject(right)) {
    const names = Object.keys(left);
    if (names.length !== Object.keys(right).length) return false;
    return names.every((name) => Object.hasOwn(right, name) && areAlike(k, left[name] as Value, right[name] as Value));
  }
  return false;
}

const SAME = ['is equal', 'is different'];

/** The constant parts of a text decide some comparisons. */
function canBeText(k: Knowledge, id: number, text: string): boolean {
  const { made } = k.of(id);
  if (made?.op !== 'text' && made?.op !== 'call string') return true;
  const template = JSON.parse(made.args[0] as string) as Json;
  // The text of a list or an object.
  if (typeof template !== 'string') return true;
  const parts = template.split(/\ue000\d+\ue001/);
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const [only, second] = idsIn(template);
  const number = only === undefined || second !== undefined ? undefined : k.factsOf(only).fixed?.value;
  // A number may be printed in several ways, but all of them are that number.
  return typeof number !== 'number' || Number(text.slice(first.length, text.length - last.length)) === number;
}

/** A number as its value: facts of `1.10` are those of 1.1. */
function asFact(value: Value): Value {
  const whole = longWhole(value);
  return (whole === undefined ? numberOf(value) : wholeNumber(whole)) ?? value;
}

function equalsKnown(k: Knowledge, operator: '==' | '!=', id: number, known: Value, mayFail: boolean): boolean {
  const value = asFact(known);
  const facts = k.factsOf(id);
  if (value === null) return isNull(k, id);
  const comparable = comparableTypes(value);
  const wrong = mayFail ? facts.types & ~comparable & ~TYPE.null : 0;
  const isConstant = !mentionsUnknown(value);
  const equals: Facts = { types: typeBit(value), ...(isConstant ? { fixed: { value: value as Json } } : {}) };
  const hasEqual = (facts.types & typeBit(value)) !== 0 && (!isConstant || fitsConstant(k, id, facts, value as Json));
  const other = mayFail ? facts.types & (comparable | TYPE.null) : facts.types;
  const differs: Facts = { ...facts, types: other, not: [...(facts.not ?? []), JSON.stringify(value)] };
  const shown = k.labelOf(value);
  const ways: { readonly text: string; readonly learn: () => boolean }[] = [];
  const learn = (learned: Facts, result: boolean) => () => {
    k.learn(id, learned);
    return result;
  };
  if (hasEqual && isConstant) ways.push({ text: `= ${shown}`, learn: learn({ ...facts, ...equals }, true) });
  if (isConstant ? k.fits(differs) : other !== 0)
    ways.push({
      text: `≠ ${shown}`,
      learn: isConstant && hasEqual ? learn(differs, false) : learn({ ...facts, types: other }, false),
    });
  if (hasEqual && !isConstant) {
    if (mayFail && wrong !== 0 && !k.decideType(id, comparable | TYPE.null, 'comparable'))
      throw notComparable(operator, k.resolve(value), value);
    return k.decide(id, `= ${JSON.stringify(value)}`, SAME) === 0;
  }
  if (wrong !== 0)
    ways.push({
      text: `cannot be compared with ${shown}`,
      learn: () => {
        k.learn(id, { ...facts, types: wrong });
        throw notComparable(operator, sampleOf(wrong), value);
      },
    });
  if (ways.length === 0) return false;
  const index = k.oracle.choose(
    k.of(id).label,
    ways.map(({ text }) => text),
  );
  return (ways[index] as (typeof ways)[number]).learn();
}

/** A value of one of these types, for messages. */
function sampleOf(types: number): Value {
  return ([false, 0, '', [], {}] as const).find((one) => (types & typeBit(one)) !== 0) ?? null;
}

function fitsConstant(k: Knowledge, id: number, facts: Facts, value: Json): boolean {
  if (!canBe(facts, value)) return false;
  const length = k.lengthOf(id);
  if (length !== null && !canBe(length.facts, lengthOfConstant(value))) return false;
  if (typeof value !== 'string') return true;
  return canBeText(k, id, value) && textQuestions(facts).every((question) => agreesWith(question, value));
}

function lengthOfConstant(value: Json): number {
  if (typeof value === 'string') return [...value].length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

export function isNull(k: Knowledge, id: number): boolean {
  return k.decideType(id, TYPE.null, 'null');
}

function equalUnknown(k: Knowledge, operator: '==' | '!=', x: number, y: number): boolean {
  const types = k.factsOf(x).types | k.factsOf(y).types;
  const isOneKind = [TYPE.boolean, TYPE.number, TYPE.text, TYPE.list | TYPE.object].some(
    (kind) => (types & ~(kind | TYPE.null)) === 0,
  );
  const [first, second] = [Math.min(x, y), Math.max(x, y)];
  if ((k.factsOf(x).types & k.factsOf(y).types) === 0 && isOneKind) return false;
  const other = k.of(second).label;
  const ways = [`= ${other}`, `≠ ${other}`, ...(isOneKind ? [] : [`cannot be compared with ${other}`])];
  const answer = k.decide(first, `== ${JSON.stringify(`\ue000${second}\ue001`)}`, ways);
  if (answer === 2) throw notComparable(operator, '', 0);
  return answer === 0;
}

/** The interval in which a comparison holds. */
function within(facts: Facts, operator: OrderOperator, limit: number): Facts {
  const bound: IntervalEnd = { at: limit, open: operator === '<' || operator === '>' };
  if (operator === '<' || operator === '<=') return { ...facts, high: tighter(facts.high, bound, -1) };
  return { ...facts, low: tighter(facts.low, bound, 1) };
}

function tighter(known: IntervalEnd | undefined, bound: IntervalEnd, sign: 1 | -1): IntervalEnd {
  if (known === undefined) return bound;
  const order = sign * (bound.at - known.at);
  if (order === 0) return known.open ? known : bound;
  return order > 0 ? bound : known;
}

const NEGATED: Readonly<Record<OrderOperator, OrderOperator>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' };

function isOrdered(k: Knowledge, operator: OrderOperator, a: Value, b: Value): boolean {
  const [left, right] = [k.resolve(a), k.resolve(b)];
  const [x, y] = [unknownId(left), unknownId(right)];
  if (x === null && y !== null) return isOrdered(k, TURNED[operator], right, left);
  if (x === null) throw notOrdered(operator, left, right);
  const limit = y === null ? numberOf(right) : undefined;
  // Bounds would round a whole number beyond 2^53.
  if (limit !== undefined && longWhole(right) === undefined) {
    if (!k.decideType(x, TYPE.number, 'a number')) throw notOrdered(operator, '', limit);
    return decideOrder(k, x, operator, limit);
  }
  const isVersion = isVersionOnly(k, left) || isVersionOnly(k, right);
  if (y === null && limit === undefined && typeof right !== 'string' && !isVersion)
    throw notOrdered(operator, '', right);
  if (x === y) {
    if (!k.decideType(x, TYPE.number | TYPE.text | TYPE.version, 'a number or text'))
      throw notOrdered(operator, null, null);
    return ORDERS[operator](0);
  }
  if (isVersion) return ORDERS[operator](orderOfVersions(k, left, right, operator));
  const isText = limit === undefined && (y === null || !k.decideType(x, TYPE.number, 'a number'));
  const type = isText ? TYPE.text : TYPE.number;
  for (const id of y === null ? [x] : [x, y])
    if (!k.decideType(id, type, isText ? 'text' : 'a number')) throw notOrdered(operator, null, null);
  return ORDERS[operator](decidedOrder(k, x, right));
}

/** Decides once how an unknown value and another one are ordered. */
function decidedOrder(k: Knowledge, x: number, right: Value): number {
  const y = unknownId(right);
  const turn = y !== null && y < x ? -1 : 1;
  const [first, second] = turn === 1 ? [x, asFact(right)] : [y as number, markOf(x)];
  const other = k.labelOf(second);
  const answer = k.decide(first, `<=> ${JSON.stringify(second)}`, [`< ${other}`, `= ${other}`, `> ${other}`]);
  return (answer - 1) * turn;
}

const isVersionOnly = (k: Knowledge, value: Value): boolean => {
  const id = unknownId(value);
  return id === null ? value instanceof Version : k.factsOf(id).types === TYPE.version;
};

/** Decides whether it is a version. */
function isVersion(k: Knowledge, value: Value): boolean {
  const id = unknownId(value);
  return id === null ? value instanceof Version : k.decideType(id, TYPE.version, 'a version');
}

/** The order of two versions, of which at least one is unknown. */
function orderOfVersions(k: Knowledge, left: Value, right: Value, operator = '=='): number {
  if (!isVersion(k, left) || !isVersion(k, right)) throw badValue(`\`${operator}\` needs two versions`);
  const [x, y] = [unknownId(left), unknownId(right)];
  if (x === null) return -decidedOrder(k, y as number, left);
  return x === y ? 0 : decidedOrder(k, x, right);
}

function decideOrder(k: Knowledge, id: number, operator: OrderOperator, limit: number): boolean {
  const facts = k.factsOf(id);
  const [yes, no] = [within(facts, operator, limit), within(facts, NEGATED[operator], limit)];
  if (!k.fits(yes)) return false;
  if (!k.fits(no)) return true;
  const isYes = k.oracle.choose(k.of(id).label, [`${operator} ${limit}`, `${NEGATED[operator]} ${limit}`]) === 0;
  k.learn(id, isYes ? yes : no);
  return isYes;
}

const isConstant = (k: Knowledge, value: Value): boolean => !mentionsUnknown(k.resolve(value));

/** Whether it is a text around other values. */
const isText = (k: Knowledge, value: Value): boolean => {
  const id = unknownId(k.resolve(value));
  return id !== null && k.of(id).made?.op === 'text';
};

/** Any comparison of which a side is unknown. */
export function compareUnknown(
  k: Knowledge,
  operator: Comparison,
  a: Value,
  b: Value,
  matches: (regex: RegExp, text: string) => boolean | null,
): boolean {
  // An order, and the equality with a constant, know of values that are among a few.
  const isPlain = operator.length <= 2 && operator !== 'in' && (isConstant(k, a) || isConstant(k, b));
  const [left, right] =
    isPlain && !isText(k, a) && !isText(k, b) ? [k.resolve(a), k.resolve(b)] : [k.chosen(a), k.chosen(b)];
  if (!mentionsUnknown(left) && !mentionsUnknown(right))
    return concreteOperations.compare(operator, left, right, matches);
  switch (operator) {
    case '==':
      return areEqual(k, '==', left, right);
    case '!=':
      return !areEqual(k, '!=', left, right);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return isOrdered(k, operator, left, right);
    case 'contains':
      return contains(k, left, right);
    case 'not-contains':
      return !contains(k, left, right);
    case 'in':
      return contains(k, right, left);
    case 'not-in':
      return !contains(k, right, left);
    default:
      return textTest(k, operator, left, right, matches);
  }
}

function contains(k: Knowledge, whole: Value, part: Value): boolean {
  const list = isList(whole) ? whole : unknownId(whole) !== null && isListOnly(k, whole) ? k.listIn(whole) : whole;
  if (isList(list)) {
    const isThere = list.some((item) => areAlike(k, item, part));
    if (!isThere) demandKind(k, list, part);
    return isThere;
  }
  const id = unknownId(whole);
  if (id === null) {
    if (typeof whole !== 'string' && !isObject(whole)) throw badValue('`contains` needs a text, a list or an object');
    requireText(k, part);
    if (isObject(whole) && typeof part === 'string' && !mentionsUnknown(part)) return Object.hasOwn(whole, part);
    return askOf(k, whole, part, 'contains');
  }
  if (k.decideType(id, TYPE.list, 'a list')) return contains(k, k.listIn(whole), part);
  if (!k.decideType(id, TYPE.text | TYPE.object, 'a text or an object'))
    throw badValue('`contains` needs a text, a list or an object');
  requireText(k, part);
  // Each text contains the empty one, and few objects have a member of that name.
  if (part === '' && k.decideType(id, TYPE.text, 'a text')) return true;
  if (typeof part === 'string' && k.factsOf(id).types === TYPE.object && !mentionsUnknown(part))
    return hasMember(k, id, part);
  return askOf(k, whole, part, 'contains');
}

const KINDS: readonly (readonly [number, string])[] = [
  [TYPE.text, 'text'],
  [TYPE.number, 'a number'],
  [TYPE.boolean, 'a boolean'],
];

/** A list in which nothing has the kind of a value has no answer. Null can be compared with everything. */
function demandKind(k: Knowledge, list: readonly Value[], part: Value): void {
  const isOf = (value: Value, types: number, what: string): boolean => {
    const id = unknownId(k.resolve(value));
    return id === null ? (comparableTypes(k.resolve(value)) & types) !== 0 : k.decideType(id, types, what);
  };
  const items = list.map((item) => k.resolve(item));
  if (items.length === 0 || items.includes(null)) return;
  const known = items.reduce<number>((types, one) => types | (unknownId(one) === null ? comparableTypes(one) : 0), 0);
  if (isOf(part, known | TYPE.null, 'comparable')) return;
  const [kind, what] = KINDS.find(([types, name]) => isOf(part, types, name)) ?? [
    TYPE.list | TYPE.object,
    'a list or an object',
  ];
  if (!items.some((item) => unknownId(item) !== null && isOf(item, kind | TYPE.null, what)))
    throw badValue('nothing in the list has this kind');
}

function isListOnly(k: Knowledge, value: Value): boolean {
  const id = unknownId(value);
  return id !== null && k.factsOf(id).types === TYPE.list;
}

export function hasMember(k: Knowledge, id: number, name: string): boolean {
  const changed = hasChangedMember(k, id, name, (of) => {
    const one = unknownId(k.resolve(of));
    return one === null ? isObject(of) && Object.hasOwn(of, name) : hasMember(k, one, name);
  });
  if (changed !== null) return changed;
  const facts = k.factsOf(id);
  const known = facts.members?.[name];
  if (known !== undefined) return known;
  const ways = facts.empty === true ? ['has no'] : ['has', 'has no'];
  const isThere =
    ways[
      k.oracle.choose(
        k.of(id).label,
        ways.map((way) => `${way} ${name}`),
      )
    ] === 'has';
  k.learn(id, { ...facts, members: { ...facts.members, [name]: isThere } });
  return isThere;
}

function requireText(k: Knowledge, value: Value): void {
  const id = unknownId(k.resolve(value));
  if (id === null ? typeof value !== 'string' : !k.decideType(id, TYPE.text, 'text'))
    throw badValue('a text is needed');
}

function textTest(
  k: Knowledge,
  operator: Comparison,
  left: Value,
  right: Value,
  matches: (regex: RegExp, text: string) => boolean | null,
): boolean {
  requireText(k, left);
  requireText(k, right);
  // A pattern that cannot be read fails whatever the text is.
  if (!mentionsUnknown(right)) concreteOperations.compare(operator, '', right, matches);
  return askOf(k, left, right, operator.replace('-', ' '));
}

/** A question about a text; the side that is unknown keeps the answer. */
function askOf(k: Knowledge, left: Value, right: Value, question: string): boolean {
  const x = unknownId(left);
  const id = x ?? unknownId(k.derive('value', [left], { types: typeBit(left) }, k.labelOf(left)));
  if (right === '') return true;
  const facts = k.factsOf(id as number);
  const isText = facts.types === TYPE.text && typeof right === 'string' && !mentionsUnknown(right);
  const implied = isText ? impliedAnswer(facts, question, right) : undefined;
  if (implied !== undefined) return implied === 0;
  const shown = k.labelOf(right);
  return (
    k.decide(id as number, `${question} ${JSON.stringify(right)}`, [
      `${question} ${shown}`,
      `not ${question} ${shown}`,
    ]) === 0
  );
}
