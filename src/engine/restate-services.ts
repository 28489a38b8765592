/** The services on Restate: their handlers, with the contexts and options that Restate has for them. */

import type { Json } from '../machine/expression.js';
import { EffectEntries } from './effect-entries.js';
import {
  EngineRefusal,
  type HandlerTarget,
  type MessageContext,
  type ObjectContext,
  type PerformContext,
  type SharedContext,
  type TurnContext,
} from './engine-context.js';
import type { HomeTurn, ListeningTurn, Mail, PerformedEffect, RoutedEffect, TurnStart } from './messages.js';
import { NO_ROUTES } from './messages.js';
import { noticeHandlers, noticeReaders } from './notice-object.js';
import type { RestateContext, RestateSdk } from './restate-sdk.js';
import { keyHandlers } from './run-key.js';
import { runHandlers } from './run-object.js';
import { readerHandlers } from './run-readers.js';
import { scheduleHandlers, scheduleReaders } from './schedule-object.js';
import { hasMarks, revealSecrets } from './secret-inputs.js';
import type {
  NoticesHandler,
  RunHandler,
  SchedulesHandler,
  ServiceNames,
  SharedHandler,
  WorkersHandler,
} from './services.js';
import { runListHandlers, runListReaders } from './services.js';
import { sharedHandlers, sharedReaders } from './shared-object.js';
import { executeTurn } from './turn.js';
import { ProgramRefused, type TurnHost, type TurnProgram } from './turn-host.js';
import { type ValueCodec, valueCodec } from './value-codec.js';
import { workersHandlers, workersReaders } from './workers-of-address.js';

const DAY_MS = 24 * 3600 * 1000;

/**
 * A failed attempt is repeated forever: by default Restate would pause the run after 70. It would also abort an attempt
 * that waits for longer than ten minutes, and then start a longer call of an agent again and again. The first attempts after
 * the death of a worker may still reach it, so the pauses are short and grow slowly: five of them take 0.7 s.
 */
const POLICY = {
  retryPolicy: { initialInterval: 50, exponentiationFactor: 1.5, maxInterval: 2000, maxAttempts: 1_000_000_000 },
  inactivityTimeout: 60_000,
  abortTimeout: 14 * DAY_MS,
  journalRetention: 0,
} as const;

/**
 * After so much silence the engine suspends a handler, which gets nothing anymore until what it executes has ended: the
 * cancellation of a run would not stop its command. Objects execute nothing and may be suspended soon.
 */
const EXECUTING_MS = 14 * DAY_MS;

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
  const objects = isGeneral
    ? [
        names.run('', 'submit'),
        names.runs('', 'note'),
        names.sharedObject('', 'look'),
        names.workers('', 'join'),
        names.key('', 'claim'),
        names.schedules('keep'),
        names.notices('take'),
        names.turn(null),
      ]
    : [];
  const own = [...homes.map((home) => names.turn(home)), ...labels.map((label) => names.effects(label))];
  return [...objects, ...own].map(({ service }) => service);
}

/** The services that a process offers. */
export function restateServices(
  sdk: RestateSdk,
  host: TurnHost,
  offer: Offer = GENERAL,
  values: ValueCodec = valueCodec(null),
): readonly unknown[] {
  const { isGeneral, homes, labels } = offer;
  const execute = (context: RestateContext, start: TurnStart): Promise<void> =>
    executeTurn(turnContext(sdk, values, context), start, host);
  const pass = (context: RestateContext, message: HomeTurn): Promise<void> =>
    passToHome(turnContext(sdk, values, context), message, host);
  const perform = (context: RestateContext, routed: RoutedEffect): Promise<unknown> =>
    performRouted(performContext(sdk, values, context), routed, host);
  const { turn, effects } = host.services;
  type Handle = (context: RestateContext, message: never) => Promise<unknown>;
  const privately = (...handlers: readonly (readonly [HandlerTarget, Handle])[]): unknown =>
    sdk.service({
      name: handlers[0]?.[0].service ?? '',
      handlers: Object.fromEntries(
        handlers.map(([{ handler }, handle]) => [
          handler,
          sdk.handlers.handler(internal(values), (context, message: Received) =>
            withMessage(message, (one) => handle(context, one)),
          ),
        ]),
      ),
      options: { ...optionsWith(values), inactivityTimeout: EXECUTING_MS },
    });
  return [
    ...(isGeneral
      ? [...objects(sdk, host, values), privately([turn(null), execute], [host.services.passToHome(), pass])]
      : []),
    ...homes.map((home) => privately([turn(home), execute])),
    ...labels.map((label) => privately([effects(label), perform])),
  ];
}

