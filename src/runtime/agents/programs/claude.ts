/**
 * Claude Code. Its own limits of turns and cost are set too, because it can stop between two turns, while a guard stops
 * it in the middle of one.
 */
import { type Adapter, type AgentCall, flag, sessionFlag, withoutCommand } from './adapter.js';
import { schemaArgument } from './answer-schema.js';
import { readClaudeEvent } from './claude-stream.js';
import { allowedBy, forbiddenFolder, leaksOfCommands, toolsFor } from './permissions.js';

const MENTION = /(?:^|\s)@\S/;

const MODES = ['--permission-mode', '--dangerously-skip-permissions'] as const;

/** Rules name files, because the agent may always write to its folder for answers. */
const TOOLS = { edit: [], shell: ['Bash', 'PowerShell', 'Monitor', 'REPL'], network: ['WebFetch', 'WebSearch'] };

export const claudeAdapter: Adapter = {
  name: 'claude',
  program: 'claude',
  takesText: true,
  sessions: { fork: true, elsewhere: true, chosen: true },
  service: true,
  reportsEnd: true,
  asText: withoutCommand,
  leaks: leaksOfCommands,
  folders: [
    {
      variable: 'CLAUDE_CONFIG_DIR',
      path: '.claude',
      settings: [
        'settings.json',
        'settings.local.json',
        'CLAUDE.md',
        'agents',
        'commands',
        'hooks',
        'plugins',
        'skills',
      ],
      makes: ['plugins'],
    },
    { path: '.claude.json', isFile: true },
  ],
  credentials: {
    folder: '.claude',
    folderVariable: 'CLAUDE_CONFIG_DIR',
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_BASE_URL'],
  },
  loosens: MODES,
  command(call) {
    const { configuration, session, fork, out, guards, prompt, schema } = call;
    const { model, args = [], env = {} } = configuration;
    const answer = schemaArgument(schema);
    return {
      argv: [
        'claude',
        '--print',
        '--output-format',
        'stream-json',
        '--verbose',
        ...permissionFlags(call),
        ...flag(args, ['--add-dir'], out),
        ...(model === undefined ? [] : ['--model', model]),
        ...(session === null ? [] : ['--resume', session, ...(fork ? ['--fork-session'] : [])]),
        ...sessionFlag(call),
        ...(guards.maxTurns === null ? [] : flag(args, ['--max-turns'], String(guards.maxTurns))),
        ...(guards.maxCost === null ? [] : flag(args, ['--max-budget-usd'], String(guards.maxCost))),
        ...(answer === null ? [] : flag(args, ['--json-schema'], answer)),
        ...args,
      ],
      // Otherwise the program attaches files and agents that a prompt mentions.
      env: MENTION.test(prompt) ? { CLAUDE_CODE_DISABLE_ATTACHMENTS: '1', ...env } : env,
    };
  },
  decodeLine: readClaudeEvent,
};

/** In a mode that would ask, everything that no rule allows is denied. Rules that deny apply in every mode. */
function permissionFlags({ configuration, out, directory }: AgentCall): string[] {
  const { args = [] } = configuration;
  const allowed = allowedBy(configuration);
  if (allowed === null) return flag(args, MODES, 'acceptEdits');
  const forbidden = allowed.edit ? null : forbiddenFolder(directory, out);
  const denied = [...toolsFor(TOOLS, allowed, false), ...(forbidden === null ? [] : [`Edit(/${forbidden}/**)`])];
  return [
    ...flag(args, MODES, allowed.edit ? 'acceptEdits' : 'default'),
    '--allowedTools',
    ...toolsFor(TOOLS, allowed, true),
    `Edit(/${out}/**)`,
    ...(denied.length === 0 ? [] : ['--disallowedTools', ...denied]),
  ];
}
