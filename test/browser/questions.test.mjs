/** What a person wants to know of a run is found where they look: by role and name, on runs of several kinds. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  closeBrowser,
  findBarriers,
  makeFolder,
  makeRepository,
  openPage,
  runProgram,
  startService,
  untilTrue,
} from './stage.mjs';

after(closeBrowser);

const DEPLOY = `MACHINE: deploy
TITLE: Deploy {version} to {env}
INPUT: version = "1.0"
INPUT: env = "staging"
STATE: UPLOAD
  DO: echo "uploading {version}"; sleep 0.1; echo "HTTP 403: the token has expired" >&2; sleep 0.1; echo "giving up"; exit 22
  RETURN: done
`;
const RETRIED = `TITLE: Probe {host}
INPUT: host = "a"
DO [retry=2/10ms]: echo "probing {host}"; if [ -e tried ]; then echo up; else touch tried; echo "no route" >&2; exit 7; fi
RETURN: "{host} is up"
`;
const HANDLED = `MACHINE: handled
STATE: COPY
  DO: echo "disk full" >&2; exit 1
  RETURN: 1
STATE: ERROR
  DO: echo "cleaned up"
  RETURN: 2
`;
const TREE = `MACHINE: tree
INPUT: big = {"rate": 1.10, "hosts": [{"name": "web-0", "tags": ["a", "b"]}, {"name": "<img src=x onerror=alert(1)>", "deep": {"er": {"est": "end"}}}]}
DO: cat {program_dir()}/words.txt > "$PWD/copy.txt"
CHECK: many = bash {program_dir()}/many.sh
RETURN: {big}
`;
const RELEASE = `MACHINE: release
STATE: PREPARE
  CHECK: changes = echo '{"fixes": 3, "by": ["Ada"]}'
  DO: in PARALLEL
    ASK user: "Publish it?" → go choices=yes,no show=changes.fixes,changes.by
    ASK user: "Who is told?" → who
  RETURN: "{go} {who}"
`;
const POLISH = `title: Polish {file}
inputs:
  file: words.txt
steps:
  - name: edit
    run: { bash: 'echo better >> words.txt; mkdir -p docs/new; echo new > docs/new/added.txt' }
    gate:
      - bash: 'grep better words.txt'
`;

/** A repository with a run of each kind, and the service that shows them. */
async function stageOf(t) {
  const files = {
    'deploy.dsl': DEPLOY,
    'probe.dsl': RETRIED,
    'release.dsl': RELEASE,
    'handled.dsl': HANDLED,
    'polish.yaml': POLISH,
  };
  const folder = makeFolder(t, { ...files, 'words.txt': 'good\n', '.gitignore': '.statedsl\ntoken\ntried\n' });
  const git = makeRepository(folder);
  const ids = {
    failed: runProgram(folder, 'deploy.dsl', '-i', 'env=production'),
    named: runProgram(folder, 'deploy.dsl', '--name', 'The nightly one'),
    handled: runProgram(folder, 'handled.dsl'),
    retried: runProgram(folder, 'probe.dsl', '-i', 'host=b'),
    waiting: runProgram(folder, 'release.dsl'),
    changed: runProgram(folder, 'polish.yaml', '--worktree'),
  };
  return { folder, git, ids, service: await startService(t, folder) };
}

test('which run is mine, and what became of it, is in the list', async (t) => {
  const { ids, service } = await stageOf(t);
  const { page, log } = await openPage(t, service);
  const table = page.getByRole('table', { name: 'Runs' });
  for (const title of ['Deploy 1.0 to production', 'The nightly one', 'Probe b', 'Polish words.txt'])
    await table.getByRole('link', { name: title, exact: true }).waitFor();
  const row = (title) => table.getByRole('row').filter({ hasText: title });
  await row('Probe b').getByText('b is up').waitFor();
  await row('The nightly one').getByText('giving up').or(row('The nightly one').getByText('expired')).waitFor();
  await row('release').getByText('Publish it?').waitFor();
  await row('Probe b').getByText(ids.retried.slice(-8)).waitFor();
  await untilTrue(async () => {
    const top = await table.getByRole('row').nth(1).boundingBox();
    assert.ok(top.y <= 300, `rows begin at ${top.y}`);
  });
  await page.getByText('Any status').click();
  await page.getByRole('checkbox', { name: 'failed' }).check();
  await page.getByRole('checkbox', { name: 'suspended' }).check();
  await page.waitForURL('**status=suspended%2Cfailed**');
  await row('Probe b').waitFor({ state: 'detached' });
  await untilTrue(async () =>
    assert.equal(await table.getByRole('link', { name: /^(The|Deploy|release)/ }).count(), 3),
  );
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(log, []);
});

