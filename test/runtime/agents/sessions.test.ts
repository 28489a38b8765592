/** Sessions that calls continue or branch off from, and what replaces one that a program cannot use. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { until } from '../../harness/until.js';
import { KEEP, printing, type Stage, stage } from './calling.js';

const origin = { directory: null, prompt: 'make a plan', answer: 'first the door' };
const programs = [
  ['claude', 'claude', '--resume s-1 --fork-session'],
  ['codex', 'codex', 'fork s-1 -'],
  ['qwen', 'qwen', '--resume s-1 --fork-session'],
  ['opencode', 'opencode', '--session s-1 --fork'],
] as const;
const bound: readonly (readonly [string, string])[] = [
  ['gemini', 'gemini'],
  ['cursor', 'cursor-agent'],
];

test.each(programs)('%s branches off', async (agent, program, wanted) => {
  const one = stage();
  one.program(program, KEEP);
  await one.exited({ agent, session: 's-1', fork: true, sessionOrigin: origin });
  expect((one.read('args') ?? '').trim().split('\n').join(' ')).toContain(wanted);
  expect(one.read('prompt')).toBe('do it');
});

describe('a new session begins with prompt and answer', () => {
  test.each(bound)('of one that %s cannot branch off from', async (agent, program) => {
    const one = stage();
    one.program(program, KEEP);
    await one.exited({ agent, session: 's-1', fork: true, sessionOrigin: origin });
    expect(one.read('args')).not.toContain('s-1');
    expect(one.read('prompt')).toMatch(/make a plan[\s\S]*first the door[\s\S]*do it$/);
  });

  test.each<readonly [string, string]>([['opencode', 'opencode'], ['qwen', 'qwen'], ...bound])(
    'of one that %s cannot find from another directory',
    async (agent, program) => {
      const one = stage();
      one.program(program, KEEP);
      for (const more of [{ fork: true as const }, {}]) {
        const sessionOrigin = { ...origin, directory: `${one.folder}/elsewhere` };
        const outcome = await one.exited({ agent, session: 's-1', sessionOrigin, ...more });
        expect(one.read('args')).not.toContain('s-1');
        expect(one.read('prompt')).toMatch(/make a plan[\s\S]*first the door[\s\S]*do it$/);
        expect(outcome.session_bound).toBeUndefined();
      }
    },
  );
});

const all = [...programs.map(([agent, program]) => [agent, program] as const), ...bound];

test.each(all)('%s continues where it is', async (agent, program) => {
  const one = stage();
  one.program(program, KEEP + printing({ session_id: 's-1', sessionID: 's-1', type: 'init' }));
  await one.exited({ agent, session: 's-1', sessionOrigin: origin });
  expect(one.read('args')).toContain('s-1');
  expect(one.read('args')).not.toContain('fork');
  expect(one.read('prompt')).toBe('do it');
});

test('a session that cannot be continued everywhere is recorded as such', async () => {
  const one = stage();
  one.program('opencode', printing({ type: 'step_finish', sessionID: 's', part: { reason: 'stop' } }));
  one.program('claude', printing({ type: 'result', result: 'x', session_id: 's' }));
  expect(await one.exited({ agent: 'opencode' })).toMatchObject({ session_bound: true });
  expect((await one.exited({ agent: 'claude' })).session_bound).toBeUndefined();
});

test('a call that is made again in a session says so', async () => {
  const one = stage();
  one.program('claude', KEEP);
  await one.exited({ agent: 'claude', session: 's-1', again: true });
  expect(one.read('prompt')).toMatch(/^You may have begun with this before[\s\S]*\n\ndo it$/);
  await one.exited({ agent: 'claude', session: 's-1', fork: true, again: true });
  expect(one.read('prompt')).toBe('do it');
});

describe('a new session has an id that is on disk before the program starts', () => {
  const chooses = ['claude', 'gemini', 'qwen'];
  const stored = (one: Stage): Record<string, string> =>
    JSON.parse(one.read(join('run', 'agent-sessions.json')) ?? '{}');
  const argument = (one: Stage, name: string): string | undefined => {
    const args = (one.read('args') ?? '').split('\n');
    return args.includes(name) ? args[args.indexOf(name) + 1] : undefined;
  };
  /** The call that the end of its process interrupts. */
  const interrupt = async (one: Stage, agent: string): Promise<string> => {
    one.program(agent, `${KEEP}cp run/agent-sessions.json known; echo > begun; sleep 60`);
    const stopping = new AbortController();
    const ends = one.call({ agent }, { stop: stopping.signal });
    await until(() => one.read('begun') !== null);
    stopping.abort();
    await ends;
    return argument(one, '--session-id') ?? '';
  };

  test.each(chooses)('%s', async (agent) => {
    const one = stage();
    const id = await interrupt(one, agent);
    expect(JSON.parse(one.read('known') ?? '')).toEqual({ '1 1 0': id });
    one.program(agent, KEEP + printing({ type: 'result', result: 'done', status: 'success' }));
    await one.exited({ agent, again: true });
    expect([argument(one, '--resume'), argument(one, '--session-id')]).toEqual([id, undefined]);
    expect(one.read('prompt')).toMatch(/^You may have begun with this before[\s\S]*do it$/);
    // A call that has ended is never continued.
    expect(one.read(join('run', 'agent-sessions.json'))).toBeNull();
  });

  test.each([
    ['claude', 'No conversation found with session ID: 1'],
    ['qwen', 'No saved session found with ID 1.'],
    ['gemini', 'Error resuming session: Invalid session identifier "1".'],
    ['gemini', 'Error resuming session: No previous sessions found for this project.'],
  ])('%s begins anew if it has not stored the session: %s', async (agent, words) => {
    const one = stage();
    const id = await interrupt(one, agent);
    one.program(agent, `${KEEP}echo x >> times\ncase "$*" in *--resume*) echo '${words}' >&2; exit 1;; esac\necho ok`);
    const outcome = await one.exited({ agent, again: true });
    expect(one.read('times')).toBe('x\nx\n');
    expect(argument(one, '--session-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(argument(one, '--session-id')).not.toBe(id);
    expect([outcome.exit, one.read('prompt')]).toEqual([0, 'do it']);
  });

  test('a failure in the continued session is one', async () => {
    const one = stage();
    await interrupt(one, 'claude');
    one.program('claude', 'echo x >> times; echo broken >&2; exit 3');
    expect(await one.exited({ agent: 'claude', again: true })).toMatchObject({ exit: 3, stdout: { text: 'broken' } });
    expect(one.read('times')).toBe('x\n');
  });

  test('a version without the option is called without it', async () => {
    const one = stage();
    one.program(
      'gemini',
      `${KEEP}case "$*" in *--session-id*) echo 'Unknown argument: session-id' >&2; exit 1;; esac\necho ok`,
    );
    expect(await one.exited({ agent: 'gemini' })).toMatchObject({ exit: 0 });
    expect(one.read('args')).not.toContain('--session-id');
  });

  test.each(['codex', 'opencode'])('%s chooses its own', async (agent) => {
    const one = stage();
    one.program(agent, KEEP);
    await one.exited({ agent, again: true });
    expect([one.read('args')?.includes('--session-id'), stored(one)]).toEqual([false, {}]);
  });

  test('no id for a call that continues, branches off or has a session in its configuration', async () => {
    const one = stage({ own: { adapter: 'claude', args: ['--continue'] } });
    one.program('claude', KEEP);
    for (const request of [
      { agent: 'claude', session: 's' },
      { agent: 'claude', session: 's', fork: true as const },
      { agent: 'own' },
    ]) {
      await one.exited(request);
      expect(one.read('args')).not.toContain('--session-id');
    }
  });
});
