/** OpenCode. Each step of its model tells its own cost and tokens, so money can be watched while it is spent. */

import type { AgentTally } from '../tally.js';
import { isTold, toldAmount, toldCount, toldObject, toldText } from '../told.js';
import type { Adapter, Told } from './adapter.js';

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
  read(told, tally) {
    tally.worksIn(toldText(told.sessionID));
    const part = toldObject(told.part);
    switch (told.type) {
      case 'step_start':
        tally.endTurn();
        tally.beginTurn();
        break;
      case 'text':
        tally.beginTurn();
        tally.says(toldText(part.text) ?? '');
        break;
      case 'tool_use':
        tally.beginTurn();
        break;
      case 'step_finish':
        finishStep(part, tally);
        break;
      case 'error':
        tally.fails(errorText(told.error));
        break;
      default:
    }
  },
};

function finishStep(part: Told, tally: AgentTally): void {
  tally.beginTurn();
  tally.endTurn();
  const cost = toldAmount(part.cost);
  if (cost !== null) tally.spends(cost);
  // A step that came to its end makes good for an error before it.
  tally.error = null;
  if (!isTold(part.tokens)) return;
  const { input, output, reasoning } = part.tokens;
  const cache = toldObject(part.tokens.cache);
  tally.uses({
    in: toldCount(input),
    out: toldCount(output) + toldCount(reasoning),
    cache_read: toldCount(cache.read),
    cache_write: toldCount(cache.write),
  });
}

function errorText(error: unknown): string {
  const { data, name, message } = toldObject(error);
  const told = toldText(toldObject(data).message) ?? toldText(message) ?? toldText(error) ?? toldText(name);
  return told ?? 'the agent reported an error';
}
