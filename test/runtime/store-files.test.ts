/** A store as files: how it is made, which run a name means, and what its record says was printed. */
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/interpreter/events/event.js';
import type { WorktreeRequest } from '../../src/interpreter/request.js';
import { reportJson } from '../../src/runtime/run/run-report.js';
import { type Commits, insteadOf, noteCommit } from '../../src/runtime/run/worktree-record.js';
import {
  isTrialId,
  type KeptTrial,
  keepTrial,
  noteRun,
  readSlots,
  readTrial,
  trialFolder,
  trialIds,
} from '../../src/runtime/store/kept-trials.js';
import { bytesOf, OutputRecord, sizeOf } from '../../src/runtime/store/run-output.js';
import { makeStore } from '../../src/runtime/store/store-ownership.js';
import { findRunId, runIds } from '../../src/runtime/store/stored-run.js';
import { temporaryFolder } from './running.js';
import { writtenRecord } from './written-record.js';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('a store that is made', () => {
  test('is for its user alone, and git does not see it', () => {
    const store = join(temporaryFolder(), 'deep', '.statedsl');
    makeStore(store);
    expect([modeOf(store), readFileSync(join(store, '.gitignore'), 'utf8')]).toEqual(['700', '*\n']);
    const named = join(temporaryFolder(), 'named');
    makeStore(named);
    expect([modeOf(named), readFileSync(join(named, '.gitignore'), 'utf8')]).toEqual(['700', '*\n']);
  });

  test('and exists gets what it lacks, and keeps its own .gitignore', () => {
    const store = join(temporaryFolder(), '.statedsl');
    mkdirSync(store, { mode: 0o755 });
    writeFileSync(join(store, '.gitignore'), 'mine\n');
    makeStore(store);
    expect([modeOf(store), readFileSync(join(store, '.gitignore'), 'utf8')]).toEqual(['700', 'mine\n']);
  });

  test('in a folder that the user chose changes nothing there', () => {
    const chosen = join(temporaryFolder(), 'chosen');
    mkdirSync(chosen, { mode: 0o755 });
    makeStore(chosen);
    expect([modeOf(chosen), existsSync(join(chosen, '.gitignore'))]).toEqual(['755', false]);
  });

  test('with a link in it is refused', () => {
    const store = join(temporaryFolder(), '.statedsl');
    mkdirSync(store);
    symlinkSync(temporaryFolder(), join(store, 'runs'));
    expect(() => makeStore(store)).toThrow('is a symbolic link');
    expect(() => runIds(store)).toThrow('is a symbolic link');
  });
});

describe('the run that a name means', () => {
  const IDS = [
    '01900000-0000-7000-8000-00000000aaaa',
    '01900000-0000-7000-8000-00000000bbbb',
    '01911111-0000-7000-8000-00000001bbbb',
  ] as const;
  const QUEUED = '01922222-0000-7000-8000-00000000cccc';

  function store(): string {
    const directory = join(temporaryFolder(), '.statedsl');
    for (const id of IDS) mkdirSync(join(directory, 'runs', id), { recursive: true });
    mkdirSync(join(directory, 'runs', 'no-run'));
    writeFileSync(join(directory, 'runs', '01933333-0000-7000-8000-000000000000'), '');
    mkdirSync(join(directory, 'service', 'queue'), { recursive: true });
    for (const name of [QUEUED, 'other', '01900000-0000-7000-8000-00000000dddd'])
      writeFileSync(join(directory, 'service', 'queue', `${name}.json`), '{}');
    // The queue has trials, too, which are no runs.
    mkdirSync(join(directory, 'trials', '01900000-0000-7000-8000-00000000dddd'), { recursive: true });
    return directory;
  }

  test('is one whole id, or the beginning or end of one', () => {
    const directory = store();
    expect(runIds(directory)).toEqual([...IDS]);
    expect(findRunId(directory, IDS[1])).toBe(IDS[1]);
    expect(findRunId(directory, '01911')).toBe(IDS[2]);
    expect(findRunId(directory, '0191')).toBe(IDS[2]);
    expect(findRunId(directory, 'aaaa')).toBe(IDS[0]);
    expect(findRunId(directory, '01bbbb')).toBe(IDS[2]);
  });

  test.each([
    ['019', '`019` is the beginning of 3 runs'],
    ['bbbb', '`bbbb` is the end of 2 runs'],
    ['aaa', 'there is no run `aaa` in'],
    ['', 'there is no run `` in'],
    ['nothing', 'there is no run `nothing` in'],
    ['01900000-0000-7000-8000-00000000eeee', 'there is no run `01900000-0000-7000-8000-00000000eeee` in'],
    ['01922', `run \`${QUEUED}\` has not begun`],
    [QUEUED, `run \`${QUEUED}\` has not begun`],
    ['01900000-0000-7000-8000-00000000dddd', 'there is no run'],
    ['01933', 'there is no run'],
  ])('is not %s', (name, message) => {
    expect(() => findRunId(store(), name)).toThrow(message);
  });

  test('is none in a folder without runs, which is said in another way', () => {
    expect(() => findRunId(temporaryFolder(), IDS[0])).toThrow('there is no run');
    expect(runIds(temporaryFolder())).toEqual([]);
  });
});

