/** Sessions that calls continue or branch off from, and what replaces one that a program cannot use. */
import { describe, expect, test } from 'vitest';
import { KEEP, printing, stage } from './calling.js';

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
