/** Qwen Code: started like Gemini CLI, which it comes from, and printing what Claude Code prints, without the cost. */
import { type Adapter, flag } from './adapter.js';
import { readClaudeEvent } from './claude-stream.js';

export const qwenAdapter: Adapter = {
  name: 'qwen',
  program: 'qwen',
  service: true,
  command({ configuration, session, out }) {
    const { model, args = [], env = {} } = configuration;
    return {
      argv: [
        'qwen',
        '--output-format',
        'stream-json',
        ...flag(args, ['--approval-mode', '--yolo', '-y'], 'auto-edit'),
        ...flag(args, ['--include-directories', '--add-dir'], out),
        ...(model === undefined ? [] : ['--model', model]),
        ...(session === null ? [] : ['--resume', session]),
        ...args,
      ],
      env,
    };
  },
  decodeLine: readClaudeEvent,
};
