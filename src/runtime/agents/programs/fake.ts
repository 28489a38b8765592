/**
 * An agent that follows a script, for tests. It is a real process that prints what Claude Code would print, so that
 * limits, stopping and recovery are tested under real conditions.
 */
import { resolve } from 'node:path';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Adapter, AgentCall } from './adapter.js';
import { readClaudeEvent } from './claude-stream.js';
import { type FakeAnswer, fakeAnswer } from './fake-script.js';
import { UNLIMITED } from './permissions.js';

export const fakeAdapter: Adapter = {
  name: 'fake',
  program: null,
  takesText: true,
  sessions: { fork: true, elsewhere: true },
  leaks: () => UNLIMITED,
  loosens: [],
  service: true,
  reportsEnd: false,
  async command(call) {
    const { name, configuration, folder } = call;
    if (configuration.model === undefined)
      return { reason: `the agent \`${name}\` has no script: its configuration needs \`model: FILE\`` };
    const file = resolve(folder ?? '.', configuration.model);
    const answer = await fakeAnswer(file, call.callNumber(file));
    if ('reason' in answer) return answer;
    return { argv: ['sh', call.file(script(answer, call))], env: configuration.env ?? {} };
  },
  decodeLine: readClaudeEvent,
};

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const print = (text: string): string => `printf '%s\\n' ${quote(text)}`;
const pause = (ms: number): string[] => (ms === 0 ? [] : [`sleep ${ms / 1000}`]);

function script(answer: FakeAnswer, { session, prompt }: AgentCall): string {
  const { expect } = answer;
  if (expect !== null && !prompt.includes(expect))
    return `${print(`the prompt does not contain \`${expect}\``)} >&2\nexit 1`;
  const { turns, cost, lines, pauseMs, afterMs, run, stderr, hang, exit } = answer;
  const session_id = answer.session ?? session ?? 'fake';
  const begin = print(JSON.stringify({ type: 'system', subtype: 'init', session_id }));
  const taken = Array.from({ length: turns }, (_, at) => {
    const spent = cost === null ? {} : { total_cost_usd: (cost * (at + 1)) / turns };
    const message = { id: `turn-${at + 1}`, content: [] };
    return [...pause(pauseMs), print(JSON.stringify({ type: 'assistant', message, session_id, ...spent }))];
  });
  return [
    ...(run === null ? ['cat > /dev/null'] : [`(\n${run}\n) >&2`]),
    begin,
    ...lines.map(print),
    ...taken.flat(),
    ...(stderr === '' ? [] : [`${print(stderr)} >&2`]),
    ...(hang ? ['sleep 2147483'] : []),
    ...pause(afterMs),
    ...result(answer, session_id),
    `exit ${exit}`,
  ].join('\n');
}

function result({ answer, error, cost, turns, tokens }: FakeAnswer, session_id: string): string[] {
  if (answer === undefined && error === undefined) return [];
  const usage = tokens && {
    input_tokens: tokens.in,
    output_tokens: tokens.out,
    cache_read_input_tokens: tokens.cache_read,
    cache_creation_input_tokens: tokens.cache_write,
  };
  const line = {
    type: 'result',
    subtype: error === undefined ? 'success' : 'error_during_execution',
    is_error: error !== undefined,
    result: error ?? answer,
    session_id,
    num_turns: turns,
    ...omitUndefined({ total_cost_usd: cost ?? undefined, usage: usage ?? undefined }),
  };
  return [print(JSON.stringify(line))];
}
