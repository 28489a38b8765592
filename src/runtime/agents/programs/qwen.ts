/**
 * Qwen Code. It is started like Gemini CLI, from which it is derived, and its output resembles that of Claude Code,
 * without the cost.
 */
import { type Adapter, type AgentCall, flag, sessionFlag, withoutCommand, withoutMentions } from './adapter.js';
import { allowedBy, forbiddenFolder, leaksOfCommands, toolsFor } from './permissions.js';
import { readQwenErrorLine, readQwenEvent } from './qwen-stream.js';

const MODES = ['--approval-mode', '--yolo', '-y'] as const;

/** Rules name files, because the agent may always write to its folder for answers. */
const TOOLS = { edit: [], shell: ['run_shell_command', 'monitor'], network: ['web_fetch', 'web_search'] };

export const qwenAdapter: Adapter = {
  name: 'qwen',
  program: 'qwen',
  takesText: true,
  sessions: { fork: true, elsewhere: false, chosen: true },
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
        ...sessionFlag(call),
        ...(schema === null ? [] : flag(args, ['--json-schema'], `@${file(JSON.stringify(schema))}`)),
        ...args,
      ],
      env,
    };
  },
  decodeLine: readQwenEvent,
  decodeErrorLine: readQwenErrorLine,
};

/** Actions that it would ask for are denied, and our denying rules win over the user's rules. */
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
