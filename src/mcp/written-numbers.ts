/**
 * Numbers as they were written, such as `1.10`, of which the library would lose the last digit, because it reads and writes
 * JSON as JavaScript does. What calls bring is kept here until the call is performed, under a mark that goes with it. What
 * answers have is a text with a mark, until the frame is written.
 */
import { randomUUID } from 'node:crypto';
import { type Readable, Transform, type Writable } from 'node:stream';
import {
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  readRequestBody,
} from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { readJson, withinRange } from '../interpreter/values/json.js';
import { isBeyondJson, isList, isObject, member, SourceNumber, type Value } from '../interpreter/values/value.js';
import type { Json } from '../machine/expression.js';

type WrittenValues = Readonly<Record<string, Json>>;

const MARK = 'statedsl/written';
/** Calls that never came to their tool leave theirs. */
const MOST_KEPT = 100;

const kept = new Map<string, WrittenValues>();

/** The frame, or the batch of frames, with a mark in each call of a tool with a number that would be lost. */
function markNumbers(frame: string): string {
  if (!frame.includes('tools/call')) return frame;
  const read = readJson(frame);
  if (!read.ok) return frame;
  const plain = withinRange(JSON.parse(frame), read.value);
  if (!isBeyondJson(read.value)) return JSON.stringify(plain);
  // Before those of this frame, so that a batch keeps all of its own.
  for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest);
  const marked = isList(read.value)
    ? read.value.map((one, at) => markCall(one, (plain as readonly unknown[])[at]))
    : markCall(read.value, plain);
  return JSON.stringify(marked);
}

/** `plain`: the same as the library reads it. */
function markCall(frame: Value, plain: unknown): unknown {
  const params = isObject(frame) ? member(frame, 'params') : undefined;
  const given = isObject(params as Value) ? member(params as never, 'arguments') : undefined;
  if (!isObject(given as Value) || !isBeyondJson(given as Value)) return plain;
  const call = plain as { readonly params: { readonly _meta?: unknown } };
  const { _meta } = call.params;
  if (_meta !== undefined && (typeof _meta !== 'object' || _meta === null)) return plain;
  const mark = randomUUID();
  kept.set(mark, given as unknown as WrittenValues);
  return { ...call, params: { ...call.params, _meta: { ..._meta, [MARK]: mark } } };
}

/** The arguments of a marked call; null: they lose nothing. */
export function takeWritten(meta: Readonly<Record<string, unknown>> | undefined): WrittenValues | null {
  const mark = meta?.[MARK];
  const written = typeof mark === 'string' ? (kept.get(mark) ?? null) : null;
  kept.delete(String(mark));
  return written;
}

/** No frame needs more: a program and its inputs, with room for escapes. */
const LONGEST_LINE = 16 * 1024 * 1024;
const LINE_END = 10;

/** The answer to a line that is no frame, to which the library gives none. */
function frameError(code: number, message: string, id?: unknown): object {
  return { jsonrpc: '2.0', id: typeof id === 'string' || typeof id === 'number' ? id : null, error: { code, message } };
}

/** Null: the line is a frame, or empty. */
function frameProblem(line: string): object | null {
  if (line.trim() === '') return null;
  let frame: unknown;
  try {
    frame = JSON.parse(line);
  } catch (cause) {
    const why = (cause as Error).message.slice(0, 100);
    return frameError(ProtocolErrorCode.ParseError, `the line is no JSON: ${why}`);
  }
  try {
    parseJSONRPCMessage(frame);
    return null;
  } catch {
    const { id, method, params } = (frame ?? {}) as Readonly<Record<string, unknown>>;
    const isRequest =
      typeof method === 'string' && (id === undefined || typeof id === 'string' || Number.isInteger(id));
    const why =
      isRequest && params !== undefined
        ? '`params` and `_meta` in it must be objects'
        : 'one object a line, with `"jsonrpc": "2.0"`, a `method`, and an `id` that is a text or a whole number';
    return frameError(ProtocolErrorCode.InvalidRequest, `the line is not a message of JSON-RPC 2.0: ${why}`, id);
  }
}

