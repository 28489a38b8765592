/** Programs with CALL and PLAN: members of results are explored, and random results lead nowhere else. */
import { expect, test } from 'vitest';
import type { Outcome } from '../../src/interpreter/events/event.js';
import { advance, link, settle, startRun } from '../../src/interpreter/run.js';
import { runOptionsOf } from '../../src/lab/foresight/foresight-options.js';
import { type Verification, verify } from '../../src/lab/foresight/verify-machine.js';
import type { Machine } from '../../src/machine/machine.js';
import { amount, tries } from '../amount.js';
import { boundIn, defectsIn, FIRST, OPTIONS, sequence } from './programs.js';
import { verdictsOf } from './rules.js';
import { machineWithFiles } from './with-files.js';

async function machineOf(text: string): Promise<Machine> {
  const machine = await machineWithFiles(text);
  if (machine === null) throw new Error(`the program has errors:\n${text}`);
  return machine;
}

const lines = (...all: string[]): string => `${all.join('\n')}\n`;

const endsIn = ({ ends }: Verification): string[] =>
  ends.map(({ status, state, error, trace }) => `${status} ${error ?? ''} ${state} ${trace.isConfirmed}`).sort();

test('a member of a result is there or not', async () => {
  const program = lines(
    'STATE: A',
    '  CALL: get → †state.user',
    '  IF: †state.user.name? is null → GOTO: B',
    '  IF: †state.user.name exists → RETURN: known',
    '  GOTO: C',
    'STATE: B',
    '  RETURN: unknown',
    'STATE: C',
    '  RETURN: never',
  );
  const verification = verify(await machineOf(program), OPTIONS);
  expect([verification.stoppedBy, verification.isBounded]).toEqual([null, false]);
  expect(defectsIn(verification)).toEqual(['4 dead-branch', '9 dead-state']);
  expect(verification.never).toEqual(['C']);
});

test('a call of a plan that reads a member', async () => {
  const verification = verify(await machineOf(lines('STATE: A', '  PLAN: "two.json" → x', '  RETURN: {x}')), OPTIONS);
  expect([verification.stoppedBy, boundIn(verification, 'CALL get'), boundIn(verification, 'CALL put')]).toEqual([
    null,
    1,
    1,
  ]);
  expect(endsIn(verification)).toEqual([
    'failed not_json A true',
    'failed tool_failure A true',
    'failed unresolved A true',
    'returned  A true',
  ]);
});

test('what is written into an unknown result is there, and the rest of it stays', async () => {
  const program = lines(
    'STATE: A',
    '  CALL: get → †state.user',
    '  CALL: put with x=1 → †state.user.seen',
    '  IF: †state.user.seen exists → RETURN: seen',
    '  GOTO: B',
    'STATE: B',
    '  RETURN: never',
  );
  const verification = verify(await machineOf(program), OPTIONS);
  expect(verification.never).toEqual(['B']);
  expect(endsIn(verification).filter((end) => !end.endsWith('true'))).toEqual([]);
});

test('alternatives of a call', async () => {
  const program = lines(
    'STATE: A',
    '  CALL: pay → †state.paid || †state.refused',
    '  IF: †state.paid exists → RETURN: paid',
    '  IF: †state.refused exists → GOTO: B',
    '  GOTO: C',
    'STATE: B',
    '  RETURN: refused',
    'STATE: C',
    '  RETURN: never',
  );
  const { never, defects } = verify(await machineOf(program), OPTIONS);
  expect(never).toEqual(['C']);
  expect(defects.map(({ kind, line }) => `${line} ${kind}`)).toEqual(['4 dead-branch', '9 dead-state']);
});

test('a failure has the exit code of its program, and one that never started takes no alternative', async () => {
  const call = ['STATE: A', '  CALL: get → †state.user || †state.failed'];
  const program = lines(...call, '  IF: †state.failed exists AND †state.failed.code == 3 → RETURN: three', '  RETURN');
  const verification = verify(await machineOf(program), OPTIONS);
  expect(defectsIn(verification)).toEqual([]);
  expect(endsIn(verification)).toContain('failed tool_failure A true');
  expect(endsIn(verification)).toContain('returned  A true');
});

