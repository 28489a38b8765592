/**
 * What hostile or very large texts cost: each is read at one size and at eight times that size. Linear work takes about
 * eight times as long; what takes the square takes sixty-four times. Each of these was slower than linear at some time.
 */

import { compile } from '../src/index.js';
import { StepRecords } from '../src/interpreter/run-state/step-records.js';
import { matcher } from '../src/interpreter/steps/glob.js';
import { readCases } from '../src/lab/trials/read-cases.js';
import { parseWorkflow } from '../src/language/frontends/workflow/parse-workflow.js';
import { sourceFile } from '../src/language/source/diagnostic.js';
import { unavailableFor } from '../src/runtime/agents/decode-call.js';
import { environmentSecrets } from '../src/runtime/redact.js';
import { oneLine } from '../src/views/drawing/visible-text.js';
import { compiled } from '../test/shell/run-script.js';
import type { Measured, Row } from './row.js';
import { milliseconds } from './timing.js';

const FACTOR = 8;
const ROUNDS = 3;
/** How often a row that misses is measured before that is believed. */
const TIMES = 3;
/** Halfway between linear work and its square: caches and the garbage collector make linear work two to three times dearer. */
const AT_MOST = 4 * FACTOR;
/** Below this the clock says nothing about growth. */
const LEAST_MS = 2;

interface Growing {
  readonly what: string;
  readonly size: number;
  /** What is timed; the text is made before. */
  readonly prepare: (size: number) => () => unknown | Promise<unknown>;
}

const numbered = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('');

const VERBS = ['CALL', 'CHECK', 'UNDO', 'PLAN', 'DO in PARALLEL', 'WAIT: x', 'GOTO', 'FOR EACH: x in'];

const programs: Readonly<Record<string, (size: number) => string>> = {
  'a long chain of states': (size) =>
    `${numbered(size, (n) => `STATE: S${n}\n  GOTO: S${n + 1} with x={n}\n`)}STATE: S${size}\n  RETURN: {x}\n`,
  'GOTOs to anywhere': (size) =>
    `PATTERN: P with to\n  GOTO {to}\n${numbered(size, (n) => `STATE: S${n}\n  TRACK: t = "S1"\n  USE: P with to={t}\n`)}`,
  'unreachable GOTOs': (size) => `STATE: A\n${'  GOTO: A\n'.repeat(size * 4)}`,
  'names that nothing binds': (size) => numbered(size, (n) => `TRACK: t${n}\nIF: n${n} == 1 → PROCEED\n`),
  'spaces after verbs': (size) =>
    `STATE: A\n${VERBS.map((verb) => `  ${verb}${' '.repeat(size * 2)}x\n`).join('')}  DO: echo ${' '.repeat(size * 10)}x\n`,
  'one long word of a prompt': (size) => `STATE: A\n  DO: Task(a):\n    ${'a'.repeat(size * 4)}\n`,
  'arguments of one GOTO': (size) =>
    `STATE: A\n  GOTO: A with ${Array.from({ length: size * 2 }, (_, n) => `x${n}=${n}`).join(', ')}\n`,
};

const shellPieces = [
  ...['$(', '{v}', "'{v}'", '{', '{a', '`', '((', '<<E ', '\\{a', 'case x in a) ', 'a|b', 'env ', 'sh -c {v} '],
  ...['[[ {v} -eq ', '"$(\'', 'f() ', '${a[', 'x=$(echo {v}); ', 'f() { g $1; }; f {v}; '],
  ...["sh -c 'eval $1' sh {v}; ", 'read a <<< {v}; '],
];

const workflows: Readonly<Record<string, (size: number) => string>> = {
  'a chain of anchors': (size) => numbered(size, (n) => `- &a${n + 1} [*a${n}]\n`),
  'many anchors': (size) => `${numbered(size, (n) => `- &a${n} x\n`)}${'- *a1\n'.repeat(size)}`,
  'many comments': (size) => '# x\n'.repeat(size * 20),
  'many keys': (size) => `steps:\n  - name: a\n${numbered(size, (n) => `    k${n}: x\n`)}`,
};

