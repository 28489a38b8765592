/** The digest that identifies a machine on disk and in records. */

import { createHash } from 'node:crypto';
import type { Machine } from '../../machine/machine.js';

const digests = new WeakMap<Machine, string>();

/** SHA-256 of a machine. The same program has the same digest. */
export function digestOf(machine: Machine): string {
  const known = digests.get(machine);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(JSON.stringify(machine)).digest('hex');
  digests.set(machine, digest);
  return digest;
}

/** For a machine whose digest is on record with it: computing it again loads the cryptography of Node. */
export function presetDigest(machine: Machine, digest: string): void {
  digests.set(machine, digest);
}
