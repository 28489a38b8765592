/** What a person writes as a value: JSON if it begins like JSON or is a number or a word of it, and text if not. */
import type { Json } from '../../machine/expression.js';

export function readValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Why a text that begins like JSON is none; null: it can be sent. */
export function jsonProblem(text: string): string | null {
  if (!/^\s*[[{"]/.test(text)) return null;
  try {
    JSON.parse(text);
    return null;
  } catch {
    return 'it begins like JSON, and is not JSON: complete it, or put a text in double quotes';
  }
}

/** The type of the value that is sent. */
export function typeWords(text: string): string {
  const value = readValue(text);
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}
