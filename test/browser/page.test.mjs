/** The page as a person uses it. Each test has its own folder of runs; `test/browser.mjs` starts them. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  atEnd,
  cancelRun,
  closeBrowser,
  findBarriers,
  makeFolder,
  openPage,
  runProgram,
  startProgram,
  startService,
} from './stage.mjs';

const LOOP = `MACHINE: loop

STATE: COUNT
  TRACK: count
  INCREMENT: count
  DO: printf 'turn %s' {count}
  IF: count < 3 → GOTO COUNT
  GOTO: DONE

STATE: DONE
  RETURN: {count}
`;

const LONG = `LIMIT: transitions=10000
STATE: COUNT
  TRACK: n
  IF: n >= 3100 → RETURN
  INCREMENT: n
  GOTO: COUNT
`;

const QUESTION = `MACHINE: question

STATE: ASKING
  ASK user: "Which color?" → color choices=red,blue
  ASK user: "Which size?" → size
  RETURN: "{color} {size}"
`;

after(closeBrowser);

/** All that a page needs before it is judged. */
async function untilDrawn(page) {
  await page
    .getByRole('button', { name: /^State / })
    .first()
    .waitFor();
  await page.getByRole('tab', { name: 'Source' }).click();
  await page.locator('.source-lines .text span[style]').first().waitFor();
}

