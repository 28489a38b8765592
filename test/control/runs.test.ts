/** The operations on runs of a folder, called as a program calls them that embeds statedsl. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { diffRuns } from '../../src/app/diff-runs.js';
import { openPrograms, openRuns } from '../../src/app/open-runs.js';
import { type Result, refusalOf } from '../../src/app/result.js';
import type { EventStream, RunFilter, Runs } from '../../src/app/runs.js';
import { spendingsIn, spentByTrial, trialAccount } from '../../src/runtime/agents/daily-budget.js';
import { prefixOf } from '../../src/runtime/process/output.js';
import { noteRun, trialFolder } from '../../src/runtime/store/kept-trials.js';
import { lockRun } from '../../src/runtime/store/run-lock.js';
import { storeError } from '../../src/runtime/store/store-error.js';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'statedsl-control-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  return result.value;
}

function codeOf(result: Result<unknown>): string {
  return result.ok ? 'ok' : result.refusal.code;
}

const ASKS = 'ASK user: "Which colour?" → colour choices=red,blue\nDO: paint {colour}\nRETURN: {colour}\n';

/** Functions instead of processes. */
const commands = { paint: ([colour]: readonly string[]) => `painted ${colour}\n` };

async function started(runs: Runs, text: string): Promise<string> {
  const execution = value(await runs.start({ text }));
  await execution.report;
  return execution.started.run_id;
}

async function typesOf(stream: EventStream): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  return types;
}

test('what a question shows and offers is in the report, on record and in the run without secrets', async () => {
  const runs = openRuns({ folder: folder() });
  const text =
    'INPUT: pin = "sesame" (secret)\nINPUT: to = ["a"]\nASK user: "Go?" → go choices=yes,{pin} show=to,pin\nRETURN: {go}\n';
  const execution = value(await runs.start({ text }));
  const asked = { kind: 'ask', name: 'go', choices: ['yes', '***'], show: { to: ['a'], pin: '***' } };
  expect((await execution.report).waiting[0]).toMatchObject(asked);
  const { waiting } = value(await runs.inspect(execution.started.run_id));
  expect(waiting[0]).toMatchObject(asked);
});

test('a run is started, answered, resumed, followed, shown, listed and reported', async () => {
  const project = folder();
  const runs = openRuns({ folder: project, commands });
  const execution = value(await runs.start({ text: ASKS }));
  expect(execution.started).toMatchObject({ machine: 'stdin', status: 'running' });
  expect((await execution.report).status).toBe('suspended');
  const { run_id } = execution.started;
  expect(value(await runs.inspect(run_id)).waiting[0]).toMatchObject({ kind: 'ask', name: 'colour' });
  expect(value(await runs.answer(run_id.slice(0, 30), { colour: 'red' }, { by: 'ada' }))).toEqual({
    run_id,
    delivery: 'recorded',
  });
  const resumed = value(await runs.resume(run_id));
  expect(await resumed.report).toMatchObject({ error: null, returned: 'red' });
  const stream = value(await runs.events(run_id, 0, undefined, 'no'));
  expect(await typesOf(stream)).toEqual([
    'run_started',
    'state_entered',
    'asked',
    'run_suspended',
    'answered',
    'run_resumed',
    'effect_requested',
    'effect_settled',
    'run_returned',
  ]);
  expect(stream.end).toEqual({ reason: 'caught-up' });
  expect(value(await runs.list()).runs.map(({ status }) => status)).toEqual(['returned']);
  expect(value(await runs.inspect(run_id, 3))).toMatchObject({ seq: 3, status: 'running' });
  expect(value(await runs.report({ run: run_id })).effects).toBe(1);
  expect(value(await runs.detail('paint', { run: run_id })).attempts).toHaveLength(1);
  expect(value(await runs.compare(run_id)).status).toBe('same');
  const again = value(await runs.replay(run_id, { state: 'MAIN', entry: 1 }));
  expect((await again.report).status).toBe('suspended');
  // A list says which run it was copied from, also when its index is gone, and a search for one finds the other.
  const labels = async () =>
    value(await runs.list({ q: run_id })).runs.map(({ run_id: id, title, replay_of }) => ({ id, title, replay_of }));
  const listed = await labels();
  expect(listed).toEqual([
    { id: again.started.run_id, title: 'stdin', replay_of: run_id },
    { id: run_id, title: 'stdin', replay_of: undefined },
  ]);
  const index = join(project, '.statedsl/runs/index.ndjson');
  const lines = readFileSync(index, 'utf8');
  rmSync(index);
  expect(value(await runs.list()).runs.map(({ replay_of }) => replay_of)).toEqual([run_id, undefined]);
  writeFileSync(index, lines);
  expect(value(await runs.cancel(again.started.run_id))).toEqual({
    run_id: again.started.run_id,
    status: 'failed',
    error: { kind: 'cancelled' },
  });
  expect(await labels()).toEqual(listed);
  for (const keepLast of [undefined as unknown as number, -1, 0.5, Number.NaN])
    expect(await runs.remove({ keepLast })).toMatchObject({ ok: false, refusal: { code: 'wrong-use' } });
  expect(value(await runs.remove({ keepLast: 0 })).removed).toHaveLength(2);
});

