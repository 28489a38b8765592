/** The texts of a snapshot by which configurations are compared. */
import type { RunImage } from '../interpreter/record/run-image.js';

/** Members that number effects, or measure: they are no part of the key. */
const PRIVATE = new Set([
  'counter',
  'effect',
  'until',
  'id',
  'effects',
  'knownCost',
  'unknownCosts',
  'agentCalls',
  'tokens',
  'version',
  'transitions',
  'trail',
  'tally',
  'blamed',
  'question',
  'bounds',
  // A property that looks at events adds them.
  'events',
]);

/** What failed says in words. */
const ERRORS = new Set(['error', 'message']);

/** Members with values of the program, or with names of it: any name may occur in them. */
const VALUES = new Set(['data', 'payload', 'log', 'with', 'entries', 'inputs', 'gates', 'gatesBefore', 'writes']);

/** The text of each member of a snapshot, in order. `withErrors`: the words of failures decide something. */
export function keyTexts(image: RunImage, withErrors: boolean): string[] {
  const texts: string[] = [];
  const add = (name: string, value: unknown): void => {
    const text = memberText(name, value, withErrors);
    if (text !== null) texts.push(text);
  };
  for (const name in image) if (name !== 'cause') add(name, image[name as keyof RunImage]);
  add('cause', image.cause === null ? null : { ...image.cause, error: '' });
  return texts;
}

/** Null: the key does not contain it. */
function memberText(name: string, value: unknown, withErrors: boolean): string | null {
  if (value === undefined || PRIVATE.has(name) || (!withErrors && ERRORS.has(name))) return null;
  return `${name}:${VALUES.has(name) ? JSON.stringify(value) : textOf(value, withErrors)}`;
}

/** As `JSON.stringify` with a function that leaves out members, which takes three times as long. */
function textOf(value: unknown, withErrors: boolean): string {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${textOf(item, withErrors)},`;
    return `[${text}]`;
  }
  if ('toJSON' in value) return JSON.stringify(value);
  for (const name in value) {
    const member = memberText(name, value[name as keyof typeof value], withErrors);
    if (member !== null) text += `${member},`;
  }
  return `{${text}}`;
}

/** Numbers texts: the same text has the same number. Configurations have most of their parts in common. */
export class Texts {
  private readonly numbers = new Map<string, number>();

  numberOf(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    const number = this.numbers.size;
    this.numbers.set(text, number);
    return number;
  }
}
