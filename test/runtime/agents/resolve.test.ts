/** What names of agents mean. */
import { describe, expect, test } from 'vitest';
import { type AgentSettings, resolveAgent, unknownAgent } from '../../../src/runtime/agents/resolve.js';

const settings = (instead: Record<string, string> = {}): AgentSettings => ({
  agents: {
    planner: { adapter: 'command', run: ['plan'] },
    'claude-opus': { adapter: 'codex', model: 'o9' },
    broken: { adapter: 'nothing' },
  },
  folder: null,
  instead,
});

const meaning = (name: string, instead: Record<string, string> = {}): string | null => {
  const agent = resolveAgent(name, settings(instead));
  return agent === null ? null : `${agent.adapter.name} ${agent.configuration.model ?? '-'}`;
};

describe('a name', () => {
  test.each([
    ['planner', 'command -'],
    ['claude-opus', 'codex o9'],
    ['claude-sonnet-4-5', 'claude sonnet-4-5'],
    ['claude', 'claude -'],
    ['opencode-anthropic/claude-opus', 'opencode anthropic/claude-opus'],
    ['cursor-gpt-5', 'cursor gpt-5'],
    ['codex:gpt-5', null],
    ['claude-', null],
    ['-opus', null],
    ['Claude-opus', null],
    ['command-x', null],
    ['fake-x', null],
    ['broken', null],
    ['constructor', null],
    ['__proto__', null],
    ['', null],
  ])('%s', (name, wanted) => expect(meaning(name)).toBe(wanted));
});

describe('a replacement for one run', () => {
  test.each([
    ['planner', 'codex:gpt-5', 'codex gpt-5'],
    ['planner', 'claude-haiku', 'claude haiku'],
    ['planner', 'claude-opus', 'codex o9'],
    ['claude-sonnet', 'planner', 'command -'],
    ['gemini', 'fake:a.yaml', 'fake a.yaml'],
    ['gemini', 'opencode:openai/gpt:5', 'opencode openai/gpt:5'],
    ['gemini', 'fake:', null],
    ['gemini', 'codex:', null],
    ['gemini', 'nobody', null],
    ['planner', 'broken', null],
  ])('%s=%s', (name, instead, wanted) => expect(meaning(name, { [name]: instead })).toBe(wanted));

  test('is replaced once: its substitute is not replaced again', () => {
    expect(meaning('a', { a: 'claude', claude: 'codex' })).toBe('claude -');
  });
});

test('an unknown name is reported with the known ones', () => {
  expect(unknownAgent('x', settings())).toBe(
    'there is no agent `x`: configured are `planner`, `claude-opus`, `broken`, and it does not begin with one of claude, codex, gemini, qwen, opencode, cursor',
  );
  expect(unknownAgent('a', settings({ a: 'broken' }))).toContain('the adapter `nothing` of the agent `broken`');
});
