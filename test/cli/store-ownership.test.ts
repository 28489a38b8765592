/** Stores that somebody else may have made: nothing in them is executed, stopped, removed or followed. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { RunRefused } from '../../src/runtime/store/store-error.js';
import { makeStore, mayBeForeign, requireOwnStore } from '../../src/runtime/store/store-ownership.js';
import { git } from '../harness/process.js';
import { project, workflow } from './repository.js';
import { type ProjectFolder, projectFolder } from './statedsl.js';

const WAITS = 'ASK user: "Go on?" → ok\nDO: touch done\nRETURN: "x"\n';
const RUN = '0192f000-0000-7000-8000-00000000000a';

/** A store with one run that waits for an answer. */
async function waiting(): Promise<{ readonly one: ProjectFolder; readonly id: string }> {
  const one = projectFolder({ 'p.dsl': WAITS });
  expect((await one.run(['run', 'p.dsl', '--quiet'])).code).toBe(75);
  return { one, id: readdirSync(join(one.folder, '.statedsl/runs')).find((name) => name.startsWith('0')) as string };
}

/** All that acts on a run; `replay` also compares, which executes nothing but the program. */
function acting(id: string): string[][] {
  return [
    ['resume'],
    ['resume', id],
    ['run', 'p.dsl', '--resume'],
    ['cancel', id],
    ['gc', '--keep-last', '0', '--all'],
    ['answer', id, 'ok=yes'],
    ['signal', id, 'go'],
    ['apply', id],
    ['replay', id],
    ['replay', id, '--from', 'MAIN'],
  ];
}

test('a store that came with a cloned repository is looked at and not acted on', async () => {
  const { one, id } = await waiting();
  git(one.folder, 'init', '-q');
  git(one.folder, 'add', '-f', '.');
  git(one.folder, 'commit', '-q', '-m', 'begin');
  git(one.folder, 'clone', '-q', '.', 'clone');
  const store = join(one.folder, 'clone/.statedsl');
  const before = readdirSync(join(store, 'runs', id));
  for (const args of [...acting(id), ['run', 'p.dsl']]) {
    const { code, stderr } = await one.run([...args, '--dir', 'clone/.statedsl']);
    expect([code, stderr], args.join(' ')).toEqual([2, expect.stringContaining('so it came with the repository')]);
    expect(stderr).toContain('git rm -r --cached');
  }
  expect(readdirSync(join(store, 'runs', id))).toEqual(before);
  expect(existsSync(join(one.folder, 'done'))).toBe(false);
  expect((await one.run(['show', id, '--dir', 'clone/.statedsl'])).code).toBe(0);
  git(join(one.folder, 'clone'), 'rm', '-r', '-q', '--cached', '.statedsl');
  expect((await one.run(['cancel', id, '--dir', 'clone/.statedsl'])).code).toBe(0);
});

test.each(['runs', 'worktrees', 'runs/index.ndjson'])('a store with a link as its %s is refused', async (part) => {
  const { one, id } = await waiting();
  const path = join(one.folder, '.statedsl', part);
  if (existsSync(path)) renameSync(path, join(one.folder, 'elsewhere'));
  else mkdirSync(join(one.folder, 'elsewhere'));
  symlinkSync(join(one.folder, 'elsewhere'), path);
  for (const args of [...acting(id), ['run', 'p.dsl'], ['runs'], ['show', id], ['report', id]]) {
    const { code, stderr } = await one.run(args);
    expect([code, stderr], args.join(' ')).toEqual([2, expect.stringContaining('is a symbolic link')]);
  }
});

test.each([
  ...['service', 'service/queue', 'service/deliveries', 'service/processes', 'service/notices'],
  ...['memo', 'trials', 'budget', 'schedules', 'keys'],
])('a store with a link as its %s is refused', async (part) => {
  const { folder } = projectFolder({ 'p.dsl': WAITS });
  const store = join(folder, '.statedsl');
  mkdirSync(join(store, part, '..'), { recursive: true });
  symlinkSync(folder, join(store, part));
  await expect(requireOwnStore(store)).rejects.toThrow(/is a symbolic link/);
  expect(() => makeStore(store)).toThrow(RunRefused);
});

test('a foreign store is refused before anything is reported', async () => {
  const configuration = 'agents: { a: { adapter: fake, model: x } }\n';
  const one = projectFolder({ 'p.dsl': 'RETURN: 1\n', 'statedsl.config.yaml': configuration });
  mkdirSync(join(one.folder, '.statedsl'));
  symlinkSync(one.folder, join(one.folder, '.statedsl/runs'));
  const { code, stderr } = await one.run(['run', 'p.dsl']);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: the store .* is a symbolic link/)]);
});

