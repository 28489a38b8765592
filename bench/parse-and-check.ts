/** The compiler's speed on a long program, whether it stays linear, and what one edit costs in an editor. */
import { compile } from '../src/index.js';
import type { Measured, Row } from './row.js';
import { milliseconds, takeTurns } from './timing.js';

/** A program of about `lines` lines: many states, the usual instructions, names that must be resolved. */
function program(lines: number): string {
  const states = Math.max(1, Math.round(lines / 12));
  const parts = ['INPUT: objective = "x"\nINPUT: limit = 20\n'];
  for (let index = 0; index < states; index++) {
    const next = index + 1 < states ? `S${index + 1}` : 'ERROR';
    parts.push(`
STATE: S${index}
  # what this state is about, in some words
  TRACK: count_${index % 50}
  CHECK: ready = python3 lib/orchestration.py ready-tasks --state={objective} -- {count_${index % 50}}
  IF: ready.tasks is empty AND count_${index % 50} < limit → EMIT: NOTHING_READY state=S${index}, GOTO ${next}
  IF: len(ready.tasks) > 3 → EMIT: "many tasks: {ready.tasks}"
  INCREMENT: count_${index % 50}
  DO: git commit -m "step {count_${index % 50}} of {objective}" -- lib/{objective}.py
  IF: count_${index % 50} > limit → GOTO ${next}
  GOTO: ${next}
`);
  }
  return `${parts.join('')}\nSTATE: ERROR\n  RETURN: {error}\n`;
}

function check(text: string): void {
  const { diagnostics } = compile(text, { name: 'long.dsl', onPath: () => true });
  const error = diagnostics.find(({ severity }) => severity === 'error');
  if (error !== undefined) throw new Error(`${error.code}: ${error.message}`);
}

export const parseAndCheck: Row = {
  name: 'parse and check',
  async measure(): Promise<Measured[]> {
    const long = program(100_000);
    const short = program(25_000);
    const edited = program(5_000);
    const half = edited.indexOf('IF: len', edited.length / 2);
    let version = 0;
    const [longMs, shortMs, editMs] = (await takeTurns(3, [
      () => check(long),
      () => check(short),
      () => check(`${edited.slice(0, half)}EMIT: "edit ${version++}"\n  ${edited.slice(half)}`),
    ])) as [number, number, number];
    const bytes = Buffer.byteLength(long);
    const growth = longMs / shortMs / (long.length / short.length);
    return [
      {
        what: 'parse and check 100,000 lines',
        sides: `${(bytes / 1e6).toFixed(1)} MB in ${milliseconds(longMs)}`,
        ratio: bytes / 1e3 / longMs,
        unit: 'MB/s',
        atLeast: 1,
      },
      {
        what: 'growth of time over growth of text (1 is linear)',
        sides: `${milliseconds(longMs)} vs ${milliseconds(shortMs)} for a quarter`,
        ratio: growth,
        atMost: 1.5,
      },
      { what: 'one edit in 5,000 lines, all checked again', sides: '', ratio: editMs, unit: 'ms', atMost: 50 },
    ];
  },
};
