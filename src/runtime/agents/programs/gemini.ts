/** Gemini CLI. It reads its standard input when that is no terminal; folders it does not know are trusted for the call. */

import { amountOf, countOf, isJsonObject, objectOf, textOf } from '../json-members.js';
import type { AgentTally } from '../tally.js';
import { type Adapter, flag, type JsonLine, withoutCommand, withoutMentions } from './adapter.js';

export const geminiAdapter: Adapter = {
  name: 'gemini',
  program: 'gemini',
  sessions: { fork: false, elsewhere: false },
  service: true,
  reportsEnd: true,
  asText: (prompt) => withoutMentions(withoutCommand(prompt)),
  command({ configuration, session, out }) {
    const { model, args = [], env = {} } = configuration;
    return {
      argv: [
        'gemini',
        '--output-format',
        'stream-json',
        ...flag(args, ['--approval-mode', '--yolo', '-y'], 'auto_edit'),
        ...flag(args, ['--include-directories'], out),
        ...(model === undefined ? [] : ['--model', model]),
        ...(session === null ? [] : ['--resume', session]),
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
        tally.callsTool(textOf(line.tool_id) ?? '', textOf(line.tool_name) ?? 'a tool');
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

/** Words of errors with which a tool was not allowed, or does not exist in this mode. */
const DENIED = /polic|permission|denied|not_registered|rejected|cancel/i;

const OUTSIDE = /not in workspace|outside (?:of )?(?:the )?workspace/i;

function readToolResult(line: JsonLine, tally: AgentTally): void {
  tally.endTurn();
  const { type, message } = objectOf(line.error);
  const isDenied = DENIED.test(textOf(type) ?? '') || OUTSIDE.test(textOf(message) ?? '');
  if (line.status !== 'error' || !isDenied) return;
  const id = textOf(line.tool_id) ?? '';
  tally.denies(id, { tool: tally.toolOf(id), reason: textOf(message) ?? textOf(line.output) ?? '' });
}

function readMessage(line: JsonLine, tally: AgentTally): void {
  tally.works();
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
    // It answered by itself: the model was not asked.
    if (tally.tokens !== null && tally.tokens.in + tally.tokens.out + tally.tokens.cache_read === 0)
      tally.countsTurns();
  }
}

const TRYING = /^Attempt (\d+) failed(?: with status (\d+))?.*[Rr]etrying/;

function readErrorLine(line: string, tally: AgentTally): void {
  const [, attempt, status] = TRYING.exec(line) ?? [];
  if (attempt !== undefined)
    tally.retries(status === undefined ? `attempt ${attempt}` : `${status}, attempt ${attempt}`);
}
