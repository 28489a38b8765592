/** Screens that need more than one run or program: comparing, the chart, plans. */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  closeBrowser,
  findBarriers,
  makeFolder,
  makeRepository,
  openPage,
  root,
  runProgram,
  startService,
} from './stage.mjs';

const GREETING = `MACHINE: greeting
INPUT: who = "Ada"

STATE: GREET
  EMIT: "Hello {who}"
  DO [retry=1/10ms]: test {who} != Bob
  RETURN: {who}
`;

after(closeBrowser);

test('two runs of a program are compared: their inputs, the first event that differs, and both timelines', async (t) => {
  const folder = makeFolder(t, { 'greeting.dsl': GREETING });
  runProgram(folder, 'greeting.dsl');
  const same = runProgram(folder, 'greeting.dsl');
  const other = runProgram(folder, 'greeting.dsl', '-i', 'who=Bob');
  const { page, log } = await openPage(t, await startService(t, folder), { path: `/runs/${other}?tab=compare` });
  const compare = page.getByRole('tabpanel', { name: 'Compare' });
  await compare.getByLabel('Compare with').selectOption(same);
  await page.waitForURL(`**with=${same}**`);
  await compare.getByText('The first event that differs').waitFor();
  await compare.getByRole('row', { name: 'who' }).waitFor();
  for (const name of ['Timeline of this run', 'Timeline of the other run'])
    await compare.getByRole('application', { name }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await compare.getByRole('button', { name: /^Show event/ }).click();
  await page.getByText(/as it was after event/).waitFor();
  await compare.getByRole('link', { name: /^Show event/ }).click();
  await page.waitForURL(`**/runs/${same}**with=${other}**`);
  await compare.getByLabel('Compare with').selectOption({ index: 2 });
  await compare.getByText('Both runs did the same.').waitFor();
  assert.deepEqual(log, []);
});

test('the reason of the last retry is visible, and the number of retries leads to its event', async (t) => {
  const folder = makeFolder(t, { 'greeting.dsl': GREETING });
  const id = runProgram(folder, 'greeting.dsl', '-i', 'who=Bob');
  const { page, log } = await openPage(t, await startService(t, folder), { path: `/runs/${id}` });
  await page.getByText(/^Tried again\. Attempt 1 of .* failed: exit 1\.$/).waitFor();
  await page.getByRole('button', { name: '1, why?' }).click();
  await page.getByRole('region', { name: 'The event in full' }).getByText('exit 1').waitFor();
  assert.deepEqual(log, []);
});

test('the chart shows runs, time and money by day, and a program in it limits the list', async (t) => {
  const folder = makeFolder(t, { 'greeting.dsl': GREETING, 'other.dsl': 'RETURN: 1\n' });
  runProgram(folder, 'greeting.dsl');
  runProgram(folder, 'other.dsl');
  const { page, log } = await openPage(t, await startService(t, folder));
  await page.getByRole('button', { name: 'Runs by day' }).click();
  const chart = page.getByRole('region', { name: 'Runs by day' });
  await chart.locator('canvas').waitFor();
  assert.match(await chart.getByRole('img').getAttribute('aria-label'), /^Runs by day\. .*: 2 runs$/);
  for (const [name, word] of [
    ['Time', 'time'],
    ['Money', 'money'],
  ]) {
    await chart.getByRole('button', { name, exact: true }).click();
    await page.waitForURL(`**chart=${word}**`);
  }
  assert.deepEqual(await findBarriers(page), []);
  // None of these runs has a cost.
  await chart.getByText('No cost above $0.00 is known of these runs.').waitFor();
  await chart.getByRole('button', { name: 'Runs', exact: true }).click();
  await chart.getByRole('button', { name: /^greeting/ }).click();
  await page.waitForURL('**program=greeting**');
  await page.getByText('1 run', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'other' }).waitFor({ state: 'detached' });
  assert.deepEqual(log, []);
});

test('the plans of a program show what became of their calls, with values on the wires', async (t) => {
  const folder = makeFolder(t, {});
  cpSync(join(root, 'examples/plans/orders'), join(folder, 'orders'), { recursive: true });
  const id = runProgram(folder, 'orders/orders.dsl', '-i', 'card=expired');
  const { page, log } = await openPage(t, await startService(t, folder), { path: `/runs/${id}` });
  const choice = page.getByLabel('What the graph shows');
  await choice.selectOption('PLAN fulfil.plan.json');
  const graph = page.getByRole('region', { name: 'Graph of the plan PLAN fulfil.plan.json' });
  await graph.getByRole('button', { name: 'Call 2. pay, done' }).waitFor();
  await graph.locator('text', { hasText: '60' }).first().waitFor();
  assert.equal(await graph.locator('.badge.skipped').count(), 1);
  await graph.getByRole('button', { name: 'Call 1. price, done' }).click();
  await page.getByText(/as it was after event/).waitFor();
  await graph.getByRole('button', { name: 'Call 1. price, running' }).waitFor();
  // The room for a value that is not there yet does not interrupt an edge.
  const empty = await graph
    .locator('.edge:has(> .label-box)')
    .evaluateAll((all) =>
      all.filter((one) => [...one.querySelectorAll('text')].every((text) => text.textContent === '')),
    );
  assert.deepEqual(empty, []);
  // The line of a call is one of the plan, and not of the program that uses it.
  await page.getByRole('tab', { name: 'Source' }).click();
  assert.match(await page.getByLabel('File').textContent(), /fulfil\.plan\.json/);
  await page.locator('.source-lines').getByText('"price"').first().waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(log, []);
});

