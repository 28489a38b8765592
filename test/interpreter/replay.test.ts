/** What a record says is not done again, and what it does not say is: rebuilding a run event by event. */
import { describe, expect, test } from 'vitest';
import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import { Replay, type ReplayOptions } from '../../src/interpreter/record/replay.js';
import { cancelRun, link, restoreRun, snapshotOf, startRun } from '../../src/interpreter/run.js';
import { compile } from '../../src/language/check/compile.js';
import type { Json } from '../../src/machine/expression.js';
import { OPTIONS } from './machine-builder.js';
import { ScriptedProgram } from './scripted-program.js';

const scripted = (text: string): ScriptedProgram => new ScriptedProgram(text, { restored: false, clockMs: 1000 });

const asIs = <T>(one: T): T => one;
const PLAIN: ReplayOptions = { toRecorded: asIs, toCompared: asIs, complete: asIs, migrate: () => null };

function linkedOf(text: string) {
  const { machine } = compile(text, { lookups: {} });
  return link(machine as NonNullable<typeof machine>);
}

const replayOf = (text: string, options: Partial<ReplayOptions> = {}): Replay =>
  new Replay(startRun(linkedOf(text), OPTIONS), { ...PLAIN, ...options }, false);

/** Takes events, which all must be those of the program. */
function fed(replay: Replay, events: readonly RunEvent[]): Replay {
  for (const [at, event] of events.entries()) expect(replay.take(at + 1, event), `event ${at + 1}`).toBeNull();
  return replay;
}

const inDoubt = (replay: Replay): string[] =>
  replay.inDoubt().map((request) => ('text' in request ? request.text : request.kind));
const kindsOf = (events: readonly RunEvent[]): string[] => events.map(({ type }) => type);
const indexOf = (events: readonly RunEvent[], type: RunEvent['type'], effect?: string): number =>
  events.findIndex(
    (event) => event.type === type && (effect === undefined || ('effect' in event && event.effect === effect)),
  );

const ONE = 'STATE: A\n  DO: one\n  DO: two\n  RETURN: well\n';
const BOTH = 'STATE: A\n  DO: in PARALLEL:\n    - one\n    - two\n  DO: three\n';
const FIRST = 'STATE: A\n  DO: in PARALLEL [quorum=1]:\n    - one\n    - two\n  DO: three\n';
const EACH = `STATE: A\n  FOR EACH: n in [1, 2] in PARALLEL\n    DO: one {n}\n    EMIT: DONE n={n}\n    DO: two {n}\n  DO: three\n`;

describe('in doubt', () => {
  test('is a command whose request is on record, until its outcome is', () => {
    const { events } = scripted(ONE).end('one');
    const requested = indexOf(events, 'effect_requested') + 1;
    expect(inDoubt(fed(replayOf(ONE), events.slice(0, requested - 1)))).toEqual([]);
    expect(inDoubt(fed(replayOf(ONE), events.slice(0, requested)))).toEqual(['one']);
    expect(inDoubt(fed(replayOf(ONE), events.slice(0, requested + 1)))).toEqual([]);
    expect(inDoubt(fed(replayOf(ONE), events))).toEqual(['two']);
  });

  test('is no member that was stopped, and it is neither started nor stopped again', () => {
    const { events } = scripted(FIRST).end('one');
    const replay = fed(replayOf(FIRST), events);
    expect(inDoubt(replay)).toEqual(['three']);
    const run = replay.release();
    expect(run.takeRequests()).toMatchObject([{ text: 'three' }]);
    expect(run.takeCancellations()).toEqual([]);
  });

  test('are all commands that a checkpoint waits for, but no question and no timer', () => {
    const text = 'STATE: A\n  DO: in PARALLEL:\n    - one\n    - WAIT: 5s\n    - ASK user: "Two?" → two\n';
    const { run, events } = scripted(text);
    const linked = linkedOf(text);
    const image = JSON.parse(JSON.stringify(snapshotOf(run))) as Json;
    expect(inDoubt(new Replay(restoreRun(linked, image, OPTIONS), PLAIN, true))).toEqual(['one']);
    expect(inDoubt(fed(replayOf(text), events))).toEqual(['one']);
  });

  test('is an agent that waits for its service only when it was called again', () => {
    const text = 'DO: a = Task(helper) "go"\n';
    const unavailable = { until_ms: 5000, at_ms: 1000, message: 'busy' };
    const outcome = {
      kind: 'exited',
      exit: 1,
      signal: null,
      stdout: { text: '', bytes: 0 },
      stderr: '',
      duration_ms: 1,
    };
    const program = scripted(text).end('agent helper', { ...outcome, unavailable } as unknown as Outcome);
    program.end('timer', { kind: 'value', value: 5000 });
    expect(program.calls).toHaveLength(2);
    const { events } = program;
    expect(fed(replayOf(text), events.slice(0, -1)).inDoubt()).toEqual([]);
    expect(fed(replayOf(text), events).inDoubt()).toHaveLength(1);
  });

  test('a command is requested again as it was', () => {
    const run = fed(replayOf(ONE), scripted(ONE).events).release();
    expect(run.takeRequests()).toMatchObject([{ effect: '1', text: 'one' }]);
    const again = fed(replayOf(ONE), scripted(ONE).events).release().takeRequests();
    expect(again[0]).not.toHaveProperty('again');
  });
});

