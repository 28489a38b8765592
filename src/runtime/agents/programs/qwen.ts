/**
 * Qwen Code. It is started like Gemini CLI, from which it is derived, and its output resembles that of Claude Code,
 * without the cost.
 */
import type { TokenCounts } from '../../../interpreter/events/event.js';
import { isJsonObject } from '../../../prelude/json-object.js';
import { amountOf, objectOf, textOf } from '../json-lines.js';
import type { AgentTally } from '../tally.js';
import {
  type Adapter,
  type AgentCall,
  flag,
  type JsonLine,
  sessionFlag,
  withoutCommand,
  withoutMentions,
} from './adapter.js';
import { claudeTokens, readDenials, readEnd, readRefusals, readToolCalls, sayMessage } from './claude-stream.js';
import { allowedBy, forbiddenFolder, leaksOfCommands, toolsFor } from './permissions.js';

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
  folders: [
    { path: '.qwen', settings: ['settings.json', 'QWEN.md', '.env', 'agents', 'commands', 'extensions', 'skills'] },
  ],
  credentials: { folder: '.qwen', keys: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY', 'OPENAI_BASE_URL'] },
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

/**
 * The events of Qwen Code. They resemble those of Claude Code, but one answer may consist of several messages with
 * separate ids, tokens are counted over the whole session, and the input includes tokens from the cache.
 */
const PROSE = /^Model produced plain text instead of calling the structured_output tool/;

function readQwenEvent(line: JsonLine, tally: AgentTally): void {
  tally.worksIn(textOf(line.session_id));
  switch (line.type) {
    case 'assistant':
      readToolCalls(line, tally);
      return readMessage(line, tally);
    case 'user':
      readRefusals(line, tally);
      if (textOf(line.parent_tool_use_id) === null) tally.endTurn();
      return;
    case 'system':
      return readNotice(line, tally);
    case 'result':
      readDenials(line, tally);
      if (isJsonObject(line.usage)) tally.sessionTokens = qwenTokens(line.usage);
      if (tally.turns === null) tally.reportedTurns = amountOf(line.num_turns);
      readEnd(line, tally);
      readProse(tally);
      if (tally.error !== null) tally.dropTurn();
      return;
    default:
  }
}

/** An answer ends when its tokens are reported. Messages before that are its beginning. */
function readMessage(line: JsonLine, tally: AgentTally): void {
  tally.works();
  if (textOf(line.parent_tool_use_id) !== null) return;
  const message = objectOf(line.message);
  tally.beginTurn();
  sayMessage(message, tally);
  const { in: fresh, out, cache_read: cached } = qwenTokens(objectOf(message.usage));
  if (fresh + out + cached > 0) tally.endTurn();
}

/**
 * With a schema, the program fails if the model answers in prose. This still counts as an answer, and the agent is
 * asked once more.
 */
function readProse(tally: AgentTally): void {
  if (tally.error === null || !PROSE.test(tally.error)) return;
  tally.error = null;
  tally.wrongForm = true;
  tally.answers(tally.answer);
}

function readNotice({ subtype, data }: JsonLine, tally: AgentTally): void {
  if (subtype !== 'retry') return;
  const { attempt, maxRetries } = objectOf(data);
  const [tried, most] = [amountOf(attempt), amountOf(maxRetries)];
  tally.retries(tried === null || most === null ? 'it does not answer' : `attempt ${tried} of ${most}`);
}

const TRYING = /^Retrying in \S+ \((attempt \d+\/\d+)\): (.+)$/;

/** The reason of a retry, which its event does not have. */
function readQwenErrorLine(line: string, tally: AgentTally): void {
  const [, attempt, why] = TRYING.exec(line) ?? [];
  if (attempt !== undefined) tally.explainsRetry(`${attempt}: ${why}`);
}

function qwenTokens(usage: JsonLine): TokenCounts {
  const tokens = claudeTokens(usage);
  return { ...tokens, in: Math.max(0, tokens.in - tokens.cache_read) };
}
