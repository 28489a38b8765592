/**
 * Everything that `verify` claims of small random programs, against all of their runs: no run exceeds a bound, takes a dead
 * branch, or loops where no loop is reported; and most bounds are reached, and most loops and ends are real.
 */
import { expect, test } from 'vitest';
import type { Property } from '../../src/lab/foresight/properties.js';
import { boundOfRun } from '../../src/lab/foresight/run-bound.js';
import type { Verification } from '../../src/lab/foresight/verify-machine.js';
import { verify } from '../../src/lab/foresight/verify-machine.js';
import type { Json } from '../../src/machine/expression.js';
import type { Machine } from '../../src/machine/machine.js';
import { amount, tries } from '../amount.js';
import type { Domain } from './all-outcomes.js';
import { type BruteForce, bruteForce, CALLS, CENTS } from './brute-force.js';
import { compared } from './compared.js';
import { FIRST, OPTIONS, sequence, verified } from './programs.js';
import { type Kind, MAX_COST, randomFlow } from './random-flows.js';
import { propertiesOf } from './rules.js';
import { machineWithFiles } from './with-files.js';

const VALUES: readonly Json[] = [0, 1, 3, 'ok', '', 'sk', true, null, [], [1], ['ok', 1], { a: 1 }, { a: 'ok' }];
const DOMAIN: Domain = { values: VALUES, texts: ['text', 'ok', ''], tasks: [0, 1, 2], maxCost: MAX_COST };

/** Numbers that differ only where no number of JavaScript does, and two ways to write one. */
const NUMBERS: Domain = {
  ...{ ...DOMAIN, values: [1, 'ok'] },
  printed: [
    '{"a": 1.10}',
    '{"a": 1.1}',
    '[1.10]',
    '9007199254740992',
    '9007199254740993',
    '9007199254740994',
    '9007199254740995',
    '1.1',
    '1.10',
  ],
};

/** Lists that are longer than those that are explored. */
const LONGER = 4;
const lists = (length: number): Json[] =>
  length === 0 ? [[]] : [new Array(length).fill(1), ['ok', ...new Array(length - 1).fill(1)]];
const LONG_LISTS: Domain = {
  values: [0, 1, 'ok', true, null, { a: 1 }, ...[0, 1, 2, 3, LONGER].flatMap(lists)],
  texts: ['text', 'ok', ''],
  tasks: [0, 1, 2, 3, LONGER],
  maxCost: MAX_COST,
};

const KINDS: readonly (readonly Kind[])[] = [
  [],
  ['agents'],
  ['steps'],
  ['codes'],
  ['lists'],
  ['agents', 'codes'],
  ['undo'],
  ['calls'],
  ['agents', 'steps'],
  ['splits'],
  ['again'],
  ['members'],
  ['huge'],
  ['limits'],
  ['members', 'limits'],
  ['mixed'],
  ['mixed', 'undo'],
  ['nested'],
  ['workflows'],
  ['nested', 'codes'],
  ['forms'],
  ['forms', 'undo'],
  ['forms', 'members'],
];

const RULES = [
  'NEVER: failed limit',
  'NEVER: failed tool_failure',
  'NEVER: failed',
  'NEVER: failed value_too_large',
  'NEVER: failed merge_conflict',
  'NEVER: event SEEN',
  'NEVER: returned UNLESS state A WHEN n > 0',
  'AT MOST: 1 run Task(dear)',
  'AT MOST: 1 run "make *"',
  'AT MOST: 2 state A',
  'AFTER: failed limit → returned',
  'AFTER: run Task(dear) → returned',
  'ENDS: returned',
  'ENDS: failed',
  'REACHES: failed limit',
  'REACHES: returned WHEN n > 1',
  'REACHES: failed gate_failed',
  'NEVER: run CALL ask',
  'AT MOST: 1 run CALL cheap',
  'NEVER: failed bad_value',
  'NEVER: failed in A',
];

/** Rules about what the program has; each makes more to explore. */
function rulesOf(program: string, machine: Machine, random: (below: number) => number): readonly Property[] {
  const fits = (rule: string): boolean =>
    [
      ['Task(dear)'],
      ['event SEEN', 'EMIT: SEEN'],
      ['"make *"', 'DO: make'],
      ['CALL ask', '= ask'],
      ['CALL cheap', '= cheap'],
    ].every(([named = '', is = named]) => !rule.includes(named) || program.includes(is));
  return propertiesOf(
    machine,
    RULES.filter((rule) => fits(rule) && random(8) === 0),
  );
}

type Flow = { readonly program: string; readonly machine: Machine | null };

/** Many a program compares what can never be equal, which is an error: the next one without errors, of a few. */
async function nextFlow(random: (below: number) => number, kinds: readonly Kind[]): Promise<Flow> {
  for (let left = 4; ; left--) {
    const program = randomFlow(random, kinds, true);
    const machine = await machineWithFiles(program);
    if (machine !== null || left === 0) return { program, machine };
  }
}