test('refusals are values with a code, a message and a help', async () => {
  const project = folder();
  const runs = openRuns({ folder: project, commands });
  expect(codeOf(await runs.inspect(null))).toBe('unknown');
  const broken = await runs.start({ text: 'GOTO: NOWHERE\n' });
  expect(broken).toMatchObject({ ok: false, refusal: { code: 'invalid-program', help: null } });
  expect(broken.ok ? [] : broken.refusal.findings?.diagnostics.map(({ code }) => code)).toEqual(['unknown-state']);
  expect(codeOf(await runs.start('missing.dsl'))).toBe('unknown');
  const id = await started(runs, ASKS);
  expect(await runs.inspect(id, 99)).toEqual({
    ok: false,
    refusal: { code: 'wrong-use', message: 'the run has no event 99', help: 'its last event is number 4' },
  });
  expect(codeOf(await runs.answer(id, { colour: 'green' }))).toBe('wrong-use');
  expect(codeOf(await runs.answer(id, { size: '1' }))).toBe('wrong-use');
  expect(codeOf(await runs.answer(id, {}))).toBe('wrong-use');
  expect(codeOf(await runs.signal(id, '../go'))).toBe('wrong-use');
  expect(codeOf(await runs.output(id, '99'))).toBe('unknown');
  expect(codeOf(await runs.artifact(id, 'a'.repeat(64)))).toBe('unknown');
  expect(codeOf(await runs.apply(id))).toBe('unfinished');
  value(await runs.cancel(id));
  expect(codeOf(await runs.cancel(id))).toBe('over');
  expect(codeOf(await runs.resume(id))).toBe('over');
});

test('inputs that a program does not take are refused, and nothing is started', async () => {
  const dir = folder();
  const runs = openRuns({ folder: dir });
  const text = 'INPUT: item\nINPUT: count = 1 (number)\nRETURN: {item} {count}\n';
  const prepare = async (inputs: object) =>
    value(await openPrograms({ folder: dir }).prepare({ text }, { inputs: { item: 'tea', ...inputs } }));
  const refusals = [
    [{ text }, {}, 'the input `item` has no value'],
    [{ text }, { item: 'a', count: 'x' }, 'the input `count` must be a number, not a string'],
    [{ text }, { item: 'a', cuont: 2 }, 'the program has no input `cuont`'],
    [{ text }, { item: 'a', count: Number.NaN }, 'the input `count` has a value that JSON cannot represent'],
    [await prepare({ count: 'x' }), undefined, 'the input `count` must be a number, not a string'],
  ] as const;
  for (const [program, inputs, message] of refusals)
    expect(await runs.start(program, inputs === undefined ? {} : { inputs })).toMatchObject({
      ok: false,
      refusal: { code: 'wrong-use', message },
    });
  expect(await runs.start({ text }, { inputs: { item: 'a', cuont: 2 } })).toMatchObject({
    refusal: { help: 'did you mean `count`?' },
  });
  expect(value(await runs.list()).runs).toEqual([]);
  expect(await value(await runs.start(await prepare({}))).report).toMatchObject({ returned: 'tea 1' });
});

test('of two answers at once one is recorded, and the other is a conflict', async () => {
  const project = folder();
  const runs = openRuns({ folder: project, commands });
  const id = await started(runs, ASKS);
  const answers = await Promise.all([runs.answer(id, { colour: 'red' }), runs.answer(id, { colour: 'blue' })]);
  expect(answers.map(codeOf).sort()).toEqual(['conflict', 'ok']);
  const late = await runs.answer(id, { colour: 'red' }, { by: 'eve' });
  expect(late.ok ? null : late.refusal.message).toBe('user has already answered `colour`');
});

