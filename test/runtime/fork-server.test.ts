/** What only the fork server can get wrong. That it starts commands as `spawn` does is in processes.test.ts. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ForkServer } from '../../src/runtime/process/fork-server.js';
import { createPipePool } from '../../src/runtime/process/pipes.js';
import { type ProcessEnd, runProcess } from '../../src/runtime/process/process.js';
import { processStat } from '../../src/runtime/process/process-group.js';
import { type Journal, memoryJournal } from '../../src/runtime/store/journal.js';
import { StoreError } from '../../src/runtime/store/store-error.js';
import { inFastTime } from '../harness/fast-time.js';
import { cli, start } from '../harness/process.js';
import { until } from '../harness/until.js';
import { inherited, processSpec, processStarter } from './process-spec.js';
import { commands, runKept, temporaryFolder } from './running.js';

interface Ran {
  readonly end: ProcessEnd;
  readonly stdout: string;
  readonly stderr: string;
}

type Variables = Readonly<Record<string, string>>;
type More = { env?: Variables; shared?: Variables; cwd?: string; permission?: Promise<boolean> };
type Run = (argv: readonly string[], more?: More) => Promise<Ran>;

/** Processes that run by a fork server, or by `spawn`. */
function runner(isForked = true): { readonly run: Run; readonly server: ForkServer | null; readonly pids: number[] } {
  const starter = processStarter(isForked, (server) => createPipePool((paths) => server.makePipes(paths)));
  const pids: number[] = [];
  const run: Run = async (argv, { env = {}, shared = inherited, ...more } = {}) => {
    let stdout = '';
    let stderr = '';
    const spec = processSpec(argv, starter, {
      ...more,
      variables: { shared, own: env },
      onStdout: (bytes) => {
        stdout += bytes.toString('latin1');
      },
      onStderr: (bytes) => {
        stderr += bytes.toString('latin1');
      },
      onStart: ({ pid }) => void pids.push(pid),
    });
    return { end: await runProcess(spec), stdout, stderr };
  };
  return { run, server: starter.forkServer, pids };
}

/** 0 where there is no such process. */
function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}

/** The fork servers of a process, or the children that a fork server has made in advance. */
function serversOf(runner: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === runner && commandLine(pid).startsWith('statedsl-fork-server'));
}

