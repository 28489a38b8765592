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
  'touched',
  'question',
  'error',
  'message',
  'bounds',
  // A property that looks at events adds them.
  'events',
]);

/** Members with values of the program, in which any name may occur. */
const VALUES = new Set(['data', 'payload', 'log', 'with']);

export function keyText(image: RunImage): string {
  return JSON.stringify(image, (name, value) => {
    if (VALUES.has(name)) return JSON.stringify(value);
    return PRIVATE.has(name) ? undefined : value;
  });
}
