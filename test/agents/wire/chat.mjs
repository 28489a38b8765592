/** OpenAI Chat Completions, as Qwen Code and OpenCode ask for it: `POST /v1/chat/completions`. */
import { numbered } from './numbered.mjs';
import { piecesOf } from './pieces.mjs';

export const matches = (path) => path.endsWith('/chat/completions');

const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n');

export function read(body) {
  const messages = (body.messages ?? []).map(({ role, content }) => ({ role, text: textOf(content) }));
  return {
    model: body.model,
    tools: (body.tools ?? []).map((tool) => tool.function.name),
    system: messages.find(({ role }) => role === 'system')?.text ?? '',
    said: messages.filter(({ role }) => role !== 'system'),
    streams: body.stream === true,
  };
}

const usageOf = ({ fresh, cached, out }) => ({
  prompt_tokens: fresh + cached,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens: out,
  total_tokens: fresh + cached + out,
});

export function reply({ text, calls, usage: used }, { model, streams }) {
  const usage = usageOf(used);
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop';
  const tool_calls = calls.map(({ name, input }, index) => ({
    index,
    id: numbered('call'),
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  const made = tool_calls.length === 0 ? {} : { tool_calls };
  const base = { id: numbered('chatcmpl'), model, created: Math.floor(Date.now() / 1000) };
  if (!streams) {
    const choices = [{ index: 0, message: { role: 'assistant', content: text, ...made }, finish_reason }];
    return {
      type: 'application/json',
      pieces: [JSON.stringify({ ...base, object: 'chat.completion', choices, usage })],
    };
  }
  const chunk = (delta, more = {}) => ({
    ...base,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  });
  const chunks = [
    chunk({ role: 'assistant', content: '' }),
    ...piecesOf(text).map((content) => chunk({ content })),
    ...(tool_calls.length === 0 ? [] : [chunk(made)]),
    chunk({}, { finish_reason }),
    { ...base, object: 'chat.completion.chunk', choices: [], usage },
  ];
  return {
    type: 'text/event-stream',
    pieces: [...chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`), 'data: [DONE]\n\n'],
  };
}
