/**
 * Runs of random programs with random outcomes do nothing that the exploration did not see: each run ends in a known way, and
 * enters states and makes calls no more often than the bounds say, and has every property that was proved.
 */
import { expect, test } from 'vitest';
import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import { advance, link, type Run, settle, startRun } from '../../src/interpreter/run.js';
import type { Slot } from '../../src/interpreter/run-state/thread.js';
import { runOptionsOf } from '../../src/lab/foresight/foresight-options.js';
import { type MonitoredRule, type MonitorState, type Monitors, monitorsOf } from '../../src/lab/foresight/monitors.js';
import type { Property } from '../../src/lab/foresight/properties.js';
import type { Verification } from '../../src/lab/foresight/verify-machine.js';
import { verify } from '../../src/lab/foresight/verify-machine.js';
import type { Machine } from '../../src/machine/machine.js';
import { amount, tries } from '../amount.js';
import { FIRST, machineOrNull, OPTIONS, sequence } from './programs.js';
import { propertiesOf } from './rules.js';

const STATES = ['A', 'B', 'C'];
const VALUES = ['1', '2', '-1', '2.5', '"skip"', '"ok"', 'true', 'null', '{"a": 1}', '{"a": "ok"}', '[]', '[1]'];

/** A program without lists that it goes through. */
function programOf(random: (below: number) => number): string {
  const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T;
  const condition = (): string =>
    pick([
      () => `n >= ${random(4)}`,
      () => `n == ${random(5)}`,
      () => `m < ${random(3)}`,
      () => `x == ${pick(['1', '"skip"', 'true', '2.5'])}`,
      () => `x > ${random(3)}`,
      () => 'x is not empty',
      () => 'x.a? is not null',
      () => `x.a == ${pick(['1', '"ok"'])}`,
      () => `n > 1 AND x == ${random(3)}`,
      () => `NOT (x == "ok" OR n == ${random(3)})`,
      () => `exit_code(x) == ${random(3)}`,
      () => 'x is null',
      () => 'len(x) > 1',
      () => 'x contains "k"',
    ])();
  const action = (): string =>
    pick([
      () => 'RETURN: done',
      () => `GOTO: ${pick(STATES)}`,
      () => 'INCREMENT: n',
      () => 'INCREMENT: m by -1',
      () => 'SET: n = 0',
      () => 'EMIT: SEEN n={n}',
    ])();
  return STATES.map((state) => {
    const lines = [`STATE: ${state}`, '  TRACK: n', '  TRACK: m = 2', '  CHECK: x = cat v'];
    for (let count = 1 + random(3); count > 0; count--) lines.push(`  IF: ${condition()} → ${action()}`);
    if (random(2) === 0) lines.push('  INCREMENT: n');
    if (random(4) === 0) lines.push(`  DO [retry=${random(3)}]: make it`);
    lines.push(random(3) === 0 ? '  RETURN' : `  GOTO: ${pick(STATES)}`);
    if (random(4) === 0)
      lines.push(`  ON ERROR${pick(['', ' tool_failure', ' bad_value', ' not_json'])}: → RETURN: {error_type}`);
    return lines.join('\n');
  }).join('\n');
}

function randomOutcome(random: (below: number) => number): Outcome {
  const exit = random(3) === 0 ? random(3) : 0;
  const text = random(8) === 0 ? '' : (VALUES[random(VALUES.length)] as string);
  if (random(10) === 0) return { kind: 'not-started', reason: 'it does not exist' };
  return { kind: 'exited', exit, stdout: { text, bytes: text.length }, stderr: '', duration_ms: 0 };
}

const RULES = [
  'NEVER: event SEEN',
  'NEVER: event SEEN n=2',
  'NEVER: event SEEN WHEN n > 2',
  'NEVER: state C WHEN m < 1',
  'NEVER: state B WHEN n == 1',
  'NEVER: returned "done"',
  'NEVER: returned UNLESS event SEEN',
  'NEVER: state C UNLESS failed',
  'AT MOST: 1 state B',
  'AT MOST: 2 state A WHEN n > 0',
  'AT MOST: 3 run "cat *"',
  'AFTER: state B → state C',
  'AFTER: event SEEN → returned',
  'AFTER: failed → returned WHEN n < 2',
  'ENDS: returned',
  'REACHES: state C',
  'REACHES: event SEEN n=3',
  'REACHES: failed bad_value WHEN n == 1',
  'REACHES: returned "done" WHEN m == 0',
];

/** Some rules about what the program has. */
function randomRules(machine: Machine, random: (below: number) => number): readonly Property[] {
  const code = machine.states.flatMap((state) => state.code);
  const has = code.some((one) => one.op === 'emit' && one.event === 'SEEN');
  const returns = code.some((one) => one.op === 'return' && JSON.stringify(one).includes('"done"'));
  const rules = RULES.filter(
    (rule) => random(6) === 0 && (has || !rule.includes('SEEN')) && (returns || !rule.includes('"done"')),
  );
  return propertiesOf(machine, rules);
}

