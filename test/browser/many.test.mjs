/** Several runs at once, and runs that are started on the page. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { closeBrowser, findBarriers, makeFolder, openPage, runProgram, startService } from './stage.mjs';

after(closeBrowser);

const ASKS = 'MACHINE: asks\nTITLE: Ask {who}\nINPUT: who = "Ada"\nASK user: "Go?" → go choices=yes,no\nRETURN: {go}\n';
const FAILS = 'MACHINE: fails\nDO: test -e mended\nRETURN: 1\n';
const EVERY = `# Every kind of input.
MACHINE: every
INPUT: who
INPUT: count = 2
INPUT: rate = 1.0
INPUT: loud = false
INPUT: names = ["a"]
INPUT: mode = "fast" (one of: fast, slow)
INPUT: token = "" (secret)
RETURN: {"who": who, "count": count, "rate": rate, "loud": loud, "names": names, "mode": mode}
`;

/** Its agent costs nothing until it is called, so that only the bound matters. */
const AGENTS = `MACHINE: spends
INPUT: tasks = 2
DO: a = Task(helper) "One." > one.txt
DO: b = Task(helper) "Two." > two.txt
ASK user: "Right? {a} {b}" → ok
RETURN: {ok}
`;
const CONFIG = `agents:
  helper:
    adapter: command
    run: ["true"]
    max_cost: 1.5
confirm_above: {calls: 1}
`;

test('runs are selected, and cancelled, resumed and removed with a list of what will happen', async (t) => {
  const folder = makeFolder(t, { 'asks.dsl': ASKS, 'fails.dsl': FAILS, 'one.dsl': 'MACHINE: one\nRETURN: 1\n' });
  for (const who of ['Ada', 'Bob']) runProgram(folder, 'asks.dsl', '-i', `who=${who}`);
  const failed = runProgram(folder, 'fails.dsl');
  const returned = runProgram(folder, 'one.dsl');
  const { page, log } = await openPage(t, await startService(t, folder));
  const table = page.getByRole('table', { name: 'Runs' });
  await table.getByRole('checkbox', { name: 'Select Ask Ada' }).check();
  await table.getByRole('checkbox', { name: 'Select one' }).check();
  const bar = page.getByRole('group', { name: 'Selected runs' });
  await bar.getByText('2 runs selected').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await bar.getByRole('button', { name: 'Cancel…' }).click();
  const plans = page.getByRole('list', { name: 'What will happen' });
  await plans.getByRole('listitem').filter({ hasText: 'Ask Ada' }).getByText('ends as failed, for good').waitFor();
  await plans.getByRole('listitem').filter({ hasText: 'one' }).getByText('nothing happens: it has ended').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel 1 run' }).click();
  await page.getByText('1 run cancelled.').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await table.getByRole('row').filter({ hasText: 'Ask Ada' }).locator('.status.failed').waitFor();

  await table.getByRole('checkbox', { name: 'Select fails' }).check();
  await bar.getByRole('button', { name: 'Resume…' }).click();
  await plans.getByText('goes back to what failed').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume 1 run' }).click();
  await page.getByText('1 run resumed.').waitFor();
  await page.keyboard.press('Escape');
  await bar.waitFor({ state: 'detached' });

  await table.getByRole('checkbox', { name: 'Select all listed runs' }).check();
  await bar.getByText('4 runs selected').waitFor();
  await bar.getByRole('button', { name: 'Remove…' }).click();
  const bob = plans.getByRole('listitem').filter({ hasText: 'Ask Bob' });
  await bob.getByText('nothing happens: it could be resumed: suspended').waitFor();
  await plans.getByRole('listitem').filter({ hasText: 'one' }).getByText('is removed for good').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove 3 runs' }).click();
  await page.getByText('3 runs removed.').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await table.getByRole('link', { name: 'one', exact: true }).waitFor({ state: 'detached' });
  assert.equal(await table.getByRole('link', { name: /^Ask Bob/ }).count(), 1);
  for (const id of [failed, returned]) assert.equal(existsSync(join(folder, '.statedsl/runs', id)), false);
  assert.deepEqual(log, []);
});

