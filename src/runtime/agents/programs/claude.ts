/**
 * Claude Code. Its own limits of turns and money are set as well, since it can stop between two turns where we can
 * only stop it in the middle of one.
 */
import { type Adapter, flag, withoutCommand } from './adapter.js';
import { schemaArgument } from './answer-schema.js';
import { readClaudeEvent } from './claude-stream.js';

const MENTION = /(?:^|\s)@\S/;

export const claudeAdapter: Adapter = {
  name: 'claude',
  program: 'claude',
  sessions: { fork: true, elsewhere: true },
  service: true,
  reportsEnd: true,
  asText: withoutCommand,
  command({ configuration, session, fork, out, guards, prompt, schema }) {
    const { model, args = [], env = {} } = configuration;
    const answer = schemaArgument(schema);
    return {
      argv: [
        'claude',
        '--print',
        '--output-format',
        'stream-json',
        '--verbose',
        ...flag(args, ['--permission-mode', '--dangerously-skip-permissions'], 'acceptEdits'),
        ...flag(args, ['--add-dir'], out),
        ...(model === undefined ? [] : ['--model', model]),
        ...(session === null ? [] : ['--resume', session, ...(fork ? ['--fork-session'] : [])]),
        ...(guards.maxTurns === null ? [] : flag(args, ['--max-turns'], String(guards.maxTurns))),
        ...(guards.maxCost === null ? [] : flag(args, ['--max-budget-usd'], String(guards.maxCost))),
        ...(answer === null ? [] : flag(args, ['--json-schema'], answer)),
        ...args,
      ],
      // Files and agents that a prompt mentions would be attached to it.
      env: MENTION.test(prompt) ? { CLAUDE_CODE_DISABLE_ATTACHMENTS: '1', ...env } : env,
    };
  },
  decodeLine: readClaudeEvent,
};