test('why it failed, what it printed, and what was tried before', async (t) => {
  const { ids, service } = await stageOf(t);
  const { page, log } = await openPage(t, service, { path: `/runs/${ids.failed}` });
  await page.getByRole('heading', { level: 1, name: /Deploy 1\.0 to production/ }).waitFor();
  assert.match(await page.title(), /^Deploy 1\.0 to production/);
  const why = page.getByRole('region', { name: 'Why it failed' });
  await why.getByText('HTTP 403: the token has expired').first().waitFor();
  await why.getByRole('button', { name: 'deploy.dsl, line 6' }).waitFor();
  const output = page.getByRole('region', { name: 'Output' });
  // Both streams, in the order in which they came.
  await output.getByText('giving up').waitFor();
  assert.match(await output.textContent(), /uploading 1\.0\s+HTTP 403: the token has expired\s+giving up/);
  await page.getByRole('combobox', { name: 'Stream' }).selectOption('stderr');
  await untilTrue(async () => assert.equal((await output.textContent()).trim(), 'HTTP 403: the token has expired'));
  // What a program does after its failure is not what a person looks for.
  await page.goto(`${service.address}/runs/${ids.handled}`);
  await output.getByText('disk full').waitFor();
  await page.goto(`${service.address}/runs/${ids.retried}`);
  await page.getByRole('button', { name: /^1: exit 7/ }).click();
  await output.getByText('no route').waitFor();
  await page.getByRole('button', { name: /^2: exit 0/ }).click();
  await output.getByText('up', { exact: false }).first().waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(log, []);
});

