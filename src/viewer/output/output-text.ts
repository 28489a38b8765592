/**
 * The output of an effect as far as it was read: from its beginning in pieces, or as it is printed. Bytes become text here, so
 * that a character which is split between two pieces is whole.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import { type DataError, type RunData, toDataError } from '../data/run-data.js';

const PIECE = 256 * 1024;
/** More text in one part of the page would make it slow. */
const MOST = 4 * 1024 * 1024;

export interface ShownOutput {
  readonly text: string;
  readonly read: number;
  /** Null while the effect prints. */
  readonly bytes: number | null;
  readonly isLoading: boolean;
  /** Whether there is more than the page shows. */
  readonly isCut: boolean;
  readonly problem: DataError | null;
}

export interface OutputReader {
  readonly shown: ReadonlySignal<ShownOutput>;
  /** Reads the next piece, if there is one. */
  more(): void;
  close(): void;
}

export interface WantedOutput {
  readonly run: string;
  readonly effect: string;
  readonly stream: 'stdout' | 'stderr';
  /** Whether it is still printed. */
  readonly isLive: boolean;
}

export function openOutput(data: RunData, { run, effect, stream, isLive }: WantedOutput): OutputReader {
  const controller = new AbortController();
  const { signal: closed } = controller;
  const decoder = new TextDecoder();
  const shown = signal<ShownOutput>({ text: '', read: 0, bytes: null, isLoading: false, isCut: false, problem: null });
  const change = (part: Partial<ShownOutput>): void => {
    if (!closed.aborted) shown.value = { ...shown.peek(), ...part };
  };

  async function read(): Promise<void> {
    const { read: from, bytes, isLoading } = shown.peek();
    if (isLoading || from >= MOST || (bytes !== null && from >= bytes)) return;
    change({ isLoading: true });
    try {
      const to = isLive ? null : from + PIECE;
      const part = await data.output(run, effect, { stream, from, to, signal: closed });
      if (part.bytes !== null) change({ bytes: part.bytes });
      for await (const piece of part.pieces) {
        const before = shown.peek();
        change({ text: before.text + decoder.decode(piece, { stream: true }), read: before.read + piece.length });
        if (closed.aborted || shown.peek().read >= MOST) break;
      }
      const { read: total, bytes: whole } = shown.peek();
      const isCut = total >= MOST && (whole === null || total < whole);
      if (isCut) change({ isCut });
      else if (part.bytes === null) change({ bytes: total });
    } catch (cause) {
      if (closed.aborted) return;
      const problem = toDataError(cause);
      // A range of an empty output cannot be given.
      if (problem.code === 'wrong-use' && shown.peek().read === 0) change({ bytes: 0 });
      else change({ problem });
    } finally {
      change({ isLoading: false });
    }
  }

  void read();
  return { shown, more: () => void read(), close: () => controller.abort() };
}
