/**
 * What the services need of a durable-execution engine, so that they know no package: a handler is executed again after a
 * crash, and what an *entry* came to is on record and the same each time.
 */

/** Something that a handler waits for, and whose result the engine records. */
export interface Entry<T> extends PromiseLike<T> {
  map<U>(change: (value: T | undefined, failure: unknown) => U): Entry<U>;
}

/** A handler of a service. `key`: which object, if the service consists of objects. */
export interface HandlerTarget {
  readonly service: string;
  readonly key?: string;
  readonly handler: string;
}

/** What every handler may do. All of it happens once, however often the handler is executed again. */
export interface MessageContext {
  /** Sends a message, at the earliest after `delayMs`. Nothing waits for it. */
  send(to: HandlerTarget, message: unknown, delayMs?: number): void;
}

/** A handler that performs something and waits for it. */
export interface PerformContext {
  /**
   * Executes an action and records what it came to. `read` makes of that what the entry comes to, each time it is read from
   * the record: cheaper than `map`.
   */
  run<T, U = T>(name: string, action: () => T | Promise<T>, read?: (recorded: T) => U): Entry<U>;
  sleep(ms: number, name: string): Entry<undefined>;
  /** What comes first. Which one that was is on record. */
  race<T>(entries: readonly Entry<T>[]): Promise<T>;
  /** Calls a handler of a service. `cancel` makes the handler fail; the entry ends after it. */
  call<T>(to: HandlerTarget, name: string, message: unknown): { readonly entry: Entry<T>; cancel(): Promise<void> };
  /** Aborted when this attempt to execute the handler is over, whether it ended or broke off. */
  readonly attemptOver: AbortSignal;
  /** The name that the engine has for this execution, for people. */
  readonly invocation: string;
}

/** A handler that executes a turn. */
export interface TurnContext extends MessageContext, PerformContext {
  /** The first entry. `now`: the time, in milliseconds since the epoch. */
  begin<T>(action: (now: number) => Promise<T>): Promise<T>;
  /** Something that another handler resolves by its id. `read` as for `run`. */
  awakeable<T, U = T>(read?: (sent: T) => U): { readonly id: string; readonly entry: Entry<U> };
}

/** A handler of an object, which has state. Only one handler at a time may write it. */
export interface ObjectContext extends MessageContext {
  readonly key: string;
  /** Milliseconds since the epoch: the same when the handler is executed again. */
  now(): Promise<number>;
  /** The name that a proxy has authenticated; null: there is none. */
  readonly user: string | null;
  get<T>(name: string): Promise<T | null>;
  set(name: string, value: unknown): void;
  clear(name: string): void;
  clearAll(): void;
  /** The names of all state of the object. */
  names(): Promise<readonly string[]>;
  resolveAwakeable(id: string, value: unknown): void;
}

/** A handler of an object that only reads, at the same time as others. */
export interface SharedContext extends MessageContext {
  readonly key: string;
  get<T>(name: string): Promise<T | null>;
  /** The names of all state of the object. */
  names(): Promise<readonly string[]>;
  awakeable<T>(): { readonly id: string; readonly entry: Entry<T> };
}

/** Why a run that has ended is refused. The engine passes on nothing but a status and this message. */
export function alreadyOver(runId: string, status: string): string {
  return status === 'skipped' ? `run \`${runId}\` was already skipped` : `run \`${runId}\` has already ${status}`;
}

export function isAlreadyOver(message: string): boolean {
  return /^run `[^`]*` (?:has already (?:returned|failed)|was already skipped)$/.test(message);
}

/** A request that can never succeed. `status` is that of the HTTP answer. */
export class EngineRefusal extends Error {
  constructor(
    readonly status: 400 | 403 | 404 | 409,
    message: string,
  ) {
    super(message);
  }
}
