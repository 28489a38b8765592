/** Lists of runs and their removal, where something went wrong or somebody is still at it. */
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile, run } from '../../src/index.js';
import { listRuns } from '../../src/runtime/list-runs.js';
import { removeOldRuns } from '../../src/runtime/store/remove-runs.js';
import { lockRun } from '../../src/runtime/store/run-lock.js';
import { openStoredRun } from '../../src/runtime/store/stored-run.js';
import { temporaryFolder } from './running.js';

const PROGRAM = `INPUT: how = "well"
STATE: A
  GOTO: B
STATE: B
  IF: how == "badly" → DO exit 3
  IF: how == "ask" → ASK user: "Go on?" → ok
  RETURN`;

/** A store with one run for each word; their ids in the same order. */
async function store(...words: readonly string[]): Promise<{ directory: string; ids: string[] }> {
  const directory = join(temporaryFolder(), '.statedsl');
  const { machine } = compile(PROGRAM, { name: 'p' });
  if (machine === null) throw new Error('the program is wrong');
  const ids: string[] = [];
  for (const how of words) ids.push((await run(machine, { inputs: { how }, dir: directory })).run_id);
  return { directory, ids };
}

const index = (directory: string): string => join(directory, 'runs/index.ndjson');
const folder = (directory: string, id: string | undefined): string => join(directory, 'runs', id ?? '');
const statuses = (directory: string) => listRuns(directory).map(({ status }) => status);

describe('the list', () => {
  test('has the newest first, and as many as are wanted', async () => {
    const { directory, ids } = await store('well', 'badly', 'ask');
    expect(listRuns(directory).map(({ run_id }) => run_id)).toEqual([...ids].reverse());
    expect(statuses(directory)).toEqual(['suspended', 'failed', 'returned']);
    expect(listRuns(directory, 1)).toMatchObject([{ status: 'suspended', state: 'B', machine: 'p', effects: 0 }]);
    expect(listRuns(join(directory, 'nowhere'))).toEqual([]);
  });

  test('opens no file of a run that ended', async () => {
    const { directory, ids } = await store('well', 'badly');
    for (const id of ids) {
      rmSync(folder(directory, id), { recursive: true });
      mkdirSync(folder(directory, id));
    }
    expect(statuses(directory)).toEqual(['failed', 'returned']);
  });

  test('knows what became of runs that are not in the index', async () => {
    const { directory, ids } = await store('well', 'badly', 'ask', 'well');
    rmSync(index(directory));
    // The last one was killed in the middle of writing an event.
    const journal = join(folder(directory, ids[3]), 'journal.ndjson');
    truncateSync(journal, readFileSync(journal).length - 20);
    expect(statuses(directory)).toEqual(['killed', 'suspended', 'failed', 'returned']);
    expect(listRuns(directory, 1)).toMatchObject([
      { state: 'B', machine: 'p', duration_ms: null, cost: null, effects: null },
    ]);
  });

  test('distinguishes a run that was resumed from one that was left', async () => {
    const { directory, ids } = await store('ask');
    const [entry] = readFileSync(index(directory), 'utf8').split('\n');
    appendFileSync(index(directory), `${entry?.replace('suspended', 'running')}\n{"torn`);
    const path = join(folder(directory, ids[0]), 'journal.ndjson');
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, lines.slice(0, 3).join('\n'));
    expect(statuses(directory)).toEqual(['killed']);
    const attempt = lockRun(folder(directory, ids[0]));
    expect(statuses(directory)).toEqual(['running']);
    if ('lock' in attempt) attempt.lock.release();
    expect(statuses(directory)).toEqual(['killed']);
  });

  test('knows since when a run is executed, without the time when it was suspended', async () => {
    const { directory, ids } = await store('ask');
    const [suspended] = listRuns(directory);
    expect(suspended).not.toHaveProperty('active_since');
    const [line] = readFileSync(index(directory), 'utf8').split('\n');
    const resumed = { status: 'running', ended_at: '2030-01-01T10:00:00.000Z', duration_ms: 90_000 };
    const lock = lockRun(folder(directory, ids[0]));
    appendFileSync(index(directory), `${JSON.stringify({ ...JSON.parse(line ?? ''), ...resumed })}\n`);
    expect(listRuns(directory)[0]).toMatchObject({ status: 'running', active_since: '2030-01-01T09:58:30.000Z' });
    // A number that no date has.
    appendFileSync(
      index(directory),
      `${JSON.stringify({ ...JSON.parse(line ?? ''), ...resumed, duration_ms: 1e300 })}\n`,
    );
    expect(listRuns(directory)[0]?.active_since).toBe(suspended?.started_at);
    truncateSync(index(directory), 0);
    expect(listRuns(directory)[0]?.active_since).toBe(suspended?.started_at);
    if ('lock' in lock) lock.lock.release();
    expect(listRuns(directory)[0]).not.toHaveProperty('active_since');
  });

  test('has a run of which nothing is there yet', () => {
    const directory = temporaryFolder();
    mkdirSync(folder(directory, '01a201c6-0cff-70f8-947f-47d8b67e5e66'), { recursive: true });
    const [listed] = listRuns(directory);
    expect(listed).toMatchObject({ machine: null, status: 'killed', state: null });
    expect(listed?.started_at).toBe('2026-11-22T05:41:26.399Z');
  });
});