test('a store whose queue of the service came with a cloned repository is refused', async () => {
  const { folder } = projectFolder({ [`.statedsl/service/queue/${RUN}.json`]: '{}' });
  git(folder, 'init', '-q');
  const store = join(folder, '.statedsl');
  expect(mayBeForeign(store)).toBe(false);
  git(folder, 'add', '-f', '.');
  expect(mayBeForeign(store)).toBe(true);
  await expect(requireOwnStore(store)).rejects.toThrow(/git tracks `.statedsl.service.queue/);
});

test.each(['memo/0a.json', `trials/${RUN}/trial.json`, 'budget/0a.json', 'schedules/nightly.json'])(
  'a store whose %s came with a cloned repository is refused',
  async (file) => {
    const { folder } = projectFolder({ [`.statedsl/${file}`]: '{}' });
    git(folder, 'init', '-q');
    const store = join(folder, '.statedsl');
    expect(mayBeForeign(store)).toBe(false);
    git(folder, 'add', '-f', '.');
    expect(mayBeForeign(store)).toBe(true);
    await expect(requireOwnStore(store)).rejects.toThrow(/so it came with the repository/);
  },
);

test('no file of a run is read or written through a link', async () => {
  const { one, id } = await waiting();
  const folder = join(one.folder, '.statedsl/runs', id);
  const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
  expect(names).toEqual(expect.arrayContaining(['journal.ndjson', 'run.json', 'machine.json', 'checkpoint.json']));
  for (const name of [...names, 'inbox.ndjson', 'processes.ndjson', 'checkpoint.json.new', 'state.json.new']) {
    cpSync(join(one.folder, '.statedsl'), join(one.folder, 'copy'), { recursive: true });
    const file = join(one.folder, 'copy/runs', id, name);
    const target = join(one.folder, 'target');
    writeFileSync(target, existsSync(file) ? readFileSync(file) : '');
    const before = readFileSync(target);
    rmSync(file, { force: true });
    symlinkSync(target, file);
    for (const args of [
      ['answer', id, 'ok=yes'],
      ['cancel', id],
    ])
      await one.run([...args, '--dir', 'copy']);
    expect(readFileSync(target), name).toEqual(before);
    rmSync(join(one.folder, 'copy'), { recursive: true });
  }
});

test('a run that is a link is none', async () => {
  const { one, id } = await waiting();
  const runs = join(one.folder, '.statedsl/runs');
  renameSync(join(runs, id), join(one.folder, 'elsewhere'));
  symlinkSync(join(one.folder, 'elsewhere'), join(runs, id));
  expect((await one.run(['show', id])).stderr).toContain(`there is no run \`${id}\``);
  expect((await one.run(['gc', '--keep-last', '0', '--all'])).stdout).toBe('nothing to remove\n');
  expect(existsSync(join(one.folder, 'elsewhere/run.json'))).toBe(true);
});

test('a run with a journal that is a link is kept, and gc reports it', async () => {
  const { one, id } = await waiting();
  const journal = join(one.folder, '.statedsl/runs', id, 'journal.ndjson');
  renameSync(journal, join(one.folder, 'elsewhere'));
  symlinkSync(join(one.folder, 'elsewhere'), journal);
  const { code, stdout, stderr } = await one.run(['gc', '--keep-last', '0', '--all']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^kept +\S+ +p +\S+\nnothing to remove\n$/)]);
  expect(stderr).toBe(
    `run ${id} is kept because its \`journal.ndjson\` is a symbolic link; remove its folder yourself\n`,
  );
  expect(existsSync(journal)).toBe(true);
});

test('a store of another user is refused', async () => {
  const { one, id } = await waiting();
  const store = join(one.folder, '.statedsl');
  await requireOwnStore(store, id);
  expect(mayBeForeign(store)).toBe(false);
  vi.spyOn(process, 'geteuid').mockReturnValue(statSync(store).uid + 1);
  try {
    await expect(requireOwnStore(store, id)).rejects.toThrow(/another user owns/);
    await expect(requireOwnStore(store, id)).rejects.toBeInstanceOf(RunRefused);
    expect(mayBeForeign(store)).toBe(true);
  } finally {
    vi.restoreAllMocks();
  }
});

