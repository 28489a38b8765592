/** Events and output while they come: NDJSON, server-sent events, and bytes with ranges. */
import type { Context } from 'hono';
import type { Result } from '../app/result.js';
import type { EventLine, EventStream, OutputStream, Runs, StreamEnd } from '../app/runs.js';
import { isOver } from '../interpreter/events/status-after.js';
import { answerRefusal, answerWith } from './http-answer.js';

/** A proxy closes a connection that is silent for long. */
const KEEP_ALIVE_MS = 15_000;

/** So many readers follow runs at once, by default. */
const MOST_READERS = 1000;

/** The readers that follow runs of a service: each is a connection, and another look at what happens. */
export class Readers {
  private count = 0;

  constructor(private readonly most = MOST_READERS) {}

  /** Returns what ends the reading, which may be called again; null: there are too many already. */
  enter(): (() => void) | null {
    if (this.count >= this.most) return null;
    this.count++;
    let isIn = true;
    return () => {
      if (isIn) this.count--;
      isIn = false;
    };
  }
}

interface EventsWanted {
  readonly readers: Readers;
  readonly id: string;
  /** The number of the event after which the stream starts. */
  readonly after: number;
  readonly isFollowing: boolean;
  /** For a run without a record: waits for it, and resolves with the reason if there will be none. Null: it has a record. */
  readonly begin: (() => Promise<string | null>) | null;
}

export async function sendEvents(c: Context, runs: Runs, { id, after, isFollowing, begin, readers }: EventsWanted) {
  const isSse = (c.req.header('accept') ?? '').includes('text/event-stream');
  const last = Number(c.req.header('last-event-id') ?? after);
  const from = Number.isSafeInteger(last) && last >= 0 ? last : after;
  const { signal } = c.req.raw;
  // A reader of SSE waits for what may come later, so its stream ends only when no resume can continue the run.
  const follow = isFollowing ? (isSse ? 'until-final' : 'until-over') : 'no';
  // Such a reader connects again by itself when its stream has ended; this answer stops it.
  const isAgain = isSse && isFollowing && c.req.header('last-event-id') !== undefined;
  if (isAgain && begin === null && (await isFinal(runs, id, from))) return c.body(null, 204);
  const leave = isFollowing && c.req.method === 'GET' ? readers.enter() : () => undefined;
  if (leave === null)
    return answerRefusal(c, {
      code: 'unavailable',
      message: 'too many readers follow runs of this service',
      help: 'try again later, or read what there is with `follow=false`',
    });
  signal.addEventListener('abort', leave, { once: true });
  const open = (): Promise<Result<EventStream>> => runs.events(id, from, signal, follow);
  const result = begin === null ? await open() : null;
  if (result?.ok === false) {
    leave();
    return answerRefusal(c, result.refusal);
  }
  const stream = result === null ? laterStream(begin as NonNullable<typeof begin>, open) : result.value;
  c.header('Cache-Control', 'no-store');
  c.header('X-Accel-Buffering', 'no');
  if (!isSse) {
    c.header('Content-Type', 'application/x-ndjson; charset=utf-8');
    return c.body(bodyOf(ndjsonOf(stream), leave));
  }
  c.header('Content-Type', 'text/event-stream; charset=utf-8');
  // Damage is not an event after which a reader could continue.
  const lines = textOf(stream, ({ seq, text, isDamage }) => `${isDamage ? '' : `id: ${seq}\n`}data: ${text}\n\n`);
  return c.body(bodyOf(withKeepAlive(lines, stream), leave));
}

/** Whether nothing follows this event, now and later. */
async function isFinal(runs: Runs, id: string, seq: number): Promise<boolean> {
  const result = await runs.inspect(id, null);
  if (!result.ok || result.value.seq > seq) return false;
  const { status, error } = result.value;
  return isOver({ status }) && (status !== 'failed' || error?.kind === 'cancelled');
}

type Lines = Pick<EventStream, 'lines' | 'ndjson' | 'end'>;

/** The answer to who follows a run that waits for its turn begins at once: proxies give up on one that does not. */
function laterStream(begin: () => Promise<string | null>, open: () => Promise<Result<EventStream>>): Lines {
  let end: StreamEnd | null = null;
  async function* pass<T>(of: (stream: EventStream) => AsyncIterable<T>): AsyncGenerator<T> {
    const problem = await begin();
    const opened = await open();
    if (opened.ok) {
      yield* of(opened.value);
      end = opened.value.end;
    } else end = { reason: 'failed', message: problem ?? opened.refusal.message };
  }
  return {
    get end() {
      return end;
    },
    lines: () => pass((stream) => stream.lines()),
    ndjson: () => pass((stream) => stream.ndjson()),
  };
}

