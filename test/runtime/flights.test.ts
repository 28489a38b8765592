/** Effects in flight and open questions, without a run: what is kept, dropped and reported. */
import { expect, test } from 'vitest';
import type { Outcome } from '../../src/interpreter/events/event.js';
import type { EffectRequest } from '../../src/interpreter/request.js';
import { Flights, Questions } from '../../src/runtime/run/flights.js';

const outcome = (value: number): Outcome => ({ kind: 'value', value });
const request = (effect: string): EffectRequest => ({ effect, kind: 'clock', attempt: 1, delayMs: 0 }) as EffectRequest;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('outcomes come out in their order, without that of an effect that was stopped', async () => {
  const flights = new Flights();
  for (const effect of ['1', '2', '3']) expect(flights.start(request(effect), () => outcome(1))).toBe(true);
  expect(flights.isEmpty).toBe(true);
  flights.stop('2');
  expect([flights.takeNext()?.effect, flights.takeNext()?.effect, flights.takeNext()]).toEqual(['1', '3', null]);
});

test('the first error is thrown where outcomes are taken, and the loop is woken for it', async () => {
  const flights = new Flights();
  for (const effect of ['1', '2']) flights.start(request(effect), () => Promise.reject(new Error(`bug ${effect}`)));
  await turn();
  await flights.somethingFinished();
  expect(() => flights.takeNext()).toThrow('bug 1');
  const other = new Flights();
  other.finish({ kind: 'outcome', effect: '1', outcome: outcome(1) });
  await other.somethingFinished();
  expect(other.takeNext()?.effect).toBe('1');
});

test('what was stopped is waited for once, and stopping everything wakes the loop', async () => {
  const flights = new Flights();
  let end = (_: Outcome): void => undefined;
  const running = new Promise<Outcome>((resolve) => {
    end = resolve;
  });
  flights.start(request('1'), () => running);
  flights.stop('1');
  const stopped = flights.whenStopped();
  expect([stopped !== null, flights.whenStopped()]).toEqual([true, null]);
  const woken = flights.somethingFinished();
  flights.stopAll();
  await woken;
  end(outcome(1));
  await stopped;
  expect([flights.isEmpty, flights.takeNext()]).toEqual([true, null]);
});

test('the next attempt of an effect stays in flight when the one before has ended', async () => {
  const flights = new Flights();
  flights.start(request('1'), () => turn().then(() => outcome(1)));
  flights.stop('1');
  flights.start(request('1'), () => new Promise(() => undefined));
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(flights.size).toBe(1);
});

test('a question that was closed is not open', () => {
  const questions = new Questions(null, { by: 'ann' }, new Flights());
  const ask = { ...request('1'), kind: 'ask', name: 'x' } as Parameters<Questions['put']>[0];
  questions.put(ask);
  expect(questions.openOne('1')).toBe(ask);
  questions.close('1');
  expect(questions.openOne('1')).toBeUndefined();
});
