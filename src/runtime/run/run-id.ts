/** Ids of runs: UUIDs of version 7, which sort by the time at which they were made. */
import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';

export function newRunId(): string {
  // For its own random bytes the package would load Web Crypto, which takes longer than everything else.
  return v7({ random: randomBytes(16) });
}
