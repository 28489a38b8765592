/** What a person wants to know of a run is found where they look: by role and name, on runs of several kinds. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { closeBrowser, findBarriers, makeFolder, openPage, runProgram, startService } from './stage.mjs';

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
    run: { bash: 'echo better >> words.txt; echo new > added.txt' }
    gate:
      - bash: 'grep better words.txt'
`;

/** A repository with a run of each kind, and the service that shows them. */
async function stageOf(t) {
  const files = { 'deploy.dsl': DEPLOY, 'probe.dsl': RETRIED, 'release.dsl': RELEASE, 'polish.yaml': POLISH };
  const folder = makeFolder(t, { ...files, 'words.txt': 'good\n', '.gitignore': '.statedsl\ntoken\ntried\n' });
  const git = (...words) =>
    execFileSync(
      'git',
      ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false', ...words],
      {
        cwd: folder,
      },
    );
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'begin');
  const ids = {
    failed: runProgram(folder, 'deploy.dsl', '-i', 'env=production'),
    named: runProgram(folder, 'deploy.dsl', '--name', 'The nightly one'),
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
  const top = await table.getByRole('row').nth(1).boundingBox();
  assert.ok(top.y <= 300, `rows begin at ${top.y}`);
  await page.getByText('Any status').click();
  await page.getByRole('checkbox', { name: 'failed' }).check();
  await page.getByRole('checkbox', { name: 'suspended' }).check();
  await page.waitForURL('**status=suspended%2Cfailed**');
  await row('Probe b').waitFor({ state: 'detached' });
  assert.equal(await table.getByRole('link', { name: /^(The|Deploy|release)/ }).count(), 3);
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
  assert.equal((await output.textContent()).trim(), 'HTTP 403: the token has expired');
  await page.goto(`${service.address}/runs/${ids.retried}`);
  await page.getByRole('button', { name: /^1: exit 7/ }).click();
  await output.getByText('no route').waitFor();
  await page.getByRole('button', { name: /^2: exit 0/ }).click();
  await output.getByText('up', { exact: false }).first().waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(log, []);
});

test('what it waits for, with what led to it, and all answers at once', async (t) => {
  const { ids, service } = await stageOf(t);
  const { page, log } = await openPage(t, service, { path: `/runs/${ids.waiting}` });
  const waits = page.getByRole('region', { name: 'What the run waits for' });
  assert.match(await waits.textContent(), /Publish it\?.*Asked by PREPARE at .*changes\.fixes3changes\.by\["Ada"\]/);
  await waits.getByRole('button', { name: 'yes' }).click();
  const who = waits.getByRole('textbox', { name: 'Who is told?' });
  await who.fill('[1,');
  await waits.getByText(/is not JSON/).waitFor();
  await waits.getByRole('button', { name: 'Send 1 of 2 answers' }).waitFor();
  await who.fill('the team');
  await waits.getByText('is sent as a text').waitFor();
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
  await files.getByRole('button', { name: 'added.txt' }).click();
  await page.waitForURL('**file=added.txt**');
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

/** What stands over another part or is cut off. */
const findBroken = () => {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth)
    found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const one of document.querySelectorAll('h1, button, [role="tab"], .fact')) {
    const { left, right, width } = one.getBoundingClientRect();
    if (width > 0 && !one.closest('.scroll') && (left < -1 || right > innerWidth + 1))
      found.push(`cut: ${one.textContent}`);
  }
  return found;
};

test('nothing is cut off on any screen, at three widths and in both themes', async (t) => {
  const { ids, service } = await stageOf(t);
  for (const width of [400, 1280, 2560])
    for (const theme of ['light', 'dark']) {
      const { page, log } = await openPage(t, service, { theme, width });
      await page.getByRole('link', { name: 'Probe b' }).waitFor();
      assert.deepEqual(await page.evaluate(findBroken), [], `the list at ${width}`);
      for (const [kind, id] of Object.entries(ids)) {
        await page.goto(`${service.address}/runs/${id}`);
        await page.getByRole('tab', { name: 'Output' }).waitFor();
        assert.deepEqual(await page.evaluate(findBroken), [], `${kind} at ${width}`);
      }
      await page.getByRole('button', { name: /^Theme:/ }).click();
      await page.getByRole('button', { name: 'Theme: light' }).waitFor();
      assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'light');
      assert.deepEqual(log, []);
      await page.context().close();
    }
});

test('the columns of a run have bars between that are dragged, and no tab moves them', async (t) => {
  const { ids, service } = await stageOf(t);
  const { page, log } = await openPage(t, service, { path: `/runs/${ids.failed}` });
  const bar = page.getByRole('separator', { name: 'Between Record and the tabs' });
  const graph = page.getByRole('region', { name: 'Graph', exact: true });
  const before = await graph.boundingBox();
  await page.getByRole('tab', { name: 'Steps' }).click();
  await page.getByRole('tab', { name: 'Steps', selected: true }).waitFor();
  assert.deepEqual(await graph.boundingBox(), before);
  const { x, y, width, height } = await bar.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x - 200, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/split=36-5\d/);
  assert.ok((await bar.boundingBox()).x < x - 150);
  await page.reload();
  await bar.waitFor();
  assert.ok((await bar.boundingBox()).x < x - 150);
  await bar.press('ArrowRight');
  await page.waitForURL(/split=36-5\d/);
  assert.deepEqual(await findBarriers(page), []);
  await bar.dblclick();
  await page.waitForURL((url) => !url.search.includes('split'));
  // Text of a graph that fits is not smaller than 10 px, whatever its size.
  await page.getByRole('button', { name: /^State UPLOAD/ }).waitFor();
  const sizes = await graph
    .locator('svg text')
    .evaluateAll((all) => all.map((text) => Number(text.getAttribute('font-size')) * text.getScreenCTM().a));
  assert.ok(sizes.length > 0 && Math.min(...sizes) >= 9.95, `${Math.min(...sizes)}`);
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
