/** The memo of steps: what they changed is made again, whoever was killed while it was done for the first time. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { longTest, oneOf, some } from '../amount.js';
import { project, reportOf } from './repository.js';

const CHANGES =
  "printf '\\\\000\\\\377' > binary; ln -s nowhere link; rm old; echo changed >> src/a; echo call >> CALLS";

/** Its first attempt lacks a file. The gate runs `before` first. */
const flow = (before = 'true'): string => `name: flow
inputs: [{ topic: tides }]
steps:
  - name: impl
    type: code
    memo: [notes.txt, "docs/*"]
    get: { prompt: "${CHANGES}; echo {topic}" }
    run: { agent: coder }
    gate: [{ bash: "${before}; test -e good", as: good }]
    retry:
      - { attempt: 2, prompt: "touch good; chmod +x good; echo call >> CALLS" }
      - { exit: 2 }
`;

function memoProject(text: string) {
  const one = project({ 'src/a': 'one\n', old: 'old\n', 'notes.txt': 'notes\n', '.gitignore': 'CALLS\nCOUNT\n' });
  const calls = join(one.folder, '.statedsl', 'calls');
  one.file('.statedsl/calls', '');
  one.file('flow.yaml', text.replaceAll('CALLS', calls).replaceAll('COUNT', join(one.folder, '.statedsl', 'count')));
  const run = async (...args: string[]) => {
    writeFileSync(calls, '');
    const report = reportOf(await one.run(['run', 'flow.yaml', '--json', '--quiet', ...args]));
    const tree = one.git('ls-tree', '-r', report.worktree.branch);
    return { report, tree, calls: readFileSync(calls, 'utf8').split('\n').length - 1 };
  };
  const commit = (...names: string[]) => {
    one.git('add', ...names);
    one.git('commit', '-q', '--no-verify', '--no-gpg-sign', '-m', 'more');
  };
  return { ...one, execute: run, commitFiles: commit };
}

test('a step that has passed is made again without its agent, as long as what it names is the same', async () => {
  const one = memoProject(flow());
  one.commitFiles('flow.yaml');
  const first = await one.execute();
  expect(first).toMatchObject({ calls: 2, report: { status: 'returned', cost: 0.02, steps: [{ attempt: 2 }] } });
  const second = await one.execute();
  expect(second).toMatchObject({ calls: 0, report: { status: 'returned', cost: 0, steps: [{ attempt: 1 }] } });
  expect(second.tree).toBe(first.tree);
  expect(second.tree).toMatch(/^120000 .*link$/m);
  expect(second.tree).toMatch(/^100755 .*good$/m);
  for (const flags of oneOf([['-i', 'topic=sand'], ['--fresh'], ['--memo-max-age', '1ms']]))
    expect(await one.execute(...flags)).toMatchObject({ calls: 2 });

  // Files that it does not name may change, where the change still fits.
  one.file('other.txt', 'other\n');
  one.commitFiles('other.txt');
  const third = await one.execute();
  expect(third).toMatchObject({ calls: 0 });
  expect(third.tree).toMatch(/other\.txt/);
  one.file('notes.txt', 'other notes\n');
  one.commitFiles('notes.txt');
  expect(await one.execute()).toMatchObject({ calls: 2 });
  expect(await one.execute()).toMatchObject({ calls: 0 });

  // Where it does not fit, nothing is changed by halves, and the agent is asked.
  one.file('src/a', 'two\n');
  one.commitFiles('src/a');
  const changed = await one.run(['run', 'flow.yaml']);
  expect(changed.stderr).toMatch(/what the step changed before does not fit the files any more \(.*src\/a/);
  expect(changed.code).toBe(0);
  expect(await one.execute()).toMatchObject({ calls: 0 });
});

longTest('what is remembered of a step is not damaged, and goes with its run', async () => {
  const one = memoProject(flow());
  one.commitFiles('flow.yaml');
  await one.execute();
  const memo = join(one.folder, '.statedsl', 'memo');
  const [name = ''] = readdirSync(memo);
  const entry = JSON.parse(readFileSync(join(memo, name), 'utf8'));
  writeFileSync(join(memo, name), JSON.stringify({ ...entry, change: Buffer.from('other').toString('base64') }));
  const damaged = await one.run(['run', 'flow.yaml']);
  expect(damaged.stderr).toContain('is damaged, so what it remembers is not used');
  expect(await one.execute()).toMatchObject({ calls: 0 });
  await one.run(['gc', '--keep-last', '0', '--all']);
  expect(readdirSync(memo)).toEqual([]);
});

test('a step that fails is not remembered, and one without a worktree only by its answer', async () => {
  const failing = memoProject(flow('rm -f good'));
  failing.commitFiles('flow.yaml');
  expect(await failing.execute()).toMatchObject({ calls: 2, report: { status: 'failed' } });
  expect(await failing.execute()).toMatchObject({ calls: 2, report: { status: 'failed' } });

  const plain = memoProject(flow());
  plain.commitFiles('flow.yaml');
  const told = await plain.run(['run', 'flow.yaml', '--worktree=off']);
  expect(told.stderr).toContain('without a worktree it is not known what the step changes, so it is not remembered');
  expect(() => readdirSync(join(plain.folder, '.statedsl', 'memo'))).toThrow();
});

/** The process is killed in the gate of the first or the second attempt. */
test.each(some([1, 2], 1))('a process that is killed in attempt %i loses nothing of it', async (attempt) => {
  const kill = `echo >> COUNT; if [ $(wc -l < COUNT) = ${attempt} ]; then kill -9 $PPID; sleep 60; fi`;
  const one = memoProject(flow(kill));
  one.commitFiles('flow.yaml');
  const killed = await one.runProcess(['run', 'flow.yaml', '--quiet']);
  expect(killed.code).toBe(null);
  const resumed = await one.run(['resume', '--quiet', '--json']);
  expect(reportOf(resumed)).toMatchObject({ status: 'returned', steps: [{ attempt: 2 }] });
  const calls = readFileSync(join(one.folder, '.statedsl/calls'), 'utf8').split('\n').length - 1;
  expect(calls).toBe(2);
  expect(await one.execute()).toMatchObject({ calls: 0, report: { status: 'returned', cost: 0 } });
  rmSync(join(one.folder, '.statedsl/calls'));
});
