/** Reads the output of an effect from where the page has its data: in pieces, or as it is printed. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { type DataError, type PageData, toDataError } from '../data/page-data.js';

const PIECE = 256 * 1024;
/** More text in one part of the page would make it slow. */
const MOST = 4 * 1024 * 1024;
/** Text that grows is drawn again and again. */
const MOST_LIVE = 512 * 1024;
/** A live text that is too long loses a part at once, and not a little with each piece. */
const KEPT_LIVE = 384 * 1024;
const DRAW_PAUSE_MS = 100;

/**
 * The output of an effect as far as it was read: from its beginning in pieces, or as it is printed. Bytes become text here, so
 * that a character which is split between two pieces is whole. Only so much is kept as the page can show: of an output that
 * is still printed its end, of one that has ended its beginning.
 */
export interface ShownOutput {
  readonly text: string;
  readonly read: number;
  /** How many of the bytes that were read `text` still has. */
  readonly kept: number;
  /** Null while the effect prints. */
  readonly bytes: number | null;
  readonly isLoading: boolean;
  /** Which part of the output the page shows if it does not show all of it. */
  readonly part: 'beginning' | 'end' | null;
  readonly problem: DataError | null;
}

export interface OutputReader {
  readonly shown: ReadonlySignal<ShownOutput>;
  /** Reads the next piece, if there is one. */
  more(): void;
  close(): void;
}

interface WantedOutput {
  readonly run: string;
  readonly effect: string;
  readonly stream: 'stdout' | 'stderr';
  /** Whether it is still printed. */
  readonly isLive: boolean;
  /** Of an agent: everything that its program printed. */
  readonly raw?: boolean;
}

export function openOutput(data: PageData, { run, effect, stream, isLive, raw = false }: WantedOutput): OutputReader {
  const controller = new AbortController();
  const { signal: closed } = controller;
  const decoder = new TextDecoder();
  const shown = signal<ShownOutput>({
    ...{ text: '', read: 0, kept: 0, bytes: null, isLoading: false, part: null, problem: null },
  });
  const change = (part: Partial<ShownOutput>): void => {
    if (!closed.aborted) shown.value = { ...shown.peek(), ...part };
  };
  const pending = { text: '', read: 0, timer: null as ReturnType<typeof setTimeout> | null };

  function draw(): void {
    if (pending.timer !== null) clearTimeout(pending.timer);
    pending.timer = null;
    const before = shown.peek();
    const whole = before.text + pending.text;
    const isLong = isLive && whole.length > MOST_LIVE;
    const text = isLong ? lastLines(whole, KEPT_LIVE) : whole;
    const [read, most] = [before.read + pending.read, before.kept + pending.read];
    // A byte that is not text became a character of three bytes.
    const kept = isLong ? Math.min(most, new TextEncoder().encode(text).length) : most;
    change({ text, read, kept, ...(isLong && { part: 'end' as const }) });
    [pending.text, pending.read] = ['', 0];
  }

  function take(piece: Uint8Array): void {
    pending.text += decoder.decode(piece, { stream: true });
    pending.read += piece.length;
    if (!isLive || pending.text.length > MOST_LIVE) draw();
    else pending.timer ??= setTimeout(draw, DRAW_PAUSE_MS);
  }

  async function read(): Promise<void> {
    const { read: from, bytes, isLoading } = shown.peek();
    if (isLoading || (!isLive && from >= MOST) || (bytes !== null && from >= bytes)) return;
    change({ isLoading: true });
    try {
      const to = isLive ? null : from + PIECE;
      const part = await data.output(run, effect, { stream, ...(raw ? { raw } : {}), from, to, signal: closed });
      if (part.bytes !== null) change({ bytes: part.bytes });
      for await (const piece of part.pieces) {
        take(piece);
        if (closed.aborted || (!isLive && shown.peek().read >= MOST)) break;
      }
      draw();
      const { read: total, bytes: whole } = shown.peek();
      if (!isLive && total >= MOST && (whole === null || total < whole)) change({ part: 'beginning' });
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

/** The end of a text, from the beginning of a line if it has one. */
function lastLines(text: string, length: number): string {
  const end = text.slice(-length);
  const line = end.indexOf('\n');
  return line < 0 || line === end.length - 1 ? end : end.slice(line + 1);
}
