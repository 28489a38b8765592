/** Tools that are files of the project: the client sends their paths as they are relative to it, and workers have them. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { folderRuns } from '../../src/app/folder/folder-runs.js';
import type { Result } from '../../src/app/result.js';
import { engineRuns } from '../../src/engine/runs/engine-runs.js';
import { liveEngine, NAMESPACE } from './live-engine.js';

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  return result.value;
}

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-tools-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    if (text.startsWith('#!')) chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

const says = (who: string): string => `#!/bin/sh\necho "\\"${who} $1\\""\n`;
const moduleOf = (who: string): string => `export const name = () => '${who}';\n`;

/** The files of a project. `who` is what its tools answer. */
const projectOf = (who: string): Record<string, string> => ({
  'bin/say.sh': says(who),
  'lib/name.mjs': moduleOf(who),
  'flow/near.sh': says(`${who} near`),
});

const plan = (calls: object[]): string => JSON.stringify({ calls, output: { said: '†data.said' } });

function clientFolder(absolute: string): string {
  return folderWith({
    ...projectOf('client'),
    'flow/tools.yaml': `say: { run: [../bin/say.sh, "./x"] }
name: { module: ../lib/name.mjs#name }
near: { run: [./near.sh] }
inner: { plan: ./inner.json }
absolute: { run: [${absolute}] }
`,
    'flow/inner.json': plan([{ _tool: 'say', _outputPath: '†data.said' }]),
    'flow/main.dsl': `CALL: near → near
CALL: name → name
CALL: absolute → absolute
PLAN: "inner.json" → inner
RETURN: {near} | {name} | {absolute} | {inner.said}
`,
  });
}

test('workers use their own files as tools, and absolute paths stay what they are', async () => {
  const fixed = folderWith({ 'fixed.sh': says('fixed') });
  const folder = clientFolder(join(fixed, 'fixed.sh'));
  const worker = folderWith(projectOf('worker'));
  const on = await liveEngine({}, { cwd: worker });
  const runs = engineRuns({ folder, on, namespace: NAMESPACE });
  const started = value(await runs.start('flow/main.dsl', { person: 'ann' }));
  const report = await started.report;
  expect(report).toMatchObject({
    status: 'returned',
    returned: `worker near  | worker | fixed  | worker ${join(worker, 'flow/x')}`,
  });
  const again = value(await runs.replay(started.started.run_id, { state: 'MAIN', entry: 1 }, { person: 'ann' }));
  expect((await again.report).returned).toBe(report.returned);
  expect(value(await runs.compare(started.started.run_id))).toMatchObject({ status: 'same' });

  // Without an engine they are those of the client.
  const local = await value(await folderRuns({ folder }).start('flow/main.dsl', { person: 'ann' })).report;
  expect(local.returned).toBe(`client near  | client | fixed  | client ${join(folder, 'flow/x')}`);
});

test('with a shared directory, tools are in the directory of the run, or else in that of the worker', async () => {
  const folder = clientFolder('/bin/true');
  const worker = folderWith(projectOf('worker'));
  const shared = folderWith({});
  const on = await liveEngine({}, { cwd: worker, shared });
  const runs = engineRuns({ folder, on, namespace: NAMESPACE });
  const text = `CALL: near → first
DO: mkdir flow && printf '#!/bin/sh\\necho 7\\n' > flow/near.sh && chmod +x flow/near.sh
CALL: near → second
RETURN: {first} | {second}
`;
  const started = value(await runs.start({ text, name: 'flow/text.dsl' }, { person: 'ann' }));
  expect(await started.report).toMatchObject({ status: 'returned', returned: 'worker near  | 7' });
});

test('a path that leads out of the project is sent as it is', async () => {
  const outside = folderWith({ 'project/tools.yaml': 'out: { run: [../out.sh] }\n', 'out.sh': says('outside') });
  const on = await liveEngine({}, { cwd: folderWith({}) });
  const runs = engineRuns({ folder: join(outside, 'project'), on, namespace: NAMESPACE });
  const started = value(await runs.start({ text: 'CALL: out → x\nRETURN: {x}\n' }, { person: 'ann' }));
  expect((await started.report).returned).toBe('outside ');
});