describe('the record', () => {
  test('may have outcomes that came together, before anything followed from them', () => {
    const program = scripted(BOTH).end('one').end('two').end('three');
    const { events } = program;
    const [one, two] = ['1.1.1', '1.2.1'].map((effect) => indexOf(events, 'effect_settled', effect)) as [
      number,
      number,
    ];
    expect(two).toBe(one + 1);
    expect(fed(replayOf(BOTH), events).rest()).toEqual([]);
    const asks = `STATE: A
  FOR EACH: n in [1, 2] in PARALLEL
    IF: n == 1 → ASK user: "?" → x
    IF: n == 2 → ASK user: "?" → y
    EMIT: DONE n={n}
    DO: one {n}
`;
    const made = scripted(asks).answer('ask x', 1).answer('ask y', 2).events;
    const [x, y] = ['1.1.1', '1.2.1'].map((effect) => indexOf(made, 'answered', effect)) as [number, number];
    expect(y).toBeGreaterThan(x + 1);
    fed(replayOf(asks), [...made.slice(0, x + 1), made[y] as RunEvent, ...made.slice(x + 1, y), ...made.slice(y + 1)]);
    const asked = 'STATE: A\n  DO: in PARALLEL:\n    - ASK user: "?" → x\n    - ASK user: "?" → y\n  DO: three\n';
    const answers = scripted(asked).answer('ask x', 1).answer('ask y', 2);
    expect(fed(replayOf(asked), answers.events).rest()).toEqual([]);
    // Both outcomes were there before the first member went on.
    const both = scripted(EACH);
    const outcomes = both.end('one 1').end('one 2').events;
    const late = indexOf(outcomes, 'effect_settled', '1.2.1');
    const early = indexOf(outcomes, 'effect_settled', '1.1.1') + 1;
    expect(late).toBeGreaterThan(early);
    const together = [
      ...outcomes.slice(0, early),
      outcomes[late] as RunEvent,
      ...outcomes.slice(early, late),
      ...outcomes.slice(late + 1),
    ];
    expect(fed(replayOf(EACH), together).rest()).toEqual([]);
  });

  test('may end a run in the middle of its computing', () => {
    const text = 'STATE: A\n  TRACK: n\n  INCREMENT: n\n  IF: n < 5 → GOTO: A\n  RETURN: {n}\n';
    const { events } = scripted(text);
    const entered = events.flatMap(({ type }, at) => (type === 'state_entered' ? [at] : []));
    const third = (entered[2] as number) + 1;
    for (const end of [
      { type: 'run_cancelled', by: 'ann' },
      { type: 'budget_exceeded', scope: 'time', limit: 1, used: 2 },
      { type: 'budget_exceeded', scope: 'journal', limit: 1, used: 2 },
      { type: 'budget_exceeded', scope: 'output', limit: 1, used: 2 },
    ] as readonly RunEvent[]) {
      const replay = fed(replayOf(text), [...events.slice(0, third), end]);
      expect(replay.run.result?.status).toBe('failed');
    }
    const own = { type: 'budget_exceeded', scope: 'transitions', limit: 1, used: 2 } as RunEvent;
    expect(fed(replayOf(text), events.slice(0, third)).take(third + 1, own)).not.toBeNull();
  });

  test('has what happened to its process, which is not part of the run', () => {
    const { events } = scripted(ONE).end('one');
    const between = [
      { type: 'run_suspended', waiting: [] },
      { type: 'run_interrupted', signal: 'SIGTERM' },
      { type: 'worktree_committed', commit: 'c' },
      { type: 'run_resumed', by: 'ann' },
      { type: 'warned', message: 'a full disk', state: 'A', line: 0, by: 'runner' },
    ] as unknown as readonly RunEvent[];
    expect(fed(replayOf(ONE), [...events.slice(0, 3), ...between, ...events.slice(3)]).rest()).toEqual([]);
  });

  test('may be of a time when a text was not secret yet', () => {
    const text = 'STATE: A\n  EMIT: "hunter2"\n  DO: one\n';
    const toRecorded = (event: RunEvent): RunEvent => JSON.parse(JSON.stringify(event).replaceAll('hunter2', '***'));
    const { events } = scripted(text);
    fed(replayOf(text, { toRecorded }), events);
    fed(replayOf(text, { toRecorded }), events.map(toRecorded));
  });

  test.each<[string, RunEvent]>([
    ['another effect', { type: 'answered', effect: '9', id: 'x', name: 'x', value: 1, by: 'ann' }],
    ['a command', { type: 'answered', effect: '1', id: 'x', name: 'x', value: 1, by: 'ann' }],
    [
      'an effect that was not begun',
      { type: 'effect_settled', effect: '9', attempt: 1, outcome: { kind: 'value', value: 1 } },
    ],
    ['another attempt', { type: 'effect_settled', effect: '1', attempt: 2, outcome: { kind: 'value', value: 1 } }],
  ])('with something for %s is not that of the program', (_, event) => {
    const { events } = scripted(ONE);
    const replay = fed(replayOf(ONE), events);
    expect(replay.take(events.length + 1, event)).toMatchObject({ recorded: event, made: null });
    expect(inDoubt(replay)).toEqual(['one']);
  });

  test('that lacks what follows is told the rest', () => {
    const { events } = scripted(ONE).end('one');
    const settled = indexOf(events, 'effect_settled') + 1;
    const replay = fed(replayOf(ONE), events.slice(0, settled));
    expect(replay.isBetweenEvents).toBe(true);
    expect(replay.advanceToWait()).toBe(true);
    expect(replay.isBetweenEvents).toBe(false);
    expect(kindsOf(replay.rest())).toEqual(kindsOf(events.slice(settled)));
    expect(replay.advanceToWait()).toBe(false);
  });
});

