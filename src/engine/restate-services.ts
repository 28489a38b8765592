/** The services on Restate: their handlers, with the contexts and options that Restate has for them. */
import { performRouted } from './effects-service.js';
import {
  EngineRefusal,
  type Entry,
  type MessageContext,
  type ObjectContext,
  type PerformContext,
  type ReaderContext,
  type Target,
  type TurnContext,
} from './engine-context.js';
import type { RoutedEffect, TurnStart } from './messages.js';
import type { RestateContext, RestateSdk } from './restate-sdk.js';
import { runListHandlers, runListReaders } from './run-list.js';
import { readerHandlers, runHandlers } from './run-object.js';
import type { ServiceNames } from './services.js';
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

/** What a process offers. */
export interface Offer {
  /** Whether it executes any run that does not belong to workers with a name. */
  readonly isGeneral: boolean;
  /** It executes the runs that belong to workers with these names. */
  readonly homes: readonly string[];
  /** It performs effects that need these labels. */
  readonly labels: readonly string[];
}

const GENERAL: Offer = { isGeneral: true, homes: [], labels: [] };

/** The names of the services that a process offers. */
export function servicesOf(names: ServiceNames, { isGeneral, homes, labels }: Offer): readonly string[] {
  const objects = isGeneral ? [names.run('', 'submit'), names.runs('', 'note'), names.turn(null)] : [];
  const own = [...homes.map((home) => names.turn(home)), ...labels.map((label) => names.effects(label))];
  return [...objects, ...own].map(({ service }) => service);
}

/** The services that a process offers. */
export function restateServices(sdk: RestateSdk, host: TurnHost, offer: Offer = GENERAL): readonly unknown[] {
  const { isGeneral, homes, labels } = offer;
  const execute = (context: RestateContext, start: TurnStart): Promise<void> =>
    executeTurn(turnContext(sdk, context), start, host);
  const perform = (context: RestateContext, routed: RoutedEffect): Promise<unknown> =>
    performRouted(performContext(sdk, context), routed, host);
  const privately = ({ service, handler }: Target, handle: typeof execute | typeof perform): unknown =>
    sdk.service({
      name: service,
      handlers: { [handler]: sdk.handlers.handler({ ingressPrivate: true }, handle) },
      options: OPTIONS,
    });
  return [
    ...(isGeneral ? [...objects(sdk, host), privately(host.services.turn(null), execute)] : []),
    ...homes.map((home) => privately(host.services.turn(home), execute)),
    ...labels.map((label) => privately(host.services.effects(label), perform)),
  ];
}

function objects(sdk: RestateSdk, host: TurnHost): readonly unknown[] {
  const { run } = host.services;
  const runs = host.services.runs('', 'note').service;
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

function performContext(sdk: RestateSdk, context: RestateContext): PerformContext {
  const { json } = sdk.serde;
  return {
    run: (name, action) => context.run(name, action),
    sleep: (ms, name) => context.sleep(ms, name),
    race: (entries) => sdk.RestatePromise.race(entries),
    call<T>({ service, handler }: Target, name: string, parameter: unknown) {
      const call = { service, method: handler, parameter, inputSerde: json, outputSerde: json, name };
      const entry = context.genericCall<T>(call);
      return { entry, cancel: async () => context.cancel(await entry.invocationId) };
    },
    attemptOver: context.request().attemptCompletedSignal,
  };
}

function turnContext(sdk: RestateSdk, context: RestateContext): TurnContext {
  return {
    ...messageContext(sdk, context),
    ...performContext(sdk, context),
    now: () => context.date.now(),
    awakeable: () => awakeableOf(context),
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
