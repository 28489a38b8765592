/** Gemini, as Gemini CLI asks for it: `POST /v1beta/models/MODEL:generateContent` and `:streamGenerateContent`. */
import { piecesOf } from './pieces.mjs';

export const matches = (path) => /:(?:stream)?[gG]enerateContent$/.test(path);

const textOf = (parts) =>
  (parts ?? []).map((part) => part.text ?? (JSON.stringify(part.functionResponse?.response) || '')).join('\n');

export const read = (body, path) => ({
  model: /models\/([^:]+):/.exec(path)?.[1] ?? '',
  tools: (body.tools ?? []).flatMap((tool) => (tool.functionDeclarations ?? []).map(({ name }) => name)),
  system: textOf(body.systemInstruction?.parts),
  said: (body.contents ?? []).map(({ role, parts }) => ({ role, text: textOf(parts) })),
  streams: path.endsWith(':streamGenerateContent'),
});

export function reply({ text, calls, usage }, { model, streams }) {
  const parts = [
    ...(text === '' ? [] : [{ text }]),
    ...calls.map(({ name, input }) => ({ functionCall: { name, args: input } })),
  ];
  const { fresh, cached, out } = usage;
  const usageMetadata = {
    promptTokenCount: fresh + cached,
    cachedContentTokenCount: cached,
    candidatesTokenCount: out,
    totalTokenCount: fresh + cached + out,
  };
  const piece = (some, more) => ({
    candidates: [{ content: { role: 'model', parts: some }, index: 0, ...more }],
    modelVersion: model,
  });
  if (!streams) {
    const whole = { ...piece(parts, { finishReason: 'STOP' }), usageMetadata };
    return { type: 'application/json', pieces: [JSON.stringify(whole)] };
  }
  const texts = piecesOf(text).map((part) => piece([{ text: part }], {}));
  const functions = parts.filter(({ functionCall }) => functionCall !== undefined);
  const events = [
    ...texts,
    ...(functions.length === 0 ? [] : [piece(functions, {})]),
    { ...piece([{ text: '' }], { finishReason: 'STOP' }), usageMetadata },
  ];
  return { type: 'text/event-stream', pieces: events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`) };
}
