/** OpenCode. Each step of its model reports its own cost and tokens, so limits apply while it works. */
import { relative } from 'node:path';
import { isJsonObject } from '../../../prelude/json-object.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { findRepository } from '../../readable-file.js';
import { amountOf, countOf, objectOf, textOf } from '../json-lines.js';
import type { AgentTally, ErrorFlags } from '../tally.js';
import type { Adapter, AgentCall, JsonLine } from './adapter.js';
import { inputText } from './claude-stream.js';
import { type Allowed, allowedBy, leaksOfCommands } from './permissions.js';

const SETTINGS = [
  ...['opencode.json', 'opencode.jsonc', 'config.json', 'AGENTS.md', 'agent', 'agents', 'command', 'commands'],
  ...['mode', 'modes', 'plugin', 'plugins', 'skill', 'skills', 'tool', 'tools'],
];

export const opencodeAdapter: Adapter = {
  name: 'opencode',
  program: 'opencode',
  takesText: true,
  sessions: { fork: true, elsewhere: false },
  service: true,
  reportsEnd: true,
  leaks: leaksOfCommands,
  // The program keeps the order of the user's rules, and adds ours at the end where the user has none for everything.
  remark: ({ shell }) =>
    shell ? 'rules for single commands in `opencode.json` count only if `"*"` is the first rule of `bash` there' : null,
  allowSince: '1.1.1',
  folders: [
    { variable: 'XDG_DATA_HOME', path: '.local/share', name: 'opencode' },
    { variable: 'XDG_STATE_HOME', path: '.local/state', name: 'opencode' },
    { variable: 'XDG_CACHE_HOME', path: '.cache', name: 'opencode' },
    { variable: 'XDG_CONFIG_HOME', path: '.config', name: 'opencode', settings: SETTINGS },
  ],
  // Denied actions stay denied even with `--auto`.
  credentials: {
    folder: '.local/share/opencode',
    folderVariable: 'XDG_DATA_HOME',
    below: 'opencode',
    keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'],
  },
  loosens: [],
  command(call) {
    const { configuration, session, fork } = call;
    const { model, args = [], env = {} } = configuration;
    return {
      argv: [
        'opencode',
        'run',
        '--format',
        'json',
        ...(model === undefined ? [] : ['--model', model]),
        ...(session === null ? [] : ['--session', session, ...(fork ? ['--fork'] : [])]),
        ...args,
      ],
      env:
        configuration.allow === undefined
          ? { OPENCODE_PERMISSION: permissions(call), ...env }
          : { ...env, OPENCODE_PERMISSION: permissions(call) },
    };
  },
  decodeLine(line, tally) {
    tally.worksIn(textOf(line.sessionID));
    const part = objectOf(line.part);
    switch (line.type) {
      case 'step_start':
        tally.works();
        tally.ends(false);
        tally.endTurn();
        tally.beginTurn();
        break;
      case 'text':
        tally.beginTurn();
        tally.setText(textOf(part.text) ?? '');
        break;
      case 'tool_use':
        tally.beginTurn();
        readTool(part, tally);
        break;
      case 'step_finish':
        finishStep(part, tally);
        break;
      case 'error':
        tally.fails(errorText(line.error), flagsOf(line.error));
        tally.resetMs = resetOf(line.error);
        break;
      default:
    }
  },
};

/** End reasons of an incomplete answer. */
const CUT: ReadonlySet<string> = new Set(['length', 'content-filter', 'error']);

function finishStep(part: JsonLine, tally: AgentTally): void {
  tally.beginTurn();
  tally.endTurn();
  const cost = amountOf(part.cost);
  if (cost !== null) tally.spends(cost);
  const reason = textOf(part.reason) ?? 'stop';
  // After tool calls the model is asked again. Any other reason is the end of its work.
  tally.ends(reason !== 'tool-calls');
  // A completed step cancels an earlier error.
  tally.error = null;
  if (CUT.has(reason)) tally.fails(`the model stopped in the middle: ${reason}`);
  if (!isJsonObject(part.tokens)) return;
  const { input, output, reasoning } = part.tokens;
  const cache = objectOf(part.tokens.cache);
  tally.uses({
    in: countOf(input),
    out: countOf(output) + countOf(reasoning),
    cache_read: countOf(cache.read),
    cache_write: countOf(cache.write),
  });
}