describe('an outcome that no longer counts', () => {
  const RETRIED = 'STATE: A\n  DO [retry=1]: one\n  DO: two\n';

  test('leaves its effect open, and what follows from it is not compared', () => {
    const { events } = scripted(ONE).end('one').end('two');
    const settled = indexOf(events, 'effect_settled', '1');
    const replay = fed(replayOf(ONE), events.slice(0, settled));
    replay.leaveOut();
    expect(replay.isBetweenEvents).toBe(false);
    for (const [at, event] of events.slice(settled + 1).entries()) expect(replay.take(at, event)).toBeNull();
    expect(inDoubt(replay)).toEqual(['one']);
    replay.run.takeEvents();
    expect(replay.advanceToWait()).toBe(false);
    expect(replay.rest()).toEqual([]);
  });

  test('leaves the others to go on, and what they do now is not part of the record', () => {
    const { events } = scripted(EACH).end('one 2');
    const settled = indexOf(events, 'effect_settled', '1.2.1');
    const replay = fed(replayOf(EACH), events.slice(0, settled));
    replay.leaveOut();
    expect(replay.take(settled + 1, events[settled] as RunEvent)).toBeNull();
    expect(replay.advanceToWait()).toBe(true);
    expect(replay.rest()).toEqual([]);
    const after = fed(replayOf(EACH), events.slice(0, settled));
    after.leaveOut();
    for (const event of events.slice(settled)) expect(after.take(1, event)).toBeNull();
    expect(inDoubt(after)).toEqual(['one {n}', 'two {n}']);
  });

  test('is not replaced by that of another attempt or of a member that was stopped', () => {
    const retried = scripted(RETRIED).fail('one').end('one');
    const first = indexOf(retried.events, 'effect_settled', '1');
    const replay = fed(replayOf(RETRIED), retried.events.slice(0, first));
    replay.leaveOut();
    for (const event of retried.events.slice(first + 1)) expect(replay.take(1, event)).toBeNull();
    expect(replay.inDoubt()).toMatchObject([{ effect: '1', attempt: 1 }]);
    const { events } = scripted(FIRST).end('one');
    const won = indexOf(events, 'effect_settled', '1.1.1');
    const stopping = fed(replayOf(FIRST), events.slice(0, won));
    stopping.leaveOut();
    for (const event of events.slice(won + 1)) expect(stopping.take(1, event)).toBeNull();
    expect(inDoubt(stopping)).toEqual(['one', 'two']);
  });

  test('and then a resume: from there on everything is compared again', () => {
    const { events } = scripted(ONE).fail('one', 'broken');
    const settled = indexOf(events, 'effect_settled', '1');
    const resumed: RunEvent = { type: 'run_resumed', by: 'ann', from: settled + 2, without: [settled + 1] };
    const replay = fed(replayOf(ONE), events.slice(0, settled));
    replay.leaveOut();
    expect(replay.take(settled + 3, resumed)).toBeNull();
    expect(inDoubt(replay)).toEqual(['one']);
    const { events: well } = scripted(ONE).end('one').end('two');
    const after = well.slice(settled);
    fed(replay, after);
    expect(replay.rest()).toEqual([]);
    const other = { type: 'warned', message: 'x', state: 'A', line: 1 } as RunEvent;
    expect(replay.take(99, other)).not.toBeNull();
  });
});

