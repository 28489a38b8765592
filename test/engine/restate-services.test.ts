/** What is offered to the engine: which handlers can be called from outside, and what becomes of a message that is unreadable. */
import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import type { RestateContext, RestateSdk } from '../../src/engine/restate-sdk.js';
import { restateServices } from '../../src/engine/restate-services.js';
import type { TurnHost } from '../../src/engine/turn-host.js';
import { type ValueCodec, valueCodec } from '../../src/engine/value-codec.js';
import { SERVICES } from './scripted-engine.js';

interface Offered {
  readonly options: { readonly ingressPrivate?: boolean; readonly input?: ValueCodec };
  readonly handler: (context: RestateContext, message: unknown) => Promise<unknown>;
}

const KEY = Buffer.alloc(32, 7).toString('base64');
const OTHER = Buffer.alloc(32, 8).toString('base64');

interface Service {
  readonly name: string;
  readonly handlers: object;
  readonly options: { readonly inactivityTimeout: number };
}

/** After how much silence a service is suspended, in milliseconds. */
const silences = new Map<string, number>();

/** All handlers that a worker with a home and a label offers, by service and name. */
function offered(): ReadonlyMap<string, Offered> {
  const define = (options: Offered['options'], handler: Offered['handler']): Offered => ({ options, handler });
  const all = new Map<string, Offered>();
  const add = ({ name, handlers, options }: Service): void => {
    silences.set(name, options.inactivityTimeout);
    for (const [handler, one] of Object.entries(handlers)) all.set(`${name}/${handler}`, one);
  };
  const sdk = {
    service: add,
    object: add,
    handlers: { handler: define, object: { shared: define, exclusive: define } },
  };
  const host = { services: SERVICES, environment: {}, submitters: null } as unknown as TurnHost;
  const offer = { isGeneral: true, homes: ['home'], labels: ['gpu'] };
  restateServices(sdk as unknown as RestateSdk, host, offer, valueCodec(KEY));
  return all;
}

test('only what clients and workers call can be called from outside', () => {
  const open = [...offered()].filter(([, { options }]) => options.ingressPrivate !== true).map(([name]) => name);
  const ofRun = [
    'submit',
    'tell',
    'resume',
    'drop',
    'store',
    'doing',
    'whereabouts',
    'status',
    'about',
    'artifact',
    'events',
  ];
  const ofRuns = ['list', 'days'];
  const ofShared = ['account', 'spend', 'clear', 'keepText', 'look', 'entries'];
  const ofWorkers = ['join', 'leave', 'list'];
  const ofSchedules = ['keep', 'looks', 'lookUp', 'seen'];
  const ofNotices = ['expect', 'take', 'settle', 'counts'];
  expect(open).toEqual([
    ...ofRun.map((name) => `test.Run/${name}`),
    ...ofRuns.map((name) => `test.Runs/${name}`),
    ...ofShared.map((name) => `test.Shared/${name}`),
    ...ofWorkers.map((name) => `test.Workers/${name}`),
    ...ofSchedules.map((name) => `test.Schedules/${name}`),
    ...ofNotices.map((name) => `test.Notices/${name}`),
  ]);
});

test('a message of a service that cannot be read is not lost', async () => {
  const inside = [...offered()].filter(([, { options }]) => options.ingressPrivate === true);
  expect(inside).toHaveLength(18);
  for (const [name, { options, handler }] of inside) {
    const received = options.input?.deserialize(valueCodec(OTHER).serialize({ turn: 1 }));
    await expect(handler({} as RestateContext, received), name).rejects.toThrow(/encrypted with another key/);
  }
});

test('a handler that executes something is not suspended meanwhile, because it would not hear of a cancellation', () => {
  offered();
  const long = [...silences].filter(([, ms]) => ms > 24 * 3600 * 1000).map(([name]) => name);
  expect(long).toEqual(['test.Turn', 'test.Turn.home', 'test.Effects.gpu']);
});
