/**
 * Expressions of the language with the names of a place: conditions, watched values, and what a person asks. They are
 * evaluated by the functions of the interpreter, and perform nothing.
 */

import { RuntimeFailure } from '../../interpreter/failure.js';
import type { Thread } from '../../interpreter/run-state/thread.js';
import { compile, type Evaluator } from '../../interpreter/values/evaluate.js';
import { render } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import type { DebugLocation } from '../../language/check/code-locations.js';
import { parseExpressionText } from '../../language/syntax/parse.js';
import type { Expr, SlotRef } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { readReference } from '../../prelude/reference.js';

export type Compiled = { readonly evaluate: Evaluator; readonly expr: Expr } | { readonly problem: string };
export type EvaluatedText = { readonly value: Value } | { readonly problem: string };

const SAMPLES = /\b(now|uuid|random)\s*\(/;

/** `place`: null if nothing is known but the names of the machine. */
export function compileExpression(
  text: string,
  location: DebugLocation | null,
  machine: Machine,
  state: number,
): Compiled {
  const sampled = SAMPLES.exec(withoutTexts(text))?.[1];
  if (sampled !== undefined)
    return { problem: `\`${sampled}()\` gives another value each time, so it is not evaluated here` };
  const trimmed = text.trim();
  if (trimmed === '') return { problem: 'there is no expression' };
  const parsed = parseExpressionText(trimmed, 0, -1);
  const [mistake] = parsed.diagnostics.filter(({ severity }) => severity === 'error');
  if (mistake !== undefined) return { problem: mistake.message };
  if (!parsed.complete) return { problem: `\`${trimmed}\` is not an expression` };
  if (location === null) return compileName(trimmed, machine, state);
  const { expr, diagnostics } = location.lower(parsed.expression);
  const [wrong] = diagnostics;
  if (expr === null && /\bexit_code\(/.test(text))
    return { problem: 'an exit code is kept only where the program reads it with `exit_code(…)`' };
  if (expr === null) return { problem: wrong?.message ?? `\`${trimmed}\` is not an expression` };
  return { evaluate: compile(expr), expr };
}

export function evaluate(compiled: Compiled, thread: Thread): EvaluatedText {
  if ('problem' in compiled) return compiled;
  // Warnings of an evaluation belong to no event.
  const silent: Thread = Object.create(thread, {
    run: { value: Object.create(thread.run, { quiet: { value: true } }) },
  });
  try {
    return { value: compiled.evaluate(silent) };
  } catch (thrown) {
    if (thrown instanceof RuntimeFailure) return { problem: thrown.message };
    if (thrown instanceof RangeError) return { problem: 'the value is too large' };
    throw thrown;
  }
}

/** A text with expressions in braces, as in the language. */
export function compileMessage(
  text: string,
  location: DebugLocation | null,
  machine: Machine,
  state: number,
): { readonly print: (thread: Thread) => string } | { readonly problem: string } {
  const parts: (string | Extract<Compiled, { evaluate: Evaluator }>)[] = [];
  const pieces = /\{\{|\}\}|\{([^{}]*)\}/g;
  let at = 0;
  for (const found of text.matchAll(pieces)) {
    parts.push(text.slice(at, found.index));
    at = found.index + found[0].length;
    if (found[1] === undefined) {
      parts.push(found[0][0] as string);
      continue;
    }
    const compiled = compileExpression(found[1], location, machine, state);
    if ('problem' in compiled) return compiled;
    parts.push(compiled);
  }
  parts.push(text.slice(at));
  return {
    print: (thread) =>
      parts
        .map((part) => {
          if (typeof part === 'string') return part;
          const result = evaluate(part, thread);
          return 'value' in result ? render(result.value) : `{${result.problem}}`;
        })
        .join(''),
  };
}

/** Hit counts: `5`, `>= 5`, `% 5`. */
export function compileHitCount(text: string): ((count: number) => boolean) | { readonly problem: string } {
  const found = /^\s*(==|=|>=|>|<=|<|%)?\s*(\d+)\s*$/.exec(text);
  const number = Number(found?.[2]);
  if (found === null || (found[1] === '%' && number === 0))
    return { problem: `\`${text.trim()}\` is not a hit count: write \`5\`, \`>= 5\` or \`% 5\`` };
  switch (found[1]) {
    case '>=':
      return (count) => count >= number;
    case '>':
      return (count) => count > number;
    case '<=':
      return (count) => count <= number;
    case '<':
      return (count) => count < number;
    case '%':
      return (count) => count % number === 0;
    default:
      return (count) => count === number;
  }
}

/** What is in quotes calls no function. */
function withoutTexts(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
}

/** A name with its fields, where the source is not known. */
function compileName(text: string, machine: Machine, state: number): Compiled {
  const reference = text.startsWith('†') ? readReference(text) : null;
  if (reference !== null) return { problem: 'the program of this run cannot be compiled again' };
  const [name = '', ...fields] = text.split('.').map((part) => part.trim());
  const locations: SlotRef[] = [];
  const add = (where: SlotRef['in'], names: readonly string[]): void => {
    const slot = names.indexOf(name);
    if (slot >= 0) locations.push({ in: where, slot });
  };
  add('local', machine.states[state]?.locals ?? []);
  add('entry', machine.states[state]?.entry ?? []);
  add('tracked', machine.tracked);
  add(
    'input',
    machine.inputs.map((input) => input.name),
  );
  if (locations.length === 0) return { problem: `nothing binds \`${name}\` here` };
  let expr: Expr = { op: 'read', name, places: locations };
  for (const field of fields) expr = { op: 'field', of: expr, name: field };
  return { evaluate: compile(expr), expr };
}
