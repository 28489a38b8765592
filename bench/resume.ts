/** How long it takes to go on with a run, by the length of its history: a checkpoint must make that no matter. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from './row.js';
import { cli, inScratch } from './scratch.js';
import { compare, measureTurns, milliseconds, spawned, type Taken } from './timing.js';

const SHORT = 3000;
const LONG = 3_000_000;

/** Two events a turn; then it waits for a person, as often as it is gone on with. */
const text = `LIMIT: transitions=${LONG}
INPUT: turns (number)
STATE: COUNT
  TRACK: n
  IF: n >= turns → GOTO: ASKING
  INCREMENT: n
  GOTO: COUNT
STATE: ASKING
  ASK user: "Go on?" → go
  RETURN: {go}
`;

/** Suspends a run with so many events; gives its store. */
function suspended(path: string, events: number): string {
  const store = join(path, `store-${events}`);
  const command = `"$0" "$1" run count.dsl --quiet --dir "$2" -i turns="$3"; [ $? = 75 ] && sync -f "$2"`;
  spawned('bash', ['-c', command, process.execPath, cli, store, String(events / 2)], path);
  return store;
}

/** Resumes the run. Its question has no answer, so the run is suspended again. */
function goOn(path: string, store: string): void {
  const [id = ''] = readdirSync(join(store, 'runs')).filter((name) => name.length === 36);
  spawned(
    'bash',
    ['-c', '"$0" "$@"; [ $? = 75 ]', process.execPath, cli, 'resume', id, '--json', '--quiet', '--dir', store],
    path,
  );
}

export const resumeRow: Row = {
  name: 'resume',
  measure: () =>
    inScratch(async ({ path, write }) => {
      write('count.dsl', text);
      const shortStore = suspended(path, SHORT);
      const longStore = suspended(path, LONG);
      const [short, long] = (await measureTurns(9, [() => goOn(path, shortStore), () => goOn(path, longStore)])) as [
        Taken,
        Taken,
      ];
      const sides = `${milliseconds(long.ms)} vs ${milliseconds(short.ms)}`;
      return [{ what: 'resume of 3,000,000 events / of 3,000', sides, ...compare(long, short), atMost: 1.2 }];
    }),
};
