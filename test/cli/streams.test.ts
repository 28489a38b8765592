/** What a process prints arrives whole and in order, whatever standard output and standard error are. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { watchHeaders } from '../../src/cli/message-headers.js';
import { some } from '../amount.js';
import { runProgram } from '../harness/process.js';
import { cli, projectFolder } from './statedsl.js';

/** Some output at a time, and more in all than a process writes to a pipe without a stream of Node. */
const COUNT = 400;
const lines = Array.from({ length: COUNT }, (_, n) => `EMIT: EVENT number=${n}\n${n % 100 === 99 ? 'DO: true\n' : ''}`);
const program = `${lines.join('')}RETURN: the end\n`;

const numbers = (text: string): number[] =>
  [...text.matchAll(/^EMIT EVENT .*number=(\d+)/gm)].map(([, number]) => Number(number));

const all = Array.from({ length: COUNT }, (_, n) => n);

describe('what a run prints arrives', () => {
  test('through pipes', async () => {
    const one = projectFolder({ 'p.dsl': program });
    const { code, stdout, stderr } = await one.runProcess(['run', 'p.dsl']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'the end\n' });
    expect(numbers(stderr)).toEqual(all);
  });

  test('in a file, which both streams continue', async () => {
    const one = projectFolder({ 'p.dsl': program, 'all.txt': 'before\n' });
    const both = ['-c', 'exec "$@" >> all.txt 2>&1', '-', process.execPath, cli, 'run', 'p.dsl'];
    expect((await runProgram('bash', both, { cwd: one.folder })).code).toBe(0);
    const text = readFileSync(join(one.folder, 'all.txt'), 'utf8');
    expect(numbers(text)).toEqual(all);
    expect(text).toMatch(/^before\n→ MAIN\n/);
    expect(text).toMatch(/^the end$/m);
  });

  test('where a pipe is full and does not wait', async () => {
    const one = projectFolder({ 'p.dsl': program });
    // The reader takes nothing until the run is on record, so that every line of it meets a full pipe.
    const reader = `
      const { execFileSync, spawn } = require('node:child_process');
      const { constants, existsSync, openSync, readSync, writeSync } = require('node:fs');
      execFileSync('mkfifo', ['pipe']);
      const pipe = openSync('pipe', constants.O_RDWR | constants.O_NONBLOCK);
      let filled = 0;
      try { for (;;) filled += writeSync(pipe, Buffer.alloc(4096, '.')); } catch {}
      // Node lets its children wait for pipes.
      const program = 'use Fcntl; fcntl(STDERR, F_SETFL, O_RDWR | O_NONBLOCK); exec @ARGV';
      const args = ['-e', program, process.execPath, ${JSON.stringify(cli)}, 'run', 'p.dsl'];
      const child = spawn('perl', args, { stdio: ['ignore', 'ignore', pipe] });
      let hasEnded = false;
      child.on('exit', (code) => { process.exitCode = code; hasEnded = true; });
      const parts = [];
      const bytes = Buffer.alloc(65536);
      const read = () => {
        if (!existsSync('.statedsl/runs/index.ndjson')) return setTimeout(read, 10);
        try {
          for (;;) parts.push(Buffer.from(bytes.subarray(0, readSync(pipe, bytes))));
        } catch {}
        if (!hasEnded) return setTimeout(read, 1);
        process.stdout.write(Buffer.concat(parts).subarray(filled));
      };
      read();
    `;
    writeFileSync(join(one.folder, 'reader.cjs'), reader);
    const { code, stdout, stderr } = await runProgram(process.execPath, ['reader.cjs'], { cwd: one.folder });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(numbers(stdout)).toEqual(all);
    expect(stdout).toMatch(/^→ MAIN\n/);
  });
});

test('a full disk is reported once', async () => {
  const one = projectFolder({ 'p.dsl': program });
  const full = ['-c', 'exec "$@" < p.dsl > /dev/full', '-', process.execPath, cli, 'fmt', '-'];
  const { code, stderr } = await runProgram('bash', full, { cwd: one.folder });
  expect({ code, stderr: stderr.match(/cannot write to standard output/g) }).toEqual({
    code: 1,
    stderr: ['cannot write to standard output'],
  });
});

test('a file that may not grow is reported once', async () => {
  const one = projectFolder({ 'p.dsl': program });
  const limited = ['-c', 'ulimit -f 1; exec "$@" < p.dsl > out.dsl', '-', process.execPath, cli, 'fmt', '-'];
  const { code, stderr } = await runProgram('bash', limited, { cwd: one.folder });
  expect({ code, stderr: stderr.match(/cannot write to standard output/g) }).toEqual({
    code: 1,
    stderr: ['cannot write to standard output'],
  });
});

