/** The effect that an event belongs to, as its output shows it. */
import type { RecordedRunEvent, RecordLine } from '../data/run-data.js';
import { indexOfSeq } from '../run/run-model.js';

export interface ShownEffect {
  readonly effect: string;
  readonly text: string;
  /** Whether its outcome is on record. */
  readonly hasEnded: boolean;
  readonly seq: number;
}

type Request = Extract<RecordedRunEvent, { type: 'effect_requested' }>;

const PRINTS = new Set(['shell', 'argv', 'function', 'agent', 'tool']);

/** The effect of the event, or the last one before it; null: none that prints. */
export function effectAt(lines: readonly RecordLine[], seq: number): ShownEffect | null {
  const start = indexOfSeq(lines, seq + 1) - 1;
  const shown = lines[start];
  const wanted = shown !== undefined && 'effect' in shown ? (shown.effect as string) : null;
  let request: Request | null = null;
  let last: Request | null = null;
  for (let at = start; at >= 0 && request === null; at--) {
    const line = lines[at];
    if (line?.type !== 'effect_requested' || !PRINTS.has(line.kind)) continue;
    last ??= line;
    if (wanted === null || line.effect === wanted) request = line;
  }
  request ??= last;
  if (request === null) return null;
  const { effect, text, seq: requested } = request;
  const from = indexOfSeq(lines, requested);
  const hasEnded = lines.slice(from).some((line) => line.type === 'effect_settled' && line.effect === effect);
  return { effect, text, hasEnded, seq: requested };
}