test.each([
  ['an approval', { go: true }, ['first', 'second']],
  ['two approvals', { go: true, other: true }, ['first', 'second', 'third']],
])('%s of a plan requests nothing, so no call that must not run twice is in doubt', async (_, given, done) => {
  const project = folder();
  const call = (name: string, approval: string) => ({
    _tool: 'once',
    name,
    ok: `†state.approvals.${approval}`,
    _outputPath: `†state.${name}`,
  });
  const calls = [call('first', 'go'), call('second', 'go'), ...('other' in given ? [call('third', 'other')] : [])];
  writeFileSync(join(project, 'p.json'), JSON.stringify({ calls }));
  writeFileSync(join(project, 'once.mjs'), 'export const once = ({ name }) => name;\n');
  writeFileSync(join(project, 'tools.yaml'), 'once: { module: ./once.mjs#once, idempotent: false }\n');
  const runs = openRuns({ folder: project });
  const execution = value(await runs.start('p.json'));
  expect(await execution.report).toMatchObject({ status: 'suspended' });
  const { run_id } = execution.started;
  const answers = Object.fromEntries(Object.entries(given).map(([name, ok]) => [`approvals.${name}`, ok]));
  expect(value(await runs.answer(run_id, answers)).delivery).toBe('recorded');
  expect(await typesOf(value(await runs.events(run_id, 0, undefined, 'no')))).not.toContain('effect_requested');
  const report = await value(await runs.resume(run_id)).report;
  expect(report).toMatchObject({ error: null, status: 'returned' });
  expect(report.calls?.map(({ status }) => status)).toEqual(done.map(() => 'done'));
  expect(value(await runs.compare(run_id)).status).toBe('same');
});

test('a denial that ends a run is taken by the process that executes it, and the list has that end', async () => {
  const project = folder();
  const call = { _tool: 'once', ok: '†state.approvals.go', _outputPath: '†state.done' };
  writeFileSync(join(project, 'p.json'), JSON.stringify({ calls: [call] }));
  writeFileSync(join(project, 'once.mjs'), 'export const once = () => 1;\n');
  writeFileSync(join(project, 'tools.yaml'), 'once: { module: ./once.mjs#once, idempotent: false }\n');
  const runs = openRuns({ folder: project });
  const { run_id } = await value(await runs.start('p.json')).report;
  const id = run_id as string;
  value(await runs.answer(id, { 'approvals.go': false }));
  const again = await runs.answer(id, { 'approvals.go': true });
  expect(again.ok ? null : again.refusal.message).toBe(
    '`approvals.go` already has an answer, which the run has not taken yet',
  );
  const report = await value(await runs.resume(id)).report;
  expect(report).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('denied') } });
  expect(value(await runs.list()).runs).toMatchObject([{ run_id, status: 'failed' }]);
  expect(value(await runs.compare(id)).status).toBe('same');
});

test('an id is not a path', async () => {
  const project = folder();
  const runs = openRuns({ folder: project, commands });
  const id = await started(runs, 'DO: paint red\n');
  for (const name of ['../x', '..', '.', '', '/', `../runs/${id}`, `${id}/../${id}`, 'index.ndjson', '\0', '%2e%2e'])
    for (const result of [
      await runs.inspect(name),
      await runs.events(name),
      await runs.output(name, '1'),
      await runs.artifact(name, 'a'.repeat(64)),
      await runs.answer(name, { a: 1 }),
      await runs.signal(name, 'go'),
      await runs.cancel(name),
      await runs.resume(name),
      await runs.replay(name, 1),
      await runs.report({ run: name }),
      await runs.apply(name),
    ])
      expect([name, codeOf(result)]).toEqual([name, 'unknown']);
  for (const hash of ['../run.json', '../../../secret', '', 'A'.repeat(64), `${'a'.repeat(64)}/..`])
    expect(codeOf(await runs.artifact(id, hash))).toBe('wrong-use');
});

