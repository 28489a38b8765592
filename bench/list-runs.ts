/** The time to list a large store: ten thousand finished runs, read from the index. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from './row.js';
import { cli, inScratch } from './scratch.js';
import { milliseconds, spawned, takeTurns } from './timing.js';

const RUNS = 10_000;
/** A point in time for the first run; each one begins a second later. */
const BEGIN_MS = 1_790_000_000_000;

export const listRuns: Row = {
  name: 'list-runs',
  measure: () =>
    inScratch(async ({ path, write }) => {
      mkdirSync(join(path, '.statedsl/runs'), { recursive: true });
      const entries = Array.from({ length: RUNS }, (_, at) => entry(at));
      for (const { run_id } of entries) mkdirSync(join(path, '.statedsl/runs', run_id));
      write('.statedsl/runs/index.ndjson', entries.map((one) => `${JSON.stringify(one)}\n`).join(''));
      const [node, list] = (await takeTurns(7, [
        () => spawned(process.execPath, ['-e', '0'], path),
        () => spawned(process.execPath, [cli, 'runs'], path),
      ])) as [number, number];
      const sides = `${milliseconds(list)}, of which ${milliseconds(node)} are node -e 0`;
      return [{ what: 'runs, of a store with 10,000', sides, ratio: list, unit: 'ms', atMost: 300 }];
    }),
};

function entry(at: number) {
  const time = (BEGIN_MS + at * 1000).toString(16).padStart(12, '0');
  const run_id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${at.toString(16).padStart(12, '0')}`;
  const began = new Date(BEGIN_MS + at * 1000).toISOString();
  const facts = { machine: 'campaign', status: 'returned', state: 'COMPLETE', started_at: began, ended_at: began };
  return { run_id, ...facts, duration_ms: 1234, cost: 0.5, effects: 12 };
}
