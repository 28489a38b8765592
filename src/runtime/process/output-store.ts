/** Where the outputs of a run are kept, how much there is of them, and where to find one again. */

import { join } from 'node:path';
import type { Redactor } from '../redact.js';
import type { Scratch } from './scratch.js';

/** What a run printed so far, and may print in all. */
export interface OutputUse {
  bytes: number;
  limit: number;
  /** Called once, when there is more; what comes then is not kept. */
  onExceeded: () => void;
}

/** Where the outputs of a run are kept. */
export interface OutputStore {
  /** The run's `artifacts` folder, or null: then outputs are private files that go with the run. */
  readonly artifacts: string | null;
  readonly scratch: Scratch;
  readonly redactor: Redactor | null;
  /** Paths of the bytes as printed, by artifact name, where they are not in `artifacts` under that name. */
  readonly originals: Map<string, string>;
  readonly use: OutputUse;
}

/** `before`: bytes that the run printed before. */
export function outputStore(
  artifacts: string | null,
  scratch: Scratch,
  redactor: Redactor | null,
  before = 0,
): OutputStore {
  const use = { bytes: before, limit: Number.POSITIVE_INFINITY, onExceeded: () => undefined };
  return { artifacts, scratch, redactor, originals: new Map(), use };
}

/** The file that holds the bytes of an artifact as they were printed. */
export function artifactPath(store: OutputStore, artifact: string): string {
  return store.originals.get(artifact) ?? join(store.artifacts ?? '', artifact);
}
