/** The cache of compiled code makes starts shorter and nothing else: whatever is in it or prevents it, runs are the same. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amount, some } from '../amount.js';
import { runProgram } from '../harness/process.js';
import { cli, type ProjectFolder, projectFolder } from './statedsl.js';

const PROGRAM = { 'hello.dsl': 'RETURN: hello\n' };
const DAY_S = 24 * 60 * 60;

/** Runs the program with this cache; what was printed must not depend on it. */
async function hello(
  { runProcess, folder }: ProjectFolder,
  cache = 'cache',
  env: Record<string, string> = {},
): Promise<void> {
  const more = { XDG_CACHE_HOME: join(folder, cache), TMPDIR: join(folder, 'tmp'), ...env };
  const result = await runProcess(['run', '--quiet', 'hello.dsl'], { env: more });
  expect(result).toEqual({ code: 0, stdout: 'hello\n', stderr: '' });
}

const filesOf = (folder: string) => readdirSync(folder).map((name) => join(folder, name));

const dist = dirname(cli);

/** What a module prints in a new process that uses this cache. */
async function printed(folder: string, text: string): Promise<string> {
  const env = { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') };
  const args = ['--input-type=module', '--eval', text];
  const { code, stdout, stderr } = await runProgram(process.execPath, args, { cwd: folder, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe('the library', () => {
  const use = 'const { status } = await run(compile("RETURN: 1\\n").machine); console.log(status);';

  it('has such a cache too, with the same results', async () => {
    const { folder } = projectFolder({});
    const text = `import { compile, run } from ${JSON.stringify(join(dist, 'index.mjs'))}; ${use}`;
    const written = () => filesOf(join(folder, 'cache/statedsl')).map((path) => [path, lstatSync(path).mtimeMs]);
    expect(await printed(folder, text)).toBe('returned\n');
    const before = written();
    expect(before.length).toBeGreaterThan(0);
    expect(await printed(folder, text)).toBe('returned\n');
    expect(written()).toEqual(before);
  });

  it('gives values of the context that it is loaded in, as a test runner makes one', async () => {
    const { folder } = projectFolder({});
    const path = JSON.stringify(join(dist, 'library.cjs'));
    const text = `
      import { readFileSync } from 'node:fs';
      import { createRequire } from 'node:module';
      import vm from 'node:vm';
      const context = vm.createContext({ process, Buffer, setTimeout, clearTimeout, AbortController, URL, performance });
      const names = ['exports', 'require', 'module', '__filename', '__dirname'];
      const body = vm.compileFunction(readFileSync(${path}, 'utf8'), names, { parsingContext: context });
      const module = { exports: {} };
      body(module.exports, createRequire(${path}), module, ${path}, ${JSON.stringify(dist)});
      context.compile = module.exports.compile;
      console.log(vm.runInContext('compile("RETURN: 1\\\\n").diagnostics instanceof Array', context));`;
    expect(await printed(folder, text)).toBe('true\n');
  });
});

describe('the cache of compiled code', () => {
  it('is filled by the first start, for this user alone, and then used', async () => {
    const one = projectFolder(PROGRAM);
    await hello(one);
    const folder = join(one.folder, 'cache/statedsl');
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
    const before = filesOf(folder).map((path) => [path, lstatSync(path).mode & 0o777, lstatSync(path).mtimeMs]);
    expect(before.length).toBeGreaterThan(0);
    expect(before.every(([, mode]) => mode === 0o600)).toBe(true);
    await hello(one);
    expect(filesOf(folder).map((path) => [path, lstatSync(path).mode & 0o777, lstatSync(path).mtimeMs])).toEqual(
      before,
    );
  });

  it('is used by verify, too', async () => {
    const { runProcess, folder } = projectFolder(PROGRAM);
    const env = { XDG_CACHE_HOME: join(folder, 'cache'), TMPDIR: join(folder, 'tmp') };
    const written = () => filesOf(join(folder, 'cache/statedsl')).map((path) => [path, lstatSync(path).mtimeMs]);
    await runProcess(['verify', 'hello.dsl'], { env });
    const before = written();
    await runProcess(['verify', 'hello.dsl'], { env });
    expect(written()).toEqual(before);
  });

  it('is made again where a file is damaged in any part', async () => {
    const one = projectFolder(PROGRAM);
    await hello(one);
    const files = filesOf(join(one.folder, 'cache/statedsl')).map((path) => ({ path, good: readFileSync(path) }));
    for (const share of some([0, 0.25, 0.999], 1)) {
      for (const { path, good } of files) {
        const bad = Buffer.from(good);
        const at = Math.floor(good.length * share);
        bad[at] = (bad[at] ?? 0) ^ 0x55;
        writeFileSync(path, bad);
      }
      await hello(one);
      // The program was not recognized, so each file was needed.
      for (const { path, good } of files) expect(readFileSync(path).subarray(0, 100)).toEqual(good.subarray(0, 100));
    }
    const parts = [(good: Buffer) => good.subarray(0, good.length >> 1), (good: Buffer) => Buffer.alloc(good.length)];
    for (const part of some(parts, 1)) {
      for (const { path, good } of files) writeFileSync(path, part(good));
      await hello(one);
      for (const { path, good } of files) expect(readFileSync(path).equals(part(good))).toBe(false);
    }
  });

  it('is not read where others could have written it', async () => {
    const one = projectFolder(PROGRAM);
    const folder = join(one.folder, 'cache/statedsl');
    await hello(one);
    for (const path of filesOf(folder)) chmodSync(path, 0o666);
    await hello(one);
    expect(filesOf(folder).map((path) => lstatSync(path).mode & 0o777)).not.toContain(0o666);
    chmodSync(folder, 0o777);
    await hello(one);
    // Nothing is used from then on, also not what others may write to more easily.
    expect(existsSync(join(one.folder, 'tmp'))).toBe(false);
  });

  it('leaves nothing, and ends nothing, where files may not be so large', async () => {
    const one = projectFolder(PROGRAM);
    mkdirSync(join(one.folder, 'cache/statedsl'), { recursive: true, mode: 0o700 });
    const env = { ...process.env, XDG_CACHE_HOME: join(one.folder, 'cache'), TMPDIR: join(one.folder, 'tmp') };
    const args = ['-c', 'ulimit -f 16; exec "$0" "$@"', process.execPath, cli, 'run', '--quiet', 'hello.dsl'];
    const result = await runProgram('bash', args, { cwd: one.folder, env });
    expect(result).toEqual({ code: 0, stdout: 'hello\n', stderr: '' });
    const sizes = filesOf(join(one.folder, 'cache/statedsl')).map((path) => lstatSync(path).size);
    expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(16 * 1024);
    expect(existsSync(join(one.folder, 'tmp'))).toBe(false);
  });

  it('follows no link', async () => {
    const one = projectFolder(PROGRAM);
    mkdirSync(join(one.folder, 'elsewhere'), { mode: 0o700 });
    mkdirSync(join(one.folder, 'cache'));
    symlinkSync('../elsewhere', join(one.folder, 'cache/statedsl'));
    await hello(one);
    expect(readdirSync(join(one.folder, 'elsewhere'))).toEqual([]);
  });

  it('is below the folder for temporary files where there is no home, and nowhere where there is none either', async () => {
    const one = projectFolder({ ...PROGRAM, file: '' });
    await hello(one, 'file/below');
    const [folder = ''] = filesOf(join(one.folder, 'tmp'));
    expect(filesOf(folder)).not.toEqual([]);
    await hello(one, 'file/below', { TMPDIR: join(one.folder, 'file') });
    await hello(one, '', { XDG_CACHE_HOME: '', HOME: '/proc', TMPDIR: '/proc' });
    await hello(one, '', { XDG_CACHE_HOME: '', HOME: join(one.folder, 'no/home'), TMPDIR: '/proc' });
    expect(readdirSync(one.folder)).not.toContain('no');
  });

  it('is never taken from the folder for temporary files while there is a home', async () => {
    const one = projectFolder(PROGRAM);
    await hello(one, 'file/below', { XDG_CACHE_HOME: '', HOME: '' });
    const [folder = ''] = filesOf(join(one.folder, 'tmp'));
    const atimes = () => filesOf(folder).map((path) => lstatSync(path).mtimeMs);
    expect(atimes().length).toBeGreaterThan(0);
    const old = Date.now() / 1000 - DAY_S;
    for (const path of filesOf(folder)) utimesSync(path, old, old);
    const before = atimes();
    // What is read is used again, which its time says.
    await hello(one);
    expect(atimes()).toEqual(before);
    expect(filesOf(join(one.folder, 'cache/statedsl')).length).toBeGreaterThan(0);
    await hello(one, '', { XDG_CACHE_HOME: '', HOME: '' });
    expect(atimes()).not.toEqual(before);
  });

  it('survives many starts at once', async () => {
    const one = projectFolder(PROGRAM);
    const env = { XDG_CACHE_HOME: join(one.folder, 'cache'), TMPDIR: join(one.folder, 'tmp') };
    const ends = Array.from({ length: amount(1, 8) }, () => one.start(['run', '--quiet', 'hello.dsl'], env).end);
    expect(new Set((await Promise.all(ends)).map(({ code }) => code))).toEqual(new Set([0]));
    expect(readdirSync(join(one.folder, 'cache/statedsl')).filter((name) => /\.\d+$/.test(name))).toEqual([]);
    await hello(one);
  });

  it('removes entries that are a month old', async () => {
    const one = projectFolder(PROGRAM);
    const folder = join(one.folder, 'cache/statedsl');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [name, days] of [
      ['old', 31],
      ['new', 29],
    ] as const) {
      writeFileSync(join(folder, name), '');
      const then = Date.now() / 1000 - days * DAY_S;
      utimesSync(join(folder, name), then, then);
    }
    await hello(one);
    expect(readdirSync(folder)).toContain('new');
    expect(readdirSync(folder)).not.toContain('old');
  });

  it('holds 200 files and 64 MiB at most, and forgets what was not used for longest', async () => {
    const one = projectFolder(PROGRAM);
    await hello(one);
    const folder = join(one.folder, 'cache/statedsl');
    const used = readdirSync(folder);
    const ago = (hours: number) => Date.now() / 1000 - hours * 60 * 60;
    for (const name of used) utimesSync(join(folder, name), ago(12), ago(12));
    for (let index = 0; index < 300; index++) writeFileSync(join(folder, `small-${index}`), '');
    for (let index = 0; index < 300; index++) utimesSync(join(folder, `small-${index}`), ago(2), ago(2));
    writeFileSync(join(folder, 'large'), '');
    truncateSync(join(folder, 'large'), 65 * 1024 * 1024);
    utimesSync(join(folder, 'large'), ago(13), ago(13));
    // What this start uses is new again.
    await hello(one);
    const again = used.filter((name) => statSync(join(folder, name)).mtimeMs > Date.now() - 60_000);
    expect(again).not.toEqual([]);
    // Another program is stored, so there is a write.
    writeFileSync(join(one.folder, 'hello.dsl'), 'RETURN: hello\n\n');
    await hello(one);
    expect(readdirSync(folder).length).toBe(200);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(again));
    expect(readdirSync(folder)).not.toContain('large');
  });
});
