/** Gemini CLI. It reads its standard input when that is no terminal; folders it does not know are trusted for the call. */

import { amountOf, countOf, isJsonObject, objectOf, textOf } from '../json-members.js';
import type { AgentTally } from '../tally.js';
import { type Adapter, flag, type JsonLine } from './adapter.js';

export const geminiAdapter: Adapter = {
  name: 'gemini',
  program: 'gemini',
  service: true,
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
        tally.beginTurn();
        break;
      case 'tool_result':
        tally.endTurn();
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

function readMessage(line: JsonLine, tally: AgentTally): void {
  tally.beginTurn();
  const text = textOf(line.content) ?? '';
  if (line.delta === true) tally.adds(text);
  else tally.says(text);
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
  } else tally.error = null;
}
