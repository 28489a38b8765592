/** Whatever ends a run from outside, no process of it remains, and the resumed run meets none. */

import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { amount, longTest } from '../amount.js';
import { until } from '../harness/until.js';
import { processesOf } from '../runtime/crashing.js';
import { ended, type ProjectFolder, projectFolder, type Started } from './statedsl.js';

/** Everything that a command can do to stay: in the background, against TERM, against the end of its terminal. */
const stubborn = `#!/bin/bash
echo begin $STATEDSL_EFFECT_ID $$ >> log
sleep 60 &
nohup sleep 61 > /dev/null 2>&1 &
(trap '' TERM; sleep 62; sleep 62) &
trap '' TERM
touch started
[ -e done ] && exit 0
sleep 63
sleep 63
`;

const text = 'DO: printf first >> log.first\nDO: ./stubborn\nRETURN: over\n';

type WhenFinished = Parameters<typeof projectFolder>[1];

function stubbornPlace(whenFinished: WhenFinished): ProjectFolder {
  const one = projectFolder({ 'p.dsl': text, stubborn }, whenFinished);
  chmodSync(join(one.folder, 'stubborn'), 0o755);
  return one;
}

const runOf = ({ folder }: ProjectFolder): string =>
  readdirSync(join(folder, '.statedsl/runs')).find((name) => name.includes('-')) ?? '';

async function started(
  one: ProjectFolder,
  args: readonly string[] = ['run', 'p.dsl', '--json', '--log'],
): Promise<Started> {
  const child = one.start(args);
  await until(() => existsSync(join(one.folder, 'started')));
  return child;
}

/** Without delaying other tests. */
const tried = (one: ProjectFolder, args: readonly string[]) => ended(one.start(args));

function leaveInPeace(one: ProjectFolder): void {
  one.file('done', '');
}

const repeated = ({ folder }: ProjectFolder): string[] =>
  readFileSync(join(folder, 'log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');

describe.concurrent('a run is stopped', () => {
  test.for((['SIGINT', 'SIGTERM', 'SIGHUP'] as const).slice(0, amount(1, 3)))(
    'by %s: it is interrupted, and can be resumed',
    async (signal, { onTestFinished, expect }) => {
      const one = stubbornPlace(onTestFinished);
      const child = await started(one);
      const end = ended(child);
      child.kill(signal);
      const { code, stdout } = await end;
      expect(code).toBe(130);
      expect(JSON.parse(stdout).status).toBe('interrupted');
      expect(processesOf(runOf(one))).toEqual([]);
      leaveInPeace(one);
      const again = await tried(one, ['resume', '--json']);
      expect(JSON.parse(again.stdout)).toMatchObject({ status: 'returned', returned: 'over', effects: 2 });
      expect(readFileSync(join(one.folder, 'log.first'), 'utf8')).toBe('first');
      const [first, second] = repeated(one);
      expect(second, 'the effect that was stopped is the same effect').toBe(first);
    },
  );

  test('by a second Ctrl-C: at once', async ({ onTestFinished, expect }) => {
    const one = stubbornPlace(onTestFinished);
    const child = await started(one);
    const end = ended(child);
    let shown = '';
    child.stderr.on('data', (bytes) => {
      shown += bytes;
    });
    child.kill('SIGINT');
    await until(() => shown.includes('interrupt again'));
    child.kill('SIGINT');
    // What waits for the program to stop prints a summary.
    expect(await end).toMatchObject({ code: 130, stdout: '' });
    await until(() => processesOf(runOf(one)).length === 0);
  });

  longTest('by `cancel`: it has failed for good', async ({ onTestFinished, expect }) => {
    const one = stubbornPlace(onTestFinished);
    const child = await started(one);
    const end = ended(child);
    const { code } = await tried(one, ['cancel', runOf(one)]);
    expect(code).toBe(0);
    const { code: itsCode, stdout } = await end;
    expect(itsCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', error: { kind: 'cancelled' } });
    expect(processesOf(runOf(one))).toEqual([]);
    expect((await tried(one, ['resume'])).code).toBe(2);
    expect((await tried(one, ['resume', runOf(one)])).stderr).toContain('was cancelled');
  });
});

describe.concurrent('a runner dies', () => {
  test('and what it left running is stopped before the effect is done again', async ({ onTestFinished, expect }) => {
    const one = stubbornPlace(onTestFinished);
    const child = await started(one);
    const end = ended(child);
    child.kill('SIGKILL');
    await end;
    const left = processesOf(runOf(one));
    expect(left.length).toBeGreaterThan(2);
    leaveInPeace(one);
    const { stdout } = await tried(one, ['resume', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'returned', effects: 2 });
    const pid = Number(readFileSync(join(one.folder, 'log'), 'utf8').split('\n')[0]?.split(' ')[2]);
    expect(left).toContain(pid);
    expect(processesOf(runOf(one)).filter((still) => left.includes(still))).toEqual([]);
  });

  test('and `cancel` stops what it left running', async ({ onTestFinished, expect }) => {
    const one = stubbornPlace(onTestFinished);
    const child = await started(one);
    const end = ended(child);
    child.kill('SIGKILL');
    await end;
    expect((await tried(one, ['cancel', runOf(one)])).code).toBe(0);
    expect(processesOf(runOf(one))).toEqual([]);
    expect(await tried(one, ['cancel', runOf(one)])).toMatchObject({ code: 2 });
    expect(JSON.parse((await tried(one, ['show', '--json'])).stdout)).toMatchObject({ status: 'failed' });
  });

  longTest('and what moved to a session of its own is found as well', async ({ onTestFinished, expect }) => {
    const one = projectFolder(
      {
        'p.dsl': 'DO: ./away\nRETURN: over\n',
        away: '#!/bin/bash\n[ -e done ] && exit 0\nsetsid sleep 64 &\nsleep 0.1; touch started; sleep 65\n',
      },
      onTestFinished,
    );
    chmodSync(join(one.folder, 'away'), 0o755);
    const child = await started(one);
    const end = ended(child);
    child.kill('SIGKILL');
    await end;
    leaveInPeace(one);
    expect((await tried(one, ['resume'])).code).toBe(0);
    expect(processesOf(runOf(one))).toEqual([]);
  });

  test('during a `once`: its outcome is unknown, and a person may decide', async ({ onTestFinished, expect }) => {
    const files = {
      'p.dsl': 'DO [once]: ./work\nRETURN: over\n',
      work: '#!/bin/bash\necho x >> log\ntouch started\nsleep 66\n',
    };
    for (const [choice, code, times] of [
      [[], 1, 1],
      [['--in-doubt', 'skip'], 0, 1],
      [['--in-doubt', 'fail'], 1, 1],
    ] as const) {
      const one = projectFolder(files, onTestFinished);
      chmodSync(join(one.folder, 'work'), 0o755);
      const child = await started(one);
      const end = ended(child);
      child.kill('SIGKILL');
      await end;
      const again = await tried(one, ['resume', '--json', ...choice]);
      expect(again.code, again.stderr).toBe(code);
      if (code === 1) expect(JSON.parse(again.stdout).error.kind).toBe('in_doubt');
      expect(readFileSync(join(one.folder, 'log'), 'utf8')).toBe('x\n'.repeat(times));
    }
  });
});
