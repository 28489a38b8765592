/** The trace of a run that this process executes: its spans are made while its events come, and sent in the background. */
import { join } from 'node:path';
import { statusAfter } from '../../interpreter/events/status-after.js';
import type { Recorded } from '../record/record-facts.js';
import { readJournal } from '../store/read-journal.js';
import { StoreError } from '../store/store-error.js';
import { type OtlpSpan, parseTraceparent } from './otlp.js';
import { RunSpans } from './run-spans.js';
import { SpanSender, unsentSpans } from './send-spans.js';
import type { TraceOptions } from './trace-options.js';

export interface TracedSpans {
  take(record: Recorded): void;
  /** The `TRACEPARENT` for what an effect starts. */
  traceparentOf(effect: string): string;
  /** Sends the rest as far as that takes no time. A sentence about spans that were not sent. */
  close(): Promise<string | null>;
}

interface TracedRun {
  readonly runId: string;
  /** The folder of the run; null: it is in memory only. */
  readonly folder: string | null;
  /** The number of the last event on record. */
  readonly seq: number;
}

export function traceRun(options: TraceOptions, { runId, folder, seq }: TracedRun): TracedSpans {
  const { endpoint, parent, origin, prompts } = options;
  const isWanted = endpoint !== null && parseTraceparent(parent)?.isSampled !== false;
  const sender = isWanted ? new SpanSender(endpoint) : null;
  const earlier: OtlpSpan[] = [];
  let emit = (span: OtlpSpan): void => void earlier.push(span);
  const forget = (): void => void earlier.splice(0);
  const spans = new RunSpans({ runId, parent, origin, prompts, emit: (span) => emit(span), forget });
  if (seq > 0 && folder !== null) takeEarlier(folder, seq, spans, earlier);
  let isLive = false;
  return {
    take(record) {
      spans.take(record);
      if (isLive) return;
      isLive = true;
      emit = (span) => sender?.add(span);
      earlier.splice(0).forEach(emit);
    },
    traceparentOf: (effect) => spans.traceparentOf(effect),
    async close() {
      const left = await sender?.close();
      if (left == null || endpoint === null) return null;
      return unsentSpans(endpoint, left, folder === null ? null : `statedsl export otel ${runId}`);
    },
  };
}

/**
 * What earlier processes recorded. The one that ended as it should has sent its spans; those of one that died are sent
 * again, which changes nothing for a receiver that has them.
 */
function takeEarlier(folder: string, last: number, spans: RunSpans, earlier: OtlpSpan[]): void {
  try {
    readJournal(join(folder, 'journal.ndjson'), (record) => {
      spans.take(record);
      if (statusAfter(record.event) !== null) earlier.length = 0;
      return record.seq < last;
    });
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
  }
}
