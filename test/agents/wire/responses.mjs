/** OpenAI Responses, as Codex asks for it: `POST /v1/responses`. */
import { numbered } from './numbered.mjs';
import { piecesOf } from './pieces.mjs';

export const matches = (path) => path.endsWith('/responses');

const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n');

function saidBy({ type, role, content, output, arguments: words, input }) {
  if (type === 'message' || role !== undefined) return { role: role ?? 'user', text: textOf(content) };
  if (output !== undefined) return { role: 'tool', text: typeof output === 'string' ? output : JSON.stringify(output) };
  return { role: 'assistant', text: words ?? input ?? '' };
}

/** Tools of servers are in a space of their names, which a search finds. */
const spacesOf = ({ tools = [], input = [] }) =>
  [...tools, ...(Array.isArray(input) ? input : []).flatMap((item) => item.tools ?? [])].filter(
    ({ type }) => type === 'namespace',
  );
const spacedNames = (body) =>
  Object.fromEntries(
    spacesOf(body).flatMap((space) =>
      space.tools.map(({ name }) => [`${space.name}.${name}`, { namespace: space.name, name }]),
    ),
  );

export const read = (body) => ({
  model: body.model,
  tools: [...(body.tools ?? []).map(({ name, type }) => name ?? type), ...Object.keys(spacedNames(body))],
  spaced: spacedNames(body),
  freeform: (body.tools ?? []).filter(({ type }) => type === 'custom').map(({ name }) => name),
  system: body.instructions ?? '',
  said: (typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : (body.input ?? [])).map(saidBy),
  schema: body.text?.format?.schema,
  streams: body.stream === true,
});

const usageOf = ({ fresh, cached, out }) => ({
  input_tokens: fresh + cached,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: out,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: fresh + cached + out,
});

function itemsOf({ text, calls }, { freeform, spaced }) {
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] };
  const tools = calls.map(({ name, input }) => {
    const call_id = numbered('call');
    if (name === 'tool_search') return { type: 'tool_search_call', call_id, execution: 'client', arguments: input };
    if (freeform.includes(name))
      return { type: 'custom_tool_call', call_id, name, input: input.text ?? JSON.stringify(input) };
    return {
      type: 'function_call',
      call_id,
      name,
      ...spaced[name],
      arguments: JSON.stringify(input),
      status: 'completed',
    };
  });
  return [...(text === '' ? [] : [message]), ...tools].map((item) => ({ id: numbered('item'), ...item }));
}

export function reply(answer, asked) {
  const { model, streams } = asked;
  const output = itemsOf(answer, asked);
  const response = { id: numbered('resp'), object: 'response', created_at: 0, status: 'completed', model, output };
  const usage = usageOf(answer.usage);
  if (!streams) return { type: 'application/json', pieces: [JSON.stringify({ ...response, usage })] };
  const events = [{ type: 'response.created', response: { ...response, status: 'in_progress', output: [] } }];
  for (const [output_index, item] of output.entries()) {
    events.push({ type: 'response.output_item.added', output_index, item: { ...item, content: [] } });
    if (item.type === 'message')
      for (const delta of piecesOf(answer.text))
        events.push({ type: 'response.output_text.delta', output_index, content_index: 0, item_id: item.id, delta });
    events.push({ type: 'response.output_item.done', output_index, item });
  }
  events.push({ type: 'response.completed', response: { ...response, usage } });
  return {
    type: 'text/event-stream',
    pieces: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  };
}