test.each([
  ['a program may be killed', 'CALL: x = get', 'exit_code is null'],
  ['a program ends with a code', 'CALL: x = get', 'exit_code == 3'],
  ['a function throws a number', 'CALL: x = put', 'exit_code == 3'],
  ['a function returns what is no JSON', 'CALL: x = put', 'error_type == "not_json"'],
])('%s', async (_, call, condition) => {
  const program = lines(
    'STATE: A',
    `  ${call}`,
    '  RETURN',
    'STATE: ERROR',
    `  IF: ${condition} → RETURN: seen`,
    '  RETURN',
  );
  expect(defectsIn(verify(await machineOf(program), OPTIONS))).toEqual([]);
});

test('an agent that is a tool may reach the limit of its calls', async () => {
  const program = lines('STATE: A', '  CALL: x = ask', '  RETURN', '  ON ERROR limit: → RETURN: limit');
  const machine = await machineOf(program);
  expect(defectsIn(verify(machine, { ...OPTIONS, maxCost: { dear: 0.1 } }))).toEqual([]);
  expect(defectsIn(verify(machine, { ...OPTIONS, maxCost: { ask: 0.1 } }))).toEqual(['4 dead-handler']);
});

test('codes of a function are its own, and a program has the codes of retry_on', async () => {
  const call = ['STATE: A', '  CALL: put → †state.user || †state.failed'];
  const program = lines(...call, '  IF: †state.failed.code? == "no_funds" → RETURN: no funds', '  RETURN');
  expect(defectsIn(verify(await machineOf(program), OPTIONS))).toEqual([]);
  const retried = lines('STATE: A', '  CALL [retry=2 retry_on=exit:3]: x = get', '  RETURN');
  expect(boundIn(verify(await machineOf(retried), OPTIONS), 'CALL get')).toBe(3);
});

// ---- random runs ------------------------------------------------------------------------------------

const VALUES = [
  1,
  'ok',
  true,
  null,
  {},
  { a: 1 },
  { a: 'ok' },
  { a: { b: 1 } },
  { b: false, a: {} },
  { _path: 1, _output: { a: 1 } },
];

/** Programs that write into data, and read below it. */
function programOf(random: (below: number) => number): string {
  const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T;
  const path = (): string => pick(['†state.x', '†state.x.a', '†state.x.b', '†state.y', '†state.x.a.b']);
  const method = (): string => pick(['', '', ' [method=set]', ' [method=merge]', ' [method=assign]']);
  const call = (): string => {
    const other = random(4) === 0 ? ` || ${pick(['†state.z', '†state.x.c'])}` : '';
    return `CALL${method()}: ${pick(['put', 'get', 'pay'])} → ${path()}${other}`;
  };
  const condition = (): string =>
    pick([
      () => `${path()} exists`,
      () => `${path()}? is not null`,
      () => `${path()} == ${pick(['1', '"ok"', 'true'])}`,
      () => `${path()} is empty`,
      () => 'n > 1',
    ])();
  const body: string[] = [];
  for (let count = 2 + random(3); count > 0; count--)
    body.push(
      random(2) === 0
        ? call()
        : `IF: ${condition()} → ${pick(['RETURN: one', 'GOTO: B', 'EMIT: SEEN', 'INCREMENT: n'])}`,
    );
  if (random(3) === 0) body.push('PLAN: "two.json" → x');
  const handler = random(3) === 0 ? ['ON ERROR: → RETURN: {error_type}'] : [];
  const all = ['TRACK: n', call(), ...body, 'INCREMENT: n', 'IF: n > 2 → RETURN: enough', 'GOTO: A', ...handler];
  return lines('STATE: A', ...all.map((line) => `  ${line}`), 'STATE: B', '  RETURN: at b');
}

