/**
 * Plans with random finishing orders come to what a naive run of one call after the other comes to, and a record of such
 * a run gives the same events again. Failing runs print their seed: give it to `fc.assert` as `seed` and `path`.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Outcome, RunEvent } from '../../../src/interpreter/events/event.js';
import type { PlanOutcome } from '../../../src/interpreter/plan/scheduler/plan-outcome.js';
import { Replay } from '../../../src/interpreter/record/replay.js';
import type { EffectRequest } from '../../../src/interpreter/request.js';
import { advance, answer, link, type Run, settle, startRun } from '../../../src/interpreter/run.js';
import { planMachine } from '../../../src/language/check/plan/plan-machine.js';
import type { Json } from '../../../src/machine/expression.js';
import type { Machine } from '../../../src/machine/machine.js';
import type { Plan } from '../../../src/machine/plan.js';
import { tries } from '../../amount.js';
import { OPTIONS } from '../machine-builder.js';
import { soundPlan } from './compiled-plan.js';
import { callsAroundInner, engineOf, inner, turns } from './plans-inside.js';
import { allSortsOfPlans, outcomeOf } from './random-plan.js';
import { runInSequence } from './sequential-plan.js';

const starts = fc.constantFrom<{ [kind: string]: Json }[]>(
  { input: {} },
  { input: { i: { j: 2 } } },
  { input: { i: 3 }, state: { l: [7], a: { x: 1 } } },
  { input: {}, state: { approvals: { p: false } } },
);

function finishingIn(plan: Plan, given: Json, salt: number, limit: number, pick: (count: number) => number) {
  const written: unknown[] = [];
  const sink = { write: (...write: unknown[]) => void written.push(structuredClone(write)), note: () => undefined };
  const engine = engineOf({ plan }, 'plan', limit, { given, sink });
  const parameters: Record<number, Json> = {};
  const flying: number[] = [];
  for (;;) {
    for (const { call, parameters: own } of engine.launchReady()) {
      parameters[call.index] = structuredClone(own);
      flying.push(call.index);
    }
    const approvals = engine.openApprovals();
    if (flying.length + approvals.length === 0) break;
    const chosen = pick(flying.length + approvals.length);
    const approval = approvals[chosen - flying.length];
    if (approval !== undefined) engine.approve(approval.key, 'yes');
    else {
      const [call] = flying.splice(chosen, 1) as [number];
      engine.settle(String(call + 1), outcomeOf(call, parameters[call], salt));
    }
  }
  const { data } = engine.root.scheduler;
  const statuses = data.callRecords().map(({ status, arm, reason }) => ({ status, arm, reason }));
  return { parameters, statuses, state: data.all() };
}

interface Became {
  readonly status: string;
  readonly arm: number | null;
  readonly reason: string | null;
}

/**
 * Calls that can never run are ruled out before people are asked for the rest of what they read. Why they never run may
 * then be another of several reasons, so those count as one.
 */
function withoutReasons(became: readonly (Became | undefined)[]) {
  return became.map((one) =>
    one?.status === 'done' || one?.arm !== null ? one : one.reason === null ? one : 'never ran',
  );
}

/** A plan with all approvals that it asked for, given from the beginning. */
function withAnswers(given: { readonly [kind: string]: Json }, state: Json): { [kind: string]: Json } {
  const { approvals } = (state as { state?: { approvals?: Json } }).state ?? {};
  return approvals === undefined ? { ...given } : { ...given, state: { ...(given.state as object), approvals } };
}

test('any finishing order comes to what one call after the other comes to', () => {
  const rounds = tries(15, 600);
  let asked = 0;
  fc.assert(
    fc.property(
      ...([allSortsOfPlans, starts, fc.nat(1e6), fc.integer({ min: 1, max: 6 }), turns] as const),
      (compiled, start, salt, limit, stream) => {
        const given = { ...compiled.given, ...start };
        const plan = { ...compiled, given };
        const pick = (count: number): number => (stream.next().value as number) % count;
        const live = finishingIn(plan, given, salt, limit, pick);
        const before = withAnswers(given, live.state);
        const perform = (call: number, own: Json): PlanOutcome => outcomeOf(call, own, salt);
        const reference = runInSequence(plan, before, perform);
        const hasAsked = JSON.stringify(before) !== JSON.stringify(given);
        if (hasAsked) asked++;
        const seen = (statuses: readonly (Became | undefined)[]) => (hasAsked ? withoutReasons(statuses) : statuses);
        expect({ ...live, statuses: seen(live.statuses) }).toEqual({
          ...reference,
          statuses: seen(reference.statuses),
        });
      },
    ),
    { numRuns: rounds },
  );
  // One in five asks: among a few, chance may leave out all of them.
  if (rounds >= 60) expect(asked).toBeGreaterThan(0);
});

