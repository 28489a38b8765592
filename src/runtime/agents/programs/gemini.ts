/** Gemini CLI. It reads standard input if that is not a terminal. Unknown folders are trusted for the call. */
import { isJsonObject } from '../../../prelude/json-object.js';
import { amountOf, countOf, objectOf, textOf } from '../json-lines.js';
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
import { inputText } from './claude-stream.js';
import { type Allowed, allowedBy, leaksOfCommands, type Permission } from './permissions.js';

const MODES = ['--approval-mode', '--yolo', '-y'] as const;

const TOOLS: Readonly<Record<Permission, readonly string[]>> = {
  edit: ['write_file', 'replace'],
  shell: ['run_shell_command'],
  network: ['web_fetch', 'google_web_search'],
};

export const geminiAdapter: Adapter = {
  name: 'gemini',
  program: 'gemini',
  takesText: true,
  sessions: { fork: false, elsewhere: false, chosen: true },
  service: true,
  reportsEnd: true,
  asText: (prompt) => withoutMentions(withoutCommand(prompt)),
  leaks: leaksOfCommands,
  folders: [
    {
      path: '.gemini',
      settings: ['settings.json', 'GEMINI.md', '.env', 'commands', 'extensions', 'policies', 'skills'],
    },
  ],
  credentials: { folder: '.gemini', keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_CLOUD_PROJECT'] },
  loosens: [...MODES, '--policy', '--admin-policy', '--allowed-tools'],
  command(call) {
    const { configuration, session, out } = call;
    const { model, args = [], env = {} } = configuration;
    return {
      argv: [
        'gemini',
        '--output-format',
        'stream-json',
        ...permissionFlags(call),
        ...flag(args, ['--include-directories'], out),
        ...(model === undefined ? [] : ['--model', model]),
        ...(session === null ? [] : ['--resume', session]),
        ...sessionFlag(call),
        ...args,
      ],
      env: { GEMINI_CLI_TRUST_WORKSPACE: 'true', ...env },
    };
  },
  decodeErrorLine: readErrorLine,
  decodeLine(line, tally) {
    switch (line.type) {
      case 'init':
        tally.worksIn(textOf(line.session_id));
        break;
      case 'message':
        if (line.role === 'assistant') readMessage(line, tally);
        else tally.endTurn();
        break;
      case 'tool_use':
        tally.works();
        tally.beginTurn();
        tally.callsTool(textOf(line.tool_id) ?? '', {
          tool: textOf(line.tool_name) ?? 'a tool',
          input: inputText(line.parameters),
        });
        break;
      case 'tool_result':
        readToolResult(line, tally);
        break;
      case 'error':
        if (line.severity !== 'warning') tally.fails(textOf(line.message) ?? 'the agent reported an error');
        break;
      case 'result':
        readResult(line, tally);
        break;
      default:
    }
  },
};

/** Without a person to ask, the program would leave out some tools, so rules decide about each tool. */
function permissionFlags({ configuration, out, file }: AgentCall): string[] {
  const { args = [] } = configuration;
  const allowed = allowedBy(configuration);
  if (allowed === null) return flag(args, MODES, 'auto_edit');
  return [
    ...flag(args, MODES, allowed.edit ? 'auto_edit' : 'default'),
    '--policy',
    file(policyOf(allowed, out), '.toml'),
  ];
}

/** A higher priority than rules of the user, which also have 0 to 999. */
function policyOf(allowed: Allowed, out: string): string {
  const rules = Object.entries(TOOLS).map(([permission, tools]) => {
    const isAllowed = allowed[permission as Permission];
    return rule(tools, isAllowed ? 'allow' : 'deny', [
      'priority = 998',
      ...(isAllowed ? ['allowRedirection = true'] : []),
    ]);
  });
  // Arguments are compared as JSON. Each member begins with a NUL, so that no file content can look like a member.
  const inside = `\\u0000"file_path":"${out.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}/(?![^"]*\\.\\.)`;
  const folder = rule(TOOLS.edit, 'allow', [`argsPattern = ${JSON.stringify(inside)}`, 'priority = 999']);
  return [...rules, folder].join('\n');
}

const rule = (tools: readonly string[], decision: string, more: readonly string[]): string =>
  ['[[rule]]', `toolName = ${JSON.stringify(tools)}`, `decision = "${decision}"`, ...more, ''].join('\n');

/** The wording of errors for a tool that was not allowed or does not exist in this mode. */
const DENIED = /polic|permission|denied|not_registered|rejected|cancel/i;

const OUTSIDE = /not in workspace|outside (?:of )?(?:the )?workspace/i;

function readToolResult(line: JsonLine, tally: AgentTally): void {
  tally.endTurn();
  const { type, message } = objectOf(line.error);
  const isDenied = DENIED.test(textOf(type) ?? '') || OUTSIDE.test(textOf(message) ?? '');
  if (line.status !== 'error' || !isDenied) return;
  const id = textOf(line.tool_id) ?? '';
  tally.denies(id, { ...tally.toolCall(id), reason: textOf(message) ?? textOf(line.output) ?? '' });
}

function readMessage(line: JsonLine, tally: AgentTally): void {
  tally.works();
  tally.resetMs = null;
  tally.beginTurn();
  const text = textOf(line.content) ?? '';
  if (line.delta === true) tally.adds(text);
  else tally.setText(text);
}

function readResult(line: JsonLine, tally: AgentTally): void {
  if (isJsonObject(line.stats)) {
    const { input_tokens: input, input: fresh, cached, output_tokens: output } = line.stats;
    tally.tokens = {
      in: amountOf(fresh) === null ? Math.max(0, countOf(input) - countOf(cached)) : countOf(fresh),
      out: countOf(output),
      cache_read: countOf(cached),
      cache_write: 0,
    };
  }
  if (line.status === 'error') {
    const { message, type } = objectOf(line.error);
    if (type === 'FatalTurnLimitedError') tally.ownGuard = 'max_turns';
    tally.fails(textOf(message) ?? textOf(type) ?? 'the agent reported an error');
  } else {
    tally.error = null;
    tally.ends();
    // The program answered without asking the model.
    if (tally.tokens !== null && tally.tokens.in + tally.tokens.out + tally.tokens.cache_read === 0)
      tally.countsTurns();
  }
}

const TRYING = /^Attempt (\d+) failed(?: with status (\d+))?.*[Rr]etrying/;
/** Its report of an exhausted quota has no time. */
const QUOTA_RETURNS = /\bPlease retry in (\d+(?:\.\d+)?)s\b/;

function readErrorLine(line: string, tally: AgentTally): void {
  const [, seconds] = QUOTA_RETURNS.exec(line) ?? [];
  if (seconds !== undefined) tally.resetMs = Math.ceil(Date.now() + Number(seconds) * 1000);
  const [, attempt, status] = TRYING.exec(line) ?? [];
  if (attempt !== undefined)
    tally.retries(status === undefined ? `attempt ${attempt}` : `${status}, attempt ${attempt}`);
}
