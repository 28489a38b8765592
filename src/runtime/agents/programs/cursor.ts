/** Cursor's agent. Without `--force` it only proposes changes, and a new folder has to be trusted by somebody. */
import { type Adapter, flag, withoutCommand } from './adapter.js';
import { readClaudeEvent } from './claude-stream.js';

export const cursorAdapter: Adapter = {
  name: 'cursor',
  program: 'cursor-agent',
  sessions: { fork: false, elsewhere: false },
  service: true,
  reportsEnd: true,
  asText: withoutCommand,
  command({ configuration, session }) {
    const { model, args = [], env = {} } = configuration;
    return {
      argv: [
        'cursor-agent',
        '--print',
        '--output-format',
        'stream-json',
        ...flag(args, ['--force', '-f', '--yolo']),
        ...flag(args, ['--trust']),
        ...(model === undefined ? [] : ['--model', model]),
        ...(session === null ? [] : ['--resume', session]),
        ...args,
      ],
      env,
    };
  },
  decodeLine: readClaudeEvent,
};
