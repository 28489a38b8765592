/** Qwen Code: started like Gemini CLI, which it comes from, and printing nearly what Claude Code prints, without the cost. */
import { type Adapter, flag, withoutCommand, withoutMentions } from './adapter.js';
import { readQwenEvent } from './qwen-stream.js';

export const qwenAdapter: Adapter = {
  name: 'qwen',
  program: 'qwen',
  sessions: { fork: true, elsewhere: false },
  service: true,
  reportsEnd: true,
  asText: (prompt) => withoutMentions(withoutCommand(prompt)),
  command({ configuration, session, fork, out, schema, file }) {
    const { model, args = [], env = {} } = configuration;
    return {
      argv: [
        'qwen',
        '--output-format',
        'stream-json',
        ...flag(args, ['--approval-mode', '--yolo', '-y'], 'auto-edit'),
        ...flag(args, ['--include-directories', '--add-dir'], out),
        ...(model === undefined ? [] : ['--model', model]),
        ...(session === null ? [] : ['--resume', session, ...(fork ? ['--fork-session'] : [])]),
        ...(schema === null ? [] : flag(args, ['--json-schema'], `@${file(JSON.stringify(schema))}`)),
        ...args,
      ],
      env,
    };
  },
  decodeLine: readQwenEvent,
};
