import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import { hostEffects } from '../../src/runtime/effects.js';
import { runProcess } from '../../src/runtime/process/process.js';
import { processStat } from '../../src/runtime/process/process-group.js';
import { longTest } from '../amount.js';
import { inFastTime } from '../harness/fast-time.js';
import { until } from '../harness/until.js';
import { done, hole, input, local, machine, shell } from '../interpreter/machine-builder.js';
import { processSpec } from './process-spec.js';
import { bound, commands, runKept, temporaryFolder } from './running.js';

function outcomes(events: readonly RunEvent[]): Outcome[] {
  return events.flatMap((event) => (event.type === 'effect_settled' ? [event.outcome] : []));
}

/** A process counts as running unless it is a zombie. */
function runs(pid: number): boolean {
  const stat = processStat(pid);
  return stat !== null && stat.state !== 'Z';
}

test.runIf(process.platform === 'linux')('facts of a process are read behind its name', () => {
  const { state, group, startedAt } = processStat(process.pid) ?? {};
  expect(state).toMatch(/^[RSD]$/);
  expect([group, startedAt].every((one) => Number.isSafeInteger(one) && Number(one) > 0)).toBe(true);
  expect(processStat(2 ** 30)).toBeNull();
});

describe('a command', () => {
  describe('output', () => {
    test('stdout, stderr and the exit code are recorded', async () => {
      const { events, report } = await runKept(commands('echo out; echo problem >&2'));
      expect(outcomes(events)).toMatchObject([
        { kind: 'exited', exit: 0, stdout: { text: 'out\n', bytes: 4 }, stderr: 'problem\n' },
      ]);
      expect(report).toMatchObject({ status: 'returned', returned: 'out', effects: 1 });
    });

    test('stdout and stderr can be opened by name', async () => {
      const { events } = await runKept(
        commands('echo a; echo problem > /dev/stderr; echo b > /dev/stdout; echo c | tee /dev/stderr'),
      );
      expect(outcomes(events)).toMatchObject([{ stdout: { text: 'a\nb\nc\n' }, stderr: 'problem\nc\n' }]);
    });

    test('output over 64 KiB is an artifact named by its hash and still a value', async () => {
      const { events, folder, report } = await runKept(commands("head -c 100000 /dev/zero | tr '\\0' x"));
      const [outcome] = outcomes(events);
      expect(outcome).toMatchObject({ kind: 'exited', stdout: { bytes: 100_000 } });
      if (outcome?.kind !== 'exited') throw new Error('it exited');
      expect(outcome.stdout.text).toBeUndefined();
      expect(readdirSync(join(folder, 'artifacts'))).toEqual([outcome.stdout.artifact]);
      expect(outcome.stdout.artifact).toMatch(/^[0-9a-f]{64}$/);
      expect(report.returned).toBe('x'.repeat(100_000));
    });

    test('stderr over 64 KiB is an artifact too, and its last line is the message', async () => {
      const { events, folder, report } = await runKept(commands('seq 30000 >&2; exit 3'));
      const [outcome] = outcomes(events);
      if (outcome?.kind !== 'exited') throw new Error('it exited');
      expect(outcome.stderr.length).toBeLessThanOrEqual(4096);
      expect(readdirSync(join(folder, 'artifacts'))).toEqual([outcome.stderr_artifact]);
      const all = readFileSync(join(folder, 'artifacts', outcome.stderr_artifact ?? ''), 'utf8')
        .trim()
        .split('\n');
      expect([all[0], all.at(-1), all.length]).toEqual(['1', '30000', 30_000]);
      expect(report.error).toMatchObject({ kind: 'tool_failure', message: '30000' });
    });

    test('the last line of stdout is the message where stderr is empty, however much was printed', async () => {
      for (const text of ['seq 30000; exit 3', "printf 'a\\377\\n30000\\n'; exit 3"]) {
        const { report } = await runKept(machine({ MAIN: { code: [shell(text), done()] } }));
        expect(report.error).toMatchObject({ kind: 'tool_failure', message: '30000' });
      }
    });

    test('a pipe passes bytes unchanged, from memory and from an artifact', async () => {
      for (const size of [1000, 200_000]) {
        const source = `head -c ${size} /dev/urandom | tee ${join(temporaryFolder(), 'original')} `;
        const copy = join(temporaryFolder(), 'copy');
        const original = source.split(' ').at(-2) as string;
        const code = [shell(source), shell(`cat > ${copy}`, { piped: true }), done()];
        const { report } = await runKept(machine({ MAIN: { code } }));
        expect(report.status).toBe('returned');
        expect(readFileSync(copy).equals(readFileSync(original))).toBe(true);
        expect(statSync(copy).size).toBe(size);
      }
    });

    test('a value over 16 MiB is refused, a pipe of it is not', async () => {
      const big = shell('head -c 17000000 /dev/zero');
      const counted = shell('wc -c', { piped: true, reading: 'capture', bind: { slot: 0 } });
      const piped = await runKept(machine({ MAIN: { locals: ['x'], code: [big, counted, done(local(0))] } }));
      expect(String(piped.report.returned).trim()).toBe('17000000');
      const refused = await runKept(commands('head -c 17000000 /dev/zero'));
      expect(refused.report.error).toMatchObject({ kind: 'value_too_large' });
    });

    longTest('hundreds of megabytes of output need little memory', async () => {
      const before = process.memoryUsage().rss;
      let peak = 0;
      const timer = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage().rss);
      }, 20);
      const { report } = await runKept(machine({ MAIN: { code: [shell(`head -c ${300}000000 /dev/zero`), done()] } }), {
        limits: { output: 1e9 },
      });
      clearInterval(timer);
      expect(report.status).toBe('returned');
      expect(peak - before).toBeLessThan(64 * 1024 * 1024);
    });

    test('what a command left running may hold its pipes, but not the run', async () => {
      const folder = temporaryFolder();
      const text = `sleep 3000 & echo $! > ${folder}/pid; echo started`;
      const { events, report } = await inFastTime(() => runKept(commands(text)));
      expect(outcomes(events)).toMatchObject([{ kind: 'exited', exit: 0, output_truncated: true }]);
      expect(report.returned).toBe('started');
      const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
      // A server that was started on purpose lives on after success.
      expect(runs(pid)).toBe(true);
      process.kill(pid, 'SIGKILL');
    });
  });

  describe('stopping', () => {
    test('a time limit stops grandchildren too', async () => {
      const folder = temporaryFolder();
      const text = `(sleep 30 & echo $! > ${folder}/pid; wait) & wait`;
      const { report, events } = await runKept(
        machine({ MAIN: { code: [shell(text, { timeout: ['300ms'] }), done()] } }),
      );
      expect(report.error).toMatchObject({ kind: 'timeout' });
      expect(outcomes(events)).toMatchObject([{ kind: 'timed-out', timeout_ms: 300 }]);
      expect(runs(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false);
    });

    test('what ignores TERM is killed after the grace period', async () => {
      const text = "trap '' TERM; while :; do sleep 0.1; done";
      const code = [shell(text, { timeout: ['1s'] }), done()];
      const { report } = await inFastTime(() => runKept(machine({ MAIN: { code } })));
      expect(report.error).toMatchObject({ kind: 'timeout' });
    });

    test('after a failure the background is stopped, with an accepted exit code it is not', async () => {
      const folder = temporaryFolder();
      const text = `sleep 30 > /dev/null 2>&1 & echo $! > ${folder}/pid; exit 3`;
      const pid = () => Number(readFileSync(join(folder, 'pid'), 'utf8'));
      const failed = await runKept(machine({ MAIN: { code: [shell(text), done()] } }));
      expect(failed.report.error).toMatchObject({ kind: 'tool_failure', exit_code: 3 });
      expect(runs(pid())).toBe(false);
      await runKept(machine({ MAIN: { code: [shell(text, { ok: [3] }), done()] } }));
      expect(runs(pid())).toBe(true);
      process.kill(pid(), 'SIGKILL');
    });

    test('a process that cannot be put on record is stopped', async () => {
      const onStart = ({ pid }: { readonly pid: number }) => {
        throw new Error(`no room for ${pid}`);
      };
      const ended = runProcess(processSpec(['sleep', '30'], { onStart }));
      const message = await ended.then(String, (cause: Error) => cause.message);
      expect(message).toMatch(/^no room for \d+$/);
      expect(runs(Number(message.split(' ').at(-1)))).toBe(false);
    });

    test('an interruption stops what runs and leaves a record', async () => {
      const folder = temporaryFolder();
      const controller = new AbortController();
      const running = runKept(commands(`echo $$ > ${folder}/pid; sleep 30; echo never`), { signal: controller.signal });
      await until(() => existsSync(join(folder, 'pid')) && readFileSync(join(folder, 'pid'), 'utf8') !== '');
      controller.abort('SIGINT');
      const { report, events } = await running;
      expect(report).toMatchObject({ status: 'interrupted', error: null });
      expect(events.at(-1)).toEqual({ type: 'run_interrupted', reason: 'SIGINT' });
      expect(outcomes(events)).toEqual([]);
      expect(runs(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false);
    });

    test('the time limit of the run ends it without ERROR', async () => {
      const { report, events } = await runKept(commands('sleep 3000'), { limits: { timeMs: 300 } });
      expect(report).toMatchObject({ status: 'failed', error: { kind: 'limit' }, states: ['MAIN'] });
      expect(events).toContainEqual(expect.objectContaining({ type: 'budget_exceeded', scope: 'time', limit: 300 }));
    });
  });

  describe('how commands start', () => {
    test('the shell reads no start-up file and its functions are not inherited', async () => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'rc'), 'echo polluted\n');
      const env = {
        ...process.env,
        BASH_ENV: join(folder, 'rc'),
        ENV: join(folder, 'rc'),
        'BASH_FUNC_ls%%': '() { echo no; }',
      };
      const { report } = await runKept(
        commands('ls / > /dev/null; echo "[$BASH_ENV$ENV]"; env | grep -c BASH_FUNC || :'),
        { env },
      );
      expect(report.returned).toBe('[]\n0');
    });

    test('a run passes its ids to its commands', async () => {
      const { report } = await runKept(commands('echo "$STATEDSL_RUN_ID $STATEDSL_EFFECT_ID $STATEDSL_ATTEMPT"'));
      expect(report.returned).toBe(`${report.run_id} ${report.run_id}:1 1`);
    });

    test('standard input is empty', async () => {
      expect((await runKept(commands('cat; echo end'))).report.returned).toBe('end');
    });

    test('a directory that does not exist is a failure that names it', async () => {
      const { report } = await runKept(machine({ MAIN: { code: [shell('true', { cwd: ['nowhere'] }), done()] } }));
      expect(report.error).toMatchObject({ kind: 'tool_failure' });
      expect(report.error?.message).toMatch(/the directory `.*nowhere` does not exist/);
    });

    test('without bash there is sh, and without both a clear failure', async () => {
      const folder = temporaryFolder();
      const link = { env: { ...process.env, PATH: folder } };
      const neither = await runKept(commands('echo "$0"'), link);
      expect(neither.report.error?.message).toBe('cannot start: neither `bash` nor `sh` is on PATH');
      const { symlinkSync } = await import('node:fs');
      symlinkSync('/bin/sh', join(folder, 'sh'));
      expect((await runKept(commands('case $0 in sh | */sh) echo sh ;; esac'), link)).report.returned).toBe('sh');
    });

    test('a program that is not there is what the shell says it is', async () => {
      const { report } = await runKept(commands('no-such-program --flag'));
      expect(report.error).toMatchObject({ kind: 'tool_failure', exit_code: 127 });
      expect(report.error?.message).toContain('command not found');
    });

    test('plain words need no shell and mean the same', async () => {
      const template = {
        parts: ["printf '%s|' a 'b  c' \"d'e\" ", { ...hole(input(0)), context: 'word' as const }],
        source: '',
      };
      const words = (program: string) => ({
        ...template,
        parts: [template.parts[0]?.toString().replace('printf', program) ?? '', template.parts[1] as never],
      });
      const inputs = [{ name: 'v' }];
      for (const program of ['printf', '/usr/bin/printf']) {
        const code = [shell('', { template: words(program), reading: 'capture', bind: { slot: 0 } }), done(local(0))];
        const { report } = await runKept(machine({ MAIN: { locals: ['x'], code } }, { inputs }), {
          inputs: { v: "$(x) 'q'  *" },
        });
        expect(report.returned).toBe("a|b  c|d'e|$(x) 'q'  *|");
      }
    });

    test('a script without a first line is run by the shell', async () => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'plain'), 'echo from a script\n', { mode: 0o755 });
      expect((await runKept(commands('./plain'), { cwd: folder })).report.returned).toBe('from a script');
    });

    test('a script over 128 KiB is passed by file', async () => {
      const long = `${': '.padEnd(200_000, 'x')}\necho end`;
      expect((await runKept(commands(long))).report.returned).toBe('end');
    });

    test('a list of words is a program without a shell', async () => {
      const list = { op: 'const' as const, value: ['printf', '%s-', '$HOME', '*', ''] };
      const code = [
        { op: 'argv' as const, list, ok: [0], reading: 'capture' as const, bind: { slot: 0 }, text: '[…]' },
        done(local(0)),
      ];
      const ran = await runKept(machine({ MAIN: { locals: ['x'], code } }));
      expect(ran.report.returned).toBe('$HOME-*--');
    });

    test('processes are on record with their start', async () => {
      const { folder } = await runKept(commands('true'));
      const [origin = '', line = ''] = readFileSync(join(folder, 'processes.ndjson'), 'utf8').trim().split('\n');
      expect(JSON.parse(origin)).toMatchObject({ host: expect.any(String) });
      const record = JSON.parse(line);
      expect(record).toMatchObject({ effect: '1', pid: expect.any(Number), startedAt: expect.any(Number) });
    });

    test('private files are gone after the run', async () => {
      const template = {
        parts: [
          'cat ',
          { ...hole(input(0)), context: 'word' as const, filter: 'file' as const },
          '; echo; echo ',
          { ...hole(input(0)), context: 'word' as const, filter: 'file' as const },
        ],
        source: '',
      };
      const code = [shell('', { template, reading: 'capture', bind: { slot: 0 } }), done(local(0))];
      const program = machine({ MAIN: { locals: ['x'], code } }, { inputs: [{ name: 'v' }] });
      const { report } = await runKept(program, { inputs: { v: 'in a file' } });
      const [content, path] = String(report.returned).split('\n');
      expect(content).toBe('in a file');
      expect(existsSync(path as string)).toBe(false);
    });
  });
});

test('without named pipes commands get sockets', async () => {
  const path = process.env.PATH;
  process.env.PATH = '/nowhere';
  try {
    const { report } = await runKept(commands('echo out; exit 0'), { env: { ...process.env, PATH: path } });
    expect(report.returned).toBe('out');
  } finally {
    process.env.PATH = path;
  }
});

test('effects of the host can be wrapped', async () => {
  const host = hostEffects();
  const seen: string[] = [];
  const { report } = await runKept(machine({ MAIN: { locals: ['x'], code: [bound('echo real'), done(local(0))] } }), {
    effects: {
      perform: (request, context) => {
        seen.push(request.kind);
        return host.perform(request, context);
      },
    },
  });
  expect(report.returned).toBe('real');
  expect(seen).toEqual(['shell']);
});
