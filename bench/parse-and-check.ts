/** The compiler's speed on a long program, whether it stays linear, and what one edit costs in an editor. */
import { join } from 'node:path';
import { callSupport } from '../src/app/project/link-plans.js';
import { diskFiles, type ProjectHost, withOpenTexts } from '../src/app/project/project-host.js';
import { type Compilation, compile } from '../src/language/check/compile.js';
import { longPrograms, TOOLS, usual } from './long-programs.js';
import type { Measured, Row } from './row.js';
import { freshly, root } from './scratch.js';
import { median, milliseconds, takeTurns, timed } from './timing.js';

/** The tools of a program that is a text in memory. */
const project: ProjectHost = {
  folder: process.cwd(),
  files: withOpenTexts(diskFiles, (path) => (path === join(process.cwd(), 'tools.yaml') ? TOOLS : undefined)),
  allowOutside: false,
  environment: {},
};

function check(text: string, previous?: Compilation | null): Compilation {
  const compiled = compile(text, {
    name: 'long.dsl',
    lookups: { onPath: () => true },
    calls: () => callSupport(project, 'long.dsl', {}),
    ...(previous === undefined ? {} : { previous }),
  });
  const error = compiled.diagnostics.find(({ severity }) => severity === 'error');
  if (error !== undefined) throw new Error(`${error.code}: ${error.message}`);
  return compiled;
}

/** The speed of each kind of program in MB/s, the slowest first. */
async function speeds(lines: number): Promise<{ readonly kind: string; readonly speed: number }[]> {
  const texts = longPrograms.map(({ text }) => text(lines));
  const taken = await takeTurns(
    3,
    texts.map((text) => () => check(text)),
  );
  return longPrograms
    .map(({ kind }, at) => ({ kind, speed: Buffer.byteLength(texts[at] as string) / 1e3 / (taken[at] as number) }))
    .sort((a, b) => a.speed - b.speed);
}

const PARTS = 4;

const EDITS = 100;
const WARM_UP_EDITS = 50;

/**
 * One edit after the other, as an editor sees them: each in another place, which moves everything below it, and
 * each compiled with what the one before gave. The median after a warm-up, in milliseconds.
 */
async function edits(lines: number): Promise<number> {
  const sections = usual.text(lines).split(/(?=IF: len)/);
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
    const [cold] = freshly(3, root, ['check.mjs']) as [number];
    const long = usual.text(100_000);
    const short = usual.text(25_000);
    // As much text in both turns, so that both make as much garbage.
    const shorts = () => {
      for (let one = 0; one < PARTS; one++) check(short);
    };
    const [longMs, shortsMs] = (await takeTurns(5, [() => check(long), shorts])) as [number, number];
    globalThis.gc?.();
    const editMs = await edits(5_000);
    const bytes = Buffer.byteLength(long);
    const growth = longMs / shortsMs / (long.length / (short.length * PARTS));
    globalThis.gc?.();
    const kinds = await speeds(20_000);
    return [
      {
        what: 'parse and check 100,000 lines with shell text, new process',
        sides: '',
        ratio: cold,
        unit: 'MB/s',
        atLeast: 2,
      },
      {
        what: 'parse and check 100,000 lines',
        sides: `${(bytes / 1e6).toFixed(1)} MB in ${milliseconds(longMs)}`,
        ratio: bytes / 1e3 / longMs,
        unit: 'MB/s',
        atLeast: 2,
      },
      {
        what: 'growth of time over growth of text (1 is linear)',
        sides: `${milliseconds(longMs)} vs ${milliseconds(shortsMs)} for four quarters`,
        ratio: growth,
        atMost: 1.05,
      },
      {
        what: `parse and check 20,000 lines, slowest kind: ${kinds[0]?.kind}`,
        sides: kinds
          .slice(1)
          .map(({ kind, speed }) => `${kind} ${speed.toFixed(2)}`)
          .join(', '),
        ratio: kinds[0]?.speed ?? 0,
        unit: 'MB/s',
        atLeast: 2,
      },
      { what: 'one edit in 5,000 lines, all checked again', sides: '', ratio: editMs, unit: 'ms', atMost: 50 },
    ];
  },
};