/**
 * Without a person, the program rejects everything that it would ask for. Actions that a rule denies have another
 * message.
 */
const MISSING = /unavailable tool/i;
const DENIED = /rejected permission|prevents you from using|permission denied/i;

function readTool({ callID, tool, state }: JsonLine, tally: AgentTally): void {
  const { status, error, input } = objectOf(state);
  // A tool that no rule allows is not offered. This tool answers calls of it.
  if (tool === 'invalid') {
    const { tool: missing, error: words } = objectOf(input);
    const reason = textOf(words);
    if (reason !== null && MISSING.test(reason))
      tally.denies(textOf(callID) ?? '', { tool: textOf(missing) ?? 'a tool', reason });
    return;
  }
  const reason = textOf(error);
  if (status === 'error' && reason !== null && DENIED.test(reason))
    tally.denies(textOf(callID) ?? '', { tool: textOf(tool) ?? 'a tool', input: inputText(input), reason });
}

function flagsOf(error: unknown): ErrorFlags {
  const { statusCode, isRetryable } = objectOf(objectOf(error).data);
  const status = amountOf(statusCode) ?? undefined;
  return omitUndefined({ status, retryable: typeof isRetryable === 'boolean' ? isRetryable : undefined });
}

/** The header `retry-after`, in seconds. */
function resetOf(error: unknown): number | null {
  const after = Number(objectOf(objectOf(objectOf(error).data).responseHeaders)['retry-after'] ?? Number.NaN);
  return Number.isFinite(after) && after > 0 ? Date.now() + after * 1000 : null;
}

/** The program would ask before it writes to a folder outside of the project. All other rules of the user stay. */
function permissions(call: AgentCall): string {
  const { configuration, out } = call;
  const allowed = allowedBy(configuration);
  const own = jsonObject(configuration.env?.OPENCODE_PERMISSION ?? process.env.OPENCODE_PERMISSION ?? '');
  const outside = { external_directory: { ...rulesOf(own.external_directory), [`${out}/*`]: 'allow' } };
  return JSON.stringify({ ...own, ...(allowed === null ? {} : rules(allowed, own, call)), ...outside });
}

/** The last matching rule decides. If a permission is granted, the user's rules for single commands follow ours. */
function rules(allowed: Allowed, own: JsonLine, { directory, out }: AgentCall): JsonLine {
  const rule = (name: string, isAllowed: boolean): JsonLine =>
    isAllowed ? { '*': 'allow', ...singleRules(own[name]) } : { '*': 'deny' };
  // Rules name files relative to the root of the repository, or of the file system.
  const folder = relative(findRepository(directory) ?? '/', out);
  return {
    edit: allowed.edit ? rule('edit', true) : { '*': 'deny', [`${folder}/*`]: 'allow' },
    bash: rule('bash', allowed.shell),
    webfetch: rule('webfetch', allowed.network),
    websearch: rule('websearch', allowed.network),
    codesearch: rule('codesearch', allowed.network),
  };
}

/** A single word is a rule for everything. */
function rulesOf(value: unknown): JsonLine {
  return typeof value === 'string' ? { '*': value } : objectOf(value);
}

const singleRules = (value: unknown): JsonLine =>
  Object.fromEntries(Object.entries(objectOf(value)).filter(([pattern]) => pattern !== '*'));

function jsonObject(text: string): JsonLine {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function errorText(error: unknown): string {
  const { data, name, message } = objectOf(error);
  const line = textOf(objectOf(data).message) ?? textOf(message) ?? textOf(error) ?? textOf(name);
  return line ?? 'the agent reported an error';
}