describe('what was printed', () => {
  const exited = (more: object): Outcome =>
    ({ kind: 'exited', exit: 0, duration_ms: 1, stdout: { text: 'out' }, stderr: 'err', ...more }) as Outcome;
  const ARTIFACT = 'a'.repeat(64);

  function read(outcome: Outcome, wanted: Partial<{ stderr: boolean; raw: boolean }> = {}, from = 0): string {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'artifacts'));
    writeFileSync(join(folder, 'artifacts', ARTIFACT), 'x'.repeat(100_000));
    const which = { stderr: false, raw: false, ...wanted };
    const bytes = Buffer.concat([...bytesOf(folder, outcome, which, from)]);
    if (from === 0) expect(sizeOf(folder, outcome, which)).toBe(bytes.length);
    return bytes.length > 1000 ? `${bytes.length} bytes` : bytes.toString();
  }

  test('is the output of a command, or what it wrote to standard error', () => {
    expect([read(exited({})), read(exited({}), { stderr: true })]).toEqual(['out', 'err']);
    expect([read(exited({}), {}, 1), read(exited({}), {}, 3), read(exited({}), {}, 9)]).toEqual(['ut', '', '']);
    expect(read(exited({ stdout: { base64: Buffer.from('späť').toString('base64') } }))).toBe('späť');
    expect(read(exited({ kind: 'timed-out' }))).toBe('out');
  });

  test('is the answer of an agent, or all that its program printed', () => {
    const agent = exited({ transcript: { text: 'all of it' } });
    expect([read(agent), read(agent, { raw: true }), read(exited({}), { raw: true })]).toEqual([
      'out',
      'all of it',
      'out',
    ]);
  });

  test('is read from an artifact if it was long', () => {
    const long = exited({ stdout: { artifact: ARTIFACT }, stderr_artifact: ARTIFACT });
    expect([read(long), read(long, { stderr: true })]).toEqual(['100000 bytes', '100000 bytes']);
    expect([read(long, {}, 99_990), read(long, {}, 100_000)]).toEqual(['x'.repeat(10), '']);
    for (const artifact of ['../journal.ndjson', 'a'])
      expect(() => read(exited({ stdout: { artifact } }))).toThrow('an artifact cannot have such a name');
  });

  test('is the value of a function, as it was printed, and nothing if there is none', () => {
    expect(read({ kind: 'value', value: 'text' })).toBe('text\n');
    expect(read({ kind: 'value', value: { a: 1 } })).toBe('{"a":1}\n');
    expect(read({ kind: 'value', value: 1, printed: '1.0' } as Outcome)).toBe('1.0\n');
    expect(read({ kind: 'value', value: 'text' }, { stderr: true })).toBe('');
    expect(read({ kind: 'value', value: null })).toBe('');
    expect(read({ kind: 'failed', error_type: 'x', message: 'y' } as Outcome)).toBe('');
  });

  test('comes in the order of the record, with who printed it, and only once', () => {
    const requested = (effect: string, kind: string, more: object = {}) => ({
      ...{ type: 'effect_requested', effect, kind, attempt: 1, text: `t${effect}`, state: 'A', line: 1, ...more },
    });
    const settled = (effect: string) => ({ type: 'effect_settled', effect, outcome: exited({}) });
    const { path } = writtenRecord([
      { type: 'state_entered', state: 'A' },
      requested('1', 'shell'),
      requested('2', 'clock'),
      requested('3', 'agent', { step: 's' }),
      ...[settled('3'), settled('2'), settled('1'), settled('9')],
    ]);
    const record = new OutputRecord(path);
    const all = record.next();
    expect(all.map(({ printer }) => [printer.effect, printer.kind, printer.text, printer.step])).toEqual([
      ['3', 'agent', 't3', 's'],
      ['1', 'shell', 't1', null],
    ]);
    expect([record.next(), [...record.states], [...record.printers.keys()]]).toEqual([[], ['A'], ['1', '3']]);
  });
});

