/** Outcomes that come at the same moment: a replay of the record must do the same with them as the run did. */
import { expect, test } from 'vitest';
import { checkDrift } from '../../src/runtime/run/again/replay-run.js';
import { tries } from '../amount.js';
import { randomNumbers, seed } from '../random.js';
import { keptRun } from './kept-run.js';

/** Forks inside of members share their permits, so the next one to begin depends on which asked first. */
const TEXT = `STATE: A
  FOR EACH: i in range(3) in PARALLEL [max=3]
    FOR EACH: j in range(3) in PARALLEL [max=2]
      DO: tick {i}{j}a
      DO: tick {i}{j}b
    FOR EACH: j in range(3) in PARALLEL
      DO: tick {i}{j}c
      DO: tick {i}{j}d
  RETURN: done
`;

/** Lets commands end in groups of a random size, all of a group in one turn of the event loop. */
function grouped(from: number) {
  const random = randomNumbers(from);
  let waiting: (() => void)[] = [];
  const open = (): void => {
    const count = 1 + Math.floor(random() * 3);
    const now = waiting.sort(() => random() - 0.5).splice(0, count);
    for (const end of now) end();
    if (waiting.length > 0) setImmediate(open);
  };
  return () =>
    new Promise<string>((resolve) => {
      if (waiting.length === 0) setImmediate(open);
      waiting = [...waiting, () => resolve('ok')];
    });
}

test('a run does not depend on the timing of its outcomes', async () => {
  for (let n = 0; n < tries(8, 200); n++) {
    const { report, dir } = await keptRun(TEXT, { tick: grouped(seed + n) }, { jobs: 2 });
    expect(report.status).toBe('returned');
    expect((await checkDrift(report.run_id, { dir })).difference, `seed ${seed + n}`).toBe(null);
  }
});
