/**
 * The journal of a run in its object: chunks of lines, each under the number of its first line, and the readers who wait for
 * more. Lines are packed until somebody reads them, because a turn's lines are copied about eight times on their way.
 */
import { isOver } from '../interpreter/events/status-after.js';
import type { RunReport } from '../runtime/run/run-report.js';
import type { ObjectContext, SharedContext } from './engine-context.js';
import type { Head, TurnProgress } from './messages.js';
import type { ServiceNames } from './services.js';
import { charactersOf, countOf, linesOf, type StoredLines } from './stored-lines.js';

/** Lines of a journal. */
export interface EventLines {
  readonly status: Head['status'];
  readonly seq: number;
  readonly lines: readonly string[];
  /** Of a run that has ended, with its last lines; it may be absent. */
  readonly report?: RunReport;
}

/** The same as the object has them, for readers who unpack them. */
export interface EventChunks extends Omit<EventLines, 'lines'> {
  readonly chunks: readonly StoredLines[];
  /** How many of the first lines are not wanted. */
  readonly skip: number;
}

/** What is asked for with `events`. */
export interface EventsWanted {
  /** The number of the first event; default 1. */
  readonly from?: number;
  /** If there is no such event yet: answer when there is one, or when the run has ended. */
  readonly wait?: boolean;
  /** Answer with chunks. */
  readonly packed?: boolean;
}

/** About how many characters of lines an answer has at most. */
const MOST_AT_ONCE = 4_000_000;

/** The handler `events`. Null: there is no such run. */
export async function readEvents(
  context: SharedContext,
  services: ServiceNames,
  { from = 1, wait = false, packed = false }: EventsWanted,
): Promise<EventLines | EventChunks | null> {
  const head = await context.get<Head>('head');
  if (head === null) return null;
  const found =
    head.seq >= from || isOver(head) || !wait
      ? await chunksFrom(context, head, from)
      : await nextChunks(context, services, head, from);
  return packed ? found : unpackedLines(found);
}

/** What follows from an answer with chunks. */
export function unpackedLines({ chunks, skip, ...others }: EventChunks): EventLines {
  const lines = chunks.flatMap(linesOf);
  return { ...others, lines: skip === 0 ? lines : lines.slice(skip) };
}

async function nextChunks(
  context: SharedContext,
  services: ServiceNames,
  { status, seq }: Head,
  from: number,
): Promise<EventChunks> {
  const { id, entry } = context.awakeable<EventChunks | null>();
  context.send(services.run(context.key, 'watch'), { from, awakeable: id });
  // This handler may see the state as it was before. A reader that gets nothing asks again.
  return (await entry) ?? { status, seq, chunks: [], skip: 0 };
}

async function chunksFrom(context: SharedContext, head: Head, from: number): Promise<EventChunks> {
  const chunks: StoredLines[] = [];
  let [skip, last, characters] = [0, from - 1, 0];
  for (const [at, first] of head.chunks.entries()) {
    const next = head.chunks[at + 1] ?? head.seq + 1;
    if (next <= from) continue;
    const chunk = (await context.get<StoredLines>(`e${first}`)) ?? [];
    if (chunks.length === 0) skip = Math.max(0, from - first);
    chunks.push(chunk);
    last = next - 1;
    characters += charactersOf(chunk);
    if (characters > MOST_AT_ONCE) break;
  }
  const report = isOver(head) && last >= head.seq ? await context.get<RunReport>('report') : null;
  // A large one is asked for by itself, because a message has a limit.
  const isSmall = report !== null && JSON.stringify(report).length <= MOST_AT_ONCE;
  return { status: head.status, seq: head.seq, chunks, skip, ...(isSmall ? { report } : {}) };
}

type AppendedLines = Pick<TurnProgress, 'from' | 'lines'> & { readonly report?: RunReport | null };

/** Stores lines, and wakes those who wait for them. */
export function append(context: ObjectContext, head: Head, { from, lines, report = null }: AppendedLines): Head {
  const count = countOf(lines);
  const seq = from + count - 1;
  if (count > 0) context.set(`e${from}`, lines);
  const next = count === 0 ? head : { ...head, seq, chunks: [...head.chunks, from] };
  const waits = ({ from: wanted }: Head['watchers'][number]): boolean => next.seq < wanted && !isOver(next);
  for (const watcher of next.watchers)
    if (!waits(watcher)) {
      const answer = answerFor(watcher.from, next, { from, lines, report: isOver(next) ? report : null });
      context.resolveAwakeable(watcher.awakeable, answer);
    }
  return { ...next, watchers: next.watchers.filter(waits) };
}

/** What a reader gets that waited for an event; null: it has to ask again, because it needs more than the new lines. */
function answerFor(wanted: number, { status, seq }: Head, { from, lines, report }: AppendedLines): EventChunks | null {
  const characters = charactersOf(lines) + JSON.stringify(report ?? null).length;
  if (wanted < from || wanted > seq || characters > MOST_AT_ONCE) return null;
  return { status, seq, chunks: [lines], skip: wanted - from, ...(report == null ? {} : { report }) };
}