/** Null: it is too large, or has errors. */
async function tried(
  seed: number,
  kinds: readonly Kind[],
  domain: Domain,
): Promise<{ readonly program: string; readonly claimed: Verification; readonly found: BruteForce } | null> {
  const random = sequence(seed);
  const { program, machine } = await nextFlow(random, kinds);
  if (machine === null) return null;
  const properties = rulesOf(program, machine, random);
  const rules = properties.flatMap((property) => property.rules);
  const found = bruteForce(machine, domain, amount(300, 2000), rules);
  if (found === null) return null;
  const claimed = verify(machine, { ...OPTIONS, maxConfigurations: 1500, maxCost: MAX_COST, properties });
  return claimed.stoppedBy === null ? { program, claimed, found } : null;
}

/** A block is a test, so that none takes long. */
const BLOCK = amount(3, 60);
const blocks = Array.from({ length: tries(1, 12) }, (_, at) => FIRST + at * BLOCK);

test.each(blocks)('what is claimed of random programs, from seed %d', async (first) => {
  const count = { all: 0, exact: 0 };
  for (let seed = first; seed < first + BLOCK; seed++) {
    const kinds = KINDS[seed % KINDS.length] as readonly Kind[];
    const one = await tried(seed, kinds, kinds.includes('huge') ? NUMBERS : DOMAIN);
    if (one === null) continue;
    const { wrong, vague } = compared(one.claimed, one.found, OPTIONS.longest);
    expect(wrong, `seed ${seed}\n${one.program}`).toEqual([]);
    count.all++;
    if (vague.length === 0) count.exact++;
  }
  expect(count.all).toBeGreaterThan(BLOCK / 5);
  // Other values than those of this small world reach the rest.
  expect(count.exact).toBeGreaterThan(count.all * 0.6);
});

test.each(blocks)('formulas of bounds hold for longer lists, from seed %d', async (first) => {
  let count = 0;
  for (let seed = first; seed < first + BLOCK; seed++) {
    const one = await tried(seed, [seed % 2 === 0 ? 'lists' : 'splits'], LONG_LISTS);
    if (one === null) continue;
    const { wrong } = compared(one.claimed, one.found, LONGER);
    expect(wrong, `seed ${seed}\n${one.program}`).toEqual([]);
    count++;
  }
  expect(count).toBeGreaterThan(BLOCK / 8);
});

/** Few values, so that all runs with many calls can be tried. */
const SPENT: Domain = { values: [1, 'ok'], texts: ['text'], tasks: [0, 2], maxCost: MAX_COST };

test.each(blocks)('what a run is told that it spends, from seed %d', async (first) => {
  const count = { all: 0, exact: 0 };
  for (let seed = first; seed < first + BLOCK; seed++) {
    const random = sequence(seed);
    const kinds = [['spending'], ['spending', 'limits'], ['spending', 'polls'], ['spending', 'again']] as const;
    const { program, machine } = await nextFlow(random, kinds[seed % kinds.length] as readonly Kind[]);
    const found = machine === null ? null : bruteForce(machine, SPENT, amount(300, 2000));
    if (machine === null || found === null) continue;
    const bound = boundOfRun(machine, { inputs: {}, maxCost: MAX_COST, milliseconds: 10_000 });
    if (bound?.problem !== undefined) continue;
    const most = { calls: found.most.get(CALLS) ?? 0, cents: found.most.get(CENTS) ?? 0 };
    const told = {
      calls: bound?.calls ?? Number.POSITIVE_INFINITY,
      cents: (bound?.cost ?? Number.POSITIVE_INFINITY) * 100,
    };
    if (bound === null) Object.assign(told, { calls: 0, cents: 0 });
    const wrong = [
      ...(most.calls > told.calls ? [`${most.calls} calls, not ${told.calls}`] : []),
      // What calls do not report counts for no LIMIT.
      ...(bound?.only_by_limit !== true && most.cents > told.cents + 1e-6
        ? [`$${most.cents / 100}, not $${told.cents / 100}`]
        : []),
    ];
    expect(wrong, `seed ${seed}\n${program}`).toEqual([]);
    count.all++;
    if (most.calls === told.calls) count.exact++;
  }
  expect(count.all).toBeGreaterThan(BLOCK / 5);
  expect(count.exact).toBeGreaterThan(count.all * 0.6);
});

test.each([
  ['a bound is exceeded', (one: Verification): Verification => ({ ...one, bounds: one.bounds.slice(1) })],
  ['an end is not known', (one: Verification): Verification => ({ ...one, ends: one.ends.slice(1) })],
  ['a loop is not known', (one: Verification): Verification => ({ ...one, defects: [] })],
])('it is noticed that %s', (_, changed) => {
  const claimed = verified('STATE: A\n  CHECK: x = cat v\n  IF: x == 1 → RETURN\n  GOTO: A\n');
  const found = bruteForce(claimed.machine, DOMAIN, 1200) as BruteForce;
  expect(compared(claimed, found, OPTIONS.longest)).toEqual({ wrong: [], vague: [] });
  expect(compared(changed(claimed), found, OPTIONS.longest).wrong).not.toEqual([]);
});
