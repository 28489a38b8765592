/** Drives a program in surroundings that are made by hand, and notes what happens, in order. */

import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import { link, startRun } from '../../src/interpreter/run.js';
import { compile } from '../../src/language/check/compile.js';
import type { Limits, Machine } from '../../src/machine/machine.js';
import type { EffectContext, PerformedRequest } from '../../src/runtime/effect-context.js';
import { drive } from '../../src/runtime/run/drive.js';
import type { DriveEnd, DriveOptions } from '../../src/runtime/run/drive-options.js';
import type { Delivery, Inbox } from '../../src/runtime/store/inbox.js';
import { OPTIONS, printed } from '../interpreter/machine-builder.js';

export type Perform = (name: string, context: EffectContext, request: PerformedRequest) => Outcome | Promise<Outcome>;
export type Parts = Partial<Omit<DriveOptions, 'effects' | 'context'>> & {
  readonly perform?: Perform;
  readonly resources?: object;
  readonly limits?: Limits;
};

export interface Driven {
  readonly end: DriveEnd;
  /** What happened, in order. */
  readonly log: readonly string[];
  readonly events: readonly RunEvent[];
}

export const DONE: Outcome = printed('');

/** Drives a program; `log` may be shared with the parts of a test. */
export async function driven(text: string, parts: Parts = {}, log: string[] = []): Promise<Driven> {
  const { machine, diagnostics } = compile(text, {});
  if (machine === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const { perform = () => DONE, resources = {}, limits = {}, ...rest } = parts;
  const events: RunEvent[] = [];
  const append = (added: readonly RunEvent[]): void => {
    events.push(...added);
    for (const { type } of added) log.push(`record ${type}`);
  };
  const sync = async (isBlocking: boolean): Promise<void> => {
    if (!isBlocking) await nextTurn();
    log.push(isBlocking ? 'sync at once' : 'sync');
  };
  const options = {
    effects: {
      perform: (request: PerformedRequest, context: EffectContext) => {
        const name = 'text' in request ? request.text : request.kind;
        log.push(`start ${name}`);
        return request.kind === 'clock' ? { kind: 'value', value: 0 } : perform(name, context, request);
      },
    },
    context: { resources: { worktrees: null, ...resources } },
    journal: { folder: null, append, sync, close: async () => undefined },
    ...{ redactor: null, stateFile: null, checkpoints: null, inbox: null, growth: null, time: null, signal: null },
    ...{ onEvent: null, onOutput: null, onNotice: null, ask: null, person: 'ann', timeMs: null },
    ...{ suspendAfterMs: null, signalUpToMs: null, mayBlock: () => false },
    begin: { seq: 0, events: [], activeMs: 0 },
    ...rest,
  } as unknown as DriveOptions;
  const end = await drive(startRun(link(machine as Machine), { ...OPTIONS, jobs: 200, limits }), options);
  return { end, log, events };
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Ends when it is stopped, some turns later. */
export async function untilStopped({ stop }: EffectContext, then: () => void): Promise<Outcome> {
  while (!stop.aborted) await nextTurn();
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  then();
  return DONE;
}

export const typesIn = (events: readonly RunEvent[]): string[] => events.map(({ type }) => type);

/** An inbox in memory. */
export function inboxOf(deliveries: readonly Delivery[], log: string[] = []): Inbox & { send(one: Delivery): void } {
  const unread = [...deliveries];
  let read = 0;
  return {
    get read() {
      return read;
    },
    hasMore: () => unread.length > 0,
    take: () => unread.splice(0).map((delivery) => ({ delivery, inbox: ++read })),
    folder: '',
    takeDebugger: () => null,
    forget: () => void log.push('forget'),
    send: (one) => void unread.push(one),
  };
}

export const signal = (name: string): Delivery => ({ kind: 'signal', name, payload: 1, by: 'ann' });

/** One member requests something while another one computes. */
export const COMPUTES = `STATE: A
  DO: in PARALLEL
    - a
    - FOR EACH: y in range(300):
        IF: y == 299 → DO: b
  RETURN
`;