test('values are trees, and commands name their files by ./', async (t) => {
  const many = "printf '['; seq -s, 250 | tr -d '\\n'; printf ',\"%s\"]' \"$(head -c 2000 /dev/zero | tr '\\0' x)\"\n";
  const folder = makeFolder(t, { 'tree.dsl': TREE, 'words.txt': 'good\n', 'many.sh': many });
  const id = runProgram(folder, 'tree.dsl');
  const { page, log } = await openPage(t, await startService(t, folder), { path: `/runs/${id}?tab=values` });
  const values = page.getByRole('region', { name: 'Values' });
  const result = values.locator('section').filter({ hasText: 'Result' });
  await result.getByText('rate:').waitFor();
  // A number is as it was written, and what is folded shows how it begins.
  assert.match(await result.textContent(), /rate: 1\.10.*hosts: 2 items\[\{"name":"web-0","tags"/);
  await result.getByRole('button', { name: 'hosts: 2 items', expanded: false }).press('Enter');
  await result.getByRole('button', { name: '1: 2 fields' }).click();
  await result.getByText('"<img src=x onerror=alert(1)>"').waitFor();
  await result.getByText('{"er":{"est":"end"}}').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await values.getByRole('checkbox', { name: 'JSON' }).check();
  await result.getByText(/^\{\n {2}"rate": 1\.10,\n/).waitFor();
  await values.getByRole('checkbox', { name: 'JSON' }).uncheck();
  // A long list is shown in parts, and so is a long text.
  const long = values.locator('.value-row').filter({ hasText: 'many' });
  await long.getByRole('button', { name: '251 items', expanded: false }).click();
  for (const next of ['Show 100 more items of 251', 'Show 51 more items of 251'])
    await long.getByRole('button', { name: next }).click();
  await long.getByRole('button', { name: 'Show all (2.0 kB)' }).click();
  await long.getByText(`"${'x'.repeat(2000)}"`).waitFor();
  // The row has the tail, the sentence below it the command, and a pointer the whole.
  const events = page.getByRole('table', { name: 'Events' });
  await events.getByText('many.sh', { exact: true }).first().click();
  const sentence = page.getByRole('region', { name: 'The event in full' });
  await sentence.getByText('bash ./many.sh', { exact: true }).waitFor();
  assert.equal(await sentence.locator('.mono').getAttribute('title'), `bash ${folder}/many.sh`);
  await events.getByText('cat ./words.txt > "$PWD/copy.txt"', { exact: true }).waitFor();
  assert.deepEqual(log, []);
});

test('what it waits for, with what led to it, and all answers at once', async (t) => {
  const { ids, service } = await stageOf(t);
  const { page, log } = await openPage(t, service, { path: `/runs/${ids.waiting}` });
  const waits = page.getByRole('region', { name: 'What the run waits for' });
  // The text comes with the run, and who asked with its events.
  await waits
    .getByText(/Asked by PREPARE at/)
    .first()
    .waitFor();
  assert.match(await waits.textContent(), /Publish it\?.*Asked by PREPARE at .*changes\.fixes3changes\.by\["Ada"\]/);
  await waits.getByRole('button', { name: 'yes' }).click();
  const who = waits.getByRole('textbox', { name: 'Who is told?' });
  await waits.getByRole('button', { name: 'Send 1 of 2 answers' }).waitFor();
  // What is written is the answer, also if it looks like JSON.
  await who.fill('[1,');
  await waits.getByRole('button', { name: 'Send 2 of 2 answers' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await waits.getByRole('button', { name: 'Send 2 of 2 answers' }).click();
  await page.getByRole('heading', { level: 1 }).getByText('returned').waitFor();
  assert.deepEqual(log, []);
});

test('what changed in the files, and what Apply does before it does it', async (t) => {
  const { folder, git, ids, service } = await stageOf(t);
  const { page, log } = await openPage(t, service, { path: `/runs/${ids.changed}?tab=files` });
  const files = page.getByRole('region', { name: 'Files' });
  await files.getByText('2 files, +2 −0').waitFor();
  const tree = files.getByRole('list', { name: 'Changed files' });
  await tree.getByRole('listitem').filter({ hasText: 'docs/new/' }).getByText('added.txt', { exact: true }).waitFor();
  await tree.getByRole('button', { name: 'docs/new/added.txt' }).click();
  await page.waitForURL('**file=docs%2Fnew%2Fadded.txt**');
  assert.equal(await files.getByRole('group', { name: /^Changes of/ }).count(), 1);
  assert.deepEqual(await findBarriers(page), []);
  writeFileSync(join(folder, 'words.txt'), 'worse\n');
  git('commit', '-q', '-a', '-m', 'worse');
  await page.reload();
  await files.getByText(/would conflict with main in words\.txt/).waitFor();
  git('reset', '-q', '--hard', 'HEAD~1');
  await page.getByRole('button', { name: 'Apply…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Apply the changes of this run' });
  await dialog.getByText(/into main without a conflict/).waitFor();
  await dialog.getByRole('list', { name: 'Files that change' }).getByText('words.txt').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await dialog.getByText('2 files are merged into').waitFor();
  assert.deepEqual(log, []);
});

test('the columns of a run have bars between that are dragged, and no tab moves them', async (t) => {
  const { ids, service } = await stageOf(t);
  const { page, log } = await openPage(t, service, { path: `/runs/${ids.failed}` });
  const bar = page.getByRole('separator', { name: 'Between Record and the tabs' });
  const graph = page.getByRole('region', { name: 'Graph', exact: true });
  // What comes with the record makes the head taller.
  await page.getByRole('region', { name: 'Why it failed' }).getByText('giving up').waitFor();
  await page.getByRole('button', { name: /^State UPLOAD/ }).waitFor();
  const before = await graph.boundingBox();
  await page.getByRole('tab', { name: 'Steps' }).click();
  await page.getByRole('tab', { name: 'Steps', selected: true }).waitFor();
  assert.deepEqual(await graph.boundingBox(), before);
  const { x, y, width, height } = await bar.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x - 200, y + height / 2, { steps: 4 });
  await page.mouse.up();
  const isMoved = async () => assert.ok((await bar.boundingBox()).x < x - 150);
  await page.waitForURL(/split=36-5\d/);
  await untilTrue(isMoved);
  await page.reload();
  await untilTrue(isMoved);
  await bar.press('ArrowRight');
  await page.waitForURL(/split=36-5\d/);
  assert.deepEqual(await findBarriers(page), []);
  await bar.dblclick();
  await page.waitForURL((url) => !url.search.includes('split'));
  // Text of a graph that fits is not smaller than 10 px, whatever its size.
  await page.getByRole('button', { name: /^State UPLOAD/ }).waitFor();
  await untilTrue(async () => {
    const sizes = await graph
      .locator('svg text')
      .evaluateAll((all) => all.map((text) => Number(text.getAttribute('font-size')) * text.getScreenCTM().a));
    assert.ok(sizes.length > 0 && Math.min(...sizes) >= 9.95, `${Math.min(...sizes)}`);
  });
  assert.deepEqual(log, []);
});

test('a part can have all the space, and the address keeps it', async (t) => {
  const { ids, service } = await stageOf(t);
  const { page, log } = await openPage(t, service, { path: `/runs/${ids.failed}` });
  await page.getByRole('button', { name: 'Enlarge Output' }).click();
  await page.waitForURL('**max=output**');
  await page.getByRole('heading', { name: 'Graph' }).waitFor({ state: 'detached' });
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: /^Show the other parts/ }).click();
  await page.getByRole('heading', { name: 'Graph' }).waitFor();
  assert.deepEqual(log, []);
});
