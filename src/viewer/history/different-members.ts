/** What of an event is not the same in another one, as text. */
import type { RecordLine } from '../data/run-data.js';

/** They differ in any two runs, or whenever another member differs. */
const ALWAYS_DIFFER = new Set(['seq', 'ts', 'crc', 'duration_ms', 'session', 'bytes', 'holes']);

/** Objects with those members. In all other objects these are names that the program chose. */
const RECORDED = new Set(['', 'outcome', 'outcome.stdout']);

const LONGEST_MEMBER = 120;

export function differentMembers(line: RecordLine, other: RecordLine): string {
  return differences(line, other, '').join(', ');
}

/** Each value that differs, with the names that lead to it. */
function differences(one: unknown, other: unknown, path: string): string[] {
  if (!isObject(one) || !isObject(other)) return isSame(one, other) ? [] : [`${path}: ${shortJson(one, other)}`];
  return Object.entries(one).flatMap(([name, value]) =>
    RECORDED.has(path) && ALWAYS_DIFFER.has(name)
      ? []
      : differences(value, other[name], path === '' ? name : `${path}.${name}`),
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** A long value begins shortly before the first character that differs. */
function shortJson(value: unknown, other: unknown): string {
  const [text, otherText] = [JSON.stringify(value), JSON.stringify(other) ?? ''];
  if (text.length <= LONGEST_MEMBER) return text;
  let at = 0;
  while (at < text.length && text[at] === otherText[at]) at++;
  const from = Math.max(0, Math.min(at - 20, text.length - LONGEST_MEMBER));
  return `${from > 0 ? '…' : ''}${text.slice(from, from + LONGEST_MEMBER)}${from + LONGEST_MEMBER < text.length ? '…' : ''}`;
}