test('attempts of a step have their gates, why there was another one, and their diffs', async (t) => {
  const folder = makeFolder(t, {});
  cpSync(join(root, 'examples/implement-spec'), folder, { recursive: true });
  makeRepository(folder);
  const id = runProgram(folder, 'one-task.dsl', '--worktree', '--agent', 'junior=fake:agents/cheat.yaml');
  const flow = runProgram(folder, 'flow.dsl', '--worktree', '-i', 'spec=@spec.md');
  const service = await startService(t, folder);
  const { page, log } = await openPage(t, service, { path: `/runs/${id}?tab=steps` });
  const attempts = page.getByRole('list', { name: 'Attempts of count' });
  await attempts.getByText('Attempt 1 did not pass, because the gate').waitFor();
  const diff = attempts.getByRole('group', { name: 'Changes of tests/count.sh' }).first();
  await diff.getByText(/^\+\d+$/).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(log, []);

  // On a narrow page, what a gate printed is wider than its column; a value that is there as a whole has no more to show.
  const narrow = (await openPage(t, service, { path: `/runs/${flow}?tab=steps`, width: 400 })).page;
  await narrow.getByRole('group', { name: 'Printed by test' }).first().waitFor();
  await narrow.getByText('Change only src/count.sh.', { exact: false }).first().waitFor();
  await narrow.getByRole('button', { name: 'Show all (94 B)' }).waitFor({ state: 'detached' });
  assert.deepEqual(await findBarriers(narrow), []);
});

test('commands have their values, what a run waits for has the time of the reader, and the record is below the timeline', async (t) => {
  const folder = makeFolder(t, {
    'deploy.dsl': 'INPUT: version = "1.2"\nDO: echo building {version}\nWAIT: signal window OR timeout=8h\nRETURN: 1\n',
  });
  const id = runProgram(folder, 'deploy.dsl');
  const { page, log } = await openPage(t, await startService(t, folder), { path: `/runs/${id}`, width: 400 });
  const question = page.getByRole('region', { name: 'What the run waits for' });
  await question.getByText('It waits for the signal').waitFor();
  assert.doesNotMatch(await question.textContent(), /`|\dT\d/);
  await page.getByRole('application', { name: 'Timeline' }).waitFor();
  await page.getByRole('table', { name: 'Events' }).getByText('echo building 1.2').first().click();
  await page.getByText('as it was after event 3').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(log, []);
});

test('a value of ten megabytes and a line of that length can be looked at', async (t) => {
  const folder = makeFolder(t, {
    'large.dsl': "DO: text = head -c 10000000 /dev/zero | tr '\\0' x\nRETURN: {len(text)}\n",
  });
  const id = runProgram(folder, 'large.dsl');
  const { page, log } = await openPage(t, await startService(t, folder), { path: `/runs/${id}?tab=values` });
  const values = page.getByRole('region', { name: 'Values' });
  await values.getByRole('button', { name: 'Show all (10 MB)' }).click();
  await values.getByText('The first 100 kB of 10 MB').waitFor();
  await page.getByRole('tab', { name: 'Output' }).click();
  await page.getByRole('button', { name: /of 10 MB: read more/ }).waitFor();
  await page.getByRole('tab', { name: 'Values' }).click();
  await page.getByRole('button', { name: 'Changes', exact: true }).click();
  await page.getByText('From event').waitFor();
  assert.deepEqual(log, []);
});

test('a run that does not exist is said to be missing, and the list is one click away', async (t) => {
  const folder = makeFolder(t, { 'greeting.dsl': GREETING });
  const id = runProgram(folder, 'greeting.dsl');
  const missing = `${id.slice(0, -4)}0000`;
  const { page } = await openPage(t, await startService(t, folder), { path: `/runs/${missing}` });
  await page.getByRole('alert').getByText('There is no run').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('link', { name: 'All runs' }).click();
  await page.getByRole('link', { name: 'greeting' }).waitFor();
});
