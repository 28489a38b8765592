/** OpenCode. Each step of its model reports its own cost and tokens, so money can be watched while it is spent. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { amountOf, countOf, isJsonObject, objectOf, textOf } from '../json-members.js';
import type { AgentTally, ErrorFlags } from '../tally.js';
import type { Adapter, JsonLine } from './adapter.js';
import { inputText } from './claude-stream.js';

export const opencodeAdapter: Adapter = {
  name: 'opencode',
  program: 'opencode',
  sessions: { fork: true, elsewhere: false },
  service: true,
  reportsEnd: true,
  command({ configuration, session, fork, out }) {
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
      env: { OPENCODE_PERMISSION: permissions(out), ...env },
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

/** Reasons with which an answer is not complete. */
const CUT: ReadonlySet<string> = new Set(['length', 'content-filter', 'error']);

function finishStep(part: JsonLine, tally: AgentTally): void {
  tally.beginTurn();
  tally.endTurn();
  const cost = amountOf(part.cost);
  if (cost !== null) tally.spends(cost);
  const reason = textOf(part.reason) ?? 'stop';
  // After calls of tools the model is asked again; any other reason is the end of its work.
  tally.ends(reason !== 'tool-calls');
  // A step that came to its end makes good for an error before it.
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

/** Nobody is there to be asked, so it rejects what it would ask for; what a rule forbids is reported in other words. */
const DENIED = /rejected permission|prevents you from using|permission denied/i;

function readTool({ callID, tool, state }: JsonLine, tally: AgentTally): void {
  const { status, error, input } = objectOf(state);
  const reason = textOf(error);
  if (status === 'error' && reason !== null && DENIED.test(reason))
    tally.denies(textOf(callID) ?? '', { tool: textOf(tool) ?? 'a tool', input: inputText(input), reason });
}

function flagsOf(error: unknown): ErrorFlags {
  const { statusCode, isRetryable } = objectOf(objectOf(error).data);
  const status = amountOf(statusCode) ?? undefined;
  return omitUndefined({ status, retryable: typeof isRetryable === 'boolean' ? isRetryable : undefined });
}

/** `retry-after` in seconds. */
function resetOf(error: unknown): number | null {
  const after = Number(objectOf(objectOf(objectOf(error).data).responseHeaders)['retry-after'] ?? Number.NaN);
  return Number.isFinite(after) && after > 0 ? Date.now() + after * 1000 : null;
}

/** It would ask before it writes to a folder outside of the project. What the user allows or denies otherwise stays. */
function permissions(out: string): string {
  const outside = { [`${out}/*`]: 'allow' };
  const own = jsonObject(process.env.OPENCODE_PERMISSION ?? '');
  const more = own.external_directory;
  const before = typeof more === 'string' ? { '*': more } : objectOf(more);
  return JSON.stringify({ ...own, external_directory: { ...before, ...outside } });
}

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
