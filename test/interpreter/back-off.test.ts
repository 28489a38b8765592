/** How long a run pauses before it does something again. */
import { expect, test } from 'vitest';
import type { Outcome } from '../../src/interpreter/events/event.js';
import { doubledMs } from '../../src/interpreter/instructions/wait-instructions.js';
import type { EffectRequest } from '../../src/interpreter/request.js';
import { link, startRun } from '../../src/interpreter/run.js';
import {
  type Code,
  constant,
  done,
  drive,
  execute,
  local,
  machine,
  OPTIONS,
  printed,
  shell,
  World,
} from './machine-builder.js';

test('a pause doubles after each attempt up to its maximum, and is a random part of that', () => {
  const pause = { pauseMs: 100, upToMs: 1000 };
  expect([1, 2, 3, 4, 5, 50].map((after) => doubledMs(pause, after, 0.5))).toEqual([50, 100, 200, 400, 500, 500]);
  expect([0, 0.25, 0.999].map((chance) => doubledMs(pause, 2, chance))).toEqual([0, 50, 200]);
  expect([1, 2, 9].map((after) => doubledMs({ pauseMs: 100 }, after, 0.5))).toEqual([50, 50, 50]);
});

const agent: Code = {
  op: 'agent',
  agent: 'scout',
  prompt: ['Look.'],
  args: [],
  ok: [0],
  reading: 'do',
  bind: { slot: 0 },
  retry: { times: 1, pauseMs: 0 },
  text: 'Task(scout)',
};
const program = machine({ A: { locals: ['x'], code: [agent, done(local(0))] } });

/** The agent cannot be called at this time, and names a time at which it can, or none. */
const away = (atMs: number, untilMs: number | null = null): Outcome => ({
  ...(printed('', 1) as Outcome & { kind: 'exited' }),
  unavailable: { cause: 'usage', message: 'away', at_ms: atMs, until_ms: untilMs },
});

test('an unavailable agent is called later and later, at most every five minutes, and that counts as no attempt', () => {
  const answers = [...new Array<Outcome>(11).fill(away(0)), printed('', 1, 'no'), away(0), printed('found')];
  const { events, run } = execute(program, { scout: answers });
  const pauses = events.flatMap((event) => (event.type === 'timer_set' ? [event.until / 1000] : []));
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 1]);
  const attempts = events.flatMap((event) => (event.type === 'effect_requested' ? [event.attempt] : []));
  expect(attempts).toEqual([...new Array<number>(12).fill(1), 2, 2]);
  expect(run.result?.value).toBe('found');
  expect(run.usage.effects).toBe(1);
});

test('a request says how often its attempt has waited, so that a cassette finds its outcome', () => {
  const waits: unknown[] = [];
  class Asked extends World {
    override answer(request: EffectRequest): Outcome | null {
      if (request.kind === 'agent') waits.push(request.waits);
      return super.answer(request);
    }
  }
  const answers = [away(0), away(0), printed('', 1, 'no'), printed('found')];
  drive(startRun(link(program), OPTIONS), new Asked({ scout: answers }));
  expect(waits).toEqual([undefined, 1, 2, undefined]);
});

test('an agent that names a time is called then, unless that time has passed', () => {
  const { events } = execute(program, { scout: [away(5000, 9000), away(9000, 9000), away(10_000, 1), 'found'] });
  const times = events.flatMap((event) => (event.type === 'timer_set' ? [event.until] : []));
  expect(times).toEqual([9000, 11_000, 14_000]);
});

test('a command that was stopped by its guard is not an unavailable agent', () => {
  const guarded: Outcome = { ...away(0), guard: { name: 'max_turns', message: 'too many' } } as Outcome;
  const { events, run } = execute(program, { scout: guarded });
  expect(events.some(({ type }) => type === 'timer_set')).toBe(false);
  expect(run.result?.error).toMatchObject({ kind: 'limit', message: 'stopped by `max_turns`: too many' });
});

test('only failures that the program names are retried', () => {
  const command = shell('cmd', { retry: { times: 2, pauseMs: 0 }, retryOn: ['timeout'] } as object);
  const failing = machine({ A: { code: [command, done(constant('over'))] } });
  const late: Outcome = {
    kind: 'timed-out',
    timeout_ms: 5,
    stdout: { text: '', bytes: 0 },
    stderr: '',
    duration_ms: 5,
  };
  const attempts = (first: Outcome): number =>
    execute(failing, { cmd: [first, late, printed('')] }).events.filter(({ type }) => type === 'effect_requested')
      .length;
  expect([attempts(printed('', 1)), attempts(late)]).toEqual([1, 3]);
});