const texts = ['again ', 'retry 1 2 3 ', '1d ', '9'];

const growing: readonly Growing[] = [
  ...Object.entries(programs).map(([what, program]) => ({
    what: `check: ${what}`,
    size: 1250,
    prepare: (size: number) => {
      const text = program(size);
      return () => compile(text);
    },
  })),
  ...shellPieces.map((piece) => ({
    what: `shell text: ${JSON.stringify(piece)} repeated`,
    // An eighth of it is more than young objects have room for, too: else only the whole would be moved by the garbage collector.
    size: 200_000,
    prepare: (size: number) => {
      const text = piece.repeat(Math.ceil(size / piece.length));
      return () => compiled(text);
    },
  })),
  ...Object.entries(workflows).map(([what, workflow]) => ({
    what: `YAML: ${what}`,
    size: 625,
    prepare: (size: number) => {
      const file = sourceFile('flow.yaml', workflow(size));
      return () => parseWorkflow(file, 0);
    },
  })),
  ...texts.map((piece) => ({
    what: `message of an agent: ${JSON.stringify(piece)} repeated`,
    size: 500,
    prepare: (size: number) => {
      const text = `resets ${piece.repeat(Math.ceil(size / piece.length))}x`;
      return () => unavailableFor(text, 0);
    },
  })),
  {
    what: 'keys of steps, one after the other',
    size: 2500,
    prepare: (size) => () => {
      const records = new StepRecords();
      for (let at = 0; at < size; at++) {
        records.removeKeysBelow(`s${at}.`);
        for (const field of ['output', 'status', 'attempt']) records.setKey(`s${at}`, field, 'x');
      }
    },
  },
  {
    what: 'cases of a trial',
    size: 500,
    prepare: (size) => {
      const { machine } = compile('STATE: A\n  RETURN: done\n');
      const text = numbered(size, (n) => `- name: c${n}\n  expect: returned "done"\n`);
      return () => readCases({ name: 'cases.yaml', text }, machine as never, null);
    },
  },
  {
    what: 'a line of spaces, shown',
    size: 5000,
    prepare: (size) => {
      const text = ` ${' '.repeat(size)}x`;
      return () => oneLine(text);
    },
  },
  {
    what: 'a variable of words and dots, which may hold a login',
    size: 5000,
    prepare: (size) => {
      const value = 'a.'.repeat(size);
      return () => environmentSecrets({ value }, []);
    },
  },
  {
    what: 'glob: many stars',
    size: 250,
    prepare: (size) => {
      const [matches, path] = [matcher('**a*a**a*a**a*a**a*a**a*/b'), `${'a/'.repeat(size)}c`];
      return () => matches(path);
    },
  },
];

/** The shortest of a few rounds: others may use the machine meanwhile. */
async function shortest(action: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const before = processorTime();
    await action();
    least = Math.min(least, processorTime() - before);
  }
  return least;
}

/** In milliseconds. The sum alone is exact: how much of it the system took is estimated, which loses most of a short time. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function growthOf({ what, size, prepare }: Growing): Promise<Measured> {
  let measured: Measured | null = null;
  // What grows too fast does so each time; other work on the machine makes a row miss once.
  for (let time = 0; time < TIMES && (measured === null || measured.ratio > AT_MOST); time++) {
    const [short, long] = [await shortest(prepare(size)), await shortest(prepare(size * FACTOR))];
    const sides = `${milliseconds(long)} vs ${milliseconds(short)} for an eighth`;
    measured = { what, sides, ratio: long / Math.max(short, LEAST_MS), atMost: AT_MOST };
  }
  return measured as Measured;
}

export const growth: Row = {
  name: 'growth',
  measure: async () => {
    const rows: Measured[] = [];
    for (const one of growing) rows.push(await growthOf(one));
    return rows;
  },
};
