/** Gemini CLI. It reads its standard input when that is no terminal; folders it does not know are trusted for the call. */

import type { AgentTally } from '../tally.js';
import { isTold, toldAmount, toldCount, toldObject, toldText } from '../told.js';
import { type Adapter, flag, type Told } from './adapter.js';

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
  read(told, tally) {
    switch (told.type) {
      case 'init':
        tally.worksIn(toldText(told.session_id));
        break;
      case 'message':
        if (told.role === 'assistant') readMessage(told, tally);
        else tally.endTurn();
        break;
      case 'tool_use':
        tally.beginTurn();
        break;
      case 'tool_result':
        tally.endTurn();
        break;
      case 'error':
        if (told.severity !== 'warning') tally.fails(toldText(told.message) ?? 'the agent reported an error');
        break;
      case 'result':
        readResult(told, tally);
        break;
      default:
    }
  },
};

function readMessage(told: Told, tally: AgentTally): void {
  tally.beginTurn();
  const text = toldText(told.content) ?? '';
  if (told.delta === true) tally.adds(text);
  else tally.says(text);
}

function readResult(told: Told, tally: AgentTally): void {
  if (isTold(told.stats)) {
    const { input_tokens: input, input: fresh, cached, output_tokens: output } = told.stats;
    tally.tokens = {
      in: toldAmount(fresh) === null ? Math.max(0, toldCount(input) - toldCount(cached)) : toldCount(fresh),
      out: toldCount(output),
      cache_read: toldCount(cached),
      cache_write: 0,
    };
  }
  if (told.status === 'error') {
    const { message, type } = toldObject(told.error);
    if (type === 'FatalTurnLimitedError') tally.ownGuard = 'max_turns';
    tally.fails(toldText(message) ?? toldText(type) ?? 'the agent reported an error');
  } else tally.error = null;
}
