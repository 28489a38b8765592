/** Every command line of README prints the lines below it. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Fence, fences } from './fences.js';
import { cli, root, runProgramSync } from './harness/process.js';

/** The `$ statedsl …` lines of a block, each with the output below it. */
function sessions({ text }: Fence): { command: string; output: string }[] {
  const blocks = text.split(/^(?=\$ )/m).filter((block) => block.startsWith('$ '));
  return blocks.map((block) => {
    const end = block.indexOf('\n');
    return { command: block.slice(2, end), output: block.slice(end + 1).trimEnd() };
  });
}

/** The program among the words of a command line. */
const STATEDSL = /(?<=^|&& |; )(?:npx )?statedsl /g;
const scratch = mkdtempSync(join(tmpdir(), 'statedsl-docs-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
// Examples write where they are started, and other tests of this checkout may run them at the same time.
cpSync(join(root, 'examples'), join(scratch, 'examples'), { recursive: true });

const shown = fences('README.md')
  .filter(({ language, info }) => ['sh', 'console'].includes(language) && !info.includes('ignore'))
  .flatMap((fence) => sessions(fence).map((session) => ({ title: fence.title, ...session })))
  .filter(({ command }) => command.search(STATEDSL) >= 0);

describe('command lines in README', () => {
  test.each(shown)('$title $command', ({ command, output }) => {
    const line = command.replaceAll(STATEDSL, `"${process.execPath}" "${cli}" `);
    const env = { ...process.env, NO_COLOR: '1', TMPDIR: scratch };
    const ran = runProgramSync('bash', ['-c', `{ ${line}; } 2>&1`], { cwd: scratch, env });
    expect(steady(ran.stdout)).toBe(steady(output));
  });
});

/** Durations, run ids and processes differ from run to run, and so do the people who resume one. */
function steady(text: string): string {
  return text
    .trimEnd()
    .replace(/^.*: line \d+: +\d+ Killed.*(\n|$)/gm, '')
    .trimEnd()
    .replace(/^resumed by .*$/gm, 'resumed by PERSON')
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'RUN')
    .replace(/\b\d+(\.\d+)?\s?(ms|s)\b/g, 'TIME');
}
