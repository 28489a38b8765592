/**
 * Codex. It reports items (messages, commands, edits) and, at the end of its turn, the tokens, but never the cost. One
 * of its turns answers a whole prompt, so our turns are counted by its items: a turn begins when the model speaks or
 * acts, and again when it does so after a result of an action.
 */
import type { TokenCounts } from '../../../interpreter/events/event.js';
import { isJsonObject } from '../../../prelude/json-object.js';
import { countOf, objectOf, textOf } from '../json-lines.js';
import type { AgentTally } from '../tally.js';
import { type Adapter, type AgentCall, flag, type JsonLine } from './adapter.js';
import { isStrict } from './answer-schema.js';
import { allowedBy } from './permissions.js';

const SANDBOX = ['--sandbox', '-s', '--full-auto', '--dangerously-bypass-approvals-and-sandbox', '--yolo'] as const;

export const codexAdapter: Adapter = {
  name: 'codex',
  program: 'codex',
  takesText: true,
  sessions: { fork: true, elsewhere: true },
  service: true,
  reportsEnd: true,
  // Without commands it could not even read a file, so they stay allowed, and its sandbox limits them.
  leaks: (_allowed, args) =>
    hasNoCommands(args) ? {} : { shell: 'it reads files with commands, which run in its sandbox' },
  folders: [
    {
      variable: 'CODEX_HOME',
      path: '.codex',
      settings: ['config.toml', 'AGENTS.md', 'hooks.json', 'prompts', 'rules', 'skills'],
      makes: ['skills'],
    },
  ],
  credentials: {
    folder: '.codex',
    folderVariable: 'CODEX_HOME',
    keys: ['CODEX_API_KEY', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  },
  loosens: [...SANDBOX, 'sandbox_', 'default_permissions', 'permissions.', 'web_search'],
  command(call) {
    const { configuration, session, fork, schema, file } = call;
    const { model, args = [], env = {} } = configuration;
    return {
      argv: [
        'codex',
        'exec',
        '--json',
        '--skip-git-repo-check',
        ...sandboxFlags(call),
        ...(model === undefined ? [] : ['--model', model]),
        ...(schema === null || !isStrict(schema) ? [] : flag(args, ['--output-schema'], file(JSON.stringify(schema)))),
        ...args,
        ...(session === null ? [] : [fork ? 'fork' : 'resume', session]),
        '-',
      ],
      env,
    };
  },
  decodeErrorLine: readErrorLine,
  decodeLine(line, tally) {
    switch (line.type) {
      case 'thread.started':
        tally.worksIn(textOf(line.thread_id));
        break;
      case 'turn.started':
        tally.endTurn();
        break;
      case 'item.started':
      case 'item.updated':
        tally.works();
        tally.beginTurn();
        break;
      case 'item.completed':
        readItem(objectOf(line.item), tally);
        break;
      case 'turn.completed':
        completeTurn(line, tally);
        break;
      case 'turn.failed':
        tally.fails(textOf(objectOf(line.error).message) ?? 'the turn failed');
        break;
      case 'error':
        readError(textOf(line.message) ?? 'the agent reported an error', tally);
        break;
      default:
    }
  },
};

/** The permissions of its sandbox for commands and edits. */
function sandboxFlags({ configuration, out }: AgentCall): string[] {
  const { args = [], sandbox = 'off' } = configuration;
  const allowed = allowedBy(configuration);
  // One sandbox inside of another does not work everywhere, and that of the system may keep its commands from as much.
  const isConfined =
    sandbox === 'strict'
      ? allowed?.edit !== false
      : sandbox === 'worktree' && allowed?.edit === true && allowed.network;
  const mode = isConfined ? 'danger-full-access' : 'workspace-write';
  const writes = [...flag(args, SANDBOX, mode), ...flag(args, ['--add-dir'], out)];
  if (allowed === null) return writes;
  const isOwn = flag(args, SANDBOX).length === 0;
  const { network } = allowed;
  const search = `web_search="${network ? 'live' : 'disabled'}"`;
  return allowed.edit || isOwn
    ? [...writes, ...settings([`sandbox_workspace_write.network_access=${network}`, search])]
    : settings([...readOnly(out), `permissions.statedsl.network={enabled=${network}}`, search]);
}

const hasNoCommands = (args: readonly string[]): boolean =>
  args.some((arg, at) => (arg === 'shell_tool' && args[at - 1] === '--disable') || arg === '--disable=shell_tool');

const settings = (values: readonly string[]): string[] => values.flatMap((value) => ['-c', value]);

/** Versions without profiles use the mode, and may not write anywhere. */
const readOnly = (out: string): string[] => [
  'sandbox_mode="read-only"',
  'default_permissions="statedsl"',
  `permissions.statedsl.filesystem={":root"="read",${JSON.stringify(out)}="write"}`,
];

/** Items in which the model speaks. All other items are actions, and their end is the end of a turn. */
const SPOKEN = new Set(['agent_message', 'reasoning', 'plan', 'todo_list', 'error']);

function readItem(item: JsonLine, tally: AgentTally): void {
  const kind = textOf(item.type) ?? textOf(item.item_type) ?? '';
  if (kind !== 'error') {
    tally.works();
    // Actions that the sandbox denied are not printed.
    if (kind === 'agent_message' && tally.hasSpoken) tally.endTurn();
    tally.beginTurn();
  }
  if (item.status === 'declined')
    tally.denies(textOf(item.id) ?? '', { tool: kind, input: textOf(item.command) ?? kind });
  const text = textOf(item.text);
  if ((kind === 'agent_message' || kind === 'assistant_message') && text !== null) tally.setText(text);
  if (kind !== '' && !SPOKEN.has(kind)) tally.endTurn();
}

const REFUSED = /tools::router: error=(?:unsupported call: (\S+)|(patch rejected: .*))/;

/** Denied tool calls are not printed, but the program's log contains some of them. */
function readErrorLine(line: string, tally: AgentTally): void {
  const refused = REFUSED.exec(line);
  if (refused === null) return;
  const [, tool = 'apply_patch', rejected] = refused;
  tally.denies(`stderr ${tally.denied.length}`, { tool, reason: rejected ?? 'there is no such tool' });
}

/** `Reconnecting... 2/5 (why)` is not an error: the program retries its service. */
const RECONNECTING = /^Reconnecting\.\.\.\s*(.*)$/s;

function readError(message: string, tally: AgentTally): void {
  const again = RECONNECTING.exec(message);
  if (again === null) tally.fails(message);
  else tally.retries(again[1] || 'it does not answer');
}

function completeTurn({ usage }: JsonLine, tally: AgentTally): void {
  const nothing = isJsonObject(usage) && countOf(usage.output_tokens) === 0;
  if (nothing) tally.countsTurns();
  else tally.beginTurn();
  tally.endTurn();
  tally.ends();
  // An earlier error was a connection that recovered.
  tally.error = null;
  if (isJsonObject(usage)) tally.sessionTokens = readUsage(usage);
}

/** The sum of the session. Its input includes tokens of the cache; ours does not. */
function readUsage(usage: JsonLine): TokenCounts {
  const [cached, written] = [countOf(usage.cached_input_tokens), countOf(usage.cache_write_input_tokens)];
  return {
    in: Math.max(0, countOf(usage.input_tokens) - cached - written),
    out: countOf(usage.output_tokens),
    cache_read: cached,
    cache_write: written,
  };
}
