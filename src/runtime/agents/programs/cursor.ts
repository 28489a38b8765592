/** Cursor's agent. Without `--force` it only proposes changes, and it requires that a new folder is trusted. */
import { type Adapter, flag, withoutCommand } from './adapter.js';
import { readClaudeEvent } from './claude-stream.js';
import { type Allowed, allowedBy, type Leaks } from './permissions.js';

const FORCE = ['--force', '-f', '--yolo'] as const;
const MODE = ['--mode', '--plan'] as const;

export const cursorAdapter: Adapter = {
  name: 'cursor',
  program: 'cursor-agent',
  takesText: false,
  sessions: { fork: false, elsewhere: false },
  service: true,
  reportsEnd: true,
  asText: withoutCommand,
  leaks,
  folders: [
    { path: '.cursor', settings: ['mcp.json', 'hooks.json', 'rules', 'commands'] },
    { variable: 'XDG_CONFIG_HOME', path: '.config', name: 'cursor' },
  ],
  credentials: { folder: '.cursor', keys: ['CURSOR_API_KEY'] },
  loosens: [...FORCE, ...MODE],
  command({ configuration, session }) {
    const allowed = allowedBy(configuration);
    const { model, args = [], env = {} } = configuration;
    return {
      argv: [
        'cursor-agent',
        '--print',
        '--output-format',
        'stream-json',
        ...(allowed === null || allowed.edit || allowed.shell ? flag(args, FORCE) : flag(args, MODE, 'ask')),
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

/** One switch gives it everything; in its mode for questions it only reads. */
function leaks({ edit, shell }: Allowed): Leaks {
  const network = 'it has no switch for the network alone';
  if (!edit && !shell) return { network };
  const why = 'its only switch for changes, `--force`, gives it everything';
  return { edit: why, shell: why, network };
}