test('the list leads to a run by keyboard, and the run shows its parts', async (t) => {
  const folder = makeFolder(t, { 'loop.dsl': LOOP });
  const id = runProgram(folder, 'loop.dsl');
  const { page, log } = await openPage(t, await startService(t, folder));
  await page.getByRole('link', { name: 'loop' }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/runs/${id}`);
  await untilDrawn(page);
  await page.getByRole('button', { name: 'State COUNT, entered 3 times' }).waitFor();
  const rows = page.getByRole('table', { name: 'Events' }).getByRole('row');
  assert.match(await rows.last().textContent(), /run returned/);
  await page.getByRole('tab', { name: 'Output' }).click();
  await page.getByRole('region', { name: 'Output' }).getByText('turn 3').waitFor();
  await page.keyboard.press('u');
  await page.waitForURL(/\/$/);
  assert.deepEqual(log, []);
});

test('the slider shows the run as it was, and the address names it', async (t) => {
  const folder = makeFolder(t, { 'loop.dsl': LOOP });
  const id = runProgram(folder, 'loop.dsl');
  const { page, log } = await openPage(t, await startService(t, folder), { path: `/runs/${id}?tab=values` });
  const values = page.getByRole('region', { name: 'Values' });
  await values.getByText('returned', { exact: true }).waitFor();
  await page.getByRole('slider', { name: 'Event' }).fill('4');
  await page.waitForURL('**event=4**');
  await page.getByText('as it was after event 4').waitFor();
  await values.getByText('returned', { exact: true }).waitFor({ state: 'detached' });
  const link = page.url();
  await page.getByRole('button', { name: 'Latest' }).click();
  await values.getByText('returned', { exact: true }).waitFor();
  await page.goto(link);
  await page.getByText('as it was after event 4').waitFor();
  assert.equal(await page.getByRole('slider', { name: 'Event' }).inputValue(), '4');
  assert.deepEqual(log, []);
});

test('a question is answered on the page, and the run continues', async (t) => {
  const folder = makeFolder(t, { 'question.dsl': QUESTION });
  const id = runProgram(folder, 'question.dsl');
  const { page, log } = await openPage(t, await startService(t, folder));
  const table = page.getByRole('table', { name: 'Runs' });
  await table.getByRole('heading', { name: 'Waiting for you 1' }).waitFor();
  await table.getByText('Which color?').waitFor();
  await table.getByRole('link', { name: 'Answer: question' }).click();
  await page.waitForURL(`**/runs/${id}`);
  await page.getByRole('button', { name: 'blue', exact: true }).click();
  await page.getByRole('textbox', { name: 'Which size?' }).fill('large');
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.getByRole('heading', { level: 1 }).getByText('returned').waitFor();
  // Its button is gone, but a person at the keyboard is still at this run.
  await page.locator('h1:focus').waitFor();
  await page.getByRole('tab', { name: 'Values' }).click();
  await page.getByRole('region', { name: 'Values' }).getByText('blue large').waitFor();
  assert.deepEqual(log, []);
});

test('a run that waits is above all others, also if many came after it, and far rows are there when they are reached', async (t) => {
  const folder = makeFolder(t, { 'question.dsl': QUESTION });
  const id = runProgram(folder, 'question.dsl');
  const runs = join(folder, '.statedsl/runs');
  for (let at = 0; at < 300; at++) {
    const run_id = `ffffffff-0000-7000-8000-${String(at).padStart(12, '0')}`;
    mkdirSync(join(runs, run_id));
    const time = new Date(Date.now() + at * 1000).toISOString();
    // Half of them wait for something else than a person.
    const status = at % 2 === 0 ? 'suspended' : 'returned';
    const facts = { machine: `later-${at}`, status, state: 'A', started_at: time, ended_at: time };
    const line = JSON.stringify({ run_id, ...facts, duration_ms: 1, cost: 0, effects: 1 });
    appendFileSync(join(runs, 'index.ndjson'), `${line}\n`);
  }
  const { page } = await openPage(t, await startService(t, folder));
  const table = page.getByRole('table', { name: 'Runs' });
  await table.getByRole('link', { name: 'later-299', exact: true }).waitFor();
  await table.getByText('Which color?').waitFor();
  await table.hover();
  for (let turn = 0; turn < 30; turn++) await page.mouse.wheel(0, 900);
  await table.getByRole('link', { name: 'later-0', exact: true }).waitFor();
  const rows = await table.getByRole('row').evaluateAll((all) => all.map((row) => Number(row.ariaRowIndex)));
  assert.deepEqual(
    rows.slice(1),
    rows.slice(1).map((_, at) => rows[1] + at),
  );
  for (let turn = 0; turn < 30; turn++) await page.mouse.wheel(0, -900);
  await table.getByRole('link', { name: 'Answer: question' }).click();
  await page.waitForURL(`**/runs/${id}`);
});

test('a narrow list has all facts of a run in three lines', async (t) => {
  const folder = makeFolder(t, { 'loop.dsl': LOOP });
  runProgram(folder, 'loop.dsl');
  const { page, log } = await openPage(t, await startService(t, folder), { width: 400 });
  const row = page.getByRole('table', { name: 'Runs' }).getByRole('row').filter({ hasText: 'loop' });
  for (const text of [/returned/, /^loop$/, /^3$/, /^\d\d:\d\d:\d\d$/, /^\d.*s$/, /^\$0\.00$/]) {
    const cell = row.getByText(text).last();
    await cell.waitFor();
    const { x, width } = await cell.boundingBox();
    assert.ok(x >= 0 && x + width <= 400, `${text} is at ${x}`);
  }
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 400);
  assert.deepEqual(log, []);
});

test('a long run is shown with its end before all its events are there', async (t) => {
  const folder = makeFolder(t, { 'long.dsl': LONG });
  const id = runProgram(folder, 'long.dsl');
  const service = await startService(t, folder);
  const { page, log } = await openPage(t, service);
  let release = () => undefined;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  await page.route('**/events?follow=false&after=0', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${service.address}/runs/${id}`);
  await page.getByRole('table', { name: 'Events' }).getByText('run returned').waitFor();
  const slider = page.getByRole('slider', { name: 'Event' });
  const last = Number(await slider.getAttribute('max'));
  assert.ok(last > 6000);
  await slider.fill('3000');
  await page.getByText('as it was after event 3000').waitFor();
  await page.getByRole('table', { name: 'Events' }).getByText('3001', { exact: true }).waitFor();
  release();
  await page.getByRole('button', { name: 'State COUNT, entered 1499 times' }).waitFor();
  assert.equal(await page.locator('.slider .at').textContent(), `3000 / ${last}`);
  assert.deepEqual(log, []);
});

test('an action says what it will do, and why it is not possible', async (t) => {
  const folder = makeFolder(t, { 'question.dsl': QUESTION });
  const id = runProgram(folder, 'question.dsl');
  const { page, log } = await openPage(t, await startService(t, folder), { path: `/runs/${id}` });
  const apply = page.getByRole('button', { name: 'Apply…' });
  assert.equal(await apply.getAttribute('aria-disabled'), 'true');
  assert.match(await apply.getAttribute('title'), /no worktree/);
  await page.getByRole('button', { name: 'Cancel…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel this run' });
  await dialog.getByText('cannot be resumed').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Cancel…' }).and(page.locator(':focus')).press('Enter');
  await dialog.getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByRole('heading', { level: 1 }).getByText('failed').waitFor();
  assert.deepEqual(log, []);
});

