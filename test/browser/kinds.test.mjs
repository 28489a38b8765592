/** What a person asks of a run, by role and name, on ten kinds of runs; and every screen in its structure. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  atEnd,
  cancelRun,
  closeBrowser,
  findBarriers,
  findBroken,
  makeFolder,
  makeRepository,
  openPage,
  runProgram,
  startEngine,
  startProgram,
  startService,
  TOKEN,
} from './stage.mjs';

after(closeBrowser);

const FILES = {
  'count.dsl': 'MACHINE: count\nTITLE: Count {what}\nINPUT: what = "apples"\nDO: n = echo 3\nRETURN: "{n} {what}"\n',
  'deploy.dsl':
    'MACHINE: deploy\nTITLE: Deploy to {env}\nINPUT: env = "staging"\nSTATE: UPLOAD\n  DO: echo "to {env}"; echo "HTTP 403" >&2; exit 22\n  RETURN: done\n',
  'probe.dsl':
    'MACHINE: probe\nDO [retry=2/10ms]: if [ -e tried ]; then echo up; else touch tried; echo "no route" >&2; exit 7; fi\nRETURN: "it is up"\n',
  'ask.dsl':
    'MACHINE: ask\nTITLE: Ask {who}\nINPUT: who = "Ada"\nCHECK: found = echo "3 fixes"\nASK user: "Publish it?" → go choices=yes,no show=found\nRETURN: {go}\n',
  'form.dsl':
    'MACHINE: form\nDO: echo "two drafts"\nDO: in PARALLEL\n  ASK user: "Which one?" → one choices=yes,no\n  ASK user: "Who is told?" → who\nRETURN: "{one} {who}"\n',
  'signal.dsl': 'MACHINE: signal\nDO: echo prepared\nWAIT: signal deployed\nRETURN: 1\n',
  'slow.dsl': 'MACHINE: slow\nSTATE: WORK\n  DO: echo begun; sleep 300\n  RETURN: 1\n',
  'each.dsl': 'MACHINE: each\nFOR EACH: x in ["a", "b"] in PARALLEL:\n  DO: echo "member {x}"\nRETURN: "both"\n',
  'polish.yaml':
    "title: Polish {file}\ninputs:\n  file: words.txt\nsteps:\n  - name: edit\n    run: { bash: 'echo better >> words.txt' }\n    gate:\n      - bash: 'grep better words.txt'\n",
  'words.txt': 'good\n',
  '.gitignore': '.statedsl\ntoken\ntried\n',
};

/**
 * By kind: its title, its status, what the list says of it in its second line, where the run is or why it failed, and what
 * its last command printed.
 */
const KINDS = {
  returned: ['Count apples', 'returned', '3 apples', null, '3'],
  failed: ['Deploy to staging', 'failed', 'HTTP 403', 'HTTP 403', 'HTTP 403'],
  named: ['The nightly one', 'failed', 'HTTP 403', 'HTTP 403', 'to production'],
  retried: ['probe', 'returned', 'it is up', 'no route', 'up'],
  asks: ['Ask Ada', 'suspended', 'Publish it?', 'MAIN', '3 fixes'],
  form: ['form', 'suspended', 'Which one?', 'MAIN', 'two drafts'],
  signals: ['signal', 'suspended', '', 'the signal', 'prepared'],
  changed: ['Polish words.txt', 'returned', '', null, 'better'],
  cancelled: ['Ask Bob', 'failed', 'cancelled the run', 'cancelled the run', '3 fixes'],
  running: ['slow', 'running', '', 'WORK', 'begun'],
  parallel: ['each', 'returned', 'both', null, 'member b'],
  replayed: ['Deploy to staging', 'failed', 'HTTP 403', 'Replay of', 'HTTP 403'],
};