const outer = soundPlan(
  {
    calls: [
      ...callsAroundInner,
      { _tool: 'limited', item: '†state.first || †state.second', index: 0, _outputPath: '†state.one || †state.late' },
      { _tool: 't', late: '†state.late', _outputPath: '†state.log', _outputMethod: 'push' },
      {
        _tool: 't',
        all: '†state.all || †state.none',
        ok: '†state.approvals.last',
        _outputPath: '†state.log',
        _outputMethod: 'push',
      },
    ],
    output: '†state.log',
    max: 3,
  },
  `{ t: { run: [t], idempotent: true }, each: { plan: inner, each: items, idempotent: true },
     limited: { plan: inner, timeout: 5s, failure: last, idempotent: true } }`,
);

function machineOf(plans: { readonly [name: string]: Plan }): Machine {
  return planMachine({ name: 'plan', file: 'plan.json', plan: 'outer', plans, inputs: [] });
}

/** What the world says about a request; the same however often and whenever it is asked. */
function outcomeFor(request: EffectRequest, salt: number): Outcome {
  if (request.kind === 'clock') return { kind: 'value', value: 1000 };
  if (request.kind === 'timer') return { kind: 'value', value: request.until };
  const parameters = request.kind === 'tool' ? request.call.parameters : null;
  const made = outcomeOf(Number(request.effect.replaceAll('.', '')) % 9973, parameters, salt);
  if (made.kind === 'result') return { kind: 'value', value: made.value };
  return { kind: 'failed', message: 'no', ...(made.kind === 'broken' ? { error_type: made.code } : { exit: 1 }) };
}

/** Runs a machine, and settles its effects in the order of `pick`. */
function ranLive(machine: Machine, salt: number, pick: (count: number) => number): { run: Run; events: RunEvent[] } {
  const run = startRun(link(machine), OPTIONS);
  const events: RunEvent[] = [];
  let open: EffectRequest[] = [];
  for (;;) {
    while (advance(run) === 'more');
    events.push(...run.takeEvents());
    open.push(...run.takeRequests());
    const gone = run.takeCancellations();
    open = open.filter(({ effect }) => !gone.includes(effect));
    open.sort((a, b) => (a.effect < b.effect ? -1 : 1));
    const questions = [...run.pending.values()].filter(({ kind }) => kind === 'approval');
    questions.sort((a, b) => (a.effect < b.effect ? -1 : 1));
    const count = open.length + questions.length;
    if (run.result !== null || count === 0) return { run, events };
    const chosen = pick(count);
    const question = questions[chosen - open.length];
    if (question !== undefined) answer(run, question.effect, 'yes', 'ann');
    else {
      const [request] = open.splice(chosen, 1) as [EffectRequest];
      settle(run, request.effect, outcomeFor(request, salt));
    }
  }
}

const asRecorded = {
  toRecorded: (event: RunEvent) => event,
  toCompared: (event: RunEvent) => event,
  complete: (outcome: Outcome) => outcome,
  migrate: () => null,
};

function expectSameFromRecord(machine: Machine, { run, events }: ReturnType<typeof ranLive>, until: number): void {
  const again = startRun(link(machine), OPTIONS);
  const replay = new Replay(again, asRecorded, false);
  events.slice(0, until).forEach((event, seq) => {
    expect(replay.take(seq, JSON.parse(JSON.stringify(event)) as RunEvent)).toBeNull();
  });
  if (until < events.length) return;
  expect(replay.rest()).toEqual([]);
  expect(again.result).toEqual(run.result);
  expect(again.data.written).toEqual(run.data.written);
}

test('the record of a run with plans inside, approvals and limits gives the same events, whole or cut off', () => {
  const machine = machineOf({ outer, inner });
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.nat(1e6), fc.nat(1000), turns, (salt, cut, stream) => {
      const live = ranLive(machine, salt, (count) => (stream.next().value as number) % count);
      expect(live.run.result).not.toBeNull();
      for (const { type } of live.events) seen.add(type);
      expectSameFromRecord(machine, live, live.events.length);
      expectSameFromRecord(machine, live, cut % live.events.length);
    }),
    { numRuns: tries(8, 300) },
  );
  expect([...seen]).toEqual(expect.arrayContaining(['asked', 'answered', 'timer_set', 'state_set', 'run_failed']));
});

test('the record of a random plan gives the same events', () => {
  fc.assert(
    fc.property(allSortsOfPlans, starts, fc.nat(1e6), turns, (compiled, start, salt, stream) => {
      const machine = machineOf({ outer: { ...compiled, given: { ...compiled.given, ...start } } });
      const live = ranLive(machine, salt, (count) => (stream.next().value as number) % count);
      expectSameFromRecord(machine, live, live.events.length);
    }),
    { numRuns: tries(5, 400) },
  );
});