describe('a resume', () => {
  const resumed = (more: object): RunEvent => ({ type: 'run_resumed', by: 'ann', ...more }) as RunEvent;

  test('adds what was spent on outcomes that no longer count', () => {
    const tokens = { in: 1, out: 2, cache_read: 3, cache_write: 4 };
    const replay = fed(replayOf(ONE), [...scripted(ONE).events, resumed({ spent: { cost: 1.5, tokens } })]);
    expect(replay.run.usage.cost).toBe(1.5);
  });

  test('skips the numbers of effects that no longer count', () => {
    const replay = fed(replayOf(ONE), [...scripted(ONE).events, resumed({ begun: { '': 7 } })]);
    const { events } = scripted(ONE).end('one');
    const outcome = events[indexOf(events, 'effect_settled', '1')] as RunEvent;
    expect(replay.take(50, outcome)).toBeNull();
    replay.advanceToWait();
    expect(replay.release().takeRequests()).toMatchObject([{ effect: '8', text: 'two' }]);
  });

  test('may go on with other limits', () => {
    const text =
      'LIMIT: transitions=3\nSTATE: A\n  DO: one\n  GOTO: B\nSTATE: B\n  DO: two\n  GOTO: C\nSTATE: C\n  DO: three\n';
    const replay = fed(replayOf(text), [...scripted(text).events, resumed({ limits: { transitions: 1 } })]);
    expect(replay.run.limits).toMatchObject({ transitions: 1 });
  });

  test('without its program cannot go on', () => {
    const event = resumed({ digest: 'other' });
    expect(fed(replayOf(ONE), scripted(ONE).events).take(9, event)).toEqual({ seq: 9, recorded: event, made: null });
  });

  test('with another program does what that one does', () => {
    const { events, run } = scripted(ONE);
    const other = linkedOf(ONE.replace('two', 'other'));
    const image = JSON.parse(JSON.stringify(snapshotOf(run))) as Json;
    const migrate = () => restoreRun(other, image, OPTIONS);
    const replay = fed(replayOf(ONE, { migrate }), [...events, resumed({ digest: 'other' })]);
    expect(inDoubt(replay)).toEqual(['one']);
    const after = scripted(ONE).end('one').events;
    replay.take(50, after[indexOf(after, 'effect_settled', '1')] as RunEvent);
    replay.advanceToWait();
    expect(replay.release().takeRequests()).toMatchObject([{ text: 'other' }]);
  });
});

test('a run that was cancelled is cancelled in its record at the same point', () => {
  const program = scripted(ONE).end('one');
  cancelRun(program.run, 'ann');
  const events = [...program.events, ...program.run.takeEvents()];
  expect(fed(replayOf(ONE), events).rest()).toEqual([]);
});