test('links in a store are refused', async () => {
  const project = folder();
  const runs = openRuns({ folder: project, commands });
  const id = await started(runs, 'DO: paint red\n');
  const mine = join(project, 'mine.txt');
  writeFileSync(mine, 'not for anybody\n');
  const journal = join(project, '.statedsl/runs', id, 'journal.ndjson');
  rmSync(journal);
  symlinkSync(mine, journal);
  const stream = value(await runs.events(id, 0, undefined, 'no'));
  expect(await typesOf(stream)).toEqual([]);
  expect(stream.end?.reason).toBe('failed');
  expect(codeOf(await runs.inspect(id))).toBe('store');
  symlinkSync(mine, join(project, '.statedsl/runs', id, 'artifacts', 'b'.repeat(64)));
  expect(codeOf(await runs.artifact(id, 'b'.repeat(64)))).toBe('store');
  const other = folder();
  symlinkSync(join(project, '.statedsl'), join(other, '.statedsl'));
  symlinkSync(join(project, '.statedsl/runs'), join(folder(), 'runs'));
  expect(readFileSync(mine, 'utf8')).toBe('not for anybody\n');
});

test('a report on several runs says how far it has counted a run of which an artifact is missing', async () => {
  const dir = folder();
  const runs = openRuns({ folder: dir, commands: { large: () => 'x'.repeat(100_000) } });
  const id = await started(runs, 'DO: one = large\nRETURN: {one}\n');
  const artifacts = join(dir, '.statedsl/runs', id, 'artifacts');
  for (const name of readdirSync(artifacts)) rmSync(join(artifacts, name));
  const [one] = value(await runs.report({ last: 5 })).runs;
  const lines = readFileSync(join(dir, '.statedsl/runs', id, 'journal.ndjson'), 'utf8').split('\n');
  const seq = lines.findIndex((line) => line.includes('"$artifact"')) + 1;
  expect(seq).toBeGreaterThan(1);
  expect(one?.damage).toEqual({ message: expect.stringContaining('artifacts'), seq });
  expect(codeOf(await runs.report({ run: id }))).toBe('store');
  expect(codeOf(await runs.detail('MAIN', { last: 5 }))).toBe('store');
});

test('the folder of a program is that of its file, whatever its name and whatever an embedder gives', async () => {
  const dir = folder();
  mkdirSync(join(dir, '<a>'));
  writeFileSync(join(dir, '<a>/p.dsl'), 'RETURN: 1\n');
  const runs = openRuns({ folder: dir });
  const given = { programDir: '/elsewhere', sources: [] };
  for (const options of [{}, given as object]) {
    const { run_id } = await value(await runs.start('<a>/p.dsl', options)).report;
    const about = JSON.parse(readFileSync(join(dir, '.statedsl/runs', run_id, 'run.json'), 'utf8'));
    expect(about).toMatchObject({ options: { program_dir: join(dir, '<a>') }, sources: ['<a>/p.dsl'] });
  }
});

test('of a damaged record, what comes before the damage is shown', async () => {
  const project = folder();
  const runs = openRuns({ folder: project, commands });
  const id = await started(runs, ASKS);
  const journal = join(project, '.statedsl/runs', id, 'journal.ndjson');
  const lines = readFileSync(journal, 'utf8').split('\n');
  writeFileSync(journal, lines.with(2, (lines[2] as string).replace('colour', 'color')).join('\n'));
  const byte = lines.slice(0, 2).join('\n').length + 1;
  const refused = await runs.inspect(id);
  expect(refused).toMatchObject({ ok: false, refusal: { code: 'damaged', damage: { seq: 3, byte } } });
  expect(value(await runs.inspect(id, 2))).toMatchObject({ seq: 2, last_seq: 4, status: 'running' });
  expect(codeOf(await runs.inspect(id, 4))).toBe('damaged');
  // The effect may be what cannot be read.
  expect(await runs.output(id, '1')).toMatchObject({
    ok: false,
    refusal: { code: 'damaged', damage: { seq: 3, byte } },
  });
  expect(await typesOf(value(await runs.events(id, 1, undefined, 'no')))).toEqual([
    'state_entered',
    'journal_damaged',
    'run_suspended',
  ]);
});

