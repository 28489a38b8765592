/**
 * The image of a run between two of its events: all that another process needs, besides the machine and the options of
 * the run, to continue it. A checkpoint on disk is an image with the position in the journal that it covers.
 */
import { createHash } from 'node:crypto';
import { limitsOf, type StoredLimits, storedLimits } from '../../interpreter/events/stored-limits.js';
import {
  type InterpreterOptions,
  type LinkedMachine,
  type Run,
  restoreRun,
  snapshotOf,
} from '../../interpreter/run.js';
import type { Json } from '../../machine/expression.js';
import { type Machine, RUN_FORMAT } from '../../machine/machine.js';

export interface Image {
  /** SHA-256 of the machine that the snapshot belongs to. */
  readonly digest: string;
  /** How long the run has been executing, in milliseconds. */
  readonly active_ms: number;
  /** The limits that apply now, which may differ from those of the start. */
  readonly limits: StoredLimits;
  readonly snapshot: Json;
}

/** The events and requests of the run must have been taken before. */
export function imageOf(run: Run, { activeMs }: { readonly activeMs: number }): Image {
  return {
    digest: digestOf(run.linked.machine),
    active_ms: activeMs,
    limits: storedLimits(run.limits),
    snapshot: snapshotOf(run),
  };
}

/** The format of an image that this version cannot read; null: it can. */
export function otherFormatOf({ snapshot }: Pick<Image, 'snapshot'>): number | null {
  const { version } = snapshot as { readonly version: number };
  return version === RUN_FORMAT ? null : version;
}

/** The run of an image, with the requests that it waits for. `linked`: the machine with the image's digest. */
export function runOf(
  image: Pick<Image, 'limits' | 'snapshot'>,
  linked: LinkedMachine,
  options: InterpreterOptions,
): Run {
  const run = restoreRun(linked, image.snapshot, options);
  run.setLimits(limitsOf(image.limits));
  return run;
}

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
