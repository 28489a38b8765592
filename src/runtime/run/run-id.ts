/** Ids of runs: UUIDs of version 7, which sort by the time at which they were made. */
import { closeSync, openSync, readSync } from 'node:fs';
import { v7 } from 'uuid';

/** What the last id of this process began with: milliseconds since the epoch, and a counter of 32 bits. */
const last = { msecs: 0, seq: 0 };

/** Ids of one process sort by their order even within a millisecond, and when the clock of the machine is set back. */
export function newRunId(): string {
  const random = randomBytes(16);
  const now = Date.now();
  if (now > last.msecs) {
    last.msecs = now;
    // Half of the counter is left to count in.
    last.seq = new DataView(random.buffer).getUint32(0) >>> 1;
  } else {
    last.seq = (last.seq + 1) >>> 0;
    if (last.seq === 0) last.msecs += 1;
  }
  return v7({ random, ...last });
}

/** The id of a run that begins at this time, made of 16 bytes: the same bytes and time are the same run. */
export function runIdAt(msecs: number, bytes: Uint8Array): string {
  return v7({
    random: bytes,
    msecs: Math.max(0, msecs),
    seq: new DataView(bytes.buffer, bytes.byteOffset).getUint32(0),
  });
}

/** From the device of the system: loading the cryptography of Node would take longer than everything else here. */
function randomBytes(count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count);
  const device = openSync('/dev/urandom', 'r');
  try {
    if (readSync(device, bytes) === count) return bytes;
  } finally {
    closeSync(device);
  }
  throw new Error('/dev/urandom gave too few bytes');
}
