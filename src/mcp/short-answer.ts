/**
 * Answers are short: an agent pays for each of their characters again in every later turn. What does not fit is cut where
 * it is longest, and the answer says what was left out and how to get it.
 */
import { printPublic } from '../interpreter/values/json.js';
import { isBeyondJson, type Value } from '../interpreter/values/value.js';
import type { Json } from '../machine/expression.js';

/** 2,000 tokens of four characters. */
export const BUDGET = 8000;
/** What a cut member keeps at least. */
const LEAST = 120;

export type ShortMembers = { readonly [name: string]: Json };

/** A value as JSON, with numbers as they were written. */
export const jsonText = (value: Json): string =>
  isBeyondJson(value as Value) ? printPublic(value as Value) : JSON.stringify(value);

const lengthOf = (value: Json): number => (jsonText(value) ?? '').length;

export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  // Half of a pair of surrogates is not a character.
  const end = /[\ud800-\udbff]/.test(text[length - 2] ?? '') ? length - 2 : length - 1;
  return `${text.slice(0, Math.max(0, end))}…`;
}

/** Members of an answer within the budget. `more`: how to get the whole of a member that may be cut. */
export function fitMembers(given: ShortMembers, more: Readonly<Record<string, string>>, budget = BUDGET): ShortMembers {
  const fitted: Record<string, Json> = { ...given };
  const leftOut = new Map<string, string>();
  const whole = (): ShortMembers =>
    leftOut.size === 0 ? fitted : { ...fitted, left_out: [...leftOut].map(([name, words]) => `${name}: ${words}`) };
  for (let excess = lengthOf(whole()) - budget; excess > 0; excess = lengthOf(whole()) - budget) {
    const [name, size] = Object.entries(fitted)
      .map(([member, value]) => [member, lengthOf(value)] as const)
      .reduce((longest, one) => (one[1] > longest[1] ? one : longest), ['', 0] as const);
    if (size <= LEAST) break;
    const original = given[name] as Json;
    // The words about it need room, too.
    const allowed = Math.max(LEAST - 20, size - excess - (leftOut.has(name) ? 0 : 160));
    fitted[name] = shrink(fitted[name] as Json, allowed);
    const kept = fitted[name] as Json;
    const part =
      Array.isArray(original) && Array.isArray(kept)
        ? `${original.length - kept.length} of ${original.length} are not shown`
        : `cut to ${lengthOf(kept)} of ${lengthOf(original)} characters`;
    leftOut.set(name, `${part}${more[name] === undefined ? '' : `; ${more[name]}`}`);
  }
  return whole();
}

/** A text is cut, a list loses its last elements, and anything else becomes the beginning of its JSON. */
function shrink(value: Json, allowed: number): Json {
  if (Array.isArray(value) && value.length > 1) {
    let size = 2;
    const kept: Json[] = [];
    for (const one of value as readonly Json[]) {
      size += lengthOf(one) + 1;
      if (size > allowed) break;
      kept.push(one);
    }
    if (kept.length > 0) return kept;
    return [shrink(value[0] as Json, allowed)];
  }
  const text = typeof value === 'string' ? value : jsonText(value);
  // Quotes and escapes come back when it is written as JSON.
  let length = allowed - 4;
  let short = cutText(text, length);
  while (lengthOf(short) > allowed && length > 10) {
    length = Math.floor(length * (allowed / lengthOf(short))) - 2;
    short = cutText(text, Math.max(10, length));
  }
  return short;
}
