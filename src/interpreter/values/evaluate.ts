/**
 * Expressions as closures over a thread, which linking makes. There are two kinds: without a value, an evaluator fails and
 * a probe returns undefined. Only `?`, `exists`, `is empty` and `default` use probes.
 */
import type { Expr, SlotRef } from '../../machine/expression.js';
import { unreachable } from '../../prelude/unreachable.js';
import { lostExitCode, lostMember, missingField, missingIndex, unboundName, unreadable } from '../failure.js';
import { localOf, type Thread, warn } from '../run-state/thread.js';
import { compileRetryKey, compileRunTotal, compileStepKey, probeStepKey } from '../steps/read-keys.js';
import { compileDataReference, pathText, probeDataReference } from './data-reference.js';
import { decode } from './json.js';
import { operations } from './operations.js';
import { isRounded, limitedValue } from './operators.js';
import { compileTemplate } from './template.js';
import {
  define,
  isList,
  isObject,
  longWhole,
  type Missing,
  numberOf,
  SourceNumber,
  Unreadable,
  type Value,
} from './value.js';

export type Evaluator = (thread: Thread) => Value;
type Probe = (thread: Thread) => Value | Missing;

/** Reads one slot of a thread. */
function reader(ref: SlotRef): Probe {
  const { slot } = ref;
  switch (ref.in) {
    case 'local':
      return (t) => localOf(t, slot);
    case 'entry':
      return (t) => t.entry[slot];
    case 'tracked':
      return (t) => t.tracked[slot];
    case 'input':
      return (t) => t.inputs[slot];
    default:
      return unreachable(ref);
  }
}