describe('a whole session of an editor as standard input', () => {
  const message = (content: object): string => {
    const text = JSON.stringify(content);
    return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  };
  const hello = message({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { capabilities: {} } });
  const bye = message({ jsonrpc: '2.0', id: 2, method: 'shutdown' });

  // What ends without `shutdown` is a client that has died.
  test.each([
    ['nothing', ['lsp'], '', 1, 0],
    ['one question', ['lsp'], hello, 1, 1],
    ['the last question', ['lsp'], hello + bye, 0, 2],
    ['nothing for the debugger', ['dap'], '', 0, 0],
  ])('%s, from a file and from a pipe', async (_, command, text, code, answers) => {
    const { folder } = projectFolder({ input: text });
    for (const way of some(['cat input | "$@"', '"$@" < input'], 1)) {
      const ended = await runProgram('bash', ['-c', way, '-', process.execPath, cli, ...command], { cwd: folder });
      expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code, stderr: '' });
      expect(ended.stdout.match(/"id":\d/g) ?? []).toHaveLength(answers);
    }
  });

  test.each([['lsp'], ['dap']])('%s: a header that is none ends it in words', async (command) => {
    const { folder } = projectFolder({ input: `${'Content-Length: 2\r\n\r\n{}'}Content-Length: -3\r\n\r\n${hello}` });
    const { code, stderr } = await runProgram(
      'bash',
      ['-c', 'mkfifo open && exec 3<> open && cat input >&3 && "$@" <&3 3>&-', '-', process.execPath, cli, command],
      { cwd: folder },
    );
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'error: the input is not the protocol: `-3` is not a Content-Length\n',
    });
  });
});

test.each([
  ['a message that is not JSON', 'Content-Length: 5\r\n\r\nhello', 'a message is not a JSON object'],
  ['a message that is no object', 'Content-Length: 4\r\n\r\nnull', 'a message is not a JSON object'],
  ['half a message', 'Content-Length: 9\r\n\r\n{', 'it ends within a message'],
  ['text without a header', '{}', 'it ends within a message'],
])('dap: %s ends it in words', async (_, input, problem) => {
  const { folder } = projectFolder({ input });
  const ended = await runProgram('bash', ['-c', '"$@" < input', '-', process.execPath, cli, 'dap'], { cwd: folder });
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: `error: the input is not the protocol: ${problem}\n` });
});

test('dap: a header may be written in small letters and without a space', async () => {
  const hello = JSON.stringify({ seq: 1, type: 'request', command: 'initialize', arguments: { adapterID: 'x' } });
  const { folder } = projectFolder({ input: `content-length:${hello.length}\r\n\r\n${hello}` });
  const ended = await runProgram('bash', ['-c', '"$@" < input', '-', process.execPath, cli, 'dap'], { cwd: folder });
  expect({ code: ended.code, answers: ended.stdout.match(/"request_seq":1/g) }).toEqual({
    code: 0,
    answers: ['"request_seq":1'],
  });
});

describe('headers of messages', () => {
  const read = (input: string, piece: number): { problem: string | null; messages: string[] } => {
    const stream = new PassThrough();
    let found: string | null = null;
    const messages: string[] = [];
    watchHeaders(
      stream,
      (problem) => {
        found = problem;
      },
      (message) => messages.push(message.toString()),
    );
    const bytes = Buffer.from(input);
    for (let at = 0; at < bytes.length; at += piece) stream.emit('data', bytes.subarray(at, at + piece));
    if (input.endsWith('.')) stream.emit('end');
    return { problem: found, messages };
  };
  const right = 'Content-Length: 4\r\n\r\n"é"content-type: x\r\nCONTENT-LENGTH:2\r\n\r\n{}Content-Length: 0\r\n\r\n';

  test.each([
    ['', null],
    ['Content-Length: 5\r\n\r\n-3\r\n', null],
    ['Content-Length: -3\r\n\r\n{}', '`-3` is not a Content-Length'],
    ['Content-Length: 2.5\r\n\r\n{}', '`2.5` is not a Content-Length'],
    ['Content-Length: 0x2\r\n\r\n{}', '`0x2` is not a Content-Length'],
    ['Content-Length:\r\n\r\n{}', '`` is not a Content-Length'],
    ['Content-Length: 99999999999\r\n\r\n{}', '`99999999999` is not a Content-Length'],
    ['Length: 2\r\n\r\n{}', 'the header has no Content-Length'],
    ['Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}', 'the header has two Content-Length'],
    ['Content-Length: 2\n\n{}', 'a line of the header ends without a carriage return'],
    [`X: ${'x'.repeat(9_000)}`, 'the header does not end'],
    ['Content-Length: 2\r\n\r\n.', 'it ends within a message'],
    ['Content.', 'it ends within a message'],
    ['Content-Length: 1\r\n\r\n.', null],
  ])('%.40j', (wrong, problem) => {
    const last = wrong.endsWith('1\r\n\r\n.') ? ['.'] : [];
    for (const piece of [1, 3, 7, 100_000])
      expect(read(right + wrong, piece)).toEqual({ problem, messages: ['"é"', '{}', ...last] });
  });
});
