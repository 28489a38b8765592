/**
 * Trouble that passes is distinguished from trouble that stays, with the time at which it ends if the program says so.
 */
import { describe, expect, test } from 'vitest';
import { resetTime, unavailableFor } from '../../../src/runtime/agents/decode-call.js';
import { printing, stage } from './calling.js';

/** A Sunday. */
const NOW = Date.parse('2026-03-01T12:00:00Z');
const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString().replace('.000', ''));

describe('the time at which it passes', () => {
  test.each([
    ['Claude AI usage limit reached|1772373600', '2026-03-01T14:00:00Z'],
    ['{"type":"usage_limit_reached","resets_at":1772373600,"resets_in_seconds":1}', '2026-03-01T14:00:00Z'],
    ['rate limited, retry-after: 30', '2026-03-01T12:00:30Z'],
    ['Rate limit reached. Please try again in 20s. Visit …', '2026-03-01T12:00:20Z'],
    ['Please retry in 12.5s', '2026-03-01T12:00:12.500Z'],
    ['try again in 350ms', '2026-03-01T12:00:00.350Z'],
    ['or try again in 2 days 17 hours 14 minutes.', '2026-03-04T05:14:00Z'],
    ['Your quota will reset after 1h2m3s.', '2026-03-01T13:02:03Z'],
    ['"retryDelay": "34s"', '2026-03-01T12:00:34Z'],
    ["You've hit your limit · resets 3pm (UTC)", '2026-03-01T15:00:00Z'],
    ['Your limit will reset at 9am (America/Bogota).', '2026-03-01T14:00:00Z'],
    ['resets at 11:30am (UTC)', '2026-03-02T11:30:00Z'],
    // The minute in which it says so, or a clock that is a little late: not tomorrow.
    ['try again at 12:00 PM (UTC)', '2026-03-01T12:00:20Z'],
    ['try again at 11:57 AM (UTC)', '2026-03-01T12:00:20Z'],
    ['try again at 11:54 AM (UTC)', '2026-03-02T11:54:00Z'],
    ['try again at 12:16 AM (Europe/Warsaw)', '2026-03-01T23:16:00Z'],
    ['resets Mar 5 at 5pm (UTC)', '2026-03-05T17:00:00Z'],
    ['try again at Mar 5th, 2026 3:04 PM (UTC)', '2026-03-05T15:04:00Z'],
    ['You will regain access on 2026-04-01 at 00:00 UTC.', '2026-04-01T00:00:00Z'],
    ['limit reached until 2026-03-01T15:00:00+02:00', '2026-03-01T13:00:00Z'],
    // In the night from 28 to 29 March clocks go forward there.
    ['resets Mar 29 at 9am (Europe/Berlin)', '2026-03-29T07:00:00Z'],
    // Past, too far away, or no time at all.
    ['Claude AI usage limit reached|1600000000', null],
    ['try again in 900 days', null],
    ['resets at 15', null],
    ['overloaded', null],
    ['try again later', null],
  ])('%s', (text, wanted) => expect(iso(resetTime(text, NOW))).toBe(wanted));

  test('in the zone of the machine where none is named', () => {
    const later = new Date(NOW + 3 * 3_600_000);
    expect(resetTime(`resets at ${later.getHours()}:00`, NOW)).toBe(later.getTime());
  });

  test('of long texts that name none is not made up', () => {
    const found = [
      'again '.repeat(700),
      'retry 1 2 3 '.repeat(300),
      `resets ${'1d '.repeat(1300)}x`,
      '9'.repeat(4000),
    ].map((text) => unavailableFor(text, NOW));
    expect(found).toEqual([null, null, null, null]);
  });
});

