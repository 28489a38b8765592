/** The functions that the workers of an engine have, as the configuration names them: programs are compiled with their names. */
import { resolve } from 'node:path';
import type { Functions } from '../../engine/functions.js';
import type { Configuration } from '../../runtime/configuration/configuration.js';

/** Null: there are none. An `Error`: why they cannot be used. */
export async function functionsOf({ engine = {}, folder }: Configuration): Promise<Functions | Error | null> {
  if (engine.commands === undefined) return null;
  const { loadFunctions } = await import('../../engine/functions.js');
  return loadFunctions(resolve(folder ?? '', engine.commands)).catch((cause: unknown) => cause as Error);
}
