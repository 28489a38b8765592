/** Names of runs: UUIDs of version 7, which sort by the time they were made. */
import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';

export function newRunId(): string {
  // The package would load Web Crypto for its own random bytes, which takes longer than the rest of it.
  return v7({ random: randomBytes(16) });
}
