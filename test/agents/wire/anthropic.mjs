/** Anthropic Messages, as Claude Code asks for it: `POST /v1/messages`. */
import { numbered } from './numbered.mjs';
import { piecesOf } from './pieces.mjs';

export const matches = (path) => path.endsWith('/v1/messages');

const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? textOf(part.content)).join('\n');

export const read = (body) => ({
  model: body.model,
  tools: (body.tools ?? []).map(({ name }) => name),
  system: textOf(body.system),
  said: (body.messages ?? []).map(({ role, content }) => ({ role, text: textOf(content) })),
  streams: body.stream === true,
});

const usageOf = ({ fresh, cached, written, out }) => ({
  input_tokens: fresh,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: written,
  output_tokens: out,
});

function blocksOf({ text, calls }) {
  const tools = calls.map(({ name, input }) => ({ type: 'tool_use', id: numbered('toolu'), name, input }));
  return [...(text === '' ? [] : [{ type: 'text', text }]), ...tools];
}

/** The pieces of the answer, each an event of the stream; one piece where the program asked for no stream. */
export function reply(answer, { model, streams }) {
  const content = blocksOf(answer);
  const stop_reason = answer.calls.length > 0 ? 'tool_use' : 'end_turn';
  const message = { id: numbered('msg'), type: 'message', role: 'assistant', model, stop_sequence: null };
  const usage = usageOf(answer.usage);
  if (!streams)
    return { type: 'application/json', pieces: [JSON.stringify({ ...message, content, stop_reason, usage })] };
  const begun = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const events = [{ type: 'message_start', message: begun }];
  for (const [index, block] of content.entries()) {
    const isText = block.type === 'text';
    const content_block = isText ? { type: 'text', text: '' } : { ...block, input: {} };
    const deltas = isText
      ? piecesOf(block.text).map((text) => ({ type: 'text_delta', text }))
      : [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
    events.push(
      { type: 'content_block_start', index, content_block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    );
  }
  events.push({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage }, { type: 'message_stop' });
  return {
    type: 'text/event-stream',
    pieces: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  };
}