function randomOutcome(random: (below: number) => number): Outcome {
  if (random(8) === 0) {
    const failures: readonly Partial<Outcome>[] = [{}, { exit: 3 }, { tool_code: 'b' }, { error_type: 'not_json' }];
    return { kind: 'failed', message: 'it failed', ...(failures[random(failures.length)] as object) };
  }
  return { kind: 'value', value: VALUES[random(VALUES.length)] as never };
}

function randomRun({ machine, bounds, ends }: Verification, random: (below: number) => number): string[] {
  const run = startRun(link(machine), runOptionsOf(machine, { inputs: {} }));
  const counts = new Map<string, number>();
  for (let step = 0; step < 60 && run.result === null; step++) {
    advance(run, 1000);
    for (const event of run.takeEvents())
      if (event.type === 'effect_requested')
        counts.set(`CALL ${event.tool}`, (counts.get(`CALL ${event.tool}`) ?? 0) + 1);
    run.takeRequests();
    const [effect] = run.pending.keys();
    if (effect !== undefined) settle(run, effect, randomOutcome(random));
  }
  const wrong: string[] = [];
  for (const [what, count] of counts) {
    const most = bounds.find((one) => one.what === what)?.atMost;
    if (most === undefined || (most !== null && count > most)) wrong.push(`${what} ${count} times, not ${most}`);
  }
  const { result } = run;
  if (result === null) return [...wrong, 'it did not end'];
  const kind = result.error?.kind ?? null;
  if (!ends.some(({ status, state, error }) => status === result.status && state === result.state && error === kind))
    wrong.push(`${result.status} ${kind} in ${result.state} is no known end`);
  return wrong;
}

const BLOCK = amount(2, 80);

test.each(Array.from({ length: tries(1, 12) }, (_, at) => FIRST + at * BLOCK))(
  'random results of random programs, from seed %d',
  async (first) => {
    let explored = 0;
    const confirmed = { yes: 0, no: 0 };
    for (let seed = first; seed < first + BLOCK; seed++) {
      const random = sequence(seed);
      const program = programOf(random);
      const machine = await machineWithFiles(program);
      if (machine === null) continue;
      const verification = verify(machine, { ...OPTIONS, maxConfigurations: 300 });
      if (verification.stoppedBy !== null) continue;
      explored++;
      for (let round = 0; round < 20; round++)
        expect(randomRun(verification, random), `seed ${seed}\n${program}`).toEqual([]);
      for (const { trace } of verification.ends) confirmed[trace.isConfirmed ? 'yes' : 'no']++;
    }
    expect(explored).toBeGreaterThan(BLOCK / 3);
    expect(confirmed.yes).toBeGreaterThan(0);
    expect(confirmed.no).toBeLessThanOrEqual(confirmed.yes / 10);
  },
);

test('an agent that is the tool of a CALL counts as that tool and as the agent, with the price of the agent', async () => {
  // The tool `cheap` is the agent `dear`.
  const machine = await machineOf(
    lines('STATE: A', '  CALL: x = cheap', '  DO: y = Task(cheap) "more"', '  RETURN: ok'),
  );
  const verification = verify(machine, { ...OPTIONS, maxCost: { dear: 0.1, cheap: 0.03 } });
  expect([boundIn(verification, 'Task(dear)'), boundIn(verification, 'Task(cheap)')]).toEqual([1, 1]);
  expect(verification.bounds.find(({ kind }) => kind === 'cost')?.reserved).toBeCloseTo(0.13);
  expect(
    verdictsOf(machine, [
      'NEVER: run Task(dear)',
      'NEVER: run CALL cheap',
      'AT MOST: 1 run Task(dear)',
      'AT MOST: 1 run CALL cheap',
      'NEVER: run "cheap"',
    ]),
  ).toEqual(['violated', 'violated', 'proved', 'proved', 'violated']);
});
