/**
 * Reads the record of a run from the service: first all that is on record as one stream, which is quick, then what comes as
 * server-sent events. A page that is not visible follows nothing, because a browser has few connections.
 */
import { Pace } from './pace.js';
import { DataError, type RecordLine, type RecordReader } from './page-data.js';
import { API, type ServiceConnection } from './service-connection.js';

/** Lines of a long record are passed on in portions, and the page pauses between them, so that it stays responsive. */
const PORTION = 500;

type Take = RecordReader['take'];

export function followRecord(
  connection: ServiceConnection,
  run: string,
  after: number,
  reader: RecordReader,
): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  let last = after;
  const take: Take = (lines, texts) => {
    if (lines.length === 0 || signal.aborted) return;
    last = lines[lines.length - 1]?.seq ?? last;
    reader.take(lines, texts);
  };

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      await connection.untilConnected();
      await untilVisible(signal);
      if (signal.aborted) return;
      try {
        const response = await connection.request(`/runs/${run}/events?follow=false&after=${last}`, { signal });
        await reader.ready;
        await readLines(response, take, reader.read);
        if (signal.aborted) return;
        reader.caughtUp();
        const isOver = await readEvents(`${API}/runs/${run}/events?after=${last}`, take, signal);
        if (isOver === 'removed' || isOver === 'over') return reader.end({ reason: isOver });
        if (isOver === 'lost') connection.reportLoss();
      } catch (cause) {
        if (signal.aborted) return;
        const isLost = !(cause instanceof DataError) || cause.code === 'lost';
        // A run of which there were events can only have been removed.
        if (!isLost) return reader.end(cause.code === 'unknown' && last > 0 ? { reason: 'removed' } : cause);
        connection.reportLoss();
      }
    }
  }

  void follow();
  return () => controller.abort();
}

/** Why there are no more lines; the next request ends for the same reason. */
const STREAM_ENDED = '{"type":"stream_ended"';

const parse = (text: string): RecordLine => JSON.parse(text) as RecordLine;

async function readLines(response: Response, take: Take, read: (text: string) => RecordLine = parse): Promise<void> {
  const pieces = response.body?.getReader();
  if (pieces === undefined) return;
  const decoder = new TextDecoder();
  let rest = '';
  const pace = new Pace();
  for (;;) {
    const { value, done } = await pieces.read();
    const texts = (rest + decoder.decode(value, { stream: !done })).split('\n');
    rest = done ? '' : (texts.pop() ?? '');
    for (let at = 0; at < texts.length; at += PORTION) {
      const portion = texts.slice(at, at + PORTION).filter((text) => text !== '' && !text.startsWith(STREAM_ENDED));
      take(portion.map(read), portion);
      if (pace.isDue) await pace.pause();
    }
    if (done) return;
  }
}

/** A few lines from the middle of a record. The rest of it is not read. */
export async function readLinesAfter(
  connection: ServiceConnection,
  run: string,
  after: number,
  count: number,
  signal: AbortSignal | undefined,
): Promise<readonly RecordLine[]> {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  signal?.addEventListener('abort', stop);
  const route = `/runs/${run}/events?follow=false&after=${after}`;
  const pieces = (await connection.request(route, { signal: controller.signal })).body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let ends = 0;
  while (pieces !== undefined && ends < count) {
    const { value, done } = await pieces.read();
    if (done) break;
    for (const byte of value) if (byte === NEWLINE) ends++;
    text += decoder.decode(value, { stream: true });
  }
  signal?.removeEventListener('abort', stop);
  stop();
  return text.slice(0, text.lastIndexOf('\n')).split('\n').slice(0, count).filter(Boolean).map(parse);
}

const NEWLINE = 10;

type EventsEnd = 'removed' | 'over' | 'lost' | 'hidden' | 'aborted';

function readEvents(url: string, take: Take, signal: AbortSignal): Promise<EventsEnd> {
  return new Promise((resolve) => {
    const source = new EventSource(url);
    let pending: RecordLine[] = [];
    const flush = (): void => {
      const lines = pending;
      pending = [];
      take(lines);
    };
    const finish = (end: EventsEnd): void => {
      source.close();
      flush();
      signal.removeEventListener('abort', onAbort);
      document.removeEventListener('visibilitychange', onHide);
      resolve(end);
    };
    const onAbort = (): void => finish('aborted');
    const onHide = (): void => {
      if (document.visibilityState === 'hidden') finish('hidden');
    };
    signal.addEventListener('abort', onAbort);
    document.addEventListener('visibilitychange', onHide);
    source.onmessage = ({ data }: MessageEvent<string>) => {
      if (pending.length === 0) setTimeout(flush);
      pending.push(JSON.parse(data) as RecordLine);
    };
    source.onerror = () => finish('lost');
    source.addEventListener('end', ({ data }: MessageEvent<string>) => {
      const { reason } = JSON.parse(data) as { reason: string };
      finish(reason === 'removed' || reason === 'over' ? reason : 'lost');
    });
  });
}

function untilVisible(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === 'visible') return Promise.resolve();
  return new Promise((resolve) => {
    const check = (): void => {
      if (document.visibilityState !== 'visible' && !signal.aborted) return;
      document.removeEventListener('visibilitychange', check);
      signal.removeEventListener('abort', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    signal.addEventListener('abort', check);
  });
}
