/** The services on Restate: their handlers, with the contexts and options that Restate has for them. */
import {
  EngineRefusal,
  type Entry,
  type MessageContext,
  type ObjectContext,
  type ReaderContext,
  type Target,
  type TurnContext,
} from './engine-context.js';
import type { TurnStart } from './messages.js';
import type { RestateContext, RestateSdk } from './restate-sdk.js';
import { runListHandlers, runListReaders } from './run-list.js';
import { readerHandlers, runHandlers } from './run-object.js';
import { executeTurn } from './turn.js';
import type { TurnHost } from './turn-host.js';

const DAY_MS = 24 * 3600 * 1000;

/**
 * A failed attempt is repeated for ever: by default Restate would pause the run after 70. It would also abort an attempt
 * that waits for longer than ten minutes, and then start a longer call of an agent again and again.
 */
const OPTIONS = {
  retryPolicy: { initialInterval: 100, exponentiationFactor: 2, maxInterval: 2000, maxAttempts: 1_000_000_000 },
  inactivityTimeout: 60_000,
  abortTimeout: 14 * DAY_MS,
  journalRetention: 0,
} as const;

/** The services that a process offers which executes turns. */
export function restateServices(sdk: RestateSdk, host: TurnHost): readonly unknown[] {
  const { run, turn } = host.services;
  const runs = host.services.runs('', 'note').service;
  const execute = (context: RestateContext, start: TurnStart): Promise<void> =>
    executeTurn(turnContext(sdk, context), start, host);
  return [
    sdk.object({
      name: run('', 'submit').service,
      handlers: handlersOf(sdk, runHandlers(host.services), readerHandlers(host.services)),
      options: { ...OPTIONS, enableLazyState: true },
    }),
    sdk.object({
      name: runs,
      handlers: handlersOf(sdk, runListHandlers(host.services), runListReaders()),
      options: OPTIONS,
    }),
    sdk.service({
      name: turn.service,
      handlers: { [turn.handler]: sdk.handlers.handler({ ingressPrivate: true }, execute) },
      options: OPTIONS,
    }),
  ];
}

type ObjectHandlers = Readonly<Record<string, (context: ObjectContext, message: never) => Promise<unknown>>>;
type ReaderHandlers = Readonly<Record<string, (context: ReaderContext, message: never) => Promise<unknown>>>;

/** The handlers of an object: those that change it, and those that only read. */
function handlersOf(sdk: RestateSdk, writers: ObjectHandlers, readers: ReaderHandlers): Record<string, unknown> {
  const exclusive = Object.entries(writers).map(([name, handle]) => [
    name,
    (context: RestateContext, message: never) => refuseForGood(sdk, handle(objectContext(sdk, context), message)),
  ]);
  const shared = Object.entries(readers).map(([name, handle]) => [
    name,
    sdk.handlers.object.shared({}, (context: RestateContext, message: never) =>
      refuseForGood(sdk, handle(readerContext(sdk, context), message)),
    ),
  ]);
  return Object.fromEntries([...exclusive, ...shared]);
}

/** What can never succeed must not be tried again. */
async function refuseForGood<T>({ TerminalError }: RestateSdk, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (cause) {
    if (cause instanceof EngineRefusal) throw new TerminalError(cause.message, { errorCode: cause.status });
    throw cause;
  }
}

function messageContext({ serde }: RestateSdk, context: RestateContext): MessageContext {
  return {
    send({ service, handler, key }: Target, parameter, delayMs = 0) {
      const call = { service, method: handler, parameter, inputSerde: serde.json };
      context.genericSend({
        ...call,
        ...(key === undefined ? {} : { key }),
        ...(delayMs > 0 ? { delay: delayMs } : {}),
      });
    },
  };
}

function awakeableOf<T>(context: RestateContext): { readonly id: string; readonly entry: Entry<T> } {
  const { id, promise } = context.awakeable<T>();
  return { id, entry: promise };
}

function turnContext(sdk: RestateSdk, context: RestateContext): TurnContext {
  return {
    ...messageContext(sdk, context),
    now: () => context.date.now(),
    run: (name, action) => context.run(name, action),
    sleep: (ms, name) => context.sleep(ms, name),
    awakeable: () => awakeableOf(context),
    race: (entries) => sdk.RestatePromise.race(entries),
    attemptOver: context.request().attemptCompletedSignal,
  };
}

function objectContext(sdk: RestateSdk, context: RestateContext): ObjectContext {
  return {
    ...messageContext(sdk, context),
    key: context.key,
    get: (name) => context.get(name),
    set: (name, value) => context.set(name, value),
    clear: (name) => context.clear(name),
    clearAll: () => context.clearAll(),
    resolveAwakeable: (id, value) => context.resolveAwakeable(id, value),
  };
}

function readerContext(sdk: RestateSdk, context: RestateContext): ReaderContext {
  return {
    ...messageContext(sdk, context),
    key: context.key,
    get: (name) => context.get(name),
    awakeable: () => awakeableOf(context),
  };
}
