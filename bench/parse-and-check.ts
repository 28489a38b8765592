/** The compiler's speed on a long program, whether it stays linear, and what one edit costs in an editor. */
import { type Compilation, compile } from '../src/index.js';
import type { Measured, Row } from './row.js';
import { median, milliseconds, takeTurns, timed } from './timing.js';

/** A program of about `lines` lines: many states, the usual instructions, names that must be resolved. */
function program(lines: number): string {
  const states = Math.max(1, Math.round(lines / 11));
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

function check(text: string, previous?: Compilation | null): Compilation {
  const compiled = compile(text, {
    name: 'long.dsl',
    lookups: { onPath: () => true },
    ...(previous === undefined ? {} : { previous }),
  });
  const error = compiled.diagnostics.find(({ severity }) => severity === 'error');
  if (error !== undefined) throw new Error(`${error.code}: ${error.message}`);
  return compiled;
}

const EDITS = 100;
const WARM_UP_EDITS = 50;

/**
 * One edit after the other, as an editor sees them: each in another place, which moves everything below it, and
 * each compiled with what the one before gave. The median after a warm-up, in milliseconds.
 */
async function edits(lines: number): Promise<number> {
  const sections = program(lines).split(/(?=IF: len)/);
  let compiled = check(sections.join(''), null);
  const taken: number[] = [];
  for (let edit = 0; edit < EDITS; edit++) {
    // A step that has no divisor in common with most numbers of places visits places all over the program.
    sections[(edit * 97) % (sections.length - 1)] += `EMIT: "edit ${edit}"\n  `;
    const text = sections.join('');
    taken.push(
      await timed(() => {
        compiled = check(text, compiled);
      }),
    );
  }
  return median(taken.slice(WARM_UP_EDITS));
}

export const parseAndCheck: Row = {
  name: 'parse and check',
  async measure(): Promise<Measured[]> {
    const long = program(100_000);
    const short = program(25_000);
    const [longMs, shortMs] = (await takeTurns(3, [() => check(long), () => check(short)])) as [number, number];
    globalThis.gc?.();
    const editMs = await edits(5_000);
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
