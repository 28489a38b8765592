/** Ids of runs: UUIDs of version 7, which sort by the time at which they were made. */
import { closeSync, openSync, readSync } from 'node:fs';
import { v7 } from 'uuid';

export function newRunId(): string {
  return v7({ random: randomBytes(16) });
}

/** From the device of the system: loading the cryptography of Node would take longer than everything else here. */
function randomBytes(count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  const device = openSync('/dev/urandom', 'r');
  try {
    if (readSync(device, bytes) === count) return bytes;
  } finally {
    closeSync(device);
  }
  throw new Error('/dev/urandom gave too few bytes');
}
