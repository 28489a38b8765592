/** What requests and their handlers share. */

export interface Reply {
  readonly body?: unknown;
  /** What is done once the answer was sent. */
  readonly after?: () => void | Promise<void>;
}

export type RequestArguments = Readonly<Record<string, unknown>>;
export type Handlers = Readonly<Record<string, (given: RequestArguments) => Reply | Promise<Reply>>>;

/** A request that is not done, for a reason that a person understands. */
export class AdapterRefusal extends Error {
  constructor(
    message: string,
    /** Whether the client shows it although nobody looks at the answer. */
    readonly isShown = false,
  ) {
    super(message);
  }
}

export function textIn(given: RequestArguments, name: string): string | undefined {
  const value = given[name];
  return typeof value === 'string' ? value : undefined;
}

export function numberIn(given: RequestArguments, name: string): number | undefined {
  const value = given[name];
  return typeof value === 'number' ? value : undefined;
}

export function listIn<T>(given: RequestArguments, name: string): readonly T[] {
  const value = given[name];
  return Array.isArray(value) ? (value as T[]).filter((one) => one != null) : [];
}
