/**
 * The prompt of an agent that is the tool of a call. `{name}` is a parameter of the call, `{name.part}` something in it,
 * `{{name}}` the text `{name}`; other braces, as in an example of JSON, are text. An inserted value is not read again.
 */
import type { Json } from '../../machine/expression.js';
import { render } from '../values/json.js';
import { isList, member, type Value, type ValueObject } from '../values/value.js';

type Parameters = { readonly [name: string]: Json };

const HOLE = /\{(\{[A-Za-z_]\w*(?:\.\w+)*\})\}|\{([A-Za-z_]\w*(?:\.\w+)*)\}/g;

export function renderPrompt(prompt: string, parameters: Parameters): string {
  return prompt.replace(HOLE, (found, escaped: string | undefined, path: string | undefined) => {
    if (path === undefined) return escaped ?? found;
    const value = valueAt(parameters as ValueObject, path.split('.'));
    return value === undefined ? found : render(value);
  });
}

/** Adds which JSON the answer must be. */
export function withSchema(prompt: string, schema: Json): string {
  return `${prompt}\n\nAnswer with JSON and nothing else. It has to fit this JSON Schema:\n${JSON.stringify(schema)}`;
}

/** Asks again after an answer that cannot be used. In a session the agent has the first prompt already. */
export function correctionPrompt(prompt: string, problem: string, inSession: boolean): string {
  const words = `Your answer cannot be used: ${problem}. Answer once more, with JSON and nothing else.`;
  return inSession ? words : `${prompt}\n\nThis was asked before. ${words}`;
}

function valueAt(value: Value, path: readonly string[]): Value | undefined {
  let at: Value | undefined = value;
  for (const segment of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = isList(at) ? at[Number(segment)] : member(at as ValueObject, segment);
  }
  return at;
}
