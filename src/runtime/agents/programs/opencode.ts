/** OpenCode. Each step of its model tells its own cost and tokens, so money can be watched while it is spent. */

import { amountOf, countOf, isJsonObject, objectOf, textOf } from '../json-members.js';
import type { AgentTally } from '../tally.js';
import type { Adapter, JsonLine } from './adapter.js';

export const opencodeAdapter: Adapter = {
  name: 'opencode',
  program: 'opencode',
  service: true,
  command({ configuration, session }) {
    const { model, args = [], env = {} } = configuration;
    return {
      argv: [
        'opencode',
        'run',
        '--format',
        'json',
        ...(model === undefined ? [] : ['--model', model]),
        ...(session === null ? [] : ['--session', session]),
        ...args,
      ],
      env,
    };
  },
  decodeLine(line, tally) {
    tally.worksIn(textOf(line.sessionID));
    const part = objectOf(line.part);
    switch (line.type) {
      case 'step_start':
        tally.endTurn();
        tally.beginTurn();
        break;
      case 'text':
        tally.beginTurn();
        tally.says(textOf(part.text) ?? '');
        break;
      case 'tool_use':
        tally.beginTurn();
        break;
      case 'step_finish':
        finishStep(part, tally);
        break;
      case 'error':
        tally.fails(errorText(line.error));
        break;
      default:
    }
  },
};

function finishStep(part: JsonLine, tally: AgentTally): void {
  tally.beginTurn();
  tally.endTurn();
  const cost = amountOf(part.cost);
  if (cost !== null) tally.spends(cost);
  // A step that came to its end makes good for an error before it.
  tally.error = null;
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

function errorText(error: unknown): string {
  const { data, name, message } = objectOf(error);
  const line = textOf(objectOf(data).message) ?? textOf(message) ?? textOf(error) ?? textOf(name);
  return line ?? 'the agent reported an error';
}
