/** One bound on the effects of many runs: the pool of the service, and processes that ask it over channels with a delay. */
import { expect, test } from 'vitest';
import { askPermits, type PermitRequest, type ServiceChannel } from '../../src/serve/executions/ask-permits.js';
import { PermitPool } from '../../src/serve/listen.js';
import { tries } from '../amount.js';
import { seed, sequenceOf } from '../random.js';

const never = new AbortController().signal;

/** A process of a run: its messages arrive in order, later. */
function processOf(pool: PermitPool, share = 1) {
  let isOpen = true;
  const toProcess: (() => void)[] = [];
  const toService: PermitRequest[] = [];
  let onPermit = (): void => undefined;
  let onClose = (): void => undefined;
  const holder = pool.open(() => toProcess.push(() => onPermit()));
  const channel: ServiceChannel = {
    get isOpen() {
      return isOpen;
    },
    send: (request) => void toService.push(request),
    onPermit: (action) => (onPermit = action),
    onClose: (action) => (onClose = action),
    keepAlive: () => undefined,
  };
  return {
    permits: askPermits(channel, share),
    /** Delivers one message in each direction. */
    exchange(): void {
      const request = toService.shift();
      if (request !== undefined) holder[request]();
      if (isOpen) toProcess.shift()?.();
    },
    /** The process dies. */
    die: () => holder.close(),
    /** The service dies. */
    loseService(): void {
      isOpen = false;
      onClose();
    },
  };
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('who asks first is served first, whichever run asks', async () => {
  const pool = new PermitPool(1);
  const [a, b] = [processOf(pool), processOf(pool)];
  const order: string[] = [];
  const perform = async (name: string, from: typeof a): Promise<void> => {
    const giveBack = await from.permits.take(never);
    order.push(name);
    giveBack?.();
  };
  const all: Promise<void>[] = [];
  for (const [name, from] of [
    ['a1', a],
    ['b1', b],
    ['a2', a],
    ['b2', b],
  ] as const) {
    all.push(perform(name, from));
    from.exchange();
  }
  while (order.length < 4) {
    a.exchange();
    b.exchange();
    await tick();
  }
  await Promise.all(all);
  expect(order).toEqual(['a1', 'b1', 'a2', 'b2']);
});

test('a process that dies gives back what it holds, and leaves the queue', async () => {
  const pool = new PermitPool(2);
  const [a, b] = [processOf(pool), processOf(pool)];
  for (let n = 0; n < 3; n++) void a.permits.take(never);
  for (let n = 0; n < 6; n++) a.exchange();
  await tick();
  const taken = b.permits.take(never);
  b.exchange();
  a.die();
  b.exchange();
  expect(await taken).not.toBeNull();
});

test('without the service a process keeps to its share, and the next service reserves it', async () => {
  const pool = new PermitPool(4);
  const a = processOf(pool, 2);
  a.loseService();
  const first = await a.permits.take(never);
  await a.permits.take(never);
  let third = false;
  void a.permits.take(never).then(() => (third = true));
  await tick();
  expect(third).toBe(false);
  first?.();
  await tick();
  expect(third).toBe(true);
  const next = new PermitPool(3);
  const leave = next.reserve(2);
  const b = processOf(next);
  const got: boolean[] = [];
  for (let n = 0; n < 2; n++) void b.permits.take(never).then(() => got.push(true));
  for (let n = 0; n < 4; n++) b.exchange();
  await tick();
  expect(got).toHaveLength(1);
  leave();
  leave();
  b.exchange();
  await tick();
  expect(got).toHaveLength(2);
});

test.each(Array.from({ length: tries(8, 200) }, (_, at) => at))(
  'whatever is stopped at whatever moment, the bound holds and nothing waits for ever (%i)',
  async (at) => {
    const random = sequenceOf(`${seed} ${at}`);
    const TOTAL = 3;
    const pool = new PermitPool(TOTAL);
    const processes = Array.from({ length: 4 }, () => processOf(pool));
    let active = 0;
    let most = 0;
    let over = 0;
    let begun = 0;
    const holding: (() => void)[] = [];
    const stoppable: AbortController[] = [];
    for (let step = 0; step < 3000; step++) {
      const from = processes[random(processes.length)] as (typeof processes)[0];
      const what = random(10);
      if (what < 2 && step < 2000) {
        const stop = new AbortController();
        stoppable.push(stop);
        begun++;
        void from.permits.take(stop.signal).then((giveBack) => {
          if (giveBack === null) return void over++;
          active++;
          most = Math.max(most, active);
          holding.push(() => {
            active--;
            over++;
            giveBack();
            giveBack();
          });
        });
      } else if (what === 2) stoppable.splice(random(Math.max(1, stoppable.length)), 1)[0]?.abort();
      else if (what < 5) holding.splice(random(Math.max(1, holding.length)), 1)[0]?.();
      else from.exchange();
      await tick();
    }
    while (over < begun) {
      holding.pop()?.();
      for (const one of processes) one.exchange();
      await tick();
    }
    expect({ active, most }).toEqual({ active: 0, most: TOTAL });
  },
);