/** A permission that is not given yet. */
function permission(): { readonly answer: Promise<boolean>; readonly give: (mayBegin: boolean) => void } {
  let give: (mayBegin: boolean) => void = () => undefined;
  const answer = new Promise<boolean>((resolve) => {
    give = resolve;
  });
  return { answer, give };
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

const isRunning = (pid: number): boolean => !['Z', undefined].includes(processStat(pid)?.state);

/** All that a program can see of how it was started, without the numbers that differ each time. */
const surroundings = `
  grep -E '^(Umask|Sig(Pnd|Blk|Ign|Cgt)|Cap|NoNewPrivs|Seccomp|Groups|Uid|Gid|Cpus_allowed)' /proc/self/status
  cat /proc/self/limits /proc/self/cgroup /proc/self/oom_score_adj
  tr '\\0' '\\n' < /proc/self/environ | sort
  for fd in /proc/$$/fd/*; do
    case $fd in */[012]) readlink $fd | tr -d '0-9'; grep flags /proc/$$/fdinfo/\${fd##*/};; esac
  done
  nice; pwd; set -- $(cat /proc/$$/stat); test $1 = $5 && test $1 = $6 && echo leads its group and its session, tty $7
`;

/** The folders of pipes have a name of their own. */
const withoutFolder = ({ stdout }: Ran): string => stdout.replaceAll(/statedsl-[\w-]+/g, 'folder');

describe('a command that the fork server starts', () => {
  test('finds everything as one that is spawned', async () => {
    const env = { STRANGE: ' a\n"b" $(c) \\ é ', 'not.an-identifier': '1', EMPTY: '' };
    const [forked, spawned] = [runner(), runner(false)];
    const ofForked = await forked.run(['bash', '-c', surroundings], { env, cwd: '/tmp' });
    const ofSpawned = await spawned.run(['bash', '-c', surroundings], { env, cwd: '/tmp' });
    expect(ofForked.stderr).toBe('');
    expect(withoutFolder(ofForked)).toBe(withoutFolder(ofSpawned));
    expect(ofForked.stdout).toContain('leads its group and its session, tty 0');
  });

  test("is not a child of the runner, unless its text reads its parent's pid", async () => {
    const { run } = runner();
    const parent = async (text: string): Promise<number> => Number((await run(['bash', '-c', text])).stdout);
    expect(await parent('cut -d " " -f 4 /proc/$$/stat')).not.toBe(process.pid);
    expect(await parent('echo $PPID')).toBe(process.pid);
  });

  test('gets exactly the words that it is given', async () => {
    const words = [
      '',
      '-n',
      '$(touch /tmp/x)',
      '`id`',
      'a\nb',
      '\n',
      ' ',
      "'",
      '"',
      '\\',
      '*',
      '\u{1f600}',
      '\x01\x7f',
      '%s',
    ];
    const { run } = runner();
    const { stdout } = await run(['perl', '-e', 'print join "\\0", map { unpack "H*", $_ } @ARGV', '--', ...words]);
    expect(stdout.split('\0').map((hex) => Buffer.from(hex, 'hex').toString())).toEqual(words);
  });

  test('has only the variables that are its own', async () => {
    const { run } = runner();
    const environment = async (env: Variables, shared = inherited): Promise<string[]> =>
      (await run(['env'], { env, shared })).stdout.trim().split('\n').sort();
    const path = `PATH=${process.env.PATH}`;
    expect(await environment({ A: '1' })).toEqual(['A=1', path]);
    expect(await environment({ B: '2' })).toEqual(['B=2', path]);
    expect(await environment({ A: '3', B: '2' })).toEqual(['A=3', 'B=2', path]);
    expect(await environment({})).toEqual([path]);
    const many = Object.fromEntries(Array.from({ length: 40 }, (__, at) => [`N${at}`, `${at}`]));
    expect(await environment(many)).toHaveLength(41);
    expect(await environment({ A: '1' })).toEqual(['A=1', path]);
    const other = { ...inherited, A: '0', C: '4' };
    expect(await environment({ A: '1' }, other)).toEqual(['A=1', 'C=4', path]);
    expect(await environment({}, other)).toEqual(['A=0', 'C=4', path]);
    expect(await environment({})).toEqual([path]);
  });

  test('ends as it ends', async () => {
    const { run } = runner();
    const end = async (text: string): Promise<ProcessEnd> => (await run(['bash', '-c', text])).end;
    for (const code of [0, 1, 42, 127, 129, 143, 255])
      expect(await end(`exit ${code}`)).toMatchObject({ kind: 'exited', exit: code, signal: null });
    for (const signal of ['SIGTERM', 'SIGKILL', 'SIGABRT', 'SIGSEGV', 'SIGPIPE', 'SIGHUP', 'SIGUSR1'])
      expect(await end(`kill -${signal} $$`)).toMatchObject({ kind: 'exited', exit: null, signal });
  });

  test.each([
    ['a program that is not there', ['/nowhere/program'], {}, 'ENOENT'],
    ['one that is not on PATH', ['no-such-program'], {}, 'ENOENT'],
    ['one that must not be executed', ['/etc/passwd'], {}, 'EACCES'],
    ['a directory that is not there', ['true'], { cwd: '/nowhere' }, 'ENOENT'],
    ['a word that is too long', ['echo', 'x'.repeat(200_000)], {}, 'E2BIG'],
    ['a variable that is too long', ['true'], { env: { X: 'x'.repeat(200_000) } }, 'E2BIG'],
    ['a word with a zero byte', ['echo', 'a\0b'], {}, 'ERR_INVALID_ARG_VALUE'],
  ] as const)('cannot be %s', async (_, argv, more, code) => {
    for (const { run } of [runner(), runner(false)])
      expect((await run(argv, more)).end).toMatchObject({ kind: 'not-started', code });
  });

  test('may print more than a pipe holds, before and after it has ended', async () => {
    const { run } = runner();
    const large = await run(['bash', '-c', 'head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2']);
    expect([large.stdout.length, large.stderr.length]).toEqual([3_000_000, 2_000_000]);
    const late = await run(['bash', '-c', '(sleep 0.2; echo late; echo problem >&2) & echo early']);
    expect(late).toMatchObject({ stdout: 'early\nlate\n', stderr: 'problem\n', end: { truncated: false } });
    // Pipes that were held open serve nobody else.
    const folder = temporaryFolder();
    const stray = 'until [ -e go ]; do sleep 0.02; done; (echo stray); touch printed';
    const held = await inFastTime(() => run(['bash', '-c', `cd ${folder}; (${stray}) & echo mine`]));
    expect(held).toMatchObject({ stdout: 'mine\n', end: { truncated: true } });
    writeFileSync(join(folder, 'go'), '');
    await until(() => existsSync(join(folder, 'printed')));
    expect((await run(['echo', 'next'])).stdout).toBe('next\n');
  });

  test('runs in parallel with 200 others', async () => {
    const { run, pids } = runner();
    const all = await Promise.all(
      Array.from({ length: 200 }, (_, at) => run(['bash', '-c', `sleep 0.1; echo ${at}; exit $((${at} % 3))`])),
    );
    all.forEach(({ stdout, end }, at) => {
      expect(stdout).toBe(`${at}\n`);
      expect(end).toMatchObject({ kind: 'exited', exit: at % 3 });
    });
    expect(new Set(pids).size).toBe(200);
    expect(serversOf(process.pid)).toHaveLength(1);
  });
});

describe('a command that waits for its permission', () => {
  /** A command that is prepared and must not begin yet, and its process. */
  async function prepared(argv: readonly string[]) {
    const before = new Set(serversOf(process.pid));
    const { run, server, pids } = runner();
    expect((await run(['true'])).end).toMatchObject({ exit: 0 });
    const pid = serversOf(process.pid).find((one) => !before.has(one)) ?? 0;
    const { answer, give } = permission();
    const ended = run(argv, { permission: answer });
    await until(() => serversOf(pid).length === 1);
    return { run, pids, server, pid, held: serversOf(pid)[0] ?? 0, give, ended };
  }

  test('begins with it, and not earlier', async () => {
    const file = join(temporaryFolder(), 'file');
    const { pids, held, give, ended } = await prepared(['touch', file]);
    expect([existsSync(file), pids.length]).toEqual([false, 1]);
    give(true);
    expect((await ended).end).toMatchObject({ kind: 'exited', exit: 0 });
    expect([existsSync(file), pids[1]]).toEqual([true, held]);
  });

  test('never begins if it is refused, and leaves nothing', async () => {
    const file = join(temporaryFolder(), 'file');
    const { run, pids, held, give, ended } = await prepared(['touch', file]);
    give(false);
    expect((await ended).end).toMatchObject({ kind: 'not-started', code: 'ECANCELED' });
    expect([isRunning(held), existsSync(file), pids.length]).toEqual([false, false, 1]);
    expect((await run(['echo', 'next'], { permission: Promise.resolve(true) })).stdout).toBe('next\n');
  });

  test('never begins if its runner ends', async () => {
    const file = join(temporaryFolder(), 'file');
    const { server, held, give, ended } = await prepared(['touch', file]);
    server?.close();
    await until(() => !isRunning(held));
    give(false);
    expect((await ended).end).toMatchObject({ kind: 'not-started', code: 'ECANCELED' });
    expect(existsSync(file)).toBe(false);
  });

  test('begins once if the server or its process is killed', async () => {
    for (const whichOne of ['server', 'process'] as const) {
      const file = join(temporaryFolder(), 'file');
      const { run, pid, held, give, ended } = await prepared(['bash', '-c', `echo once >> ${file}`]);
      process.kill(whichOne === 'server' ? pid : held, 'SIGKILL');
      await until(() => !isRunning(held));
      give(true);
      expect((await ended).end).toMatchObject({ kind: 'exited', exit: 0 });
      expect(readFileSync(file, 'utf8')).toBe('once\n');
      expect((await run(['echo', 'next'], { permission: Promise.resolve(true) })).stdout).toBe('next\n');
    }
  });

  test('is prepared as ever after a child without a command was killed', async () => {
    const { run, pid, give, ended } = await prepared(['true']);
    give(true);
    await ended;
    await until(() => serversOf(pid).length === 1);
    const [idle = 0] = serversOf(pid);
    process.kill(idle, 'SIGKILL');
    await until(() => processStat(idle) === null);
    // Its answer comes after the message about the end of the child.
    await run(['true']);
    const next = permission();
    const running = run(['echo', 'next'], { permission: next.answer });
    await until(() => serversOf(pid).length === 1);
    next.give(true);
    expect((await running).stdout).toBe('next\n');
  });

  test('finds everything as one that is spawned, also if its process was made for it before it was known', async () => {
    const { run } = runner();
    const spawned = runner(false);
    const given = { permission: Promise.resolve(true) };
    await run(['true'], given);
    const environments = [
      { A: '1' },
      { B: '2' },
      Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`N${at}`, ' '])),
    ];
    for (const env of [...environments, {}]) {
      const more = { env, cwd: '/tmp' };
      const [ours, theirs] = [
        await run(['bash', '-c', surroundings], { ...more, ...given }),
        await spawned.run(['bash', '-c', surroundings], more),
      ];
      expect(ours.stderr).toBe('');
      expect(withoutFolder(ours)).toBe(withoutFolder(theirs));
    }
    for (const [program, code] of [
      ['no-such-program', 'ENOENT'],
      ['/etc/passwd', 'EACCES'],
    ] as const)
      expect((await run([program], given)).end).toMatchObject({ kind: 'not-started', code });
    expect((await run(['echo', 'x'.repeat(200_000)], given)).end).toMatchObject({ code: 'E2BIG' });
    expect((await run(['true'], { ...given, cwd: '/nowhere' })).end).toMatchObject({ code: 'ENOENT' });
    expect((await run(['echo', 'last'], given)).stdout).toBe('last\n');
  });

  test('is on record when it begins, and not yet when it is prepared', async () => {
    const file = join(temporaryFolder(), 'file');
    const before = new Set(serversOf(process.pid));
    const seen: string[] = [];
    const memory = memoryJournal();
    const journal: Journal = {
      open: (header) => ({
        ...memory.open(header),
        async sync() {
          if (memory.events.at(-1)?.type !== 'effect_requested') return;
          await until(() => serversOf(process.pid).some((pid) => !before.has(pid) && serversOf(pid).length === 1));
          seen.push(existsSync(file) ? 'after' : 'before');
        },
      }),
    };
    const { report } = await runKept(commands(`touch ${file}; echo 1`), { ownProcess: true, journal });
    expect([report.status, seen, existsSync(file)]).toEqual(['returned', ['before'], true]);
  });

  test('never begins if its request cannot be recorded', async () => {
    const file = join(temporaryFolder(), 'file');
    const memory = memoryJournal();
    const journal: Journal = {
      open: (header) => ({
        ...memory.open(header),
        sync: () =>
          memory.events.at(-1)?.type === 'effect_requested'
            ? Promise.reject(new StoreError('full'))
            : Promise.resolve(),
      }),
    };
    const { report } = await runKept(commands(`touch ${file}`), { ownProcess: true, journal });
    expect([report.error?.kind, existsSync(file)]).toEqual(['store', false]);
  });
});

