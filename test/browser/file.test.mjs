/** A run as a page in one file, opened from a disk: it shows the run, its timeline can be used by keyboard, and no value does anything. */
import { equal, match } from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { closeBrowser, findBarriers, makeFolder, openFile, runProgram, writePage } from './stage.mjs';

after(closeBrowser);

const HOSTILE = `STATE: A
  DO: x = printf '%s' '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1"><!--'
  GOTO: B with x
STATE: B
  DO: echo second
  RETURN: {x}
`;

for (const theme of ['light', 'dark'])
  test(`a file with hostile values, ${theme}`, async (t) => {
    const folder = makeFolder(t, { 'flow.dsl': HOSTILE });
    runProgram(folder, 'flow.dsl');
    writePage(folder, 'run.html');
    const { page, log } = await openFile(t, pathToFileURL(join(folder, 'run.html')).href, { theme });
    await page.getByRole('heading', { name: /flow/ }).waitFor();
    for (const name of ['Output', 'Files', 'Values', 'Steps', 'Compare']) {
      await page.getByRole('tab', { name }).click();
      await page.getByRole('tabpanel', { name }).waitFor();
    }
    const timeline = page.getByRole('application', { name: 'Timeline' });
    await timeline.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByText(/as it was after event/).waitFor();
    match(await page.locator('.timeline-words').textContent(), /^State: B/);
    equal((await findBarriers(page)).join('\n'), '');
    equal(await page.evaluate('window.hacked ?? null'), null);
    equal(log.join('\n'), '');
  });