test.each([0, 2])(
  'of a record that lost its end, the damage begins after event %i, whatever reads it',
  async (kept) => {
    const project = folder();
    const runs = openRuns({ folder: project, commands });
    const id = await started(runs, ASKS);
    const other = await started(runs, ASKS);
    const journal = join(project, '.statedsl/runs', id, 'journal.ndjson');
    const left = readFileSync(journal, 'utf8')
      .split('\n')
      .slice(0, kept)
      .map((line) => `${line}\n`)
      .join('');
    writeFileSync(journal, `${left}{"seq":`);
    const damage = { seq: kept + 1, byte: left.length };
    const refused = [
      await runs.inspect(id),
      await runs.answer(id, { colour: 'red' }),
      await runs.signal(id, 'go', null),
      await runs.cancel(id),
      await runs.resume(id),
    ];
    expect(refused).toMatchObject(refused.map(() => ({ ok: false, refusal: { code: 'damaged', damage } })));
    await expect(diffRuns(runs, id, other, project)).rejects.toThrow(/cannot be compared/);
    const types = await typesOf(value(await runs.events(id, 0, undefined, 'no')));
    expect(types).toEqual([...['run_started', 'state_entered'].slice(0, kept), 'journal_damaged']);
  },
);

test('of a command that has not ended, exactly what it has printed is shown', async () => {
  const project = folder();
  const runs = openRuns({ folder: project, commands });
  const id = await started(runs, 'DO: paint red\n');
  const run = join(project, '.statedsl/runs', id);
  const journal = readFileSync(join(run, 'journal.ndjson'), 'utf8').split('\n');
  const requested = journal.findIndex((line) => line.includes('"effect_requested"'));
  writeFileSync(join(run, 'journal.ndjson'), `${journal.slice(0, requested + 1).join('\n')}\n`);
  const printed = 'red\n'.repeat(40_000);
  writeFileSync(join(run, 'artifacts', `${prefixOf({ effect: '1', stream: 'stdout' })}1-0`), printed);
  for (const from of [0, 5, 70_000]) {
    const pieces: Uint8Array[] = [];
    for await (const piece of value(await runs.output(id, '1', { from, follow: false }))) pieces.push(piece);
    expect(Buffer.concat(pieces).toString() === printed.slice(from)).toBe(true);
  }
});

test('a whole id that no run has is refused, with another next step in a store without runs', async () => {
  const project = folder();
  const runs = openRuns({ folder: project, commands });
  const id = '01975c3a-5b9e-7c2f-9d1a-3f0e6b8c4d21';
  const message = `there is no run \`${id}\` in \`${join(project, '.statedsl')}\``;
  const help = 'name the store of the run with `--dir`; `statedsl run FILE` starts one here';
  expect(await runs.inspect(id)).toEqual({ ok: false, refusal: { code: 'unknown', message, help } });
  await started(runs, ASKS);
  const others = 'list the runs: `statedsl runs`';
  expect(await runs.inspect(id)).toEqual({ ok: false, refusal: { code: 'unknown', message, help: others } });
});

test('on a full disk, the next step is to free space', () => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  expect(refusalOf(storeError('write', 'x', full))).toEqual({
    code: 'store',
    message: 'cannot write `x`: no space left on device',
    help: 'free space on the disk, for example with `statedsl gc`, and try again',
  });
  expect(refusalOf(storeError('read', 'x', new Error('broken')))).toMatchObject({ help: null });
});

test('a run that is looked at again is shown as it is now', async () => {
  const project = folder();
  const runs = openRuns({ folder: project, commands });
  const id = await started(runs, ASKS);
  const path = join(project, '.statedsl/runs', id);
  const status = async (): Promise<string> => value(await runs.inspect(id)).status;
  expect(await status()).toBe('suspended');
  // As a process leaves it that died without recording an end.
  const journal = join(path, 'journal.ndjson');
  const lines = readFileSync(journal, 'utf8');
  writeFileSync(journal, lines.slice(0, lines.lastIndexOf('{"seq":4')));
  renameSync(join(path, 'checkpoint.json'), join(path, 'later.json'));
  const index = join(project, '.statedsl/runs/index.ndjson');
  const entry = JSON.parse(readFileSync(index, 'utf8').trim().split('\n').at(-1) as string);
  writeFileSync(index, `${JSON.stringify({ ...entry, status: 'running' })}\n`, { flag: 'a' });
  expect([await status(), await status()]).toEqual(['killed', 'killed']);
  const held = lockRun(path);
  if (!('lock' in held)) throw new Error('the run is held');
  expect(await status()).toBe('running');
  held.lock.release();
  expect(await status()).toBe('killed');
  writeFileSync(journal, lines);
  renameSync(join(path, 'later.json'), join(path, 'checkpoint.json'));
  expect(await status()).toBe('suspended');
  await runs.answer(id, { colour: 'red' });
  await value(await runs.resume(id)).report;
  expect(value(await runs.inspect(id))).toMatchObject({ status: 'returned', returned: 'red' });
  await runs.remove({ keepLast: 0 });
  expect(codeOf(await runs.inspect(id))).toBe('unknown');
});

