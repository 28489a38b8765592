/**
 * Finds JSON in an answer of an agent. Models add sentences or a fence around it. The result is the last fenced block that
 * is JSON, or else everything from the first bracket to the last one.
 */
import type { Json } from '../../machine/expression.js';

const FENCE = /^```[^\n`]*\n([\s\S]*?)^```[ \t]*$/gm;

/** The JSON value; undefined if there is none. */
export function readAnswer(text: string): Json | undefined {
  const whole = parseJson(text);
  if (whole !== undefined) return whole;
  const blocks = [...text.matchAll(FENCE)].map(([, block]) => parseJson(block ?? ''));
  const fenced = blocks.findLast((block) => block !== undefined);
  return fenced ?? parseBracketed(text);
}

/** A message of a subject and its problem by a schema, which may begin with a comma and a location in it. */
export function joinedClause(subject: string, clause: string): string {
  return clause.startsWith(',') ? subject + clause : `${subject} ${clause}`;
}

function parseBracketed(text: string): Json | undefined {
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  return start < 0 || end < start ? undefined : parseJson(text.slice(start, end + 1));
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
