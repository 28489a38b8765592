/** A trial whose process is killed goes on: the run that was begun is resumed, and nothing is run twice. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder } from './statedsl.js';

/** The agent kills the process of the trial while it makes its second and its fourth call. */
const CONFIG = `agents:
  it:
    adapter: command
    run: [bash, -c, 'cat > /dev/null; echo "$STATEDSL_EFFECT_ID" >> started; case $(wc -l < started) in 2|4) kill -9 "$PPID"; sleep 60;; esac; echo good']
`;

test('a killed trial goes on', async () => {
  const project = projectFolder({
    'flow.dsl': 'INPUT: q = "x"\nDO: first = Task(it) "One {q}."\nDO: second = Task(it) "Two {q}."\nRETURN: {second}\n',
    'cases.yaml': '- {name: a, inputs: {q: "1"}, expect: [returned "good", calls Task(it) == 2]}\n',
    'statedsl.config.yaml': CONFIG,
  });
  const begun = await project.runProcess(['trial', 'flow.dsl', '--cases', 'cases.yaml', '-n', '3', '--quiet']);
  expect([begun.code, begun.stdout]).toEqual([null, '']);
  const again = await project.runProcess(['trial', '--resume', '--quiet']);
  expect([again.code, again.stdout]).toEqual([null, '']);
  const last = await project.runProcess(['trial', '--resume', '--json']);
  const report = JSON.parse(last.stdout);
  expect([last.code, report]).toMatchObject([0, { status: 'complete', open: 0, variants: [{ runs: 3, passed: 3 }] }]);
  // Six calls, of which two were interrupted and made again in their run.
  const effects = readFileSync(join(project.folder, 'started'), 'utf8').trim().split('\n');
  expect([effects.length, new Set(effects).size]).toEqual([8, 6]);
  const runs = readdirSync(join(project.folder, '.statedsl/runs')).filter((name) => name.includes('-'));
  expect(runs.sort()).toEqual([...report.variants[0].cases[0].run_ids].sort());
});