test('what the commands of a run printed, in order, and what of a name', async () => {
  const runs = openRuns({ folder: folder(), commands: { say: ([word]: readonly string[]) => `${word}\n` } });
  const id = await started(
    runs,
    'STATE: FIRST\n  DO: say one\n  DO: say two\n  GOTO: LAST\nSTATE: LAST\n  DO: say three\n  RETURN\n',
  );
  const printed = async (select?: string) => {
    const stream = value(await runs.outputs(id, select === undefined ? {} : { select }));
    expect(stream.refusal).toBeNull();
    const found: string[] = [];
    for await (const { state, line, bytes } of stream)
      found.push(
        `${state}:${line} ${Buffer.concat([...bytes()])
          .toString('utf8')
          .trim()}`,
      );
    return { found, refusal: stream.refusal };
  };
  expect((await printed()).found.map((text) => text.split(' ')[1])).toEqual(['one', 'two', 'three']);
  expect(await printed('LAST')).toEqual({ found: ['LAST:6 three'], refusal: null });
  expect((await printed('line:2')).found).toHaveLength(1);
  expect(await printed('LOST')).toMatchObject({ found: [], refusal: { code: 'wrong-use', help: /LAST/ } });
  expect(codeOf(await runs.outputs('0000'))).toBe('unknown');
});

test('a run continues with what it began with: its mock, its agents, its tools, and an edited program', async () => {
  const dir = folder();
  writeFileSync(join(dir, 'mock.yaml'), 'commands:\n  one: first\n  two: second\n  three: third\n');
  const text = 'CHECK: a = one\nASK user: "Go on?" → ok\nCHECK: b = two\nRETURN: {a} {b}\n';
  writeFileSync(join(dir, 'p.dsl'), text);
  const programs = openPrograms({ folder: dir });
  const runs = openRuns({ folder: dir });
  const prepared = value(await programs.prepare('p.dsl', { mock: 'mock.yaml' }));
  expect(codeOf(await runs.start(prepared, { inputs: {} }))).toBe('wrong-use');
  const execution = value(await runs.start(prepared));
  const { run_id } = await execution.report;
  value(await runs.answer(run_id, { ok: 'yes' }));
  // Neither command exists.
  expect(await value(await runs.resume(run_id)).report).toMatchObject({ returned: 'first second' });
  const again = value(await runs.start(prepared));
  await again.report;
  value(await runs.answer(again.started.run_id, { ok: 'yes' }));
  const edited = { text: text.replace('= two', '= three'), name: 'q.dsl' };
  const report = await value(await runs.resume(again.started.run_id, { program: edited })).report;
  expect(report).toMatchObject({ returned: 'first third' });
  const broken = await runs.resume(again.started.run_id, { program: { text: 'GOTO: NOWHERE\n' } });
  expect(broken).toMatchObject({
    refusal: { code: 'invalid-program', findings: { diagnostics: [{ code: 'unknown-state' }] } },
  });
  expect(value(await runs.compare(run_id, { program: { text, name: 'r.dsl' } })).status).toBe('same');
});

