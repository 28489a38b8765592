/** The text of a snapshot by which configurations are compared. */
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

/** `withErrors`: the words of failures decide something. */
export function keyText({ cause, ...image }: RunImage, withErrors: boolean): string {
  return JSON.stringify({ ...image, cause: cause === null ? null : { ...cause, error: '' } }, (name, value) => {
    if (VALUES.has(name)) return JSON.stringify(value);
    return PRIVATE.has(name) || (!withErrors && ERRORS.has(name)) ? undefined : value;
  });
}
