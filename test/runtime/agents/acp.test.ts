/** The adapter `acp` with a scripted agent. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Permission, permitsKind } from '../../../src/runtime/agents/programs/permissions.js';
import { longTest, some } from '../../amount.js';
import { until } from '../../harness/until.js';
import { stage } from './calling.js';

const script = fileURLToPath(new URL('../../agents/acp-agent.mjs', import.meta.url));

const acpStage = (how = 'resume', allow?: readonly Permission[]) =>
  stage({ a: { adapter: 'acp', run: [process.execPath, script, how], ...(allow === undefined ? {} : { allow }) } });

describe('permissions', () => {
  const may = (edit: boolean, shell: boolean, network: boolean) => ({ edit, shell, network });
  test.each([
    ['read', null, true],
    ['search', may(false, false, false), true],
    ['think', may(false, false, false), true],
    ['edit', null, true],
    ['edit', may(false, true, true), false],
    ['delete', may(true, false, false), true],
    ['move', may(false, false, false), false],
    ['execute', null, false],
    ['execute', may(false, true, false), true],
    ['fetch', may(true, true, false), false],
    ['fetch', may(false, false, true), true],
    ['switch_mode', may(true, true, false), false],
    ['other', may(true, true, true), true],
    ['constructor', may(true, true, false), false],
  ])('%s with %j: %s', (kind, allowed, expected) => expect(permitsKind(kind, allowed)).toBe(expected));
});

test('asks, is answered by the kind of a tool, and what is refused is told', async () => {
  const one = acpStage('resume', ['edit']);
  const outcome = await one.exited({ agent: 'a', prompt: '/x use edit use execute use fetch use other file' });
  expect(outcome).toMatchObject({ exit: 0, is_error: false, cost: 0.02, session_id: 's1', session_bound: true });
  expect(outcome.tokens).toBeUndefined();
  expect(one.shown()).toMatch(
    /^Let me see\. edit=once execute=never fetch=never other=never declined -32601 done in s1/,
  );
  expect(outcome.stdout.text).toBe('other=never declined -32601 done in s1');
  expect(outcome.denied).toEqual([
    { tool: 'execute', input: 'do execute', reason: '`allow` does not permit `execute`' },
    ...['fetch', 'other'].map((tool) => ({
      tool,
      input: `a ${tool}`,
      reason: `\`allow\` does not permit \`${tool}\``,
    })),
  ]);
});

test.each(some(['resume', 'load'], 1))('continues a session with session/%s, without its history', async (how) => {
  const one = acpStage(how);
  await one.exited({ agent: 'a' });
  const outcome = await one.exited({ agent: 'a', session: 's1', sessionAdapter: 'acp' });
  expect(outcome).toMatchObject({ session_id: 's1', cost: null, stdout: { text: 'Let me see. done in s1' } });
});

longTest('an agent that cannot continue a session says so', async () => {
  const outcome = await acpStage('none').exited({ agent: 'a', session: 's1', sessionAdapter: 'acp' });
  expect(outcome).toMatchObject({
    is_error: true,
    stdout: { text: expect.stringContaining('cannot continue a session') },
  });
});

test('any end but that of a turn is a failure', async () => {
  const one = acpStage();
  expect(await one.exited({ agent: 'a', prompt: 'refuse' })).toMatchObject({
    is_error: true,
    stdout: { text: 'the agent stopped early: it refuses to continue' },
  });
  expect(await one.exited({ agent: 'a', prompt: 'use execute or give up' })).toMatchObject({
    is_error: true,
    stdout: { text: 'the agent stopped early: a tool of the kind `execute` was denied' },
  });
  expect(await one.exited({ agent: 'a', prompt: 'die' })).toMatchObject({
    is_error: true,
    stdout: { text: 'the agent ended (exit 3) before its answer' },
  });
  expect((await one.exited({ agent: 'a', prompt: 'broken' })).unavailable).toMatchObject({ cause: 'usage' });
  const missing = stage({ a: { adapter: 'acp', run: ['no-such-agent'] } });
  expect(await missing.exited({ agent: 'a' })).toMatchObject({
    is_error: true,
    stdout: { text: expect.stringContaining('cannot start `no-such-agent`') },
  });
});

test('a call that is stopped has no answer', async () => {
  const one = acpStage();
  const stopping = new AbortController();
  const called = one.call({ agent: 'a', prompt: 'hang' }, { stop: stopping.signal });
  await until(() => one.shown().includes('Let me see.'));
  stopping.abort();
  expect(JSON.stringify(await called)).not.toContain('"is_error":false');
});