/** A message that services send to each other: what it has, or why it cannot be read. */
type Received = { readonly message: never } | { readonly problem: unknown };

/**
 * The SDK ends a call for good whose message it cannot read. A message of a service must not get lost because of one worker
 * that has another key, so it is read only by the handler, which then fails and is repeated.
 */
function internal(values: ValueCodec) {
  const deserialize = (bytes: Uint8Array): Received => {
    try {
      return { message: values.deserialize(bytes) as never };
    } catch (problem) {
      return { problem };
    }
  };
  return { ingressPrivate: true, input: { ...values, deserialize } };
}

async function withMessage<T>(received: Received, handle: (message: never) => Promise<T>): Promise<T> {
  if ('problem' in received) throw received.problem;
  return handle(received.message);
}

function optionsWith(values: ValueCodec) {
  return { ...POLICY, serde: values };
}

function objects(sdk: RestateSdk, host: TurnHost, values: ValueCodec): readonly unknown[] {
  const { run } = host.services;
  const runs = host.services.runs('', 'note').service;
  return [
    sdk.object({
      name: run('', 'submit').service,
      handlers: handlersOf(
        sdk,
        values,
        runHandlers(host.services, host),
        readerHandlers(host.services, host.reach, host.shared),
      ),
      options: { ...optionsWith(values), enableLazyState: true },
    }),
    sdk.object({
      name: runs,
      handlers: handlersOf(sdk, values, runListHandlers(host.services), runListReaders(), EAGER),
      options: { ...optionsWith(values), enableLazyState: true },
    }),
    sdk.object({
      name: host.services.sharedObject('', 'look').service,
      handlers: handlersOf(sdk, values, sharedHandlers(host.services), sharedReaders(), EAGER),
      options: { ...optionsWith(values), enableLazyState: true },
    }),
    sdk.object({
      name: host.services.workers('', 'join').service,
      handlers: handlersOf(sdk, values, workersHandlers(), workersReaders()),
      options: optionsWith(values),
    }),
    sdk.object({
      name: host.services.key('', 'claim').service,
      handlers: handlersOf(sdk, values, keyHandlers(host.services), {}),
      options: optionsWith(values),
    }),
    sdk.object({
      name: host.services.schedules('keep').service,
      handlers: handlersOf(sdk, values, scheduleHandlers(), scheduleReaders()),
      options: { ...optionsWith(values), enableLazyState: true },
    }),
    sdk.object({
      name: host.services.notices('take').service,
      handlers: handlersOf(sdk, values, noticeHandlers(), noticeReaders()),
      options: { ...optionsWith(values), enableLazyState: true },
    }),
  ];
}

/** A list reads all of its object. */
const EAGER = { enableLazyState: false } as const;

type ObjectHandlers = Readonly<Record<string, (context: ObjectContext, message: never) => Promise<unknown>>>;
type ReaderHandlers = Readonly<Record<string, (context: SharedContext, message: never) => Promise<unknown>>>;

/** Handlers that change an object and that clients and workers call from outside. Only services call the others. */
const OPEN: ReadonlySet<string> = new Set<
  RunHandler | SharedHandler | SchedulesHandler | NoticesHandler | WorkersHandler