test('a service that only shows has no actions', async (t) => {
  const folder = makeFolder(t, { 'question.dsl': QUESTION });
  const id = runProgram(folder, 'question.dsl');
  const service = await startService(t, folder, { words: ['--read-only'] });
  const { page, log } = await openPage(t, service, { path: `/runs/${id}` });
  await page.getByText('read-only').waitFor();
  await page.getByText('Which color?').first().waitFor();
  assert.equal(await page.getByRole('button', { name: 'Cancel…' }).count(), 0);
  assert.equal(await page.getByRole('button', { name: 'blue', exact: true }).count(), 0);
  assert.deepEqual(log, []);
});

const HOSTILE =
  '<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>\u202e\u001b]0;x\u0007\u001b[31mred';

test('a refused resumption says why, a higher limit is accepted, and nothing of the dialog is a barrier', async (t) => {
  const folder = makeFolder(t, { 'limited.dsl': 'MACHINE: limited\nLIMIT: time=1s\nDO: sleep 1.5\nRETURN: 1\n' });
  const id = runProgram(folder, 'limited.dsl');
  const { page } = await openPage(t, await startService(t, folder), { path: `/runs/${id}` });
  await page.getByRole('button', { name: 'limited.dsl, line 3' }).waitFor();
  await page.getByRole('button', { name: 'Resume…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Resume this run' });
  await dialog.getByText('with the same limit it fails again').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Resume', exact: true }).click();
  await dialog.getByRole('alert').getByText('the run has used up its limit', { exact: false }).waitFor();
  await dialog.getByRole('spinbutton', { name: /time in seconds/ }).fill('60');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1 }).getByText('returned').waitFor();
});