describe('the fork server', () => {
  test('shows no variables of its own', async () => {
    const { run } = runner();
    await run(['true'], { env: { SOME_TOKEN: 'hidden' } });
    const [server = 0] = serversOf(process.pid);
    expect(readFileSync(`/proc/${server}/environ`, 'utf8')).not.toContain('hidden');
    expect(readFileSync(`/proc/${server}/cmdline`, 'utf8')).toMatch(/^statedsl-fork-server[\0 ]*$/);
  });

  test('that is killed takes no command with it that has not begun', async () => {
    const { run, pids } = runner();
    expect((await run(['true'])).end).toMatchObject({ exit: 0 });
    const [server = 0] = serversOf(process.pid);
    process.kill(server, 'SIGSTOP');
    const waiting = run(['echo', 'done']);
    process.kill(server, 'SIGKILL');
    expect(await waiting).toMatchObject({ stdout: 'done\n', end: { kind: 'exited', exit: 0 } });
    expect((await run(['echo', 'next'])).stdout).toBe('next\n');
    expect(pids).toHaveLength(3);
    expect(serversOf(process.pid)).toEqual([]);
  });

  test('that is killed while a command runs leaves nothing of it', async () => {
    const { run, pids } = runner();
    // After a short command, the server makes a child in advance, which must not hide its end.
    for (let count = 0; count < 2; count++) await run(['true'], { permission: Promise.resolve(true) });
    const running = run(['bash', '-c', 'sleep 30 & sleep 31'], { permission: Promise.resolve(true) });
    await until(() => pids.length === 3);
    process.kill(serversOf(process.pid)[0] as number, 'SIGKILL');
    expect((await running).end).toMatchObject({ kind: 'exited', exit: null, signal: 'SIGKILL' });
    expect(isRunning(pids[2] as number)).toBe(false);
    const started = await run(['cat', '/proc/self/stat']);
    expect(started.end).toMatchObject({ exit: 0 });
  });

  test('ends with its runner, however that ends', async () => {
    const folder = temporaryFolder();
    const program = join(folder, 'loop.dsl');
    writeFileSync(program, 'FOR EACH: i in range(100000):\n  DO: sleep 0.01\n');
    for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const) {
      const child = start(process.execPath, [cli, 'run', '--quiet', 'loop.dsl'], { cwd: folder });
      const { pid } = child;
      await until(() => serversOf(pid).length === 1);
      const [server = 0] = serversOf(pid);
      child.kill(signal);
      expect((await child.end).code).toBe(signal === 'SIGKILL' ? null : 130);
      await until(() => !isRunning(server));
    }
  });

  test('serves no run of an embedding program', async () => {
    const parent = 'cut -d " " -f 4 /proc/$$/stat';
    expect(Number((await runKept(commands(parent))).report.returned)).toBe(process.pid);
    expect(Number((await runKept(commands(parent), { ownProcess: true })).report.returned)).not.toBe(process.pid);
    await until(() => serversOf(process.pid).length === 0);
  });
});
