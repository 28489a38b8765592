/** Both streams of an effect, read side by side: while it prints in the order in which they come, afterwards in that of the record. */
import { computed, effect as observe, type ReadonlySignal, signal } from '@preact/signals';
import type { PageData } from '../data/page-data.js';
import { mergeStreams, type StreamName, type StreamPart } from './merge-streams.js';
import { openOutput, type ShownOutput } from './read-output.js';

export interface BothStreams {
  readonly parts: readonly StreamPart[];
  readonly read: number;
  readonly kept: number;
  readonly bytes: number;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  /** Whether both are read to their end. */
  readonly isComplete: boolean;
  readonly part: ShownOutput['part'];
  readonly problem: string | null;
}

export const COMPLETE = {
  read: 0,
  kept: 0,
  bytes: 0,
  hasMore: false,
  isLoading: false,
  isComplete: true,
  part: null,
} as const;

interface BothReader {
  readonly shown: ReadonlySignal<BothStreams>;
  more(): void;
  close(): void;
}

interface WantedBoth {
  readonly run: string;
  readonly effect: string;
  readonly isLive: boolean;
}

export function openBoth(data: PageData, wanted: WantedBoth, order: readonly number[]): BothReader {
  const readers = {
    stdout: openOutput(data, { ...wanted, stream: 'stdout' }),
    stderr: openOutput(data, { ...wanted, stream: 'stderr' }),
  };
  const arrived = signal<readonly StreamPart[]>([]);
  const stop = wanted.isLive ? inOrderOfArrival(readers, arrived) : null;
  const shown = computed((): BothStreams => {
    const both = [readers.stdout.shown.value, readers.stderr.shown.value] as const;
    const [out, err] = both;
    const bytes = both.reduce((sum, one) => sum + (one.bytes ?? one.read), 0);
    const read = out.read + err.read;
    const part = out.part ?? err.part;
    return {
      parts: stop === null ? mergeStreams(out.text, err.text, order) : arrived.value,
      read,
      kept: out.kept + err.kept,
      bytes,
      hasMore: part === null && both.some((one) => one.bytes !== null && one.read < one.bytes),
      isLoading: both.some((one) => one.isLoading),
      isComplete: both.every((one) => one.bytes !== null && one.read >= one.bytes),
      part,
      problem: out.problem?.message ?? err.problem?.message ?? null,
    };
  });
  return {
    shown,
    more() {
      readers.stdout.more();
      readers.stderr.more();
    },
    close() {
      stop?.();
      readers.stdout.close();
      readers.stderr.close();
    },
  };
}

/** What each reader has more than before is added at the end. */
function inOrderOfArrival(
  readers: Readonly<Record<StreamName, { readonly shown: ReadonlySignal<ShownOutput> }>>,
  arrived: { value: readonly StreamPart[]; peek(): readonly StreamPart[] },
): () => void {
  const before: Record<StreamName, string> = { stdout: '', stderr: '' };
  const follow = (stream: StreamName): (() => void) =>
    observe(() => {
      const { text } = readers[stream].shown.value;
      const known = before[stream];
      if (text === known) return;
      before[stream] = text;
      // A text that is too long has lost its beginning: what came before cannot be placed any more.
      if (!text.startsWith(known)) {
        arrived.value = [...arrived.peek().filter((part) => part.stream !== stream), { stream, text }];
        return;
      }
      const parts = arrived.peek();
      const last = parts[parts.length - 1];
      const added = text.slice(known.length);
      arrived.value =
        last?.stream === stream
          ? [...parts.slice(0, -1), { stream, text: last.text + added }]
          : [...parts, { stream, text: added }];
    });
  const stops = [follow('stdout'), follow('stderr')];
  return () => {
    for (const stop of stops) stop();
  };
}