test('where a run failed leads to that line, also after its state ERROR and before its events are there', async (t) => {
  const text = 'MACHINE: fails\nSTATE: A\n  DO: false\n  RETURN: 1\nSTATE: ERROR\n  EMIT: GAVE_UP\n  RETURN: 2\n';
  const folder = makeFolder(t, { 'fails.dsl': text });
  const id = runProgram(folder, 'fails.dsl');
  const service = await startService(t, folder);
  const { page, log } = await openPage(t, service);
  let release = () => undefined;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  await page.route('**/events?*', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${service.address}/runs/${id}?tab=values`);
  await page.getByRole('button', { name: 'fails.dsl, line 3' }).click();
  release();
  await page.getByText(/as it was after event/).waitFor();
  await page.locator('.source-lines [aria-current]').getByText('false').waitFor();
  assert.deepEqual(log, []);
});

test('a run that waits for its turn has a head and actions, and its parts once it is executed', async (t) => {
  const folder = makeFolder(t, { 'slow.dsl': 'MACHINE: slow\nDO: sleep 60\nRETURN: 1\n', 'loop.dsl': LOOP });
  const service = await startService(t, folder, { words: ['--programs', '.', '--runs', '1'] });
  const start = (program) => startProgram(service, program);
  const first = await start('slow.dsl');
  atEnd(t, () => cancelRun(folder, first));
  const { page, log } = await openPage(t, service, { path: `/runs/${await start('loop.dsl')}` });
  const heading = page.getByRole('heading', { level: 1 });
  await heading.getByText('queued').waitFor();
  await page.getByText('This run has not begun.').waitFor();
  assert.match(await page.getByRole('definition').allTextContents().then(String), /\$0\.00/);
  assert.match(await page.getByRole('button', { name: 'Resume…' }).getAttribute('title'), /as soon as other runs/);
  assert.deepEqual(await findBarriers(page), []);
  // A dialog that is open stays when the run begins.
  await page.getByRole('button', { name: 'Cancel…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel this run' });
  await dialog.waitFor();
  cancelRun(folder, first);
  await page.locator('h1').getByText('returned').waitFor();
  assert.ok(await dialog.isVisible());
  await page.keyboard.press('Escape');
  await untilDrawn(page);
  const refused = await start('slow.dsl');
  await page.goto(`${service.address}/runs/${await start('loop.dsl')}`);
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await heading.getByText('failed').waitFor();
  await page.getByText('cancelled the run before it began').waitFor();
  await page.getByText('This run never began').waitFor();
  assert.match(await page.getByRole('button', { name: /^Replay/ }).getAttribute('title'), /never began/);
  cancelRun(folder, refused);
  // The browser reports each answer that is a refusal.
  assert.deepEqual(
    log.filter((line) => !line.includes('status of 409')),
    [],
  );
});

test('a run that is executed has its time in the list, which passes', async (t) => {
  const folder = makeFolder(t, { 'slow.dsl': 'MACHINE: slow\nDO: sleep 30\nRETURN: 1\n' });
  const id = runProgram(folder, 'slow.dsl', '--detach');
  atEnd(t, () => cancelRun(folder, id));
  const { page, log } = await openPage(t, await startService(t, folder));
  const row = page.getByRole('row').filter({ hasText: 'slow' });
  await row.getByText(/^\d+ s$/).waitFor();
  const before = await row.locator('.col-time').textContent();
  await page.waitForFunction(
    (text) => document.querySelector('.col-time:not(.head .col-time)')?.textContent !== text,
    before,
  );
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(log, []);
});

test('hostile names, values and output execute nothing, and nothing leaves the page', async (t) => {
  const folder = makeFolder(t, {
    '<img src=x onerror=alert(1)>.dsl':
      'INPUT: who = ""\nEMIT: "<script>alert(1)</script> {who}"\nDO: printf %s {who}\nRETURN: {who}\n',
  });
  const id = runProgram(folder, '<img src=x onerror=alert(1)>.dsl', '-i', `who=${HOSTILE}`);
  const { page, log } = await openPage(t, await startService(t, folder), { path: '/' });
  await page.getByRole('table', { name: 'Runs' }).getByRole('link').first().click();
  await page.waitForURL(`**/runs/${id}`);
  for (const tab of ['Source', 'Values', 'Output']) {
    await page.getByRole('tab', { name: tab }).click();
    await page.getByText('onerror').first().waitFor();
  }
  await page.getByLabel('JSON').check();
  await page.getByRole('region', { name: 'The event as JSON' }).getByText('onerror').waitFor();
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  assert.equal(await page.locator('img').count(), 0);
  assert.deepEqual(log, []);
});

test('no control character and no change of direction reaches the page, wherever it comes from', async (t) => {
  const name = 'a\u202egnp.dsl';
  const text = `INPUT: who = ""
STATE: A
  EMIT: "{who}"
  DO [retry=2/10ms]: printf %s {who} >&2; mkdir done
  ASK user: "{who}" → ok choices=yes,no
  GOTO: ERROR with error_type={who}, error={who}
STATE: ERROR
  FAIL: {who}
`;
  const folder = makeFolder(t, { [name]: text });
  mkdirSync(join(folder, 'done'));
  writeFileSync(join(folder, 'who'), `${HOSTILE} \u2066\u200f\`code\``);
  // It is tried again, and fails for good.
  const id = runProgram(folder, name, '-i', 'who=@who');
  rmSync(join(folder, 'done'), { recursive: true });
  const asking = runProgram(folder, name, '-i', 'who=@who');
  const service = await startService(t, folder);
  const { page, log } = await openPage(t, service);
  const findDeceptive = () =>
    page.evaluate(() => {
      const deceptive = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u;
      const all = [...document.querySelectorAll('body *')].flatMap((one) => [
        ...[...one.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data),
        ...['title', 'aria-label'].map((name) => one.getAttribute(name) ?? ''),
      ]);
      return all.filter((one) => deceptive.test(one)).map((one) => JSON.stringify(one.slice(0, 200)));
    });
  await page
    .getByRole('link', { name: /^Answer: / })
    .first()
    .waitFor();
  assert.deepEqual(await findDeceptive(), []);
  for (const run of [id, asking]) {
    await page.goto(`${service.address}/runs/${run}`);
    await untilDrawn(page);
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      await page.waitForTimeout(200);
      assert.deepEqual(await findDeceptive(), [], (await tab.textContent()) ?? '');
    }
  }
  await page.getByRole('button', { name: 'yes', exact: true }).click();
  await page.getByRole('heading', { level: 1 }).getByText('failed').waitFor();
  assert.deepEqual(await findDeceptive(), []);
  assert.deepEqual(log, []);
});