async function stageOf(t) {
  const folder = makeFolder(t, FILES);
  makeRepository(folder);
  const ids = {
    returned: runProgram(folder, 'count.dsl'),
    failed: runProgram(folder, 'deploy.dsl'),
    named: runProgram(folder, 'deploy.dsl', '-i', 'env=production', '--name', 'The nightly one'),
    retried: runProgram(folder, 'probe.dsl'),
    asks: runProgram(folder, 'ask.dsl'),
    form: runProgram(folder, 'form.dsl'),
    signals: runProgram(folder, 'signal.dsl'),
    changed: runProgram(folder, 'polish.yaml', '--worktree'),
    cancelled: runProgram(folder, 'ask.dsl', '-i', 'who=Bob'),
    running: runProgram(folder, 'slow.dsl', '--detach'),
    parallel: runProgram(folder, 'each.dsl'),
  };
  atEnd(t, () => cancelRun(folder, ids.running));
  cancelRun(folder, ids.cancelled);
  const service = await startService(t, folder);
  const { run_id } = await fetch(`${service.address}/api/v1/runs/${ids.failed}/replay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ from: 3 }),
  }).then((answer) => answer.json());
  return { folder, ids: { ...ids, replayed: run_id }, service };
}

test('eight questions are answered where a person looks, on ten kinds of runs', async (t) => {
  const { ids, service } = await stageOf(t);
  const { page, log } = await openPage(t, service);
  page.setDefaultTimeout(20_000);
  const table = page.getByRole('table', { name: 'Runs' });
  const output = page.getByRole('region', { name: 'Output' });
  for (const [kind, [title, status, second]] of Object.entries(KINDS)) {
    // 1: Which one is mine? 2: What became of it?
    const row = table.getByRole('row').filter({ hasText: ids[kind].slice(-8) });
    await row.getByRole('link', { name: title, exact: true }).waitFor();
    await row.locator(`.status.${status}`).waitFor();
    assert.match(await row.locator('.second').textContent(), new RegExp(second.replace('?', '\\?')), kind);
  }
  // What the service lets the browser fetch first is what the list waits for.
  const asked = await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name }) => name.split('/api/v1')[1])`,
  );
  for (const route of ['/waiting?', '/runs?limit='])
    assert.equal(new Set(asked.filter((one) => one?.startsWith(route) && !one.includes('cursor'))).size, 1, route);
  for (const [kind, [title, status, , where, printed]] of Object.entries(KINDS)) {
    await t.test(kind, async () => {
      await page.goto(`${service.address}/runs/${ids[kind]}`);
      const heading = page.getByRole('heading', { level: 1 });
      await heading.getByText(title).waitFor();
      await heading.locator(`.status.${status}`).waitFor();
      // 3: Where is it, or why has it failed?
      if (where !== null) await page.locator('.run-screen').getByText(where).first().waitFor();
      // 4: What did the command print?
      await output.getByText(printed).first().waitFor();
      // 5: What was tried before?
      const attempts = await page.getByRole('button', { name: /^\d: exit \d/ }).count();
      assert.equal(attempts > 1, kind === 'retried');
      // 6: What does it wait for?
      const waits = page.getByRole('region', { name: 'What the run waits for' });
      assert.equal(await waits.count(), status === 'suspended' ? 1 : 0);
      if (kind === 'asks' || kind === 'form') await waits.getByRole('button', { name: 'yes' }).waitFor();
      if (kind === 'failed') await page.getByRole('link', { name: `run ${ids.replayed.slice(-8)}` }).waitFor();
      if (kind === 'replayed') await page.getByRole('link', { name: `run ${ids.failed.slice(-8)}, event 2` }).waitFor();
      // 7: What changed in the files? 8: What does Apply do, or why nothing?
      const apply = page.getByRole('button', { name: /^Apply…/ });
      assert.equal(await apply.getAttribute('aria-disabled'), String(kind !== 'changed'));
      if (kind !== 'changed') assert.match(await apply.getAttribute('title'), /worktree/);
      assert.deepEqual(await findBarriers(page), []);
      await page.getByRole('tab', { name: 'Files' }).click();
      const files = page.getByRole('tabpanel', { name: 'Files' });
      await files
        .getByText(kind === 'changed' ? '1 file, +1 −0' : /worktree/)
        .first()
        .waitFor();
      if (kind !== 'changed') return;
      await apply.click();
      await page
        .getByRole('dialog')
        .getByText(/into main without a conflict/)
        .waitFor();
      await page.keyboard.press('Escape');
    });
  }
  assert.deepEqual(log, []);
});