/** A stream that ends too early says why in its last line, which is not an event. */
async function* ndjsonOf(stream: Lines): AsyncGenerator<Uint8Array> {
  yield* stream.ndjson();
  const { end } = stream;
  if (end?.reason === 'removed' || end?.reason === 'failed')
    yield new TextEncoder().encode(`${JSON.stringify({ type: 'stream_ended', ...end })}\n`);
}

async function* textOf(stream: Lines, format: (line: EventLine) => string): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const batch of stream.lines()) yield encoder.encode(batch.map(format).join(''));
}

/** Comments between events, and an event of its own that says why there are no more. */
async function* withKeepAlive(lines: AsyncGenerator<Uint8Array>, stream: Lines): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(': statedsl\n\n');
  let next = lines.next();
  try {
    for (;;) {
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<null>((resolve) => {
        timer = setTimeout(resolve, KEEP_ALIVE_MS, null);
      });
      const got = await Promise.race([next, silence]);
      clearTimeout(timer);
      if (got === null) yield encoder.encode(': \n\n');
      else if (got.done === true) break;
      else {
        yield got.value;
        next = lines.next();
      }
    }
    yield encoder.encode(`event: end\ndata: ${JSON.stringify(stream.end)}\n\n`);
  } finally {
    await lines.return(undefined);
  }
}

/** Reads only as fast as the client takes it. `onEnd`: nothing more is read. */
function bodyOf(pieces: AsyncGenerator<Uint8Array>, onEnd = (): void => undefined): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await pieces.next();
          if (done !== true) return controller.enqueue(value);
          onEnd();
          controller.close();
        } catch (cause) {
          onEnd();
          throw cause;
        }
      },
      async cancel() {
        onEnd();
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** One range of bytes; null if the header is absent, or asks for several: then the whole is sent, as the standard allows. */
function rangeOf(header: string | undefined, size: number): Range | 'unsatisfiable' | null {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return null;
  // Such a range is not valid, and a header that is not valid does not count.
  if (from !== '' && to !== '' && Number(from) > Number(to)) return null;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return first > last ? 'unsatisfiable' : { first, last };
}

/** Whether the client has the content of this tag. A header may name several, also as weak ones. */
function isKnown(c: Context, tag: string): boolean {
  const known = c.req.header('if-none-match')?.split(',') ?? [];
  return known.some((one) => [tag, `W/${tag}`, '*'].includes(one.trim()));
}

/**
 * Output is text that somebody else wrote: a browser must neither guess its type nor execute anything in it. `hash`: that of
 * its content, which then never changes. `open` opens it from a byte on.
 */
export async function sendOutput(
  c: Context,
  open: (from: number) => Promise<Result<OutputStream>>,
  hash: string | null = null,
) {
  const result = await open(0);
  if (!result.ok) return answerRefusal(c, result.refusal);
  const { complete, bytes } = result.value;
  c.header('Content-Type', 'text/plain; charset=utf-8');
  c.header('Cache-Control', hash === null ? 'no-store' : 'private, max-age=31536000, immutable');
  if (!complete) return c.body(bodyOf(piecesOf(result.value)));
  const tag = hash === null ? null : `"${hash}"`;
  if (tag !== null) c.header('ETag', tag);
  if (tag !== null && isKnown(c, tag)) return c.body(null, 304);
  c.header('Accept-Ranges', 'bytes');
  const ifRange = c.req.header('if-range');
  // Of an empty output no range can be satisfied, and a request for its beginning wants all of it.
  const isPart = bytes > 0 && (ifRange === undefined || ifRange === tag);
  const range = isPart ? rangeOf(c.req.header('range'), bytes) : null;
  if (range === 'unsatisfiable') {
    c.header('Content-Range', `bytes */${bytes}`);
    return answerWith(c, 416, {
      code: 'wrong-use',
      message: `the output has only ${bytes} bytes`,
      help: 'ask for a range within them',
    });
  }
  c.header('Content-Length', String(range === null ? bytes : range.last + 1 - range.first));
  if (range === null) return c.body(bodyOf(piecesOf(result.value)));
  // What comes before is not read.
  const part = await open(range.first);
  if (!part.ok) return answerRefusal(c, part.refusal);
  c.header('Content-Range', `bytes ${range.first}-${range.last}/${bytes}`);
  return c.body(bodyOf(beginningOf(part.value, range.last + 1 - range.first)), 206);
}

async function* piecesOf(stream: OutputStream): AsyncGenerator<Uint8Array> {
  yield* stream;
}

async function* beginningOf(stream: OutputStream, length: number): AsyncGenerator<Uint8Array> {
  let left = length;
  for await (const piece of stream) {
    yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) return;
  }
}
