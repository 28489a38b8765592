/** Where a run is that an engine executes, as its workers say. */

/** A worker that a run waits for. `none`: the engine knows none. `gone`: it does not answer. `there`: it has the effect. */
export interface AwaitedWorker {
  readonly kind: 'label' | 'home';
  readonly name: string;
  /** ISO 8601; null: not known. */
  readonly since: string | null;
  readonly worker: 'none' | 'gone' | 'there';
}

/** Where the current turn of a run is executed. */
export interface RunWhereabouts {
  /** Null: not known, because no worker answers. */
  readonly turn: number | null;
  /** The address of the worker that said last that it executes the turn; null: none has said it yet. */
  readonly worker: string | null;
  readonly invocation: string | null;
  /** When that worker began; ISO 8601. */
  readonly since: string | null;
  /** Whether something listens at its address. */
  readonly is_reachable: boolean;
  /** Since when nothing listens there, as far as it is known; ISO 8601; null: something does. */
  readonly no_worker_since: string | null;
  /** The version of statedsl that must be started there again, because it began the turn with other entries; null: none. */
  readonly made_by: string | null;
  /** Why that worker does not execute the turn, which waits for another one; null: it executes it. */
  readonly refused: string | null;
  readonly waits: readonly AwaitedWorker[];
  /** Another run has its key. `run_id`: null, not known yet. `status`: of that run, if it is known. */
  readonly waits_for_key?: { readonly key: string; readonly run_id: string | null; readonly status?: string };
}