>([
  ...(['submit', 'tell', 'drop', 'store', 'doing', 'resume'] as const),
  ...(['account', 'spend', 'keepText', 'clear'] as const),
  ...(['join', 'leave'] as const),
  ...(['keep', 'looks'] as const),
  ...(['expect', 'take', 'settle'] as const),
]);

/** The handlers of an object: those that change it, and those that only read. */
function handlersOf(
  sdk: RestateSdk,
  values: ValueCodec,
  writers: ObjectHandlers,
  readers: ReaderHandlers,
  readerOptions: { readonly enableLazyState?: false } = {},
): Record<string, unknown> {
  const exclusive = Object.entries(writers).map(([name, handle]) => {
    const refusing = (context: RestateContext, message: never): Promise<unknown> =>
      refuseForGood(sdk, handle(objectContext(values, context), message));
    const handler = OPEN.has(name)
      ? sdk.handlers.object.exclusive({}, refusing)
      : sdk.handlers.object.exclusive(internal(values), (context, message: Received) =>
          withMessage(message, (one) => refusing(context, one)),
        );
    return [name, handler];
  });
  const shared = Object.entries(readers).map(([name, handle]) => [
    name,
    sdk.handlers.object.shared(readerOptions, (context: RestateContext, message: never) =>
      refuseForGood(sdk, handle(readerContext(values, context), message)),
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

function messageContext(values: ValueCodec, context: RestateContext): MessageContext {
  return {
    send({ service, handler, key }: HandlerTarget, parameter, delayMs = 0) {
      const call = { service, method: handler, parameter, inputSerde: values };
      context.genericSend({
        ...call,
        ...(key === undefined ? {} : { key }),
        ...(delayMs > 0 ? { delay: delayMs } : {}),
      });
    },
  };
}

/** A codec that makes of a recorded value what an entry comes to. */
function decodeAs<T, U>(values: ValueCodec, read: (recorded: T) => U) {
  return {
    contentType: values.contentType,
    serialize: (value: unknown) => values.serialize(value),
    deserialize: (bytes: Uint8Array): U => read(values.deserialize(bytes) as T),
  };
}

function performContext(sdk: RestateSdk, values: ValueCodec, context: RestateContext): PerformContext {
  return {
    run: (name, action, read) =>
      read === undefined ? context.run(name, action) : context.run(name, action, { serde: decodeAs(values, read) }),
    sleep: (ms, name) => context.sleep(ms, name),
    race: (entries) => sdk.RestatePromise.race(entries),
    call<T>({ service, handler }: HandlerTarget, name: string, parameter: unknown) {
      const call = { service, method: handler, parameter, inputSerde: values, outputSerde: values, name };
      const entry = context.genericCall<T>(call);
      return { entry, cancel: async () => context.cancel(await entry.invocationId) };
    },
    attemptOver: context.request().attemptCompletedSignal,
    invocation: context.request().id,
  };
}

function turnContext(sdk: RestateSdk, values: ValueCodec, context: RestateContext): TurnContext {
  return {
    ...messageContext(values, context),
    ...performContext(sdk, values, context),
    begin: async (action) => context.run('begin', () => action(Date.now())),
    awakeable<T, U>(read?: (sent: T) => U) {
      const { id, promise } = context.awakeable<U>(read === undefined ? undefined : decodeAs(values, read));
      return { id, entry: promise };
    },
  };
}

function objectContext(values: ValueCodec, context: RestateContext): ObjectContext {
  return {
    ...messageContext(values, context),
    key: context.key,
    now: () => context.date.now(),
    user: context.request().headers.get('x-statedsl-user') ?? null,
    get: (name) => context.get(name),
    set: (name, value) => context.set(name, value),
    clear: (name) => context.clear(name),
    clearAll: () => context.clearAll(),
    names: () => context.stateKeys(),
    resolveAwakeable: (id, value) => context.resolveAwakeable(id, value),
  };
}

function readerContext(values: ValueCodec, context: RestateContext): SharedContext {
  return {
    ...messageContext(values, context),
    key: context.key,
    get: (name) => context.get(name),
    names: () => context.stateKeys(),
    awakeable<T>() {
      const { id, promise } = context.awakeable<T>();
      return { id, entry: promise };
    },
  };
}

/** Rejects if the turn has stopped the effect, when the effect has ended. */
export async function performRouted(
  context: PerformContext,
  routed: RoutedEffect,
  host: TurnHost,
): Promise<PerformedEffect> {
  const { runId, outputLimit, inDoubt } = routed;
  const hidden = routed.request as unknown as Json;
  let program: TurnProgram;
  try {
    const needs = { submitter: true, functions: routed.request.kind === 'function', secrets: hasMarks(hidden) };
    program = { ...(await host.program(runId, needs)), isRouted: true };
  } catch (cause) {
    if (!(cause instanceof ProgramRefused)) throw cause;
    return { outcome: { kind: 'not-started', reason: cause.message }, at: 0, printed: 0 };
  }
  const request = revealSecrets(hidden, program.secrets) as unknown as RoutedEffect['request'];
  const effects = new EffectEntries(context, { runId, host, inDoubt, placement: NO_ROUTES, program, presence: null });
  await effects.start(request, outputLimit, 0);
  const [entry] = effects.entries();
  try {
    const came = await entry;
    if (came?.kind !== 'performed') throw new Error('the effect was not performed');
    effects.finish(request.effect);
    return came.performed;
  } catch (cause) {
    // The next attempt joins it, unless it comes too late.
    if (!context.attemptOver.aborted) await effects.abandon(request.effect);
    throw cause;
  }
}

type EffectArrival = { readonly kind: 'found' } | { readonly kind: 'mail'; readonly mail: readonly Mail[] };

/**
 * Passes a turn on to workers with a name. If the engine knows none yet, the turn waits here and not in the object of the
 * run, so that the run can be seen and reached meanwhile. A run that is cancelled before it has begun is ended here.
 */
export async function passToHome(context: TurnContext, { home, start }: HomeTurn, host: TurnHost): Promise<void> {
  const { services } = host;
  const wanted = { kind: 'home', name: home } as const;
  const { attemptOver } = context;
  const isKnown = await context.run('home', () => host.hasWorker(wanted, 0, attemptOver));
  if (isKnown) return context.send(services.turn(home), start);
  const { runId, turn } = start;
  host.presence?.({ runId, turn, invocation: context.invocation, over: attemptOver }).waitsFor(wanted);
  const stopping = new AbortController();
  const find = async (): Promise<boolean> => {
    const signal = AbortSignal.any([stopping.signal, attemptOver]);
    const isThere = await host.hasWorker(wanted, Number.POSITIVE_INFINITY, signal);
    // The next attempt looks again.
    attemptOver.throwIfAborted();
    return isThere;
  };
  const found = context.run('worker', find, (): EffectArrival => ({ kind: 'found' }));
  let { mail } = start;
  for (;;) {
    const { id, entry } = context.awakeable((more: readonly Mail[]): EffectArrival => ({ kind: 'mail', mail: more }));
    const seen = mail.at(-1)?.number ?? start.seen;
    context.send(services.run(start.runId, 'listening'), {
      turn: start.turn,
      awakeable: id,
      seen,
    } satisfies ListeningTurn);
    const came = await context.race<EffectArrival>([found, entry]);
    if (came.kind === 'found') return context.send(services.turn(home), { ...start, mail });
    mail = [...mail, ...came.mail];
    if (start.image !== null || !mail.some(({ delivery }) => delivery.kind === 'cancel')) continue;
    stopping.abort();
    await found;
    return executeTurn(context, { ...start, mail }, host);
  }
}
