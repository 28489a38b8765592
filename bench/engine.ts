/** Effects of runs on a real engine, compared with empty entries of its SDK. The engine is installed like for its tests. */
import { join } from 'node:path';
import { execa } from 'execa';
import type { Row } from './row.js';

interface Pair {
  readonly own: number;
  readonly other: number;
}

interface Compared {
  readonly one: Pair;
  readonly twenty: Pair;
  /** The work of the server. */
  readonly server: Pair;
  readonly cancelMs: number;
  readonly nextMs: number;
  /** Until a killed run continues: with 50,000 effects behind it, and with 500. */
  readonly again: Pair;
  /** Until all runs continue after the death of one of two workers. */
  readonly deathMs: number;
}

export const engineRow: Row = {
  name: 'engine',
  async measure() {
    const script = join(process.env.STATEDSL_BENCH_ROOT ?? '.', 'test/engine/compare.mjs');
    const { stdout } = await execa(process.execPath, [script], { stderr: 'inherit' });
    const { one, twenty, server, cancelMs, nextMs, again, deathMs } = JSON.parse(stdout) as Compared;
    const sides = ({ own, other }: Pair): string => `${own.toFixed(0)} ms vs ${other.toFixed(0)} ms`;
    const ratio = ({ own, other }: Pair): number => other / own;
    const time = (ms: number, atMost: number) => ({ sides: '', ratio: ms, unit: 'ms', atMost });
    return [
      { what: 'engine: rate of 1,000 effects / of empty entries', sides: sides(one), ratio: ratio(one), atLeast: 0.55 },
      { what: 'engine: 20 runs of 100 / 20 handlers', sides: sides(twenty), ratio: ratio(twenty), atLeast: 0.5 },
      {
        what: 'engine: work of the server for 1,000 effects / for empty entries',
        sides: sides(server),
        ratio: server.own / server.other,
        atMost: 1.6,
      },
      { what: 'engine: cancel a command that sleeps', ...time(cancelMs, 1000) },
      { what: 'engine: next effect after a worker was killed and started', ...time(nextMs, 3000) },
      { what: 'engine: next effect after one of two workers was killed', ...time(deathMs, 3000) },
      {
        what: 'engine: continue after a kill with 50,000 effects / with 500',
        sides: sides(again),
        ratio: again.own / again.other,
        atMost: 1.5,
      },
    ];
  },
};
