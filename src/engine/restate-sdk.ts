/**
 * The packages of the engine, which users install themselves: the SDK for workers, and the server. They are looked for
 * next to statedsl and in the working directory.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { entryAt } from '../runtime/store/own-file.js';
import type { Entry } from './engine-context.js';

/** The version that every supported Node can load. */
const SDK_VERSION = '1.12.0';
const SDK = '@restatedev/restate-sdk';

/** A package that cannot be used, with the one line to type. */
export class PackageProblem extends Error {
  constructor(
    message: string,
    readonly help: string,
  ) {
    super(message);
  }
}

interface PackageFacts {
  readonly folder: string;
  readonly version: string;
}

/** Null: it is not installed. `from`: folders from which `node_modules` is searched upward. */
function findPackage(name: string, from: readonly string[]): PackageFacts | null {
  for (const folder of from) {
    try {
      const file = createRequire(join(folder, 'index.js')).resolve(`${name}/package.json`);
      const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
      return { folder: dirname(file), version };
    } catch {
      // It is not installed there.
    }
  }
  return null;
}

/** Loads the SDK. Throws a `PackageProblem`. */
export function loadSdk(from: readonly string[]): RestateSdk {
  const install = `install it: \`npm install ${SDK}@${SDK_VERSION}\``;
  const found = findPackage(SDK, from);
  if (found === null)
    throw new PackageProblem(`a worker needs the package \`${SDK}\`, which is not installed`, install);
  const [major = 0, minor = 0] = found.version.split('.').map(Number);
  if (major !== 1 || minor < 12)
    throw new PackageProblem(`version ${found.version} of \`${SDK}\` cannot be used`, install);
  const isTooNew = minor > 12 && !('withResolvers' in Promise);
  if (isTooNew)
    throw new PackageProblem(
      `version ${found.version} of \`${SDK}\` needs Node 22, and this is ${process.version}`,
      install,
    );
  try {
    return createRequire(join(found.folder, 'package.json'))(SDK) as RestateSdk;
  } catch (cause) {
    const [reason = ''] = (cause as Error).message.split('\n');
    throw new PackageProblem(`the package \`${SDK}\` in \`${found.folder}\` cannot be loaded: ${reason}`, install);
  }
}

/** The program of the server. Throws a `PackageProblem`. */
export function findServer(from: readonly string[], path: string): string {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  const near = [findPackage('@restatedev/restate-server', from)?.folder ?? [], from].flat();
  const found = findPackage(name, near);
  const programs = [
    ...(found === null ? [] : [join(found.folder, 'bin', 'restate-server')]),
    ...path.split(delimiter).map((folder) => join(folder, 'restate-server')),
  ];
  const program = programs.find((one) => entryAt(one) !== null);
  if (program !== undefined) return program;
  throw new PackageProblem(
    'the server of the engine, Restate, is not installed',
    'install it: `npm install @restatedev/restate-server`',
  );
}

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
