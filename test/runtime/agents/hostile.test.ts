/** Agent programs that violate their formats, do not end, and leave files and processes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonLines, LONGEST_LINE_BYTES } from '../../../src/runtime/agents/json-lines.js';
import { inFastTime } from '../../harness/fast-time.js';
import { childRuns, KEEP, printing, stage } from './calling.js';

const result = { type: 'result', subtype: 'success', result: 'fine', total_cost_usd: 0.5 };

describe('prompts', () => {
  const nasty = `"quotes' {braces} {{double}} †input.x \`ticks\` $HOME $(id) \\ \u0007 é 😀 --resume\n`;

  test.each(['claude', 'codex', 'gemini', 'qwen', 'opencode', 'cursor'])('reach %s byte for byte', async (agent) => {
    const one = stage();
    one.program(agent === 'cursor' ? 'cursor-agent' : agent, KEEP);
    const prompt = nasty.repeat(5000);
    expect(Buffer.byteLength(prompt)).toBeGreaterThan(300_000);
    await one.exited({ agent, prompt });
    expect(one.read('prompt')).toBe(prompt);
    expect((one.read('args') ?? '').length).toBeLessThan(500);
  });

  test('may be left unread', async () => {
    const one = stage();
    one.program('claude', printing(result));
    const outcome = await one.exited({ agent: 'claude', prompt: 'x'.repeat(1_000_000) });
    expect(outcome).toMatchObject({ exit: 0, stdout: { text: 'fine' } });
  });
});

describe('output', () => {
  test.each(['--dangerously', '', 'a\u0000b', 'a\nb', 'x'.repeat(2000)])(
    'names a session that is none: %j',
    async (session_id) => {
      const one = stage();
      one.program('claude', printing({ type: 'system', session_id: 's1' }, { ...result, session_id }));
      expect(await one.exited({ agent: 'claude' })).toMatchObject({ session_id: 's1' });
    },
  );

  test('of other kinds between the events is skipped', async () => {
    const one = stage();
    const noise = [
      'warning: x',
      '',
      '{"type":"result"',
      '[1,2]',
      '"text"',
      'null',
      '{}',
      '{"type":5}',
      '{"type":"assistant"}',
    ];
    const odd = { type: 'assistant', message: { id: 7, content: [null, 5, { type: 'text', text: {} }] } };
    one.program('claude', `${printing(...noise, odd, result)}\nprintf '\\377\\376{\\n'`);
    expect(await one.exited({ agent: 'claude' })).toMatchObject({
      cost: 0.5,
      stdout: { text: 'fine' },
      is_error: false,
    });
  });

  test('may begin with a byte order mark, and have line ends of other systems', () => {
    const read: unknown[] = [];
    const lines = jsonLines((line) => read.push(line));
    lines.push(Buffer.from('\ufeff{"a":1}\r\n{"b":2}\r\n'));
    lines.end();
    expect([read, lines.plain]).toEqual([[{ a: 1 }, { b: 2 }], '']);
    const bytewise = jsonLines((line) => read.push(line));
    for (const byte of Buffer.from('\ufeff{"c":3}\n')) bytewise.push(Buffer.of(byte));
    expect(read[2]).toEqual({ c: 3 });
  });

  test('that ends in the middle of a line is not an answer', async () => {
    const one = stage();
    const said = { type: 'assistant', message: { id: '1', content: [{ type: 'text', text: 'half way' }] } };
    one.program('claude', `${printing(said)}\nprintf '%s' '{"type":"result","result":"fi'`);
    const outcome = await one.exited({ agent: 'claude' });
    expect(outcome).toMatchObject({ exit: 0, cost: null, turns: 1, is_error: true });
    expect(outcome.stdout.text).toMatch(/^the program ended without saying how/);
  });

  test('may lack the last line end', async () => {
    const one = stage();
    one.program('claude', `printf '%s' '${JSON.stringify(result)}'`);
    expect(await one.exited({ agent: 'claude' })).toMatchObject({ cost: 0.5, stdout: { text: 'fine' } });
  });

  test('without any event is the answer, and its cost is unknown', async () => {
    const one = stage();
    one.program('codex', 'echo just text');
    const outcome = await one.exited({ agent: 'codex' });
    expect(outcome).toMatchObject({ cost: null, stdout: { text: 'just text\n' }, is_error: false });
  });

  test('may have lines of 20 MB', async () => {
    const one = stage();
    const script = `#!/usr/bin/env python3
import json
print("x" * 20000000)
print(json.dumps({"type": "user", "message": "y" * 20000000}))
print(json.dumps({"type": "result", "result": "fine", "total_cost_usd": 0.5}))
`;
    one.program('claude', script);
    const outcome = await one.exited({ agent: 'claude' });
    expect(outcome).toMatchObject({ cost: 0.5, stdout: { text: 'fine' } });
    expect(outcome.transcript).toMatchObject({ bytes: expect.any(Number), artifact: expect.any(String) });
    expect(outcome.transcript?.text).toBeUndefined();
  });

  test('is kept for no longer than a line, and no line beyond a size', () => {
    const seen: unknown[] = [];
    const lines = jsonLines((told) => seen.push(told));
    const piece = Buffer.from(`{"a":"${'x'.repeat(1 << 20)}`);
    for (let at = 0; at <= LONGEST_LINE_BYTES >> 20; at++) lines.push(piece);
    lines.push(Buffer.from('"}\n  {"b":1}\r\n{"c":'));
    lines.push(Buffer.from('2}'));
    lines.end();
    expect(seen).toEqual([{ b: 1 }, { c: 2 }]);
  });

  test('may be split anywhere', () => {
    const text = Buffer.from('noise\n{"a":"é😀"}\n\n{"b":[1,\n{"c":3}\n');
    for (let cut = 0; cut <= text.length; cut++) {
      const seen: unknown[] = [];
      const lines = jsonLines((told) => seen.push(told));
      lines.push(text.subarray(0, cut));
      lines.push(text.subarray(cut));
      lines.end();
      expect(seen).toEqual([{ a: 'é😀' }, { c: 3 }]);
    }
  });
});

describe('processes', () => {
  test('that an agent left running are stopped when it ends', async () => {
    const one = stage();
    one.program('claude', `sleep 600 & echo $! > child\n${printing(result)}`);
    expect(await one.exited({ agent: 'claude' })).toMatchObject({ exit: 0, stdout: { text: 'fine' } });
    expect(childRuns(one)).toBe(false);
  });

  test('that do not end are stopped with everything they started', async () => {
    const one = stage();
    one.program('claude', `trap '' TERM\nsh -c "trap '' TERM; sleep 600 & sleep 600" & echo $! > child\nwait\nwait`);
    const outcome = await inFastTime(() => one.call({ agent: 'claude', timeoutMs: 2000 }));
    expect(outcome).toMatchObject({ kind: 'timed-out', timeout_ms: 2000, cost: null });
    expect(childRuns(one)).toBe(false);
  });

  test('that are stopped in the middle report what is known', async () => {
    const one = stage();
    const finish = { type: 'step_finish', sessionID: 's', part: { cost: 0.2, tokens: { input: 3, output: 1 } } };
    one.program('opencode', `${printing(finish)}\nsleep 600`);
    const outcome = await one.call({ agent: 'opencode', timeoutMs: 500 });
    expect(outcome).toMatchObject({ kind: 'timed-out', cost: 0.2, turns: 1, tokens: { in: 3, out: 1 } });
  });

  test('wait for a permit, in order, and need none when they are stopped', async () => {
    const one = stage({ slow: { adapter: 'command', run: ['slow'], max_concurrent: 1 } });
    mkdirSync(join(one.folder, 'busy'));
    one.program(
      'slow',
      'mkdir busy/here || echo crowded >> log\necho "$STATEDSL_STEP" >> log\nsleep 0.05\nrmdir busy/here',
    );
    const stop = new AbortController();
    const calls = ['a', 'b', 'c'].map((step) => one.call({ agent: 'slow', step }));
    const late = one.call({ agent: 'slow', step: 'd' }, { stop: stop.signal });
    stop.abort();
    expect(await late).toMatchObject({ kind: 'not-started' });
    await Promise.all(calls);
    expect(one.read('log')).toBe('a\nb\nc\n');
  });
});