test('an option without effect is refused, and runs are found by name, program and folder', async () => {
  const dir = folder();
  writeFileSync(join(dir, 'p.dsl'), 'RETURN: 1\n');
  const runs = openRuns({ folder: dir });
  const programs = openPrograms({ folder: dir });
  for (const options of [{ approved: 'abc' }, { state: 'x.json' }])
    expect(await programs.prepare('p.dsl', options)).toMatchObject({
      refusal: { message: expect.stringMatching(/plan/) },
    });
  expect(codeOf(await programs.prepare('q.dsl'))).toBe('unknown');
  expect(codeOf(await programs.check('q.dsl'))).toBe('unknown');
  expect(codeOf(await programs.prepare({ text: '# nothing\n' }))).toBe('invalid-program');
  const { started } = value(await runs.start('p.dsl'));
  const found = { run_id: started.run_id, machine: 'p', program: join(dir, 'p.dsl') };
  expect(value(await runs.find(null))).toEqual(found);
  expect(value(await runs.find(started.run_id.slice(0, 12)))).toEqual(found);
  expect(codeOf(await runs.find('nothing'))).toBe('unknown');
  const count = async (filter: RunFilter) => value(await runs.list(filter)).runs.length;
  expect(await count({ program: join(dir, 'p.dsl'), begunIn: dir })).toBe(1);
  expect(await count({ program: join(dir, 'q.dsl') })).toBe(0);
  // What follows a part of the list comes after its last run.
  const others = [value(await runs.start('p.dsl')).started.run_id, value(await runs.start('p.dsl')).started.run_id];
  const newest = [...others].reverse();
  const idsOf = async (filter: RunFilter) => {
    const { runs: listed, next } = value(await runs.list(filter));
    return [listed.map((one) => one.run_id), next];
  };
  expect(await idsOf({ limit: 2 })).toEqual([newest, newest[1]]);
  expect(await idsOf({ limit: 2, after: newest[1] as string })).toEqual([[started.run_id], undefined]);
  expect(await idsOf({ limit: 3 })).toEqual([[...newest, started.run_id], undefined]);
  // All runs of the store of a folder began there, whatever they say.
  expect(await count({ begunIn: '/' })).toBe(0);
});

test('what the configuration says about waiting is so for runs that a program starts and resumes', async () => {
  const dir = folder();
  writeFileSync(join(dir, 'statedsl.config.yaml'), 'defaults:\n  suspend_after: 1s\n');
  const runs = openRuns({ folder: dir });
  // An option without a value says nothing.
  const open = { suspendAfterMs: undefined } as object;
  const { started, report } = value(await runs.start({ text: 'WAIT: 10h\nRETURN: 1\n' }, open));
  expect((await report).status).toBe('suspended');
  expect((await value(await runs.resume(started.run_id, open)).report).status).toBe('suspended');
});

test('what is no program is refused by every operation that takes one', async () => {
  const own = { folder: folder() };
  const [programs, runs] = [openPrograms(own), openRuns(own)];
  const { started, report } = value(await runs.start({ text: 'RETURN: 1\n' }));
  await report;
  const id = started.run_id;
  for (const form of [{ program: 'x.dsl' }, undefined, null, 5, ['x'], {}, { text: 5 }, { text: '', name: 5 }]) {
    const wrong = form as never;
    const results = [
      ...[runs.start(wrong), programs.prepare(wrong), programs.check(wrong), programs.fix(wrong)],
      ...[programs.bounds(wrong), programs.graph(wrong)],
      // Without a program, the one of the run is meant.
      ...(form === undefined ? [] : [runs.resume(id, { program: wrong }), runs.compare(id, { program: wrong })]),
      ...(form === undefined ? [] : [runs.replay(id, { state: 'MAIN', entry: 1 }, { program: wrong })]),
    ];
    for (const result of await Promise.all(results))
      expect(result).toMatchObject({
        refusal: { code: 'wrong-use', message: 'the program is neither a path nor an object with a `text`' },
      });
  }
});

test('what a trial has spent is forgotten with its last run, and not by a dry run', async () => {
  const made = folder();
  const store = join(made, '.statedsl');
  const id = '01a2b3c4-0000-7000-8000-000000000001';
  mkdirSync(trialFolder(store, id), { recursive: true });
  writeFileSync(join(trialFolder(store, id), 'trial.json'), '{}');
  noteRun(store, id, 1, '01a2b3c4-0000-7000-8000-000000000002');
  const account = trialAccount(id);
  spendingsIn(store).change(account, () => ({
    account,
    program: 'a',
    day: '2026-03-01',
    spent: 2,
    unknown: 0,
    calls: [],
  }));
  const runs = openRuns({ folder: made });
  const removed = async (dryRun: boolean) => value(await runs.remove({ keepLast: 0, dryRun })).trials;
  expect(await removed(true)).toBe(1);
  expect(spentByTrial(store, id)?.spent).toBe(2);
  expect(await removed(false)).toBe(1);
  expect(spentByTrial(store, id)).toBeNull();
});
