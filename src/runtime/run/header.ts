/** The id and the header of a new run: the facts about it that are fixed before its first event, without secrets. */
import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { v7 } from 'uuid';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { type Redactor, redactNamed } from '../redact.js';
import { digestOf } from '../store/image.js';
import type { FixedOptions, RunHeader } from '../store/run-header.js';
import { VERSION } from '../version.js';
import type { RunOptions } from './run-options.js';

/** What is known of a run only when it starts. */
interface StartFacts {
  readonly runId: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly redactor: Redactor | null;
  readonly fixed: FixedOptions;
}

export function headerOf(
  machine: Machine,
  options: Pick<RunOptions, 'inputs' | 'cwd' | 'sources' | 'settings' | 'key'>,
  { runId, startedAt, redactor, fixed }: StartFacts,
): RunHeader {
  const clean = <T>(value: T): T => (redactor === null ? value : (redactor.value(value as Json) as T));
  const value = redactor?.value ?? ((given: Json) => given);
  const { printed_inputs: printed, start, ...others } = fixed;
  const inputs = redactNamed(options.inputs ?? {}, printed, value);
  const entry = start === null ? null : redactNamed(start.with, start.printed, value);
  return {
    runId,
    machine,
    digest: digestOf(machine),
    inputs: inputs.values,
    startedAt,
    cwd: resolve(options.cwd ?? process.cwd()),
    version: VERSION,
    sources: (options.sources ?? []).map(({ name, text }) => ({ name, text: clean(text) })),
    // Who did something is never replaced, as in events.
    options: {
      ...clean(others),
      start: start && entry && { state: start.state, with: entry.values, ...omitUndefined({ printed: entry.printed }) },
      ...omitUndefined({ printed_inputs: inputs.printed, started_by: fixed.started_by }),
    },
    settings: clean(options.settings ?? {}),
    key: options.key && { name: options.key.name, ...omitUndefined({ while: options.key.while }) },
  };
}

/** What the last id of this process began with: milliseconds since the epoch, and a counter of 32 bits. */
const last = { msecs: 0, seq: 0 };

/**
 * Ids of runs: UUIDs of version 7, which sort by the time at which they were made. Those of one process sort by their
 * order even within a millisecond, and when the clock of the machine is set back.
 */
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
