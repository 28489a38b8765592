/**
 * The part of `@restatedev/restate-sdk` that is used. The package is not a dependency: a worker loads the one that its user
 * has installed, and these types are what any version of it must have.
 */
import type { Entry } from './engine-context.js';

/** The context of a handler. Not every kind of handler has all of it. */
export interface RestateContext {
  readonly key: string;
  readonly date: { now(): Promise<number> };
  run<T, U>(name: string, action: () => T | Promise<T>, options?: { readonly serde: unknown }): Entry<U>;
  sleep(ms: number, name?: string): Entry<undefined>;
  awakeable<T>(serde?: unknown): { readonly id: string; readonly promise: Entry<T> };
  resolveAwakeable(id: string, value: unknown): void;
  genericSend(call: {
    readonly service: string;
    readonly method: string;
    readonly key?: string;
    readonly parameter: unknown;
    readonly inputSerde: unknown;
    readonly delay?: number;
  }): unknown;
  genericCall<T>(call: {
    readonly service: string;
    readonly method: string;
    readonly parameter: unknown;
    readonly inputSerde: unknown;
    readonly outputSerde: unknown;
    readonly name: string;
  }): Entry<T> & { readonly invocationId: Promise<string> };
  cancel(invocationId: string): void;
  request(): {
    readonly id: string;
    readonly attemptCompletedSignal: AbortSignal;
    readonly headers: ReadonlyMap<string, string>;
  };
  get<T>(name: string): Promise<T | null>;
  stateKeys(): Promise<readonly string[]>;
  set(name: string, value: unknown): void;
  clear(name: string): void;
  clearAll(): void;
}

type DefineHandler = <M>(
  options: Readonly<Record<string, unknown>>,
  handler: (context: RestateContext, message: M) => Promise<unknown>,
) => unknown;

interface ServiceDefinition {
  readonly name: string;
  readonly handlers: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface RestateSdk {
  service(definition: ServiceDefinition): unknown;
  object(definition: ServiceDefinition): unknown;
  readonly handlers: {
    readonly handler: DefineHandler;
    readonly object: { readonly shared: DefineHandler; readonly exclusive: DefineHandler };
  };
  readonly RestatePromise: { race<T>(entries: readonly Entry<T>[]): Promise<T> };
  readonly TerminalError: new (message: string, options: { readonly errorCode: number }) => Error;
  createEndpointHandler(options: {
    readonly services: readonly unknown[];
    readonly identityKeys?: readonly string[];
    readonly logger?: (
      meta: { readonly level: string; readonly context?: { readonly invocationId: string } },
      ...message: unknown[]
    ) => void;
  }): (request: never, response: never) => void;
}