test('a run is started from a form: inputs by their types, and what the run may spend before it begins', async (t) => {
  const folder = makeFolder(t, {
    'every.dsl': EVERY,
    'asks.dsl': ASKS,
    'spends.dsl': AGENTS,
    'statedsl.config.yaml': CONFIG,
  });
  const service = await startService(t, folder, { words: ['--programs', '.'] });
  const { page, log } = await openPage(t, service);
  await page.getByRole('button', { name: 'Start a run…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Start a run' });
  await dialog.getByRole('combobox', { name: 'Program' }).selectOption('every.dsl');
  await page.waitForURL('**start=every.dsl**');
  const start = dialog.getByRole('button', { name: 'Start the run' });
  assert.equal(await start.isDisabled(), true);
  await dialog.getByRole('textbox', { name: /^who/ }).fill('[');
  await dialog.getByRole('textbox', { name: /^count/ }).fill('two');
  await dialog.getByText('must be a number').waitFor();
  await dialog.getByRole('textbox', { name: /^count/ }).fill('3');
  await dialog.getByRole('textbox', { name: /^rate/ }).fill('1.10');
  await dialog.getByRole('combobox', { name: /^loud/ }).selectOption('true');
  await dialog.getByRole('textbox', { name: /^names/ }).fill('["x", ');
  await dialog.getByText('is not JSON').waitFor();
  await dialog.getByRole('textbox', { name: /^names/ }).fill('["x", "y"]');
  await dialog.getByText('is sent as a list of 2').waitFor();
  await dialog.getByRole('combobox', { name: /^mode/ }).selectOption('slow');
  await dialog.getByText('It calls no agents').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await start.click();
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
  await page.getByRole('heading', { level: 1 }).getByText('returned').waitFor();
  await page.getByRole('tab', { name: 'Values' }).click();
  const values = page.getByRole('region', { name: 'Values' });
  const shown = 'who: "["count: 3rate: 1.10loud: truenames: ["x","y"]mode: "slow"';
  await values.locator('.tree', { hasText: shown }).waitFor();

  await page.goto(`${service.address}/?start=spends.dsl`);
  await dialog.getByText(/^At most 2 calls of agents/).waitFor();
  await start.click();
  await dialog.getByRole('alert').getByText('more than', { exact: false }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Start it nevertheless' }).click();
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
  // The browser reports each answer that is a refusal.
  assert.deepEqual(
    log.filter((line) => !line.includes('status of 409')),
    [],
  );
});

test('an empty folder leads to its first run, by keyboard', async (t) => {
  const folder = makeFolder(t, {});
  const { page, log } = await openPage(t, await startService(t, folder));
  const first = page.getByRole('button', { name: 'Start the first one…' });
  await first.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Start a run' });
  await dialog.getByText('has no program').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Back' }).press('Enter');
  writeFileSync(join(folder, 'hello.dsl'), 'MACHINE: hello\nRETURN: "good day"\n');
  await first.and(page.locator(':focus')).press('Enter');
  await dialog.getByRole('combobox', { name: 'Program' }).selectOption('hello.dsl');
  await dialog.getByRole('button', { name: 'Start the run' }).press('Enter');
  await page.getByRole('heading', { level: 1, name: 'hello' }).getByText('returned').waitFor();
  assert.deepEqual(log, []);
});

test('a service that only shows starts and selects nothing', async (t) => {
  const folder = makeFolder(t, { 'one.dsl': 'MACHINE: one\nRETURN: 1\n' });
  runProgram(folder, 'one.dsl');
  const { page } = await openPage(t, await startService(t, folder, { words: ['--read-only'] }), {
    path: '/?start=one.dsl',
  });
  await page.getByRole('link', { name: 'one', exact: true }).waitFor();
  await page.getByText('read-only').waitFor();
  assert.equal(await page.getByRole('checkbox').count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Start a run…' }).count(), 0);
  assert.equal(await page.getByRole('dialog').count(), 0);
});
