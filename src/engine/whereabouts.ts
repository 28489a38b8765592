/** Where a run is executed, as `show` prints it. */

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
  readonly turn: number;
  /** The address of the worker that said last that it executes the turn; null: none has said it yet. */
  readonly worker: string | null;
  readonly invocation: string | null;
  /** When that worker began; ISO 8601. */
  readonly since: string | null;
  /** Whether something listens at its address. */
  readonly is_reachable: boolean;
  readonly waits: readonly AwaitedWorker[];
}

/** What a worker finds out about others. */
export interface Reach {
  /** Whether something listens at the address of a worker. */
  address(uri: string): Promise<boolean>;
  worker(wanted: Pick<AwaitedWorker, 'kind' | 'name'>): Promise<AwaitedWorker['worker']>;
}
