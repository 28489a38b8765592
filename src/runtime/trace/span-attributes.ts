/** What spans say about agents and commands, and what of their texts. */
import type { Attempt } from '../record/record-facts.js';
import type { AttributeValue } from './otlp.js';
import { GEN_AI, OPERATION, PROVIDERS } from './span-names.js';

export type Attributes = Record<string, AttributeValue>;

/** Texts in attributes are cut to this many characters; prompts are whole, as far as the record has them. */
const MOST_TEXT = 300;

export function agentAttributes(name: string): Attributes {
  return { [GEN_AI.operation]: OPERATION.agent, [GEN_AI.provider]: providerOf(name), [GEN_AI.agent]: name };
}

function providerOf(name: string): string {
  const first = name.split('-', 1)[0] as string;
  return Object.hasOwn(PROVIDERS, first) ? (PROVIDERS[first] as string) : name;
}

export function outcomeAttributes(
  { request, outcome, cost, tokens, turns, sessionId }: Attempt,
  prompts: boolean,
): Attributes {
  if (outcome === null) return {};
  const exit = outcome.kind === 'exited' || outcome.kind === 'failed' ? outcome.exit : undefined;
  const type =
    outcome.kind === 'timed-out'
      ? 'timeout'
      : outcome.kind === 'failed' || outcome.kind === 'not-started'
        ? outcome.error_type
        : undefined;
  if (request.kind !== 'agent') return { 'process.exit.code': exit, 'error.type': type };
  const adapter = 'adapter' in outcome ? outcome.adapter : undefined;
  return {
    ...(adapter === undefined ? {} : { [GEN_AI.provider]: providerOf(adapter) }),
    [GEN_AI.conversation]: sessionId,
    [GEN_AI.inputTokens]: tokens && tokens.in + tokens.cache_read + tokens.cache_write,
    [GEN_AI.outputTokens]: tokens?.out,
    [GEN_AI.cacheReadTokens]: tokens?.cache_read,
    [GEN_AI.cacheWriteTokens]: tokens?.cache_write,
    'statedsl.cost_usd': cost,
    'statedsl.turns': turns,
    'error.type': type,
    ...(prompts ? messagesOf(request.prompt, 'stdout' in outcome ? outcome.stdout.text : undefined) : {}),
  };
}

function messagesOf(prompt: string | undefined, answer: string | undefined): Attributes {
  const message = (role: string, content: string, more = {}): string =>
    JSON.stringify([{ role, parts: [{ type: 'text', content }], ...more }]);
  return {
    [GEN_AI.inputMessages]: prompt === undefined ? undefined : message('user', prompt),
    [GEN_AI.outputMessages]: answer === undefined ? undefined : message('assistant', answer, { finish_reason: 'stop' }),
  };
}

export function failureOf({ outcome }: Attempt): string {
  switch (outcome?.kind) {
    case 'exited':
      return outcome.exit === null ? `ended by ${outcome.signal ?? 'a signal'}` : `exit code ${outcome.exit}`;
    case 'timed-out':
      return `${outcome.silent === undefined ? 'timed out after' : 'silent for'} ${outcome.timeout_ms} ms`;
    case 'not-started':
      return outcome.reason;
    case 'failed':
      return outcome.message;
    default:
      return 'failed';
  }
}

/** The instruction as written, with a mark for each value: a value may be private without being a secret. */
export function textWithoutValues({ text, holes = [] }: Attempt['request']): string {
  let end = text.length;
  let rest = '';
  for (const [from, to] of [...holes].reverse()) {
    rest = `…${text.slice(to, end)}${rest}`;
    end = from;
  }
  return cutText(text.slice(0, end) + rest);
}

export function cutText(text: string): string {
  return text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT)}…`;
}