test('the folder is for its owner only, also one that an older version made', async () => {
  const one = projectFolder({ 'p.dsl': 'RETURN: "x"\n' });
  mkdirSync(join(one.folder, '.statedsl'), { mode: 0o755 });
  mkdirSync(join(one.folder, 'mine'), { mode: 0o755 });
  for (const dir of ['.statedsl', 'fresh', 'mine'])
    expect((await one.run(['run', 'p.dsl', '--dir', dir])).code).toBe(0);
  const modes = ['.statedsl', 'fresh', 'mine', 'mine/runs'].map((dir) => statSync(join(one.folder, dir)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o700, 0o755, 0o700]);
});

test('gc leaves what it did not make', async () => {
  const one = project({ 'w.yaml': workflow(['one', 'echo one >> log']) });
  one.git('worktree', 'add', '-q', 'worktrees/feature');
  const mine = ['worktrees/other', `worktrees/${RUN}`, `runs/${RUN}`, 'runs/.removed-old', 'runs/.removed-x/y'];
  const old = new Date(Date.now() - 3 * 86_400_000);
  for (const name of mine) {
    one.file(`${name}/data.csv`, 'mine');
    utimesSync(join(one.folder, name), old, old);
  }
  utimesSync(join(one.folder, 'worktrees/feature'), old, old);
  expect((await one.run(['gc', '--dir', '.', '--keep-last', '0', '--all'])).stdout).toBe('nothing to remove\n');
  for (const name of mine) expect(readFileSync(join(one.folder, name, 'data.csv'), 'utf8')).toBe('mine');
  expect(one.git('worktree', 'list')).toContain('worktrees/feature');
});

test('gc prints everything it removes, and the same when it is dry', async () => {
  const one = project({ 'w.yaml': workflow(['one', 'echo one >> log']) });
  expect((await one.run(['run', 'w.yaml', '--quiet'])).code).toBe(0);
  const runs = join(one.folder, '.statedsl/runs');
  const id = readdirSync(runs).find((name) => name.startsWith('0')) as string;
  mkdirSync(join(runs, `.removed-${RUN}`));
  const dry = (await one.run(['gc', '--keep-last', '0', '--all', '--dry-run'])).stdout;
  for (const part of [id, `.statedsl/worktrees/${id} and branch statedsl/${id}`, `.removed-${RUN}`])
    expect(dry).toContain(part);
  expect(one.git('branch')).toContain(id);
  const wet = (await one.run(['gc', '--keep-last', '0', '--all'])).stdout;
  expect(wet).toBe(dry.replaceAll('would remove', 'removed'));
  expect(one.git('branch', '--format=%(refname:short)')).toBe('main\n');
  expect(readdirSync(runs)).toEqual(['index.ndjson']);
});

test('gc of a store from an archive touches nothing in a repository that does not name its worktree', async () => {
  const one = project({ 'w.yaml': workflow(['one', 'echo one >> log']) });
  expect((await one.run(['run', 'w.yaml', '--quiet'])).code).toBe(0);
  const worktrees = join(one.folder, '.statedsl/worktrees');
  const id = readdirSync(worktrees).find((name) => /^0[^.]*$/.test(name)) as string;
  const branch = `statedsl/${id}`;
  // Somebody else's repository with a branch of this name, and a file of theirs that a note would empty.
  const other = project({ 'x.txt': 'x' });
  other.git('branch', branch);
  const gitDir = join(other.folder, '.git/worktrees', id);
  mkdirSync(gitDir, { recursive: true });
  const precious = other.file('precious.txt', 'keep\n');
  symlinkSync(join(other.folder, precious), join(gitDir, 'statedsl-leaving'));
  const file = join(worktrees, `${id}.json`);
  const record = JSON.parse(readFileSync(file, 'utf8'));
  for (const pointer of [null, join(other.folder, 'elsewhere/.git')]) {
    if (pointer !== null) writeFileSync(join(gitDir, 'gitdir'), `${pointer}\n`);
    writeFileSync(file, JSON.stringify({ ...record, gitDir, commonDir: join(other.folder, '.git') }));
    mkdirSync(join(worktrees, id), { recursive: true });
    const old = new Date(Date.now() - 86_400_000);
    for (const path of [file, join(worktrees, id)]) utimesSync(path, old, old);
    const { stdout } = await one.run(['gc', '--keep-last', '0', '--all']);
    expect(stdout).toContain(`removed  worktree ${join(worktrees, id)}\n`);
    expect(other.git('branch', '--format=%(refname:short)')).toContain(branch);
    expect(readFileSync(join(other.folder, precious), 'utf8')).toBe('keep\n');
    expect(readdirSync(join(other.folder, '.git/worktrees'))).toEqual([id]);
    expect(existsSync(join(worktrees, id))).toBe(false);
  }
});
