/** What a run that waits holds in the memory of a program that embeds many of them. */
import { compile, run } from '../src/index.js';
import type { Row } from './row.js';

const COUNT = 2000;

function used(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

export const waitingRuns: Row = {
  name: 'waiting runs',
  async measure() {
    if (globalThis.gc === undefined) throw new Error('the benchmark needs --expose-gc');
    const { machine } = compile('INPUT: n = 1\nSTATE: A\n  TRACK: x = n\n  WAIT: 1h\n  RETURN: {x}\n', {
      name: 'wait.dsl',
    });
    if (machine === null) throw new Error('the waiting program does not compile');
    const stop = new AbortController();
    const start = (n: number) => run(machine, { inputs: { n }, signal: stop.signal });
    const first = start(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = used();
    const runs = Array.from({ length: COUNT }, (_, n) => start(n));
    await new Promise((resolve) => setTimeout(resolve, 500));
    const each = (used() - before) / COUNT / 1024;
    stop.abort();
    await Promise.all([first, ...runs]);
    return [{ what: 'memory of one waiting run', sides: `${COUNT} runs`, ratio: each, unit: 'KiB', atMost: 20 }];
  },
};