/** What a run shows of a property that does not hold, although its verdict says so. */
class RuleCheck {
  private state: MonitorState;
  private readonly tracked: Slot[] = [];
  private readonly monitors: Monitors;

  constructor(
    private readonly rule: MonitoredRule,
    private readonly verdict: string,
  ) {
    this.monitors = monitorsOf([rule]);
    this.state = this.monitors.first;
  }

  problemsIn(run: Run, events: readonly RunEvent[]): string[] {
    const isOver = run.result !== null;
    const seen = this.monitors.step(this.state, {
      ...{ run, events, isOver, knowledge: null, trackedBefore: [...this.tracked] },
    });
    for (const event of events)
      if (event.type === 'tracked_set')
        this.tracked[run.linked.machine.tracked.indexOf(event.name)] = event.value as Slot;
    this.state = seen.state;
    const { rule, verdict } = this;
    const isWrongEnd = rule.kind === 'ends' && isOver && rule.statuses?.includes(run.result?.status ?? '') === false;
    const isShown = rule.kind === 'reaches' ? seen.awoken.length > 0 : isWrongEnd || seen.violated.length > 0;
    const isExcluded = rule.kind === 'reaches' ? verdict === 'violated' : /proved|bounded|vacuous/.test(verdict);
    return isShown && isExcluded ? [`${rule.text} is ${verdict}`] : [];
  }
}

/** What a run did, as far as it got. */
function randomRun(
  verification: Verification,
  properties: readonly Property[],
  random: (below: number) => number,
): string[] {
  const { machine, bounds, ends } = verification;
  const checks = properties.map(
    ({ rules: [rule] }, at) => new RuleCheck(rule as MonitoredRule, verification.properties[at]?.verdict ?? ''),
  );
  const wrong: string[] = [];
  const run = startRun(link(machine), runOptionsOf(machine, { inputs: {} }));
  const counts = new Map<string, number>();
  for (let step = 0; step < 60 && run.result === null; step++) {
    advance(run, 1000);
    const events = run.takeEvents();
    for (const check of checks) wrong.push(...check.problemsIn(run, events));
    for (const event of events) {
      const what =
        event.type === 'state_entered'
          ? `state ${event.state}`
          : event.type === 'effect_requested'
            ? `line ${event.line} ${event.text}`
            : null;
      if (what !== null) counts.set(what, (counts.get(what) ?? 0) + 1);
    }
    run.takeRequests();
    const [effect] = run.pending.keys();
    if (effect !== undefined) settle(run, effect, randomOutcome(random));
  }
  for (const [what, count] of counts) {
    const bound = bounds.find((one) => one.what === what);
    if (bound === undefined) wrong.push(`${what} was not explored`);
    else if (bound.atMost !== null && count > bound.atMost) wrong.push(`${what} ${count} times, not ${bound.atMost}`);
  }
  const { result } = run;
  if (result === null) return wrong;
  const kind = result.error?.kind ?? null;
  if (!ends.some(({ status, state, error }) => status === result.status && state === result.state && error === kind))
    wrong.push(`${result.status} ${kind} in ${result.state} is no known end`);
  return wrong;
}

/** A block is a test, so that none takes long. */
const BLOCK = amount(8, 250);
const blocks = Array.from({ length: tries(1, 20) }, (_, at) => FIRST + at * BLOCK);

test.each(blocks)('random runs of random programs, from seed %d', (first) => {
  let explored = 0;
  // Values with all of the facts of a loop cannot always be found: a text of one character is not "ok".
  const confirmed = { yes: 0, no: 0 };
  const verdicts = new Set<string>();
  for (let seed = first; seed < first + BLOCK; seed++) {
    const random = sequence(seed);
    const program = programOf(random);
    const machine = machineOrNull(program);
    if (machine === null) continue;
    // Each rule doubles what is to be explored, so only some programs have any.
    const properties = seed % 5 === 1 ? randomRules(machine, random) : [];
    const verification = verify(machine, { ...OPTIONS, maxConfigurations: 3000, properties });
    if (verification.stoppedBy !== null) continue;
    explored++;
    for (let round = 0; round < 20; round++)
      expect(randomRun(verification, properties, random), `seed ${seed}\n${program}`).toEqual([]);
    for (const { verdict } of verification.properties) verdicts.add(verdict);
    for (const { kind, severity, isOnlyPossible } of verification.defects)
      if (kind === 'endless' && (severity === 'error' || isOnlyPossible))
        confirmed[isOnlyPossible === true ? 'no' : 'yes']++;
  }
  expect(explored).toBeGreaterThan(BLOCK / 3);
  expect(confirmed.no).toBeLessThanOrEqual(confirmed.yes / 10);
});
