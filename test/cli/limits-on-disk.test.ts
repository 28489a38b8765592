/** What a run writes to disk has a limit, and a signal ends a run whatever it does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { byteCount, parseByteCount } from '../../src/machine/byte-count.js';
import { amount } from '../amount.js';
import { until } from '../harness/until.js';
import { processesOf } from '../runtime/crashing.js';
import { ended, type ProjectFolder, projectFolder } from './statedsl.js';

const runOf = ({ folder }: ProjectFolder): string =>
  readdirSync(join(folder, '.statedsl/runs')).find((name) => name.includes('-')) ?? '';

test('amounts of bytes are read and written in the same units', () => {
  const amounts = ['1', '64k', '2KiB', '500MB', '256MiB', '1GiB', '1.5 GiB', '3tib'].map(parseByteCount);
  expect(amounts).toEqual([1, 64e3, 2048, 500e6, 256 * 2 ** 20, 2 ** 30, 1.5 * 2 ** 30, 3 * 2 ** 40]);
  for (const wrong of ['', '0', '-1', '5x', '1e3', '1 2', 'MiB', '9999TiB9']) expect(parseByteCount(wrong)).toBeNull();
  expect([1, 2048, 256 * 2 ** 20, 5e8, 1.5 * 2 ** 30].map(byteCount)).toEqual([
    '1 bytes',
    '2 KiB',
    '256 MiB',
    '500 MB',
    '1536 MiB',
  ]);
});

describe('output', () => {
  test('beyond its limit ends the run, and is stopped while it comes', async () => {
    const one = projectFolder({ 'p.dsl': 'LIMIT: output=1MiB\n\nDO: yes 0123456789\nRETURN: "x"\n' });
    const { code, stdout, stderr } = await one.run(['run', 'p.dsl', '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { status: 'failed', error: { kind: 'limit' } }]);
    expect(stderr).toContain('the limit of 1 MiB of output is exceeded');
    expect(readdirSync(join(one.folder, '.statedsl/runs', runOf(one), 'artifacts'))).toEqual([]);
    expect(processesOf(runOf(one))).toEqual([]);
    expect((await one.run(['replay', runOf(one)])).code).toBe(0);
  });

  test('is that of all commands together, also of those before a resume; a flag raises it', async () => {
    const text =
      'DO: head -c 400000 /dev/zero\nDO: head -c 400001 /dev/zero\nDO: head -c 400002 /dev/zero\nRETURN: "x"\n';
    const one = projectFolder({ 'p.dsl': text });
    expect((await one.run(['run', 'p.dsl', '--quiet', '--max-output', '1MB'])).code).toBe(1);
    const refused = await one.run(['resume', '--quiet']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--max-output')]);
    expect(await one.run(['resume', '--quiet', '--max-output', '1500kB'])).toMatchObject({ code: 0, stdout: 'x\n' });
    expect((await one.run(['run', 'p.dsl', '--quiet'], { env: { STATEDSL_MAX_OUTPUT: '1MB' } })).code).toBe(1);
  });

  test('near its limit is warned of, once', async () => {
    const one = projectFolder({
      'p.dsl': 'LIMIT: output=1MB\n\nDO: head -c 950000 /dev/zero\nDO: true\nRETURN: "x"\n',
    });
    const { code, stderr } = await one.run(['run', 'p.dsl']);
    expect(code).toBe(0);
    expect(stderr.match(/has used 90 % of its limit of 1 MB/g)).toHaveLength(1);
    expect((await one.run(['replay', runOf(one)])).code).toBe(0);
  });
});

test('a journal beyond its limit ends the run, which can be resumed with a higher limit', async () => {
  const loop =
    'STATE: A\n  TRACK: n = 0\n  GOTO: B\n\nSTATE: B\n  INCREMENT: n\n  IF: n == 3000 → RETURN {n}\n  GOTO: B\n';
  const one = projectFolder({ 'p.dsl': `LIMIT: journal=200kB\n\n${loop}` });
  const { code, stderr } = await one.run(['run', 'p.dsl', '--quiet']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('the limit of 200 kB of journal is exceeded')]);
  expect((await one.run(['resume', '--quiet'])).stderr).toContain('--max-journal');
  expect(await one.run(['resume', '--quiet', '--max-journal', '10MB'])).toMatchObject({ code: 0, stdout: '3000\n' });
});

const endless = {
  'a loop that only computes': 'STATE: A\n  TRACK: n = 0\n  GOTO: B\n\nSTATE: B\n  INCREMENT: n\n  GOTO: B\n',
  'a loop that makes a list of a hundred thousand items longer':
    'STATE: A\n  TRACK: l = [1,2,3,4]\n  GOTO: D\n\nSTATE: D\n  SET: l = l + l\n  IF: len(l) < 100000 → GOTO D\n  GOTO: B\n\nSTATE: B\n  SET: l = l + [1]\n  GOTO: B\n',
  'loops in loops':
    'STATE: A\n  TRACK: l = [1,2,3,4]\n  TRACK: n = 0\n  GOTO: D\n\nSTATE: D\n  SET: l = l + l\n  IF: len(l) < 60000 → GOTO D\n  GOTO: B\n\nSTATE: B\n  FOR EACH: x in l\n    FOR EACH: y in l\n      INCREMENT: n\n  RETURN: {n}\n',
  'a command that prints without end': 'DO: yes 0123456789\n',
  'a command that does not listen, and one that left it with its output':
    "DO:\n  trap '' TERM\n  setsid sleep 30 &\n  sleep 30\n  sleep 30\n",
};

describe.concurrent('SIGTERM ends', () => {
  test.for(Object.entries(endless))('%s', async ([, text], { expect, onTestFinished }) => {
    const program = `LIMIT: transitions=100000000 output=100GiB\n\n${text}`;
    const one = projectFolder({ 'p.dsl': program }, onTestFinished);
    const child = one.start(['run', 'p.dsl', '--quiet']);
    const end = ended(child);
    const runs = join(one.folder, '.statedsl/runs');
    // Before its journal has begun, there is no run that could be interrupted.
    await until(() => existsSync(runs) && existsSync(join(runs, runOf(one), 'journal.ndjson')));
    await new Promise((resolve) => setTimeout(resolve, amount(75, 700)));
    child.kill('SIGTERM');
    expect((await end).code).toBe(130);
    expect(readFileSync(join(one.folder, '.statedsl/runs', runOf(one), 'journal.ndjson'), 'utf8')).toContain(
      '"run_interrupted"',
    );
    for (const pid of processesOf(runOf(one))) process.kill(pid, 'SIGKILL');
  });
});