test('the same questions are answered for runs on an engine', async (t) => {
  const folder = makeFolder(t, FILES);
  const service = await startService(t, folder, { words: await startEngine(t, folder) });
  const kinds = {
    returned: 'count.dsl',
    failed: 'deploy.dsl',
    retried: 'probe.dsl',
    asks: 'ask.dsl',
    signals: 'signal.dsl',
  };
  const ids = {};
  for (const [kind, program] of Object.entries(kinds)) ids[kind] = await startProgram(service, program);
  const { page, log } = await openPage(t, service);
  page.setDefaultTimeout(20_000);
  const table = page.getByRole('table', { name: 'Runs' });
  for (const kind of Object.keys(kinds)) {
    const [title, status, second] = KINDS[kind];
    const row = table.getByRole('row').filter({ hasText: ids[kind].slice(-8) });
    await row.getByRole('link', { name: title, exact: true }).waitFor();
    await row.locator(`.status.${status}`).waitFor();
    await row
      .locator('.second')
      .filter({ hasText: new RegExp(second.replace('?', '\\?')) })
      .waitFor({ state: 'attached' });
  }
  for (const kind of Object.keys(kinds)) {
    const [title, status, , where, printed] = KINDS[kind];
    await page.goto(`${service.address}/runs/${ids[kind]}`);
    const heading = page.getByRole('heading', { level: 1 });
    await heading.getByText(title).waitFor();
    await heading.locator(`.status.${status}`).waitFor();
    if (where !== null) await page.locator('.run-screen').getByText(where).first().waitFor();
    await page.getByRole('region', { name: 'Output' }).getByText(printed).first().waitFor();
    const attempts = await page.getByRole('button', { name: /^\d: exit \d/ }).count();
    assert.equal(attempts > 1, kind === 'retried', kind);
    const waits = page.getByRole('region', { name: 'What the run waits for' });
    assert.equal(await waits.count(), status === 'suspended' ? 1 : 0, kind);
    const apply = page.getByRole('button', { name: /^Apply…/ });
    assert.equal(await apply.getAttribute('aria-disabled'), 'true', kind);
    assert.match(await apply.getAttribute('title'), /worktree/, kind);
    await page.getByRole('tab', { name: 'Files' }).click();
    await page
      .getByRole('tabpanel', { name: 'Files' })
      .getByText(/worktree/)
      .first()
      .waitFor();
    assert.deepEqual(await findBarriers(page), [], kind);
  }
  // An answer reaches the engine, and what the run does then comes back.
  await page.goto(`${service.address}/runs/${ids.asks}`);
  await page.getByRole('region', { name: 'What the run waits for' }).getByRole('button', { name: 'yes' }).click();
  await page.getByRole('heading', { level: 1 }).getByText('returned').waitFor();
  assert.deepEqual(log, []);
});

/** Roles and names, without what passes: times, ids. */
const structureOf = async (page) =>
  (await page.locator('main').ariaSnapshot())
    .replace(/(?:\d+(?:\.\d+)? ?(?:d|h|min|ms|s)\b ?)+/g, 'TIME ')
    .replace(/\d+/g, '0')
    .replace(/[0-9a-f]{6,}/g, '0');

test('every screen has one structure in both themes, and nothing in it overlaps or is cut at three widths', async (t) => {
  const { ids, service } = await stageOf(t);
  for (const width of [400, 1280, 2560]) {
    const structures = new Map();
    for (const theme of ['light', 'dark']) {
      const { page, log } = await openPage(t, service, { theme, width, height: 860 });
      await page.getByRole('link', { name: 'Count apples' }).waitFor();
      assert.deepEqual(await findBroken(page), [], `the list at ${width}`);
      const screens = ['failed', 'asks', 'form', 'changed', 'retried'].map((kind) => [
        kind,
        `/runs/${ids[kind]}?tab=output`,
      ]);
      for (const [name, path] of [...screens, ['the start form', '/?start=count.dsl']]) {
        await page.goto(`${service.address}${path}`);
        const isReady = path.startsWith('/runs')
          ? page.getByRole('tab', { name: 'Output' })
          : page.getByText('It calls no agents');
        await isReady.waitFor();
        await page.getByText('The graph is being drawn').waitFor({ state: 'detached' });
        await page.locator('.output .faint, .output pre, .terminal, dialog').first().waitFor();
        await page.waitForLoadState('networkidle').catch(() => undefined);
        assert.deepEqual(await findBroken(page), [], `${name} at ${width}`);
        const structure = await structureOf(page);
        const before = structures.get(name);
        if (before === undefined) structures.set(name, structure);
        else assert.equal(structure, before, `${name} at ${width}`);
        if (width !== 2560) assert.deepEqual(await findBarriers(page), [], `${name} at ${width} in ${theme}`);
      }
      await page.goto(service.address);
      await page.getByRole('button', { name: /^Theme:/ }).click();
      await page.getByRole('button', { name: 'Theme: light' }).waitFor();
      assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'light');
      assert.deepEqual(log, []);
      await page.context().close();
    }
  }
});
