/**
 * Texts with interpolations. A value is inserted once and never scanned again. A value that is alone in its template keeps
 * its type; with other text, and in everything for people or the shell, it is rendered.
 */
import type { Filter, Hole, ShellTemplate, Template } from '../../machine/expression.js';
import { unreachable } from '../../prelude/unreachable.js';
import { AbsentFailure, badValue, excerpt, UnboundFailure } from '../failure.js';
import type { ShellValue } from '../request.js';
import { type Thread, warn } from '../run-state/thread.js';
import { compile, type Evaluator } from './evaluate.js';
import { printJson, render } from './json.js';
import { operations } from './operations.js';
import { limitedText } from './operators.js';
import { aType, isList, longWhole, numberOf, type Value, wholeNumber } from './value.js';

interface CompiledTemplate {
  /** A lone interpolation keeps its type. */
  readonly value: Evaluator;
  /** Always text. */
  readonly text: (thread: Thread) => string;
}

/** The whole number of a value; a text is parsed, so that output of DO can be checked too. */
function toInt(t: Thread, value: Value, source: string): Value {
  const number = numberOf(value);
  if (number !== undefined && Number.isInteger(number)) {
    const long = longWhole(value);
    return long === undefined ? number : (wholeNumber(long) ?? value);
  }
  if (typeof value === 'string' && /^[+-]?\d{1,1000}$/.test(value)) {
    const whole = wholeNumber(BigInt(value.replace('+', '')));
    if (whole !== null) return whole;
  }
  if (value === HIDDEN && hasHiddenInput(t)) return value;
  const shown = typeof value === 'string' || number !== undefined ? `\`${excerpt(render(value))}\`` : aType(value);
  throw badValue(`\`${source}\` needs a whole number, not ${shown}`);
}

/** What a record has in the place of a secret. */
const HIDDEN = '***';

/** Whether the run is rebuilt from its record without a secret, which was a whole number if it passed here before. */
function hasHiddenInput({ inputs, run }: Thread): boolean {
  return run.linked.machine.inputs.some(({ secret }, slot) => secret === true && inputs[slot] === HIDDEN);
}

function compileFilter(evaluate: Evaluator, filter: Filter | undefined, source: string): Evaluator {
  switch (filter) {
    case undefined:
    // The filters for the shell change how a value is passed, not the value.
    case 'path':
    case 'file':
      return evaluate;
    case 'json':
      return (t) => limitedText(printJson(evaluate(t)));
    case 'int': {
      const { wholeNumber } = operations();
      return (t) => wholeNumber(evaluate(t), (value) => toInt(t, value, source));
    }
    default:
      return unreachable(filter);
  }
}

function compileHole(hole: Hole): Evaluator {
  return compileFilter(compile(hole.value), hole.filter, hole.source);
}

/** The braces as written, if a name has no value: so people see what is missing, and the run continues. */
function keepingBraces(evaluate: Evaluator, source: string): Evaluator {
  return (t) => {
    try {
      return evaluate(t);
    } catch (failure) {
      if (!(failure instanceof UnboundFailure)) throw failure;
      warn(t, `${failure.message}, so the text keeps \`${source}\``);
      return source;
    }
  };
}

function assemble(template: Template, hole: (hole: Hole) => Evaluator): CompiledTemplate {
  const parts = template.filter((part) => part !== '').map((part) => (typeof part === 'string' ? part : hole(part)));
  const [only] = parts;
  if (parts.length === 0) return { value: () => '', text: () => '' };
  if (parts.length === 1 && only !== undefined) {
    if (typeof only === 'string') return { value: () => only, text: () => only };
    return { value: only, text: (t) => render(only(t)) };
  }
  const text = (t: Thread): string => {
    let result = '';
    for (const part of parts) result += typeof part === 'string' ? part : render(part(t));
    return limitedText(result);
  };
  return { value: text, text };
}

/** A template whose names must have values. */
export function compileTemplate(template: Template): CompiledTemplate {
  return assemble(template, compileHole);
}

/** A text of EMIT: an interpolation of an unbound name stays as written, with a warning. */
export function compileEmitText(template: Template): CompiledTemplate {
  return assemble(template, (hole) => keepingBraces(compileHole(hole), hole.source));
}

/** `[k={v}]`: undefined if a value is absent, so that the field is omitted. */
export function compileOptionalField(template: Template): (thread: Thread) => Value | undefined {
  const { value } = compileTemplate(template);
  return (t) => {
    try {
      return value(t);
    } catch (failure) {
      if (failure instanceof AbsentFailure) return undefined;
      throw failure;
    }
  };
}

/** One value for each interpolation of shell text, in order. */
export function compileShellValues(template: ShellTemplate): (thread: Thread) => ShellValue[] {
  const makers: ((thread: Thread) => ShellValue)[] = [];
  const { listIn } = operations();
  for (const part of template.parts) {
    if (typeof part === 'string') continue;
    const evaluate = compileHole(part);
    const { filter, source } = part;
    if (part.list)
      makers.push((t) => {
        const list = listIn(evaluate(t));
        if (!isList(list)) throw badValue(`\`${source}\` needs a list, not ${aType(list)}`);
        return { list: list.map(render) };
      });
    else if (filter === 'file') makers.push((t) => ({ text: render(evaluate(t)), file: true }));
    else makers.push((t) => ({ text: render(evaluate(t)) }));
  }
  return (t) => makers.map((make) => make(t));
}