describe('the cause', () => {
  test.each([
    ['Claude AI usage limit reached|1772373600', 'usage'],
    ["You've hit your usage limit. Upgrade to Pro or try again in 3 hours.", 'usage'],
    ["You've hit your session limit · resets 3pm (UTC)", 'usage'],
    ['You exceeded your current quota. Please retry in 30s.', 'usage'],
    ['exceeded retry limit, last status: 429 Too Many Requests', 'usage'],
    ['API Error: 529 {"type":"error","error":{"type":"overloaded_error"}}', 'overload'],
    ['unexpected status 503 Service Unavailable', 'overload'],
    ['API Error: 500 Internal server error', 'overload'],
    ['No capacity: MODEL_CAPACITY_EXHAUSTED', 'overload'],
    ['getaddrinfo EAI_AGAIN api.example.com', 'network'],
    ['read ECONNRESET', 'network'],
    ['stream disconnected before completion', 'network'],
    ['fetch failed', 'network'],
    ['[API Error: terminated]', 'network'],
  ])('%s', (text, cause) => expect(unavailableFor(text, NOW)?.cause).toBe(cause));

  test.each([
    'Quota exceeded. Check your plan and billing details.',
    'Your credit balance is too low',
    'API Error: 401 Invalid API key',
    'cannot find module x in line 503 of y',
    'no such file',
    '',
  ])('none: %s', (text) => expect(unavailableFor(text, NOW)).toBeNull());
});

describe('recognised in what programs print', () => {
  const soon = Math.floor(Date.now() / 1000) + 3600;
  const failed = (text: string) => ({ type: 'result', is_error: true, result: text, total_cost_usd: 0 });

  test('claude, in its result', async () => {
    const one = stage();
    one.program('claude', `${printing(failed(`Claude AI usage limit reached|${soon}`))}\nexit 1`);
    const { unavailable, cost } = await one.exited({ agent: 'claude' });
    expect(unavailable).toMatchObject({ cause: 'usage', until_ms: soon * 1000 });
    expect(cost).toBe(0);
  });

  test('claude, in an event of its own', async () => {
    const one = stage();
    const event = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: soon } };
    one.program('claude', printing(event, failed("You've hit your limit")));
    expect((await one.exited({ agent: 'claude' })).unavailable).toMatchObject({ until_ms: soon * 1000 });
  });

  test('claude, as plain text that looks like success', async () => {
    const one = stage();
    one.program('claude', `echo 'Claude AI usage limit reached|${soon}'`);
    expect((await one.exited({ agent: 'claude' })).unavailable).toMatchObject({ until_ms: soon * 1000 });
  });

  test('codex, in the failed turn', async () => {
    const one = stage();
    const message = 'stream error: 429 Too Many Requests, try again in 20s';
    one.program('codex', `${printing({ type: 'turn.started' }, { type: 'turn.failed', error: { message } })}\nexit 1`);
    const { unavailable, cost } = await one.exited({ agent: 'codex' });
    expect(unavailable?.until_ms).toBe((unavailable?.at_ms ?? 0) + 20_000);
    expect(unavailable?.message).toBe(message);
    expect(cost).toBe(0);
  });

  test.each([
    ['gemini', 'gemini'],
    ['qwen', 'qwen'],
    ['opencode', 'opencode'],
    ['cursor', 'cursor-agent'],
  ])('%s, on standard error', async (agent, program) => {
    const one = stage();
    one.program(program, 'echo "request failed: ECONNRESET" >&2\nexit 1');
    expect((await one.exited({ agent })).unavailable).toMatchObject({ cause: 'network', until_ms: null });
  });

  test('not in an answer that speaks of such things', async () => {
    const one = stage();
    one.program(
      'claude',
      printing({ type: 'result', result: 'The server answers 429 Too Many Requests when overloaded.' }),
    );
    expect((await one.exited({ agent: 'claude' })).unavailable).toBeUndefined();
  });

  test('not where a guard stopped the agent', async () => {
    const one = stage();
    one.program(
      'claude',
      `echo 'ECONNRESET' >&2\n${printing({ type: 'assistant', message: {}, total_cost_usd: 3 })}\nsleep 600`,
    );
    const { unavailable, guard } = await one.exited({ agent: 'claude', guards: { maxCost: 1 } });
    expect([unavailable, guard?.name]).toEqual([undefined, 'max_cost']);
  });

  test("not in the words of a project's own program, unless it reports them", async () => {
    const one = stage({ own: { adapter: 'command', run: ['own'] } });
    one.program('own', 'echo "ECONNRESET" >&2; exit 1');
    expect((await one.exited({ agent: 'own' })).unavailable).toBeUndefined();
    one.program('own', printing(failed('overloaded')));
    expect((await one.exited({ agent: 'own' })).unavailable?.cause).toBe('overload');
  });
});
