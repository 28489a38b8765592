/** The inputs that a run with a cassette has, unless others are given. */
import type { Json } from '../../machine/expression.js';
import type { Input } from '../../machine/machine.js';
import type { Cassette } from './cassette.js';

/** What the recorded run was started with, as far as the program still has these inputs. */
export function recordedInputsOf({ inputs }: Cassette, declared: readonly Input[]): Record<string, Json> {
  const known = declared.filter(
    // A secret is not in the cassette.
    ({ name, secret, value }) => Object.hasOwn(inputs, name) && !(secret === true && value !== undefined),
  );
  return Object.fromEntries(known.map(({ name }) => [name, inputs[name] as Json]));
}
