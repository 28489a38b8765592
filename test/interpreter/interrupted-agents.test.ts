/** An agent that its runner took along learns that it may have begun before; one that had ended does not. */
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { Replay } from '../../src/interpreter/record/replay.js';
import type { EffectRequest } from '../../src/interpreter/request.js';
import { advance, link, startRun } from '../../src/interpreter/run.js';
import { compile } from '../../src/language/check/compile.js';
import { OPTIONS } from './machine-builder.js';

const { machine } = compile('DO: a = Task(helper) "go"\nRETURN: {a}\n', { lookups: {} });
const linked = link(machine as NonNullable<typeof machine>);

/** The request that the next process performs, if the record has this part of the events. */
function requestAfter(end: number | undefined, ended: readonly string[] = []): Partial<EffectRequest> | undefined {
  const first = startRun(linked, OPTIONS);
  while (advance(first) === 'more');
  const asIs = (event: RunEvent): RunEvent => event;
  const options = { toRecorded: asIs, toCompared: asIs, complete: <T>(outcome: T): T => outcome, migrate: () => null };
  const replay = new Replay(startRun(linked, OPTIONS), options, false);
  for (const [at, event] of first.takeEvents().slice(0, end).entries()) replay.take(at + 1, event);
  replay.rest();
  return replay.release(new Set(ended)).takeRequests()[0];
}

test('a call whose request is on record', () => {
  expect(requestAfter(undefined)).toMatchObject({ kind: 'agent', effect: '1', again: true });
});

test('a call that had not been made, and one that had ended', () => {
  for (const request of [requestAfter(-1), requestAfter(undefined, ['1'])]) {
    expect(request).toMatchObject({ kind: 'agent', effect: '1' });
    expect(request).not.toHaveProperty('again');
  }
});
