/** Both streams of an effect as one text, in the order in which their lines came. */
import type { Outcome } from '../../interpreter/events/event.js';

export type StreamName = 'stdout' | 'stderr';

/** Lines of one stream that came together. */
export interface StreamPart {
  readonly stream: StreamName;
  readonly text: string;
}

/**
 * `order`: how many lines came on stdout, then on stderr, then on stdout …; without it, what is on stdout comes first. Lines
 * that are not there yet are left out.
 */
export function mergeStreams(stdout: string, stderr: string, order: readonly number[] = []): StreamPart[] {
  const rest = { stdout, stderr };
  const parts: StreamPart[] = [];
  const take = (stream: StreamName, text: string): void => {
    if (text !== '') parts.push({ stream, text });
    rest[stream] = rest[stream].slice(text.length);
  };
  order.forEach((count, at) => {
    const stream = at % 2 === 0 ? 'stdout' : 'stderr';
    take(stream, rest[stream].slice(0, endOfLines(rest[stream], count)));
  });
  // The end of a line without a line feed belongs to the last part of its stream.
  for (const stream of ['stdout', 'stderr'] as const) take(stream, rest[stream]);
  return parts;
}

function endOfLines(text: string, count: number): number {
  let end = 0;
  for (let line = 0; line < count; line++) {
    const next = text.indexOf('\n', end);
    if (next < 0) return text.length;
    end = next + 1;
  }
  return end;
}

/** What the record itself has of the output of an attempt; null: it is in files. */
export function recordedOutput(outcome: Outcome): { readonly stdout: string; readonly stderr: string } | null {
  if (outcome.kind === 'value') return { stdout: JSON.stringify(outcome.value, null, 2), stderr: '' };
  if (outcome.kind === 'failed') return { stdout: '', stderr: outcome.message };
  if (outcome.kind === 'not-started') return { stdout: '', stderr: outcome.reason };
  const { stdout } = outcome;
  const hasFile =
    stdout.artifact !== undefined || ('stderr_artifact' in outcome && outcome.stderr_artifact !== undefined);
  if (hasFile) return null;
  const text = stdout.text ?? (stdout.base64 === undefined ? '' : textOf(stdout.base64));
  return { stdout: text, stderr: 'stderr' in outcome ? outcome.stderr : '' };
}

function textOf(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0)));
}

/** The last lines of what an attempt printed, as a person wants to read them after a failure. */
export function lastLines(outcome: Outcome, count: number): StreamPart[] {
  const known = recordedOutput(outcome) ?? {
    stdout: 'stdout' in outcome ? (outcome.stdout.tail ?? '') : '',
    stderr: 'stderr' in outcome ? outcome.stderr : '',
  };
  const order = 'order' in outcome ? outcome.order : undefined;
  const lines = mergeStreams(known.stdout, known.stderr, order).flatMap(({ stream, text }) =>
    text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => ({ stream, text: line })),
  );
  return lines.filter(({ text }) => text.trim() !== '').slice(-count);
}