/** The frames of a stream, one a line, with marks. What is no frame is answered into `answers`. */
function markedLines(input: Readable, answers: Writable): Readable {
  let pieces: Buffer[] = [];
  let length = 0;
  const answer = (problem: object): void => void answers.write(`${JSON.stringify(problem)}\n`);
  /** What is too long is dropped as it comes, and answered once. */
  const keep = (piece: Buffer): void => {
    if (length <= LONGEST_LINE) pieces.push(piece);
    length += piece.length;
    if (length <= LONGEST_LINE || pieces.length === 0) return;
    pieces = [];
    const why = `the line has more than ${LONGEST_LINE / 1024 / 1024} MiB`;
    answer(frameError(ProtocolErrorCode.InvalidRequest, `${why}: write large texts into files`));
  };
  const lines = new Transform({
    transform(chunk: Buffer, _, done) {
      let rest = chunk;
      for (let end = rest.indexOf(LINE_END); end >= 0; end = rest.indexOf(LINE_END)) {
        keep(rest.subarray(0, end));
        const line = Buffer.concat(pieces).toString('utf8');
        const problem = frameProblem(line);
        if (problem === null) this.push(`${markNumbers(line)}\n`);
        else answer(problem);
        rest = rest.subarray(end + 1);
        pieces = [];
        length = 0;
      }
      keep(rest);
      done();
    },
  });
  return input.pipe(lines);
}

/** The request, with marks in its body. */
export async function markedRequest(request: Request, mostBytes: number): Promise<Request> {
  if (request.method !== 'POST') return request;
  const body = await readRequestBody(request.clone(), mostBytes);
  if (body.tooLarge) return request;
  const text = markNumbers(body.text);
  if (text === body.text) return request;
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  return new Request(request.url, { method: 'POST', headers, body: text, signal: request.signal });
}

/** No text has it that was made elsewhere. */
const DIGITS = `${randomUUID()}:`;
const MARKED_DIGITS = new RegExp(`"${DIGITS}([^"]+)"`, 'g');

/** A value for a frame. Whole numbers that readers of JSON would change are texts, as everywhere. */
export function markDigits(value: Json): Json {
  const given = value as Value;
  if (!isBeyondJson(given)) return value;
  if (given instanceof SourceNumber) {
    const read = given.toJSON();
    return typeof read === 'string' ? read : `${DIGITS}${given.text}`;
  }
  if (isList(given)) return given.map((one) => markDigits(one as Json));
  if (!isObject(given)) return JSON.parse(JSON.stringify(given)) as Json;
  return Object.fromEntries(Object.entries(given).map(([name, one]) => [name, markDigits(one as Json)]));
}

/** JSON with the digits of marked numbers. */
export function withDigits(json: string): string {
  return json.includes(DIGITS) ? json.replace(MARKED_DIGITS, '$1') : json;
}

/** Frames over two streams, with the numbers of both sides as they were written. */
export class WrittenFrames extends StdioServerTransport {
  constructor(
    input: Readable,
    private readonly output: Writable,
  ) {
    super(markedLines(input, output), output);
  }

  override send(message: JSONRPCMessage): Promise<void> {
    const plain = JSON.stringify(message);
    const written = withDigits(plain);
    if (written === plain) return super.send(message);
    return new Promise((resolve) => {
      if (this.output.write(`${written}\n`)) resolve();
      else this.output.once('drain', resolve);
    });
  }
}

/** The response, with the digits of marked numbers. Each piece of a stream is one event. */
export async function writtenResponse(response: Response): Promise<Response> {
  const { body, status, headers } = response;
  if (body === null) return response;
  if (headers.get('content-type')?.startsWith('text/event-stream') !== true)
    return new Response(withDigits(await response.text()), { status, headers });
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const pieces = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      const event = decoder.decode(piece);
      const written = withDigits(event);
      controller.enqueue(written === event ? piece : encoder.encode(written));
    },
  });
  return new Response(body.pipeThrough(pieces), { status, headers });
}