function compileRead(refs: readonly SlotRef[]): Probe {
  const readers = refs.map(reader);
  const [first, second] = readers;
  if (first === undefined) return () => undefined;
  if (second === undefined) return first;
  return (t) => {
    for (const read of readers) {
      const value = read(t);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}

/** Whether the path has `?` before this segment: then null ends the path instead of failing. */
function afterMaybe(expr: Expr): boolean {
  if (expr.op === 'maybe') return true;
  return (expr.op === 'field' || expr.op === 'index') && afterMaybe(expr.of);
}

/** What a read gives: an output that is not an answer is a failure. */
function read<T extends Value | Missing>(value: T): T {
  if (value instanceof Unreadable) throw unreadable(value);
  return value;
}

/** The same for a probe: a command that printed nothing gave no value. */
function orMissing(value: Value | Missing): Value | Missing {
  return value instanceof Unreadable && value.output.nothing ? undefined : read(value);
}

/** A probe: undefined if a path ends early. Other expressions are evaluated as usual. */
function compileProbe(expr: Expr): Probe {
  switch (expr.op) {
    case 'read': {
      const found = compileRead(expr.places);
      return (t) => orMissing(found(t));
    }
    case 'field': {
      const of = compileProbe(expr.of);
      const path = pathText(expr.of);
      const { name } = expr;
      const { memberOf, forgives } = operations();
      return (t) => {
        const value = of(t);
        if (value === undefined) return undefined;
        const found = memberOf(value, name);
        if (found === undefined && !forgives(value, name)) throw missingField(path, value, name);
        return orMissing(found);
      };
    }
    case 'index': {
      const of = compileProbe(expr.of);
      const path = pathText(expr.of);
      const index = compile(expr.index);
      const { elementAt, forgives } = operations();
      return (t) => {
        const value = of(t);
        if (value === undefined) return undefined;
        const key = index(t);
        const found = elementAt(value, key);
        if (found === undefined && !forgives(value, key)) throw missingIndex(path, value, key);
        return orMissing(found);
      };
    }
    case 'maybe':
      return compileProbe(expr.of);
    case 'step-key':
      return probeStepKey(expr);
    case 'dagger':
      return probeDataReference(expr.path);
    default:
      return compile(expr);
  }
}

function compilePath(expr: Extract<Expr, { op: 'field' | 'index' }>): Evaluator {
  const of = compile(expr.of);
  const path = pathText(expr.of);
  const stops = afterMaybe(expr.of);
  const { memberOf, elementAt, isNull } = operations();
  if (expr.op === 'field') {
    const { name } = expr;
    return (t) => {
      const value = of(t);
      const found = memberOf(value, name);
      if (found !== undefined) return read(found);
      if (stops && isNull(value)) return null;
      throw missingField(path, value, name, lostMember(t.lost, expr.of));
    };
  }
  const index = compile(expr.index);
  return (t) => {
    const value = of(t);
    if (stops && isNull(value)) return null;
    const key = index(t);
    const found = elementAt(value, key);
    if (found !== undefined) return read(found);
    throw isObject(value) && typeof key === 'string'
      ? missingField(path, value, key)
      : missingIndex(path, value, key, lostMember(t.lost, expr.of));
  };
}

function boolean(evaluate: Evaluator, what: string): (thread: Thread) => boolean {
  const { truthOf } = operations();
  return (t) => {
    const value = evaluate(t);
    if (value === true) return true;
    if (value === false) return false;
    return truthOf(value, what);
  };
}

/** A condition: anything except a boolean fails. `text` is its source text. */
export function compileCondition(expr: Expr, text: string): (thread: Thread) => boolean {
  return boolean(compile(expr), `the condition \`${text}\``);
}

function compileCompare(expr: Extract<Expr, { op: 'compare' }>): Evaluator {
  const left = compile(expr.left);
  const right = compile(expr.right);
  const { operator } = expr;
  const { areEqual, compare } = operations();
  // Loops compare counters with numbers, so this has a faster path.
  switch (operator) {
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compileOrder(operator, left, right, expr.right);
    case '==':
      return (t) => {
        const a = left(t);
        const b = right(t);
        return typeof a === 'number' && typeof b === 'number' ? a === b : areEqual('==', a, b);
      };
    default:
      return (t) => compare(operator, left(t), right(t), t.run.options.matches);
  }
}

function compileOrder(operator: '<' | '<=' | '>' | '>=', left: Evaluator, right: Evaluator, source: Expr): Evaluator {
  const { compare } = operations();
  const constant = source.op === 'const' ? constantValue(source) : null;
  if (typeof constant === 'number') {
    const limit = constant;
    const compareSlowly = (value: Value, t: Thread): boolean => compare(operator, value, limit, t.run.options.matches);
    switch (operator) {
      case '<':
        return (t) => {
          const value = left(t);
          return typeof value === 'number' ? value < limit : compareSlowly(value, t);
        };
      case '<=':
        return (t) => {
          const value = left(t);
          return typeof value === 'number' ? value <= limit : compareSlowly(value, t);
        };
      case '>':
        return (t) => {
          const value = left(t);
          return typeof value === 'number' ? value > limit : compareSlowly(value, t);
        };
      case '>=':
        return (t) => {
          const value = left(t);
          return typeof value === 'number' ? value >= limit : compareSlowly(value, t);
        };
      default:
        return unreachable(operator);
    }
  }
  return (t) => compare(operator, left(t), right(t), t.run.options.matches);
}

function compileTest(expr: Extract<Expr, { op: 'test' }>): Evaluator {
  const { negated } = expr;
  const { isEmpty, isNull, isValidJson } = operations();
  switch (expr.test) {
    case 'exists': {
      const probe = compileProbe(expr.of);
      return (t) => (probe(t) !== undefined) !== negated;
    }
    case 'empty': {
      const probe = compileProbe(expr.of);
      return (t) => isEmpty(probe(t)) !== negated;
    }
    case 'null': {
      const of = compile(expr.of);
      return (t) => isNull(of(t)) !== negated;
    }
    case 'valid-json': {
      const of = compile(expr.of);
      return (t) => isValidJson(of(t)) !== negated;
    }
    default:
      return unreachable(expr.test);
  }
}

function compileCall(expr: Extract<Expr, { op: 'call' }>): Evaluator {
  if (expr.name === 'default') {
    const [of, otherwise] = expr.args;
    if (of === undefined || otherwise === undefined) return () => null;
    const probe = compileProbe(of);
    const fallback = compile(otherwise);
    const { isNull } = operations();
    return (t) => {
      const value = probe(t);
      return value === undefined || isNull(value) ? fallback(t) : value;
    };
  }
  // A program without a file, as in a test, has no folder.
  if (expr.name === 'program_dir') return (t) => t.run.options.programDir ?? '';
  const call = operations().functionNamed(expr.name);
  if (call === null) throw new Error(`no function ${expr.name}`);
  const args = expr.args.map(compile);
  const [only] = args;
  if (expr.name === 'sum' && only !== undefined)
    return (t) => {
      const list = only(t);
      if (isList(list) && !list.every(isWhole)) for (const number of list) warnInexact(t, '+', number, 0.5);
      return call([list], t.run.options);
    };
  // `first(…)` and `last(…)` read an element.
  if (args.length === 1 && only !== undefined) return (t) => read(call([only(t)], t.run.options));
  return (t) =>
    call(
      args.map((arg) => arg(t)),
      t.run.options,
    );
}

function compileArithmetic(expr: Extract<Expr, { op: 'arithmetic' }>): Evaluator {
  const left = compile(expr.left);
  const right = compile(expr.right);
  const { operator } = expr;
  const { arithmetic } = operations();
  if (operator === '+')
    return (t) => {
      const a = left(t);
      const b = right(t);
      if (typeof a === 'number' && typeof b === 'number') {
        const sum = a + b;
        if (sum <= Number.MAX_SAFE_INTEGER && sum >= Number.MIN_SAFE_INTEGER) return sum === 0 ? 0 : sum;
      }
      warnInexact(t, operator, a, b);
      return arithmetic('+', a, b);
    };
  return (t) => {
    const a = left(t);
    const b = right(t);
    warnInexact(t, operator, a, b);
    return arithmetic(operator, a, b);
  };
}

/** Warns of a whole number that a division, or computing with a fraction, rounds. */
export function warnInexact(thread: Thread, operator: string, left: Value, right: Value): void {
  if (!(left instanceof SourceNumber || right instanceof SourceNumber)) return;
  if (operator !== '/' && isWhole(left) && isWhole(right)) return;
  for (const value of [left, right])
    if (isRounded(value))
      warn(thread, `\`${value.text}\` is too long for exact arithmetic; it is computed as ${value.value}`);
}

function isWhole(value: Value): boolean {
  return Number.isSafeInteger(numberOf(value)) || longWhole(value) !== undefined;
}

function compileLogical(expr: Extract<Expr, { op: 'and' | 'or' }>): Evaluator {
  const name = expr.op.toUpperCase();
  const left = boolean(compile(expr.left), `the left side of ${name}`);
  const right = boolean(compile(expr.right), `the right side of ${name}`);
  return expr.op === 'and' ? (t) => left(t) && right(t) : (t) => left(t) || right(t);
}

/** The first value that exists; if none does, the failure of the last one. */
function firstOf(probes: readonly Probe[], evaluators: readonly Evaluator[]): Evaluator {
  const last = evaluators.at(-1) as Evaluator;
  return (t) => {
    for (const probe of probes) {
      const value = probe(t);
      if (value !== undefined) return value;
    }
    return last(t);
  };
}

function lastOf(evaluators: readonly Evaluator[]): Evaluator {
  return (t) => {
    let value: Value = null;
    for (const evaluate of evaluators) value = evaluate(t);
    return value;
  };
}

function compileObject(expr: Extract<Expr, { op: 'object' }>): Evaluator {
  const entries = expr.entries.map(([key, value]) => [key, compile(value)] as const);
  return (t) => {
    const object: { [key: string]: Value } = {};
    for (const [key, value] of entries) define(object, key, value(t));
    return limitedValue(object);
  };
}

/** The value of a constant. A number has the digits of the program. */
export function constantValue({ value, printed }: Extract<Expr, { op: 'const' }>): Value {
  return printed === undefined ? (value as Value) : (decode(printed) as Value);
}

export function compile(expr: Expr): Evaluator {
  switch (expr.op) {
    case 'const': {
      const value = constantValue(expr);
      return () => value;
    }
    case 'read': {
      const found = compileRead(expr.places);
      const last = expr.places.at(-1)?.in;
      const where = last === 'tracked' || last === 'entry' ? last : 'other';
      return (t) => {
        const value = found(t);
        if (value === undefined) throw lostExitCode(t.lost, expr.name) ?? unboundName(expr.name, where, expr.boundAt);
        return typeof value === 'object' ? read(value) : value;
      };
    }
    case 'step-key':
      return compileStepKey(expr);
    case 'retry-key':
      return compileRetryKey(expr);
    case 'run-total':
      return compileRunTotal(expr);
    case 'dagger':
      return compileDataReference(expr.path);
    case 'any':
      return firstOf(expr.of.map(compileProbe), expr.of.map(compile));
    case 'all':
      return lastOf(expr.of.map(compile));
    case 'field':
    case 'index':
      return compilePath(expr);
    case 'maybe': {
      const probe = compileProbe(expr.of);
      return (t) => probe(t) ?? null;
    }
    case 'list': {
      const items = expr.items.map(compile);
      return (t) => limitedValue(items.map((item) => item(t)));
    }
    case 'object':
      return compileObject(expr);
    case 'call':
      return compileCall(expr);
    case 'template':
      return compileTemplate(expr.template).value;
    case 'negate': {
      const of = compile(expr.of);
      const { negate } = operations();
      return (t) => negate(of(t));
    }
    case 'not': {
      const of = boolean(compile(expr.of), 'the operand of NOT');
      return (t) => !of(t);
    }
    case 'arithmetic':
      return compileArithmetic(expr);
    case 'and':
    case 'or':
      return compileLogical(expr);
    case 'compare':
      return compileCompare(expr);
    case 'test':
      return compileTest(expr);
    default:
      return unreachable(expr);
  }
}