describe('removal', () => {
  const options = { keepLast: 0, all: false, dryRun: false };

  test('leaves what can be resumed, unless all of it is to go', async () => {
    const { directory, ids } = await store('ask', 'well', 'badly', 'well');
    const { removed, kept, bytes } = removeOldRuns(directory, { ...options, keepLast: 1 });
    expect(removed.map(({ run_id }) => run_id)).toEqual([ids[2], ids[1]]);
    expect(kept).toMatchObject([{ run_id: ids[0], status: 'suspended' }]);
    expect(bytes).toBeGreaterThan(1000);
    expect(removeOldRuns(directory, { ...options, all: true }).removed).toHaveLength(2);
    expect(readdirSync(join(directory, 'runs'))).toEqual(['index.ndjson']);
    expect(readFileSync(index(directory), 'utf8')).toBe('');
  });

  test('takes what is left of a process that died before its run began, unless a run may be moving in', () => {
    const directory = temporaryFolder();
    const young = Date.now().toString(16).padStart(12, '0');
    const left = [
      '01a201c6-0cff-70f8-947f-47d8b67e5e66',
      `${young.slice(0, 8)}-${young.slice(8)}-70f8-947f-47d8b67e5e66`,
    ];
    for (const id of left) mkdirSync(folder(directory, id), { recursive: true });
    expect(removeOldRuns(directory, options)).toMatchObject({
      removed: [{ run_id: left[0] }],
      kept: [{ run_id: left[1] }],
    });
    expect(() => openStoredRun(directory, left[1] as string)).toThrow(/ended before the run began/);
  });

  test('never takes a run from the process that has it', async () => {
    const { directory, ids } = await store('badly');
    const attempt = lockRun(folder(directory, ids[0]));
    expect(removeOldRuns(directory, { ...options, all: true })).toMatchObject({
      removed: [],
      kept: [{ run_id: ids[0], status: 'running' }],
    });
    if ('lock' in attempt) attempt.lock.release();
    expect(removeOldRuns(directory, options).removed).toHaveLength(1);
  });

  test('finishes what an earlier one began, and a dry one touches nothing', async () => {
    const { directory, ids } = await store('well');
    const begun = join(directory, 'runs', `.removed-${ids[0]?.replace('0', '1')}`);
    mkdirSync(join(begun, 'artifacts'), { recursive: true });
    expect(removeOldRuns(directory, { ...options, dryRun: true }).removed).toHaveLength(1);
    expect([existsSync(begun), statuses(directory)]).toEqual([true, ['returned']]);
    removeOldRuns(directory, { ...options, keepLast: 5 });
    expect([existsSync(begun), statuses(directory)]).toEqual([false, ['returned']]);
  });

  test('leaves a run with work that was not applied, unless all of it is to go', async () => {
    const { directory, ids } = await store('well', 'well');
    const unapplied = new Set([ids[0] as string]);
    const { removed, kept } = removeOldRuns(directory, { ...options, unapplied });
    expect(removed.map(({ run_id }) => run_id)).toEqual([ids[1]]);
    expect(kept).toMatchObject([{ run_id: ids[0], status: 'returned', unapplied: true }]);
    expect(removeOldRuns(directory, { ...options, unapplied, all: true }).removed).toHaveLength(1);
  });

  test('leaves what is not a run of this store', async () => {
    const { directory, ids } = await store('well', 'well');
    const [linked, other] = ids as [string, string];
    const journal = join(folder(directory, linked), 'journal.ndjson');
    const elsewhere = join(temporaryFolder(), 'journal.ndjson');
    renameSync(journal, elsewhere);
    symlinkSync(elsewhere, journal);
    rmSync(join(folder(directory, other), 'run.json'));
    writeFileSync(join(folder(directory, other), 'photo.jpg'), '');
    mkdirSync(join(directory, 'runs', '.removed-photos'));
    const { removed, kept, leftovers } = removeOldRuns(directory, { ...options, all: true });
    expect({ removed, leftovers }).toEqual({ removed: [], leftovers: [] });
    expect(kept).toMatchObject([{ run_id: linked, link: 'journal.ndjson' }]);
    expect([elsewhere, join(folder(directory, other), 'photo.jpg')].every((path) => existsSync(path))).toBe(true);
  });

  test('counts only the bytes that it frees', async () => {
    const { directory, ids } = await store('well');
    const file = join(folder(directory, ids[0]), 'artifacts', 'shared');
    writeFileSync(file, 'x'.repeat(50_000));
    expect(removeOldRuns(directory, { ...options, dryRun: true }).bytes).toBeGreaterThan(50_000);
    linkSync(file, join(temporaryFolder(), 'copy'));
    const { bytes } = removeOldRuns(directory, options);
    expect(bytes).toBeGreaterThan(1000);
    expect(bytes).toBeLessThan(50_000);
  });
});