describe('trials', () => {
  const ID = '01900000-0000-7000-8000-00000000aaaa';
  const OTHER = '01900000-0000-7000-8000-00000000bbbb';
  const result = { run_id: 'r', status: 'returned', passed: true, failures: [], cost: null, time_ms: 1 };
  const kept = (trial_id: string, more: object = {}) =>
    ({ statedsl_trial: 1, trial_id, ...more }) as unknown as KeptTrial;

  test('are kept as they were begun last, and listed with the newest first', () => {
    const directory = temporaryFolder();
    expect([trialIds(directory), isTrialId(directory, ID), readTrial(directory, ID)]).toEqual([[], false, null]);
    keepTrial(directory, kept(ID, { a: 1 }));
    keepTrial(directory, kept(ID, { a: 2 }));
    keepTrial(directory, kept(OTHER));
    mkdirSync(trialFolder(directory, '01900000-0000-7000-8000-00000000cccc'));
    mkdirSync(trialFolder(directory, 'no-trial'));
    expect([trialIds(directory), isTrialId(directory, ID), isTrialId(directory, '01900000')]).toEqual([
      ...[[OTHER, ID], true, false],
    ]);
    expect(readTrial(directory, ID)).toEqual(kept(ID, { a: 2 }));
    keepTrial(directory, kept(OTHER, { statedsl_trial: 0 }));
    expect(readTrial(directory, OTHER)).toBeNull();
  });

  test('know their runs by number, with the last result, whatever a killed process has left', () => {
    const directory = temporaryFolder();
    keepTrial(directory, kept(ID));
    expect(readSlots(directory, ID).size).toBe(0);
    noteRun(directory, ID, 0, 'r0');
    noteRun(directory, ID, 1, 'r1');
    const runs = join(trialFolder(directory, ID), 'runs.ndjson');
    for (const line of ['\n{"slot":2,"run', '\n{"slot":3}', '\n{"run_id":"r4"}', '\nnull'])
      writeFileSync(runs, line, { flag: 'a' });
    noteRun(directory, ID, 1, 'r1', result);
    expect([...readSlots(directory, ID)]).toEqual([
      [0, { run_id: 'r0', result: null }],
      [1, { run_id: 'r1', result }],
    ]);
  });
});

test('a report as JSON has numbers as they were written, and their texts only for readers who want them', () => {
  const report = {
    ...{ status: 'failed', returned: 1.5, printed_returned: '1.50', none: undefined, tracked: { a: 2, b: 3 } },
    ...{ printed_tracked: { a: '2.0' }, error: { message: 'm', with: { n: 7, t: 'x' }, printed: { n: '7.00' } } },
  };
  expect(reportJson(report)).toBe(
    '{"status":"failed","returned":1.50,"tracked":{"a":2.0,"b":3},"error":{"message":"m","with":{"n":7.00,"t":"x"}}}',
  );
  expect(JSON.parse(reportJson(report, true))).toMatchObject({
    printed_returned: '1.50',
    printed_tracked: { a: '2.0' },
  });
  expect(reportJson({ error: null, waiting: [] })).toBe('{"error":null,"waiting":[]}');
});

test('each worktree of a run has the commit of what was done to it last', () => {
  const commits: Commits = new Map();
  const done = (task: string | null, action: object, outcome: object = { kind: 'value', value: {} }) =>
    noteCommit(commits, { task, action } as WorktreeRequest, outcome as Outcome);
  done(null, { do: 'snapshot' }, { kind: 'changed', commit: 'c1' });
  done('t1', { do: 'fork', base: 'c1' });
  done('t2', { do: 'fork', base: 'c1' });
  done('t1', { do: 'snapshot' }, { kind: 'changed', commit: 'c2' });
  done('t2', { do: 'reset', to: 'c0' });
  done('t2', { do: 'reset', to: 'c9' }, { kind: 'failed' });
  expect([...commits]).toEqual([
    [null, 'c1'],
    ['t1', 'c2'],
    ['t2', 'c0'],
  ]);
  done(null, { do: 'merge', onto: 'c3', tasks: [{ task: 't1' }] }, { kind: 'value', value: { commit: 'c4' } });
  expect([...commits]).toEqual([
    [null, 'c4'],
    ['t2', 'c0'],
  ]);
  done(null, { do: 'merge', onto: 'c5', tasks: [{ task: 't2' }] });
  expect([...commits]).toEqual([[null, 'c5']]);
});

test('a run that continues from another one has the directories of its own tasks', () => {
  const at = (directory: string) => ({ kind: 'value', value: { directory } }) as Outcome;
  expect(insteadOf(at('/x/worktrees/old--t1'), 'old', 'new')).toEqual({
    ...{ kind: 'value', value: { directory: '/x/worktrees/new--t1' } },
  });
  for (const outcome of [at('/x/worktrees/older--t1'), { kind: 'value', value: 'old' } as Outcome])
    expect(insteadOf(outcome, 'old', 'new')).toBe(outcome);
});