for (const theme of ['light', 'dark'])
  for (const width of [400, 1280])
    test(`axe finds nothing at ${width} pixels, ${theme}`, async (t) => {
      const folder = makeFolder(t, { 'loop.dsl': LOOP, 'question.dsl': QUESTION });
      runProgram(folder, 'question.dsl');
      const id = runProgram(folder, 'loop.dsl');
      const service = await startService(t, folder);
      const { page, log } = await openPage(t, service, { theme, width });
      await page.getByRole('heading', { name: /^Waiting for you/ }).waitFor();
      assert.deepEqual(await findBarriers(page), []);
      for (const tab of ['graph', 'source', 'values', 'output', 'record', 'files']) {
        await page.goto(`${service.address}/runs/${id}?tab=${tab}&event=6`);
        await page.getByText('as it was after event 6').waitFor();
        if (width > 1000 || tab === 'graph')
          await page
            .getByRole('button', { name: /^State / })
            .first()
            .waitFor();
        assert.deepEqual(await findBarriers(page), [], tab);
      }
      await page.getByRole('button', { name: 'Keys' }).click();
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      assert.deepEqual(await findBarriers(page), []);
      assert.deepEqual(log, []);
    });

test('a service that ends is missed, and the page continues when it is back', async (t) => {
  const folder = makeFolder(t, { 'loop.dsl': LOOP });
  runProgram(folder, 'loop.dsl');
  const first = await startService(t, folder);
  const { page } = await openPage(t, first);
  await page.getByRole('link', { name: 'loop' }).waitFor();
  await first.stop('SIGKILL');
  const notice = page.getByText('The service does not answer.');
  await notice.waitFor();
  assert.equal(await page.getByRole('link', { name: 'loop' }).count(), 1);
  runProgram(folder, 'loop.dsl');
  await startService(t, folder, { port: first.port });
  await notice.waitFor({ state: 'detached' });
  await page.getByText('2 runs').waitFor();
});

test('a run that is removed while it is shown stays readable, and says so', async (t) => {
  const folder = makeFolder(t, { 'question.dsl': QUESTION });
  const id = runProgram(folder, 'question.dsl');
  const { page } = await openPage(t, await startService(t, folder), { path: `/runs/${id}` });
  await page.getByRole('table', { name: 'Events' }).getByText('run suspended').waitFor();
  rmSync(join(folder, '.statedsl/runs', id), { recursive: true });
  await page.getByText('This run was removed.').waitFor();
  assert.equal(await page.getByRole('table', { name: 'Events' }).getByText('run suspended').count(), 1);
});

test('a broken journal is shown with the place of the damage, and the events before it can be read', async (t) => {
  const folder = makeFolder(t, { 'loop.dsl': LOOP });
  const id = runProgram(folder, 'loop.dsl');
  const journal = join(folder, '.statedsl/runs', id, 'journal.ndjson');
  const lines = readFileSync(journal, 'utf8').split('\n');
  lines[6] = `${lines[6].slice(0, 20)}#${lines[6].slice(21)}`;
  writeFileSync(journal, lines.join('\n'));
  const { page } = await openPage(t, await startService(t, folder), { path: `/runs/${id}` });
  await page.getByRole('alert').getByText('event 7').waitFor();
  await page.getByRole('heading', { level: 1, name: 'loop' }).getByText('damaged').waitFor();
  // The damage is told before the events are read.
  await page.getByRole('definition').getByText('$0.00').first().waitFor();
  assert.match(await page.getByRole('definition').allTextContents().then(String), /DONE.*\$0\.00/);
  await page.getByRole('alert').getByRole('link', { name: 'Look at the run as it was before' }).click();
  await page.waitForURL('**event=6**');
  const events = page.getByRole('table', { name: 'Events' });
  await events.getByText('journal damaged').waitFor();
  await events.getByText('state entered').first().click();
  await page.waitForURL('**event=2**');
  await page.getByText('as it was after event 2').waitFor();
  // A new run can begin there, and nothing else can be done.
  assert.equal(await page.getByRole('button', { name: /^Resume/ }).getAttribute('aria-disabled'), 'true');
  await page.getByRole('button', { name: 'Replay from here…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start the new run' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(id));
  await page.getByRole('heading', { level: 1, name: 'loop' }).getByText('returned').waitFor();
});

test('without the token the page says how to get in', async (t) => {
  const folder = makeFolder(t, { 'loop.dsl': LOOP });
  const { address } = await startService(t, folder);
  const { page } = await openPage(t, { address });
  await page.context().clearCookies();
  await page.goto(address);
  await page.getByText('This page needs the token of the service.').waitFor();
});
