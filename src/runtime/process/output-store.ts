/** The store for the outputs of a run: their folder, their total size, and the files of single outputs. */

import { join } from 'node:path';
import type { Redactor } from '../redact.js';
import type { Scratch } from './scratch.js';

/** The amount of output of a run so far, and its limit. */
export interface OutputUse {
  bytes: number;
  limit: number;
  /** Called once when the limit is exceeded. Later output is not kept. */
  onExceeded: () => void;
}

/** The outputs of a run. */
export interface OutputStore {
  /** The run's `artifacts` folder. If null, outputs are private files that are removed at the end. */
  readonly artifacts: string | null;
  readonly scratch: Scratch;
  readonly redactor: Redactor | null;
  /** The paths of the exact bytes by artifact name, if the artifact itself differs from them. */
  readonly originals: Map<string, string>;
  readonly use: OutputUse;
}

/** `before` is the number of bytes that the run printed before this process. */
export function outputStore(
  artifacts: string | null,
  scratch: Scratch,
  redactor: Redactor | null,
  before = 0,
): OutputStore {
  const use = { bytes: before, limit: Number.POSITIVE_INFINITY, onExceeded: () => undefined };
  return { artifacts, scratch, redactor, originals: new Map(), use };
}

/** The file with the exact bytes of an artifact. */
export function artifactPath(store: OutputStore, artifact: string): string {
  return store.originals.get(artifact) ?? join(store.artifacts ?? '', artifact);
}
