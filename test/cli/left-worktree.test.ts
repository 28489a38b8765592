/** Worktrees whose files cannot be removed: their work is applied all the same, and a later command finishes the removal. */
import fs, { existsSync, readdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { project, reportOf, workflow } from './repository.js';

/** No folder with this path can be removed, as if something were mounted on it. The result ends that. */
function hold(stuck: string): () => void {
  const { rmSync } = fs;
  const replace = (by: typeof rmSync): void => {
    fs.rmSync = by;
    syncBuiltinESMExports();
  };
  replace((path, options) => {
    if (path === stuck) throw Object.assign(new Error('EBUSY: resource busy or locked'), { code: 'EBUSY' });
    rmSync(path, options);
  });
  const free = (): void => replace(rmSync);
  onTestFinished(free);
  return free;
}

async function returned() {
  const one = project({ 'w.yaml': workflow(['one', 'echo new > made']) });
  const { run_id: id } = reportOf(await one.run(['run', 'w.yaml', '--json'])) as { run_id: string };
  const folder = one.worktree().replace(/\/$/, '');
  return { one, id, folder, free: hold(folder) };
}

const names = (one: { readonly folder: string }): string[] =>
  readdirSync(join(one.folder, '.statedsl/worktrees')).filter((name) => !name.startsWith('.'));

test('the work is applied, and the next apply finishes', async () => {
  const { one, id, folder, free } = await returned();
  const { code, stderr } = await one.run(['apply']);
  expect(code).toBe(0);
  expect(stderr).toContain(`applied  run ${id}`);
  expect(stderr).toContain(
    `warning: a worktree that is no longer needed is left: cannot remove \`${folder}\`: it is in use`,
  );
  expect(stderr).toContain(`statedsl apply ${id}`);
  expect(readFileSync(join(one.folder, 'made'), 'utf8')).toBe('new\n');
  expect(one.git('branch', '--format=%(refname:short)')).toBe('main\n');
  expect(existsSync(folder)).toBe(true);
  const again = await one.run(['apply', id, '--json']);
  expect(again.code).toBe(0);
  expect(reportOf(again)).toMatchObject({
    status: 'contained',
    left: [{ directory: folder, why: expect.stringContaining('in use') }],
  });
  free();
  const last = await one.run(['apply', id, '--json']);
  expect([last.code, reportOf(last).left, names(one)]).toEqual([0, undefined, []]);
  expect(one.git('worktree', 'list')).not.toContain(id);
});

test('gc finishes it, although the run stays', async () => {
  const { one, id, folder, free } = await returned();
  expect((await one.run(['apply'])).code).toBe(0);
  const kept = await one.run(['gc', '--keep-last', '9', '--json']);
  expect(kept.code).toBe(1);
  expect(reportOf(kept)).toMatchObject({ removed: [], worktrees: [], left: [{ directory: folder }] });
  expect((await one.run(['gc', '--keep-last', '9'])).stderr).toContain('then `statedsl gc` with the same options');
  free();
  const { code, stdout } = await one.run(['gc', '--keep-last', '9']);
  expect([code, names(one)]).toEqual([0, []]);
  expect(stdout).toContain(`worktree ${folder}`);
  expect((await one.run(['show', id])).code).toBe(0);
});

test('one that cannot be removed keeps no other', async () => {
  const { one, folder, free } = await returned();
  await one.run(['run', 'w.yaml', '--quiet']);
  expect(names(one)).toHaveLength(4);
  const { code } = await one.run(['gc', '--keep-last', '0', '--all']);
  expect([code, names(one)]).toEqual([1, [folder, `${folder}.json`].map((path) => path.replace(/^.*\//, ''))]);
  free();
  expect((await one.run(['gc', '--keep-last', '9'])).code).toBe(0);
  expect(names(one)).toEqual([]);
});
