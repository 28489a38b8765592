/** Everything that is known of one run as one value, for a page that is a file. */
import type { Json } from '../machine/expression.js';
import type { InspectedRun } from '../runtime/inspect-run.js';
import type { ListedRun } from '../runtime/list-runs.js';
import { cut } from '../views/drawing/visible-text.js';
import { runPictures } from '../views/graph/run-pictures.js';
import { elkEngine } from '../views/picture/elk.js';
import type { Drawing } from '../views/picture/picture.js';
import { layOut } from '../views/picture/picture-layout.js';
import { type Result, refuse, resultWith } from './result.js';
import type { DamagedEvents, RecordedEvent, RunProgram, Runs } from './runs.js';

/** A picture with its positions, so that the file needs no layout engine. `picture`: as JSON. */
export interface StoredDrawing {
  readonly picture: string;
  readonly drawing: Drawing;
}

export interface FileRun {
  /** The version of statedsl that made the file. */
  readonly version: string;
  readonly run: ListedRun;
  /** The run as it was when the file was made. */
  readonly shown: InspectedRun;
  /** Its record. Long texts are shortened, and say so. */
  readonly lines: readonly (RecordedEvent | DamagedEvents)[];
  /** Null: it cannot be read. */
  readonly program: RunProgram | null;
  readonly drawings: readonly StoredDrawing[];
}

/** A browser would need too long for a file with more. */
const MOST_EVENTS = 100_000;
/** About how large the record in a file may be, and to how many characters texts are shortened until it is. */
const MOST_CHARACTERS = 8_000_000;
const LIMITS = [Number.POSITIVE_INFINITY, 16_000, 4000, 1000, 250];

export async function collectFileRun(runs: Runs, run: string | null, version: string): Promise<Result<FileRun>> {
  const shown = await runs.inspect(run);
  if (!shown.ok) return shown;
  const { run_id, last_seq } = shown.value;
  if (last_seq > MOST_EVENTS)
    return refuse(
      'wrong-use',
      `the run has ${last_seq} events, and a file can have ${MOST_EVENTS}`,
      `look at it with \`statedsl ui ${run_id}\``,
    );
  const listed = await runs.list({ q: run_id });
  if (!listed.ok) return listed;
  const row = listed.value.runs.find((one) => one.run_id === run_id);
  const stream = await runs.events(run_id, 0, undefined, 'no');
  if (!stream.ok) return stream;
  if (row === undefined) return refuse('unknown', `the run \`${run_id}\` was removed`);
  const lines: (RecordedEvent | DamagedEvents)[] = [];
  for await (const line of stream.value) lines.push(line);
  const program = await runs.program(run_id);
  return resultWith({
    ...{ version, run: row, shown: shown.value, lines: shortenLines(lines) },
    program: program.ok ? program.value : null,
    drawings: program.ok ? await drawingsOf(program.value) : [],
  });
}

async function drawingsOf({ machine }: RunProgram): Promise<StoredDrawing[]> {
  const drawings = new Map<string, Drawing>();
  for (const failures of [false, true])
    for (const { picture } of runPictures(machine, { failures })) {
      const key = JSON.stringify(picture);
      if (!drawings.has(key)) drawings.set(key, await layOut(picture, elkEngine()));
    }
  return [...drawings].map(([picture, drawing]) => ({ picture, drawing }));
}

/** Shortens texts only as far as the size of all lines together demands it. */
export function shortenLines<T extends object>(lines: readonly T[]): T[] {
  let shortened = [...lines];
  for (const limit of LIMITS) {
    shortened = lines.map((line) => shorten(line as Json, limit) as T);
    if (shortened.reduce((sum, line) => sum + JSON.stringify(line).length, 0) <= MOST_CHARACTERS) break;
  }
  return shortened;
}

function shorten(value: Json, limit: number): Json {
  if (typeof value === 'string') {
    if (value.length <= limit) return value;
    return `${cut(value, limit)} [${value.length - limit} more characters are in the record of the run]`;
  }
  if (value === null || typeof value !== 'object' || limit === Number.POSITIVE_INFINITY) return value;
  if (Array.isArray(value)) return value.map((one) => shorten(one, limit));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shorten(one, limit)]));
}
