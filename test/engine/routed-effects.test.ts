/** What becomes of a routed effect when its invocation ends, and of the search for a worker when its attempt does. */
import { expect, test } from 'vitest';
import { EffectEntries } from '../../src/engine/effect-entries.js';
import type { Entry, PerformContext } from '../../src/engine/engine-context.js';
import { performRouted } from '../../src/engine/restate-services.js';
import { hideSecrets } from '../../src/engine/secret-inputs.js';
import { StartedEffects } from '../../src/engine/started-effects.js';
import { type EffectBounds, EXECUTE, type ProgramNeeds, ProgramRefused } from '../../src/engine/turn-host.js';
import type { PerformedRequest } from '../../src/runtime/effect-context.js';
import { SERVICES } from './scripted-engine.js';

const RUN = '01900000-0000-7000-8000-000000000005';
const request = {
  kind: 'function',
  tool: 'work',
  text: 'work',
  effect: '1',
  attempt: 1,
} as unknown as PerformedRequest;

/** A handler whose entries never end by themselves. `end` makes them fail, as when the invocation is cancelled. */
function handler() {
  const over = new AbortController();
  const actions: Promise<unknown>[] = [];
  let end: (cause: Error) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    end = reject;
  });
  ended.catch(() => undefined);
  const entry = Object.assign(ended, { map: () => entry }) as unknown as Entry<never>;
  const refuse = (): never => expect.unreachable();
  const context: PerformContext = {
    run: (_, action) => {
      const done = Promise.resolve().then(action);
      done.catch(() => undefined);
      actions.push(done);
      return entry;
    },
    sleep: refuse,
    race: refuse,
    call: refuse,
    attemptOver: over.signal,
    invocation: 'inv_1',
  };
  return { context, over, actions, end };
}

/** An effect in flight, which ends when it is stopped. */
async function inFlight() {
  const { context, over, end } = handler();
  let stopping: AbortSignal | null = null;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const started = new StartedEffects();
  const host = {
    services: SERVICES,
    environment: {},
    submitters: null,
    functions: null,
    started,
    newName: () => 'attempt',
    program: async () => ({ secrets: [] }) as never,
    hasWorker: async () => true,
    perform: (_: string, __: unknown, ___: unknown, { stopping: { signal: stop } }: EffectBounds) =>
      new Promise<never>((_resolve, reject) => {
        stopping = stop;
        begin();
        stop.addEventListener('abort', () => reject(new Error('stopped')));
      }),
  };
  const routed = performRouted(context, { runId: RUN, request, outputLimit: 1, inDoubt: 'fail' }, host);
  const failure = routed.catch((cause: Error) => cause.message);
  await begun;
  return { over, end, started, failure, isStopped: () => stopping?.aborted };
}

test('an effect that is cancelled is stopped before its invocation ends', async () => {
  const { end, started, failure, isStopped } = await inFlight();
  end(new Error('cancelled'));
  expect(await failure).toBe('cancelled');
  expect([isStopped(), started.has(`${RUN} 1.1`)]).toEqual([true, false]);
});

test('an effect whose connection to the engine breaks continues for the next attempt', async () => {
  const { over, end, started, failure, isStopped } = await inFlight();
  over.abort();
  end(new Error('broken'));
  expect(await failure).toBe('broken');
  expect([isStopped(), started.has(`${RUN} 1.1`)]).toEqual([false, true]);
  await started.stopAll();
});

test('a search for a worker ends with its attempt, and does not say that there is none', async () => {
  const { context, over, actions } = handler();
  const host = {
    services: SERVICES,
    environment: {},
    started: new StartedEffects(),
    newName: () => 'attempt',
    perform: () => expect.unreachable(),
    hasWorker: (_: unknown, __: number, stop: AbortSignal) =>
      new Promise<boolean>((resolve) => stop.addEventListener('abort', () => resolve(false))),
  };
  const placement = { routes: { kinds: { function: 'gpu' } }, patienceMs: 1e9 };
  const effects = new EffectEntries(context, {
    presence: null,
    runId: RUN,
    host,
    inDoubt: 'fail',
    program: { secrets: [] } as never,
    placement,
  });
  await effects.start(request, 1, 0);
  over.abort();
  await expect(actions[0]).rejects.toThrow('aborted');
});

test('an effect that could not be performed is started anew by the next attempt', async () => {
  const started = new StartedEffects();
  const performed = { outcome: { kind: 'value', value: 1 }, at: 0, printed: 0 } as const;
  await expect(started.join('a', 'inv', () => Promise.reject(new Error('no connection')))).rejects.toThrow(
    'no connection',
  );
  expect(await started.join('a', 'inv', async () => performed)).toBe(performed);
  started.leave('a');
  started.forget('a');
});

test('an effect that a worker with the label must not perform is not started, for the reason', async () => {
  const refuse = (): never => expect.unreachable();
  const host = {
    services: SERVICES,
    environment: {},
    submitters: null,
    functions: null,
    started: new StartedEffects(),
    newName: () => 'attempt',
    hasWorker: refuse,
    perform: refuse,
    program: async (_: string, { secrets, functions }: ProgramNeeds = EXECUTE): Promise<never> => {
      throw new ProgramRefused(`secrets: ${secrets}, functions: ${functions}`, false);
    },
  };
  const reasonOf = async (given: object) => {
    const routed = { runId: RUN, request: { ...request, ...given }, outputLimit: 1, inDoubt: 'fail' } as const;
    return (await performRouted(handler().context, routed, host)).outcome;
  };
  expect(await reasonOf({})).toEqual({ kind: 'not-started', reason: 'secrets: false, functions: true' });
  const hidden = hideSecrets({ kind: 'argv', args: ['geheim'] }, [{ name: 'token', value: 'geheim' }]);
  expect(await reasonOf(hidden)).toEqual({ kind: 'not-started', reason: 'secrets: true, functions: false' });
});
