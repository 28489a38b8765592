/** What the operations on runs of an engine share. */
import type { EngineClient } from '../../engine/client.js';

export interface EngineFolder {
  readonly client: EngineClient;
  readonly url: string;
  /** The id of the run that is meant; null: the latest. Rejects with a `RunRefused`. */
  find(run: string | null): Promise<string>;
  /** Copies the run, and resolves with its id. */
  copy(run: string | null): Promise<string>;
}
