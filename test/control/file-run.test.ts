/** One run as one value for a page that is a file: whole when it is small, shortened with a word when it is not. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { collectFileRun, shortenLines } from '../../src/app/file-run.js';
import { openRuns } from '../../src/app/open-runs.js';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'statedsl-file-run-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const TEXT = 'STATE: A\n  DO: x = paint red\n  GOTO: B with x\nSTATE: B\n  RETURN: {x}\nSTATE: ERROR\n  RETURN\n';

test('has the record, the program, both pictures of it, and the run as it is', async () => {
  const runs = openRuns({ folder: folder(), commands: { paint: ([color]: readonly string[]) => `painted ${color}` } });
  const execution = await runs.start({ text: TEXT });
  if (!execution.ok) throw new Error(execution.refusal.message);
  await execution.value.report;
  const { run_id } = execution.value.started;
  const collected = await collectFileRun(runs, null, '1.2.3');
  if (!collected.ok) throw new Error(collected.refusal.message);
  const { version, run, shown, lines, program, drawings } = collected.value;
  expect([version, run.run_id, shown.returned]).toEqual(['1.2.3', run_id, 'painted red']);
  expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, at) => at + 1));
  expect(lines.length).toBe(shown.last_seq);
  expect(program?.sources.map(({ text }) => text)).toEqual([TEXT]);
  expect(drawings.map(({ picture }) => JSON.parse(picture).arrange)).toEqual(['flow', 'flow']);
  expect(drawings[0]?.drawing.nodes.map(({ node }) => node.title)).toContain('B');
});

test('an unknown run is refused', async () => {
  const collected = await collectFileRun(openRuns({ folder: folder() }), 'nothing', '1');
  expect(collected.ok ? null : collected.refusal.code).toBe('unknown');
});

test('texts are shortened only if all lines together are large', () => {
  const small = [{ text: 'x'.repeat(100_000) }];
  expect(shortenLines(small)).toEqual(small);
  const large = shortenLines(Array.from({ length: 200 }, () => ({ seq: 1, of: ['x'.repeat(100_000), 'short', null] })));
  expect(large[0]?.of[0]).toMatch(/^x{15999}… \[84000 more characters are in the record of the run\]$/);
  expect(large[0]?.of.slice(1)).toEqual(['short', null]);
  expect(JSON.stringify(large).length).toBeLessThan(8_000_000);
});
