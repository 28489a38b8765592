/** The events of a run on an engine as a stream. */
import type { EventLine, EventStream, Follow, RecordedEvent, StreamEnd } from '../../app/runs.js';
import { readJournalLine } from '../../runtime/store/journal-line.js';
import { type EngineClient, EngineFailure } from '../client.js';

interface EventQuery {
  readonly after: number;
  readonly signal: AbortSignal | undefined;
  readonly follow: Follow;
}

export function engineEvents(client: EngineClient, runId: string, wanted: EventQuery): EventStream {
  let end: StreamEnd | null = null;
  const lines = (): AsyncGenerator<readonly EventLine[]> =>
    passOn(client, runId, wanted, (reason) => {
      end = reason;
    });
  return {
    lines,
    async *ndjson() {
      for await (const batch of lines()) yield Buffer.from(batch.map(({ text }) => `${text}\n`).join(''));
    },
    get end() {
      return end;
    },
    async *[Symbol.asyncIterator]() {
      for await (const batch of lines()) for (const { text } of batch) yield JSON.parse(text) as RecordedEvent;
    },
  };
}

/** A run that has ended has no further events, so it is followed no longer. */
async function* passOn(
  client: EngineClient,
  runId: string,
  { after, signal, follow }: EventQuery,
  onEnd: (end: StreamEnd) => void,
): AsyncGenerator<readonly EventLine[]> {
  try {
    const last = follow === 'no' ? ((await client.status(runId))?.seq ?? 0) : Number.POSITIVE_INFINITY;
    let seq = after;
    if (last > seq)
      for await (const { lines } of client.events(runId, after + 1, signal)) {
        const batch = lines
          .map((text) => ({ seq: readJournalLine(text)?.seq ?? 0, text }))
          .filter((line) => line.seq <= last);
        seq += batch.length;
        yield batch;
        if (seq >= last) break;
      }
    const isThere = (await client.status(runId)) !== null;
    onEnd({ reason: !isThere ? 'removed' : follow === 'no' ? 'caught-up' : 'over' });
  } catch (cause) {
    if (signal?.aborted === true) return onEnd({ reason: 'aborted' });
    if (!(cause instanceof EngineFailure)) throw cause;
    onEnd({ reason: 'failed', message: cause.message });
  }
}
