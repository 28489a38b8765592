/** Qwen Code: started like Gemini CLI, which it comes from, and printing nearly what Claude Code prints, without the cost. */
import { type Adapter, type AgentCall, flag, withoutCommand, withoutMentions } from './adapter.js';
import { allowedBy, forbiddenFolder, leaksOfCommands, toolsFor } from './permissions.js';
import { readQwenEvent } from './qwen-stream.js';

const MODES = ['--approval-mode', '--yolo', '-y'] as const;

/** Files are named by rules, since it may always write to its folder for answers. */
const TOOLS = { edit: [], shell: ['run_shell_command', 'monitor'], network: ['web_fetch', 'web_search'] };

export const qwenAdapter: Adapter = {
  name: 'qwen',
  program: 'qwen',
  takesText: true,
  sessions: { fork: true, elsewhere: false },
  service: true,
  reportsEnd: true,
  asText: (prompt) => withoutMentions(withoutCommand(prompt)),
  leaks: leaksOfCommands,
  loosens: [...MODES, '--allowed-tools'],
  command(call) {
    const { configuration, session, fork, out, schema, file } = call;
    const { model, args = [], env = {} } = configuration;
    return {
      argv: [
        'qwen',
        '--output-format',
        'stream-json',
        ...permissionFlags(call),
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

/** What it would ask for is declined, and rules that deny win over those of the user. */
function permissionFlags({ configuration, out, directory }: AgentCall): string[] {
  const { args = [] } = configuration;
  const allowed = allowedBy(configuration);
  if (allowed === null) return flag(args, MODES, 'auto-edit');
  const forbidden = allowed.edit ? null : forbiddenFolder(directory, out);
  const denied = [...toolsFor(TOOLS, allowed, false), ...(forbidden === null ? [] : editsIn(forbidden))];
  return [
    ...flag(args, MODES, allowed.edit ? 'auto-edit' : 'default'),
    '--allowed-tools',
    ...toolsFor(TOOLS, allowed, true),
    ...editsIn(out),
    ...(denied.length === 0 ? [] : ['--exclude-tools', ...denied]),
  ];
}

const editsIn = (folder: string): string[] => ['Edit', 'write_file'].map((tool) => `${tool}(/${folder}/**)`);
