/** Turns and the object of a run, on an engine in memory: what is on record, what is started, and what is refused. */
import { beforeEach, expect, test } from 'vitest';
import { EffectEntries } from '../../src/engine/effect-entries.js';
import { programOf } from '../../src/engine/effect-outputs.js';
import type { EngineRefusal } from '../../src/engine/engine-context.js';
import type { StoredImage, Submission } from '../../src/engine/messages.js';
import { NO_ROUTES } from '../../src/engine/messages.js';
import { refuseSubmission } from '../../src/engine/refusals.js';
import type { EventLines } from '../../src/engine/run-journal.js';
import type { RunState } from '../../src/engine/run-readers.js';
import { submissionOf } from '../../src/engine/runs/submission.js';
import { secretInputsOf, variableProblem } from '../../src/engine/secret-inputs.js';
import { StartedEffects } from '../../src/engine/started-effects.js';
import { EXECUTE, ProgramRefused, type TurnHost, type WorkerRefusal } from '../../src/engine/turn-host.js';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { compile } from '../../src/language/check/compile.js';
import type { InDoubt } from '../../src/runtime/run/in-doubt.js';
import { fixedOptions } from '../../src/runtime/run/run-options.js';
import { artifactName } from '../../src/runtime/store/artifacts.js';
import { digestOf } from '../../src/runtime/store/image.js';
import type { Delivery } from '../../src/runtime/store/inbox.js';
import { readJournalLine } from '../../src/runtime/store/journal-line.js';
import { VERSION } from '../../src/runtime/version.js';
import { longTest } from '../amount.js';
import { type Cut, type OpenEntry, ScriptedEngine, SERVICES, type World } from './scripted-engine.js';

const RUN = '01900000-0000-7000-8000-000000000001';

/** Texts of functions that were started, in order. */
let started: string[] = [];
beforeEach(() => {
  started = [];
});

function submission(text: string, inDoubt: InDoubt = 'fail', more: Partial<Submission> = {}): Submission {
  const { machine, diagnostics } = compile(text, { name: 'test.dsl', commands: ['work', 'other'] });
  if (machine === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const options = fixedOptions(machine, { jobs: 4 });
  const facts = { runId: RUN, machine, digest: digestOf(machine), inputs: {}, startedAt: new Date(0).toISOString() };
  const header = { ...facts, cwd: '/', version: VERSION, sources: [], options, settings: {} };
  return { header, inDoubt, by: 'ann', ...more };
}

/** Functions end at once, except those with the argument `long`, which last until they are stopped. */
function hostFor(submitted: Submission, effects = new StartedEffects()): TurnHost {
  let names = 0;
  return {
    services: SERVICES,
    environment: {},
    submitters: null,
    functions: null,
    started: effects,
    program: async () => programOf(submitted),
    perform: async (_, __, request, { stopping: { signal: stop } }) => {
      const text = 'text' in request ? request.text : request.kind;
      started.push(text);
      const performed = { outcome: { kind: 'value', value: started.length }, at: started.length, printed: 0 };
      if (!text.includes('long')) return performed as Awaited<ReturnType<TurnHost['perform']>>;
      return new Promise((resolve) =>
        stop.addEventListener('abort', () => resolve(performed as Awaited<ReturnType<TurnHost['perform']>>)),
      );
    },
    newName: () => `attempt ${names++} of ${Math.random()}`,
    hasWorker: async ({ name }, until) => name === 'known' || (name === 'later' && until > 0),
  };
}

type Choice = (open: readonly OpenEntry[], engine: ScriptedEngine) => Promise<OpenEntry | undefined>;

/** What a turn waits for ends in the order in which it began to wait for it, unless the test chooses. */
function world(choose: Choice = async () => undefined): World {
  return {
    now: 0,
    ended: () => undefined,
    next: async (open, engine) =>
      (await choose(open, engine)) ?? (open.find(({ kind }) => kind === 'run') as OpenEntry),
  };
}

interface Setting {
  readonly choose?: Choice;
  readonly cut?: Cut;
  /** Another process executes a turn again. */
  readonly isElsewhere?: boolean;
  readonly inDoubt?: InDoubt;
}

async function submitted(text: string, { choose, cut, isElsewhere, inDoubt }: Setting = {}): Promise<ScriptedEngine> {
  const one = submission(text, inDoubt);
  const host = hostFor(one);
  const next = () => (isElsewhere === true ? hostFor(one) : host);
  const engine = new ScriptedEngine(world(choose), host, cut ?? null, next);
  await engine.call(RUN, 'submit', one);
  await engine.deliverAll();
  return engine;
}

async function eventsOf(engine: ScriptedEngine): Promise<RunEvent[]> {
  const { lines } = await engine.call<EventLines>(RUN, 'events', {});
  return lines.map((line, at) => {
    const record = readJournalLine(line);
    expect(record?.seq).toBe(at + 1);
    return record?.event as RunEvent;
  });
}

const stateOf = (engine: ScriptedEngine): Promise<RunState> => engine.call<RunState>(RUN, 'status', null);

async function refusalOf(call: Promise<unknown>): Promise<[number, string]> {
  const refusal = (await call.then(
    () => null,
    (cause: unknown) => cause,
  )) as EngineRefusal;
  return [refusal.status, refusal.message];
}

test('an effect that must not run twice is in doubt in another process, and joined in the same one', async () => {
  const text = 'DO [once]: r = work pay\nRETURN: {r}\n';
  const cut = { after: 5, during: true };
  const { report: joined } = await stateOf(await submitted(text, { cut }));
  expect([joined?.returned, started.length]).toEqual([1, 1]);
  const { report: doubtful } = await stateOf(await submitted(text, { cut, isElsewhere: true }));
  expect([doubtful?.error?.kind, started.length]).toEqual(['in_doubt', 2]);
  const again = await stateOf(await submitted(text, { cut, isElsewhere: true, inDoubt: 'retry' }));
  expect([again.report?.returned, started.length]).toEqual([4, 4]);
  const skipped = await stateOf(await submitted(text, { cut, isElsewhere: true, inDoubt: 'skip' }));
  expect([skipped.report?.status, started.length]).toEqual(['returned', 5]);
});

test('an effect that must not run twice is never in doubt in the process that put its beginning on record', async () => {
  const text = 'DO [once]: r = work pay\nRETURN: {r}\n';
  let cuts = 0;
  for (const during of [false, true])
    for (let after = 0; after < 12; after++) {
      const before = started.length;
      const engine = await submitted(text, { cut: { after, during } });
      cuts += engine.cuts;
      expect([(await stateOf(engine)).report?.status, started.length - before]).toEqual(['returned', 1]);
    }
  expect(cuts).toBeGreaterThan(12);
});

test('of two outcomes at once, the one that the engine recorded first is applied first, also after a cut', async () => {
  const text = 'DO: in PARALLEL\n  - a = work a\n  - b = work b\nRETURN: {a} {b}\n';
  for (const first of ['1.1.1', '1.2.1']) {
    const choose: Choice = async (open) => open.find(({ name }) => name.includes(`/${first}.`));
    const order = async (cut?: Cut) => {
      const engine = await submitted(text, { choose, ...(cut === undefined ? {} : { cut }) });
      const events = await eventsOf(engine);
      return events.flatMap((event) => (event.type === 'effect_settled' ? [event.effect] : []));
    };
    const whole = await order();
    expect(whole[0]).toBe(first);
    for (let after = 0; after < 12; after++) expect(await order({ after, during: false })).toEqual(whole);
  }
});

longTest('a turn that has settled 500 effects hands over to the next one without a trace in the journal', async () => {
  const text =
    'STATE: A\n  TRACK: n = 0\n  GOTO: B\nSTATE: B\n  IF: n >= 1201 → RETURN: {n}\n  INCREMENT: n\n  DO: work\n  GOTO: B\n';
  const engine = await submitted(text);
  expect(engine.turns.map(({ end }) => end)).toEqual(['limit', 'limit', 'stopped']);
  const events = await eventsOf(engine);
  expect(events.filter(({ type }) => type === 'effect_settled')).toHaveLength(1201);
  expect(events.some(({ type }) => type === 'run_suspended' || type === 'run_resumed')).toBe(false);
  expect([started.length, (await stateOf(engine)).report?.returned]).toEqual([1201, 1201]);
});

longTest('a loop that only computes hands over when its lines are many', async () => {
  const text =
    'LIMIT: transitions=60000\nSTATE: A\n  TRACK: n = 0\n  GOTO: B\nSTATE: B\n  IF: n >= 50000 → RETURN: {n}\n  INCREMENT: n\n  GOTO: B\n';
  const engine = await submitted(text);
  expect(engine.turns.length).toBeGreaterThan(2);
  expect(engine.turns.slice(0, -1).every(({ end }) => end === 'limit')).toBe(true);
  expect((await stateOf(engine)).report?.returned).toBe(50_000);
});

const LARGE = `STATE: A
  TRACK: b = ""
  TRACK: c = ""
  DO: a = work large
  SET: b = a + a + a + a
`;

longTest.each([
  ['is continued from', '  SET: c = "{b}"\n  WAIT: signal GO\n  RETURN\n'],
  ['returns', '  SET: c = {a: b, b: b}\n  RETURN: {c}\n'],
  ['says at its end', '  FAIL: {b}\n'],
])('a run that %s more than an engine can keep fails', async (_, rest) => {
  const one = submission(`${LARGE}${rest}`);
  const host: TurnHost = {
    ...hostFor(one),
    perform: async () => ({ outcome: { kind: 'value', value: 'x'.repeat(4_100_000) }, at: 1, printed: 0 }),
  };
  const engine = new ScriptedEngine(world(), host);
  await engine.call(RUN, 'submit', one);
  await engine.deliverAll();
  expect((await stateOf(engine)).report).toMatchObject({ status: 'failed', error: { kind: 'limit' } });
  const events = await eventsOf(engine);
  expect(events.at(-2)).toMatchObject({ type: 'budget_exceeded', scope: 'image' });
  expect(events.some(({ type }) => type === 'effect_settled')).toBe(true);
});

test('what is sent to a run is limited before the engine has it', async () => {
  const engine = await submitted('WAIT: signal GO\nDO: work long\n', { choose: async () => undefined });
  const signal = (length: number) => ({ kind: 'signal', name: 'OTHER', payload: 'x'.repeat(length), by: 'ann' });
  const sent = engine.call(RUN, 'tell', [signal(4_200_000)]);
  expect(await refusalOf(sent)).toEqual([400, 'what is sent to a run on an engine can have at most 4 MiB']);
  await engine.call(RUN, 'tell', [signal(3_000_000)]);
  const more = engine.call(RUN, 'tell', [signal(2_000_000)]);
  expect((await refusalOf(more))[0]).toBe(409);
});

test.each([false, true])(
  'artifacts that no submission follows are removed after a day; submitted: %s',
  async (isSubmitted) => {
    const one = submission('RETURN: x\n');
    const engine = new ScriptedEngine(world(), hostFor(one));
    for (const text of ['first', 'second'])
      await engine.call(RUN, 'store', { name: artifactName(text), content: { text }, isEarly: true });
    if (isSubmitted) await engine.call(RUN, 'submit', one);
    await engine.deliverAll();
    expect(engine.delayed.map(({ delayMs }) => delayMs)).toEqual([24 * 3_600_000]);
    await engine.deliverDelayed();
    const kept = isSubmitted ? { text: 'first' } : null;
    expect(await engine.call(RUN, 'artifact', artifactName('first'))).toEqual(kept);
  },
);

test('a run that waits has no turn, and mail begins the next one', async () => {
  const engine = await submitted('ASK user: "Go on?" → ok choices=yes,no\nRETURN: {ok}\n');
  const { status, report } = await stateOf(engine);
  expect([status, report?.status, report?.waiting.map(({ name }) => name)]).toEqual(['suspended', 'suspended', ['ok']]);
  await engine.call(RUN, 'tell', [{ kind: 'answer', name: 'ok', value: 'yes', by: 'ann' }]);
  await engine.deliverAll();
  expect((await stateOf(engine)).report?.returned).toBe('yes');
  const types = (await eventsOf(engine)).map(({ type }) => type);
  expect(types.slice(-4)).toEqual(['run_suspended', 'run_resumed', 'answered', 'run_returned']);
});

test('a run that waits for the clock continues when its time has come', async () => {
  const engine = await submitted('WAIT: 6s\nRETURN: waited\n');
  expect([(await stateOf(engine)).status, engine.delayed.map(({ delayMs }) => delayMs)]).toEqual(['suspended', [6000]]);
  await engine.deliverDelayed();
  expect((await stateOf(engine)).report?.returned).toBe('waited');
});

/** While a long effect runs, the turn reports its progress, listens, and gets what is sent then. */
function sendWhileWaiting(deliveries: readonly Delivery[]): Choice {
  let isSent = false;
  return async (open, engine) => {
    if (open.some(({ name }) => name === 'stopping')) return open.find(({ kind }) => kind === 'run');
    const listening = open.find(({ kind }) => kind === 'awakeable');
    if (listening === undefined) return open.find(({ name }) => name === 'flush') ?? undefined;
    await engine.deliverToObjects();
    if (!isSent) await engine.call(RUN, 'tell', deliveries);
    isSent = true;
    return engine.resolved.has(listening.name) ? listening : open.find(({ kind }) => kind === 'run');
  };
}

test('a turn that waits for an effect reports its progress and hears a signal', async () => {
  const text = 'DO: in PARALLEL [quorum=1]\n  - a = work long\n  - WAIT: signal GO\nRETURN: heard\n';
  const choose = sendWhileWaiting([{ kind: 'signal', name: 'GO', payload: null, by: 'ann' }]);
  const engine = await submitted(text, { choose });
  expect((await stateOf(engine)).report?.returned).toBe('heard');
  expect(engine.turns).toHaveLength(1);
  expect(engine.turns[0]?.from).toBeGreaterThan(1);
});

test('while a turn executes a run, only an answer to a question on record is accepted, and only one', async () => {
  const text = 'DO: in PARALLEL\n  - a = work\n  - ASK user: "Go on?" → ok\nRETURN: {ok}\n';
  const answer = (name: string, value: string) => [{ kind: 'answer', name, value, by: 'ann' }] as const;
  const refused: unknown[] = [];
  const send = sendWhileWaiting(answer('ok', 'yes'));
  let isHeard = false;
  const choose: Choice = async (open, engine) => {
    const isFirst = !isHeard && open.some(({ kind }) => kind === 'awakeable');
    if (isFirst) {
      await engine.deliverToObjects();
      refused.push(await refusalOf(engine.call(RUN, 'tell', answer('no', 'yes'))));
    }
    const chosen = await send(open, engine);
    if (isFirst) refused.push(await refusalOf(engine.call(RUN, 'tell', answer('ok', 'no'))));
    isHeard ||= isFirst;
    return chosen;
  };
  const engine = await submitted(text, { choose });
  expect(refused).toEqual([
    [409, 'the run does not ask for `no`: it asks for `ok`'],
    [409, expect.stringContaining('`ok` already has an answer, which the run has not taken yet')],
  ]);
  expect((await stateOf(engine)).report?.returned).toBe('yes');
  expect(engine.turns).toHaveLength(1);
});

test('a question that is asked again has no answer yet, although the turn does not listen again', async () => {
  const text = [
    'FOR EACH: n in [0, 1] in PARALLEL:',
    '  IF: n == 0 → DO: work',
    '  ELSE →',
    '    ASK user: "Go on?" → ok',
    '    ASK user: "Really {ok}?" → ok',
    'RETURN: {ok[1]}',
    '',
  ].join('\n');
  const given = new Map<string, string>();
  const choose: Choice = async (open, engine) => {
    const listening = open.find(({ kind }) => kind === 'awakeable');
    if (listening === undefined) return open.find(({ name }) => name === 'flush') ?? undefined;
    if (given.size < 2 && !given.has(listening.name)) {
      const value = given.size === 0 ? 'yes' : 'surely';
      await engine.deliverToObjects('listening');
      await engine.call(RUN, 'tell', [{ kind: 'answer', name: 'ok', value, by: 'ann' }]);
      given.set(listening.name, value);
      await engine.deliverToObjects();
    }
    return engine.resolved.has(listening.name) ? listening : open.find(({ kind }) => kind === 'run');
  };
  const engine = await submitted(text, { choose });
  expect([...given.values()]).toEqual(['yes', 'surely']);
  expect((await stateOf(engine)).report?.returned).toBe('surely');
  expect(engine.turns).toHaveLength(1);
});

/**
 * A run whose effects take so long each, on a clock that only its waiting moves: the times at which its turn looked whether
 * to report, and the time at which it began to hear mail.
 */
async function reportsOf(effects: number, effectMs: number) {
  let clock = 0;
  const begun = new Map<number, number>();
  const looks: number[] = [];
  let heardFrom: number | null = null;
  const one = submission(Array.from({ length: effects }, () => 'DO: work\n').join(''));
  const performed = { outcome: { kind: 'value', value: null }, printed: 0 } as const;
  const host: TurnHost = { ...hostFor(one), perform: async () => ({ ...performed, at: clock }) };
  const choose: Choice = async (open) => {
    for (const { index } of open) if (!begun.has(index)) begun.set(index, clock);
    if (open.some(({ kind }) => kind === 'awakeable')) heardFrom ??= clock;
    const ends = open.flatMap((entry) => {
      const ms = entry.kind === 'run' ? effectMs : entry.ms;
      return entry.kind === 'awakeable' ? [] : [{ entry, until: (begun.get(entry.index) ?? 0) + ms }];
    });
    const [first] = ends.sort((a, b) => a.until - b.until);
    clock = first?.until ?? clock;
    if (first?.entry.name === 'flush') looks.push(clock);
    return first?.entry;
  };
  const engine = new ScriptedEngine(world(choose), host);
  await engine.call(RUN, 'submit', one);
  await engine.deliverAll();
  expect((await stateOf(engine)).status).toBe('returned');
  return { looks, heardFrom, from: engine.turns[0]?.from };
}

test('a turn reports its progress and hears mail once nothing has come for a while, or after ten seconds', async () => {
  // Each look is so long after the last outcome.
  expect(await reportsOf(5, 500)).toEqual({ looks: [800, 1300, 1800, 2300], heardFrom: null, from: 1 });
  expect(await reportsOf(1, 900)).toMatchObject({ looks: [800], heardFrom: 800 });
  const { looks, heardFrom, from } = await reportsOf(30, 500);
  expect([looks.at(0), looks.filter((at) => at <= 10_000).at(-1), heardFrom]).toEqual([800, 10_000, 10_000]);
  expect(from).toBeGreaterThan(1);
});

test('a run that is cancelled in the middle of an effect stops it and ends', async () => {
  const choose = sendWhileWaiting([{ kind: 'cancel', by: 'ann' }]);
  const engine = await submitted('DO: work long\n', { choose });
  const { status, report } = await stateOf(engine);
  expect([status, report?.error?.kind]).toEqual(['failed', 'cancelled']);
});

test('each message counts once, and only what fits the run is accepted', async () => {
  const engine = await submitted('ASK user: "Go on?" → ok choices=yes,no\nRETURN: {ok}\n');
  const answer = (name: string, value: string) =>
    engine.call(RUN, 'tell', [{ kind: 'answer', name, value, by: 'ann' }]);
  expect(await refusalOf(answer('no', 'x'))).toEqual([409, 'the run does not ask for `no`: it asks for `ok`']);
  expect(await refusalOf(answer('ok', 'x'))).toEqual([409, '`x` is not one of the choices for `ok`: choose yes or no']);
  expect(await engine.call(RUN, 'submit', submission('RETURN\n'))).toEqual({ run_id: RUN, status: 'suspended' });
  await answer('ok', 'no');
  // Before a turn has begun to take it.
  expect(await refusalOf(answer('ok', 'yes'))).toEqual([
    409,
    expect.stringContaining('`ok` already has an answer, which the run has not taken yet'),
  ]);
  await engine.deliverAll();
  expect(await refusalOf(answer('ok', 'yes'))).toEqual([409, `run \`${RUN}\` has already returned`]);
  const { seq } = await stateOf(engine);
  // Messages of a turn that is over.
  const [turned] = engine.turns;
  await engine.call(RUN, 'turned', turned);
  await engine.call(RUN, 'progress', { turn: turned?.turn, from: seq + 1, lines: ['{}'] });
  await engine.call(RUN, 'due', { turn: turned?.turn, until: 0 });
  await engine.deliverAll();
  expect(await stateOf(engine)).toMatchObject({ status: 'returned', seq, turn: 2 });
  await engine.call(RUN, 'drop', null);
  expect(await refusalOf(answer('ok', 'yes'))).toEqual([404, `there is no run \`${RUN}\``]);
});

test('questions of one name, and waits for one signal, are told apart by their ids', async () => {
  const engine = await submitted(
    [
      ...['DO: in PARALLEL:', '  - ASK user: "north?" → go', '  - ASK user: "south?" → go'],
      ...['DO: in PARALLEL:', '  - WAIT: signal landed', '  - WAIT: signal landed', 'RETURN: over', ''],
    ].join('\n'),
  );
  const tell = (...deliveries: readonly object[]) => engine.call(RUN, 'tell', deliveries);
  const answer = (name: string) => ({ kind: 'answer', name, value: name, by: 'ann' });
  const signal = (name: string) => ({ kind: 'signal', name, payload: null, by: 'ann' });
  expect((await stateOf(engine)).report?.waiting).toMatchObject([{ id: 'go@1' }, { id: 'go@2' }]);
  expect(await refusalOf(tell(answer('go')))).toEqual([409, expect.stringContaining('`go` fits `go@1` and `go@2`')]);
  await tell(answer('go@2'), answer('go'));
  await engine.deliverAll();
  expect((await stateOf(engine)).report?.waiting).toMatchObject([{ id: 'landed@1' }, { id: 'landed@2' }]);
  expect(await refusalOf(tell(signal('landed')))).toEqual([409, expect.stringContaining('`landed@1` and `landed@2`')]);
  await tell(signal('landed@2'));
  await engine.deliverAll();
  expect((await stateOf(engine)).report?.waiting).toMatchObject([{ id: 'landed@1' }]);
  await tell(signal('landed'));
  await engine.deliverAll();
  expect((await stateOf(engine)).status).toBe('returned');
});

test('a program that this version cannot read, or that is not what its digest says, is refused', async () => {
  const one = submission('RETURN\n');
  const engine = new ScriptedEngine(world(), hostFor(one));
  const submit = (header: object) =>
    refusalOf(engine.call(RUN, 'submit', { ...one, header: { ...one.header, ...header } }));
  expect(await submit({ digest: '0' })).toEqual([400, `the digest of the program of run \`${RUN}\` does not match it`]);
  expect(await submit({ runId: 'x' })).toEqual([400, `run \`x\` was submitted as \`${RUN}\``]);
  const machine = { ...one.header.machine, version: 99 };
  expect((await submit({ machine, version: '9.9' }))[1]).toMatch(/^the program was compiled by statedsl 9\.9, which/);
  expect(await engine.call(RUN, 'status', null)).toBeNull();
});

test('a reader waits for an event, and hears when there is one or the run has ended', async () => {
  const engine = await submitted('ASK user: "Go on?" → ok\nRETURN: {ok}\n');
  const { seq } = await stateOf(engine);
  const next = engine.call<EventLines>(RUN, 'events', { from: seq + 1, wait: true });
  await new Promise((resolve) => setImmediate(resolve));
  await engine.deliverAll();
  await engine.call(RUN, 'tell', [{ kind: 'answer', name: 'ok', value: 'yes', by: 'ann' }]);
  await engine.deliverAll();
  const heard = await next;
  expect([heard.status, heard.lines.map((line) => JSON.parse(line).type)]).toEqual([
    'returned',
    ['run_resumed', 'answered', 'run_returned'],
  ]);
  // Both who waited and who comes later have the report with the last lines.
  const late = await engine.call<EventLines>(RUN, 'events', { from: seq + 1, wait: true });
  expect(late).toEqual(heard);
  expect(late.report?.returned).toBe('yes');
});

/** With commands that workers with a label perform. */
async function routed(text: string, label: string, endsCalls: ScriptedEngine['endsCalls'] = null) {
  const placement = { routes: { commands: { work: label }, kinds: { function: 'never' } }, patienceMs: 10 };
  const one = submission(text, 'fail', { placement, home: 'known' });
  const engine = new ScriptedEngine(world(), hostFor(one));
  engine.endsCalls = endsCalls;
  await engine.call(RUN, 'submit', one);
  await engine.deliverAll();
  return engine;
}

test('an effect with a label is performed where that label is', async () => {
  const engine = await routed('CHECK: a = work 1\nRETURN: {a}\n', 'known');
  expect((await stateOf(engine)).report).toMatchObject({ status: 'returned', returned: 1 });
  expect(engine.called).toEqual(['test.Turn', 'test.Turn.known', 'test.Effects.known']);
});

test('an effect with a label that no worker has is not started, and others do not wait for it', async () => {
  const engine = await routed('DO: work 1\n', 'unknown');
  const { report } = await stateOf(engine);
  expect(report?.error).toMatchObject({
    message: expect.stringContaining('no worker with the label `unknown` came in time'),
  });
  expect(started).toEqual([]);
});

test('an effect with a label that is no longer needed is stopped', async () => {
  const lastRun = async (open: readonly OpenEntry[]): Promise<OpenEntry | undefined> =>
    open.find(({ name }) => name === 'stopping') ?? open.find(({ name }) => !name.startsWith('test.Effects'));
  const placement = { routes: { commands: { work: 'known' } }, patienceMs: 10 };
  const one = submission('DO: in PARALLEL [quorum=1]\n  - a = work long\n  - b = other 1\nRETURN: over\n', 'fail', {
    placement,
  });
  const engine = new ScriptedEngine(world(lastRun), hostFor(one));
  await engine.call(RUN, 'submit', one);
  await engine.deliverAll();
  expect((await stateOf(engine)).report).toMatchObject({ status: 'returned', returned: 'over' });
  expect(engine.cancelled).toEqual(['test.Effects.known']);
});

test('an effect with a label that is ended from outside is in doubt if it must not run twice', async () => {
  const errorOf = async (text: string, endsCalls: 'before' | 'after') => {
    const engine = await routed(text, 'known', endsCalls);
    return (await stateOf(engine)).report?.error;
  };
  const inDoubt = { kind: 'in_doubt' };
  expect(await errorOf('DO [once]: work 1\n', 'after')).toMatchObject(inDoubt);
  expect(started).toEqual(['work 1']);
  expect(await errorOf('DO [once]: work 1\n', 'before')).toMatchObject(inDoubt);
  expect(await errorOf('DO: work 1\n', 'before')).toMatchObject({ message: expect.stringContaining('killed') });
  expect(started).toEqual(['work 1']);
});

/** A run for workers with the name `later`, which the engine gets to know after the run was submitted. */
async function atHome(deliveries: readonly Delivery[], cut?: Cut) {
  const one = submission('DO: work 1\nWAIT: signal GO\nRETURN: over\n', 'fail', { home: 'later' });
  const engine = new ScriptedEngine(world(sendWhileWaiting(deliveries)), hostFor(one), cut);
  await engine.call(RUN, 'submit', one);
  await engine.deliverAll();
  return { status: (await stateOf(engine)).report, called: engine.called };
}

test('a run waits for the first worker with its name, and keeps what is sent meanwhile', async () => {
  const signal: Delivery = { kind: 'signal', name: 'GO', payload: null, by: 'ann' };
  for (let after = -1; after < 8; after++) {
    started = [];
    const { status, called } = await atHome([signal], after < 0 ? undefined : { after, during: false });
    expect([status?.returned, called, started]).toEqual(['over', ['test.Turn', 'test.Turn.later'], ['work 1']]);
  }
});

test('a run that no worker has begun can be cancelled', async () => {
  const { status, called } = await atHome([{ kind: 'cancel', by: 'ann' }]);
  expect([status?.error?.kind, called, started]).toEqual(['cancelled', ['test.Turn'], []]);
});

test.each([
  [{}, 'the input `a` has no value'],
  [{ a: 'x' }, 'the input `a` must be a number, not a string'],
  [{ a: 1, token: 2, c: 3 }, 'the program has no input `c`'],
  [{ a: 1 }, null],
] as const)('inputs %o are looked at before anything is sent', async (inputs, message) => {
  const { machine } = compile('INPUT: a (number)\nINPUT: token (secret)\nRETURN: {a}\n');
  const made = await submissionOf({
    ...{ machine: machine ?? expect.unreachable(), options: { inputs }, functions: null, engine: {} },
    ...{ by: 'ann', isEncrypted: true, variables: 'token' in inputs ? {} : { token: 'NAME' } },
  });
  expect(made.ok ? null : made.refusal.message).toBe(message);
});

test('the engine never has a secret input, and a later turn still does', async () => {
  const text =
    'INPUT: token (secret)\nTRACK: t = token\nDO: work {token}\nWAIT: signal GO\nDO: other {t}\nRETURN: {token}\n';
  const one = submission(text, 'fail', { variables: { token: 'NAME' } });
  const args: unknown[] = [];
  const plain = hostFor(one);
  const host: TurnHost = {
    ...plain,
    environment: { NAME: 'geheim' },
    perform: (id, used, request, context) => {
      args.push('args' in request ? request.args : null);
      return plain.perform(id, used, request, context);
    },
  };
  const program = programOf(one, secretInputsOf(one, host.environment));
  const engine = new ScriptedEngine(world(), { ...host, program: async () => program });
  await engine.call(RUN, 'submit', one);
  await engine.deliverAll();
  await engine.call(RUN, 'tell', [{ kind: 'signal', name: 'GO', payload: null, by: 'ann' }]);
  await engine.deliverAll();
  expect((await stateOf(engine)).report?.returned).toBe('***');
  expect(args).toEqual([['geheim'], ['geheim']]);
  expect(engine.stored()).not.toContain('geheim');
  expect(() => secretInputsOf(one, {})).toThrow(/needs the variable `NAME`/);
});

test('a secret number keeps its digits, in a submission and from a variable', async () => {
  const text =
    'INPUT: a (secret, number)\nINPUT: b (secret, list)\nDO: work {a} {b}\nWAIT: signal GO\nDO: other {a} {b}\nRETURN: {a == 9007199254740992}\n';
  const secretInputs = { a: { $printed: '9007199254740993' }, b: { $printed: '[7654.10]' } };
  const one = submission(text, 'fail', { secretInputs });
  const args: unknown[] = [];
  const plain = hostFor(one);
  const host: TurnHost = {
    ...plain,
    perform: (id, used, request, context) => {
      args.push('args' in request ? request.args : null);
      return plain.perform(id, used, request, context);
    },
  };
  const inputs = secretInputsOf(one, {});
  const program = programOf(one, inputs);
  const engine = new ScriptedEngine(world(), { ...host, program: async () => program });
  await engine.call(RUN, 'submit', one);
  await engine.deliverAll();
  await engine.call(RUN, 'tell', [{ kind: 'signal', name: 'GO', payload: null, by: 'ann' }]);
  await engine.deliverAll();
  expect(args).toEqual(new Array(2).fill(['9007199254740993', '[7654.10]']));
  expect((await stateOf(engine)).report?.returned).toBe(false);
  const other = submission(text, 'fail', { variables: { a: 'NAME', b: 'LIST' } });
  expect(secretInputsOf(other, { NAME: '9007199254740993', LIST: '[7654.10]' })).toEqual(inputs);
});

test.each([
  ['number', 'abc', 'it is not a number, which the input `token` needs'],
  ['number', '7', null],
  ['number', '7.10', null],
  ['list', '{}', 'it is not a list in JSON, which the input `token` needs'],
  ['boolean', 'yes', 'it is not `true` or `false`, which the input `token` needs'],
])('a variable that is no %s refuses the submission: %s', (type, text, reason) => {
  const one = submission(`INPUT: token (secret, ${type})\nRETURN\n`, 'fail', { variables: { token: 'NAME' } });
  expect(variableProblem(one, { NAME: text })?.reason ?? null).toBe(reason);
  const rules = { environment: { NAME: text }, submitters: null, functions: null };
  if (reason === null) expect(() => refuseSubmission(one, rules)).not.toThrow();
  else
    expect(() => refuseSubmission(one, rules)).toThrow(
      `the variable \`NAME\` of the workers cannot be used: ${reason}`,
    );
});

test('a question can be answered whatever the secrets are', async () => {
  for (const value of ['ask', 'ok', 'admin', 'main']) {
    const one = submission(
      'INPUT: token (secret)\nTRACK: t = token\nASK user: "Which role?" → ok choices=admin,none\nDO: work {t}\nRETURN: {ok}\n',
      'fail',
      { variables: { token: 'NAME' } },
    );
    const program = programOf(one, secretInputsOf(one, { NAME: value }));
    const engine = new ScriptedEngine(world(), { ...hostFor(one), program: async () => program });
    await engine.call(RUN, 'submit', one);
    await engine.deliverAll();
    const answer = (name: string) => engine.call(RUN, 'tell', [{ kind: 'answer', name, value: 'admin', by: 'ann' }]);
    expect(await refusalOf(answer('no'))).toEqual([409, 'the run does not ask for `no`: it asks for `ok`']);
    await answer('ok');
    await engine.deliverAll();
    expect((await stateOf(engine)).report).toMatchObject({ status: 'returned' });
  }
});

test('a run that is submitted again is known, whatever the worker now requires', async () => {
  const engine = await submitted('ASK user: "Go on?" → ok\nRETURN: {ok}\n');
  const again = { ...submission('RETURN\n'), variables: { token: 'MISSING' }, by: 'eve' };
  expect(await engine.call(RUN, 'submit', again)).toEqual({ run_id: RUN, status: 'suspended' });
});

test('a run that its home refuses fails with the reason, and can be cancelled by any worker before', async () => {
  const refusing = (one: Submission): TurnHost => ({
    ...hostFor(one),
    program: async (_, needs = EXECUTE) => {
      if (needs.submitter) throw new ProgramRefused('run is by eve, who may not execute programs', true);
      return programOf(one);
    },
  });
  const one = submission('DO: work 1\nRETURN: over\n', 'fail', { home: 'known' });
  const engine = new ScriptedEngine(world(), refusing(one));
  await engine.call(RUN, 'submit', one);
  await engine.deliverAll();
  const { status, report } = await stateOf(engine);
  expect([status, report?.error?.message]).toEqual(['failed', 'run is by eve, who may not execute programs']);
  const later = { ...one, home: 'later' };
  const waiting = new ScriptedEngine(world(sendWhileWaiting([{ kind: 'cancel', by: 'ann' }])), refusing(later));
  await waiting.call(RUN, 'submit', later);
  await waiting.deliverAll();
  expect([(await stateOf(waiting)).report?.error?.kind, started]).toEqual(['cancelled', []]);
});

test('functions of another module are refused when the run is submitted', async () => {
  const one = submission('RETURN\n', 'fail', { functions: 'digest' });
  const engine = new ScriptedEngine(world(), hostFor(one));
  expect(await refusalOf(engine.call(RUN, 'submit', one))).toEqual([
    400,
    'the program needs the functions of another `engine.commands` than the workers have',
  ]);
});

const OTHER_FUNCTIONS = 'run needs the functions of another `engine.commands` than this worker has';

/** Refuses programs for their functions while `isOther`, and keeps the reasons. */
function otherFunctions(one: Submission) {
  const worker = { isOther: true, noted: [] as string[] };
  const host: TurnHost = {
    ...hostFor(one),
    noteRefusal: (_, reason) => void worker.noted.push(reason),
    program: async (_, needs = EXECUTE) => {
      if (needs.functions && worker.isOther) throw new ProgramRefused(OTHER_FUNCTIONS, false, true);
      return programOf(one);
    },
  };
  return { worker, host };
}

/** A refused turn waits, until `passes` of them have been passed on; then a user ends the run. */
function endedAfter(passes: number): Choice {
  let left = passes;
  return async (open, engine) => {
    const isRefused = open.some(({ name }) => name === 'refused');
    if (!isRefused) return undefined;
    await engine.deliverToObjects();
    if (left-- > 0) return open.find(({ name }) => name === 'refused');
    await engine.call(RUN, 'tell', [{ kind: 'cancel', by: 'ann' }]);
    return open.find(({ kind }) => kind === 'awakeable');
  };
}

test.each([undefined, 'known'])('a run without a fitting worker can be cancelled, at home %s', async (home) => {
  const one = submission('DO: work 1\nRETURN: over\n', 'fail', home === undefined ? {} : { home });
  const { worker, host } = otherFunctions(one);
  // Cut off at each point, it comes to the same.
  for (let after = 0; after < 12; after++) {
    const engine = new ScriptedEngine(world(endedAfter(2)), host, { after, during: false });
    await engine.call(RUN, 'submit', one);
    await engine.deliverAll();
    expect([(await stateOf(engine)).report?.error?.kind, started]).toEqual(['cancelled', []]);
    const turn = home === undefined ? 'test.Turn' : 'test.Turn.known';
    expect(engine.called.filter((name) => name === turn).length).toBeGreaterThan(1);
  }
  expect(new Set(worker.noted)).toEqual(new Set([OTHER_FUNCTIONS]));
});

test('a refused run goes on as soon as a worker fits, and mail that came meanwhile is not lost', async () => {
  const one = submission('ASK user: "Go on?" → ok\nDO: work {ok}\nASK user: "More?" → more\nRETURN: {more}\n');
  const { worker, host } = otherFunctions(one);
  worker.isOther = false;
  let passes = 0;
  const choose: Choice = async (open, engine) => {
    if (!open.some(({ name }) => name === 'refused')) return undefined;
    await engine.deliverToObjects();
    if (passes++ > 0) worker.isOther = false;
    if (passes > 1) return open.find(({ name }) => name === 'refused');
    await engine.call(RUN, 'tell', [{ kind: 'signal', name: 'LATER', payload: null, by: 'ann' }]);
    return open.find(({ kind }) => kind === 'awakeable');
  };
  const engine = new ScriptedEngine(world(choose), host);
  await engine.call(RUN, 'submit', one);
  await engine.deliverAll();
  worker.isOther = true;
  await engine.call(RUN, 'tell', [{ kind: 'answer', name: 'ok', value: 'yes', by: 'ann' }]);
  await engine.deliverAll();
  expect([started, (await stateOf(engine)).status]).toEqual([['work {ok}'], 'suspended']);
  const types = (await eventsOf(engine)).map(({ type }) => type);
  expect(types.filter((type) => type === 'answered' || type === 'signal_received')).toEqual([
    'answered',
    'signal_received',
  ]);
});

test('an image of another version is refused, until a worker reads it', async () => {
  const noted: string[] = [];
  const one = submission('ASK user: "Go on?" → ok\nDO: work {ok}\nRETURN: {ok}\n');
  const host = { ...hostFor(one), noteRefusal: (_: unknown, reason: string) => void noted.push(reason) };
  let passes = 0;
  const choose: Choice = async (open, engine) => {
    const refused = open.find(({ name }) => name === 'refused');
    if (refused === undefined) return undefined;
    passes++;
    // The wish to end the run is kept: who cannot read the run cannot end it.
    if (passes === 1) await engine.call(RUN, 'tell', [{ kind: 'cancel', by: 'ann' }]);
    if (passes === 3) throw new Error('enough');
    return refused;
  };
  const engine = new ScriptedEngine(world(choose), host);
  await engine.call(RUN, 'submit', one);
  await engine.deliverAll();
  const { seq } = await stateOf(engine);
  const objects = (engine as unknown as { readonly state: Map<string, Map<string, unknown>> }).state;
  const image = objects.get(RUN)?.get('image') as StoredImage;
  expect(image.made_by).toBe(VERSION);
  const other = { ...image, made_by: '9.9', snapshot: { ...(image.snapshot as object), version: 99 } };
  // A client of another version would leave a run that nobody can continue.
  const resuming = { seq, image: other, events: [], by: 'ann' };
  expect(await refusalOf(engine.call(RUN, 'resume', resuming))).toEqual([
    400,
    expect.stringContaining('has format 99'),
  ]);
  objects.get(RUN)?.set('image', other);
  await engine.call(RUN, 'tell', [{ kind: 'answer', name: 'ok', value: 'yes', by: 'ann' }]);
  await expect(engine.deliverAll()).rejects.toThrow('enough');
  const words = `run \`${RUN}\` was executed by statedsl 9.9, whose images have format 99, which statedsl ${VERSION} cannot read: start a worker of statedsl 9.9`;
  expect([started, noted]).toEqual([[], [words, words, words]]);
  expect((await stateOf(engine)).status).toBe('running');
});

test('a worker with other functions performs only what is no function', async () => {
  const one = submission('ROLLBACK\n');
  const refused = { reason: OTHER_FUNCTIONS, isFinal: false, isOfFunctions: true };
  const kinds = async (more: Partial<WorkerRefusal>): Promise<readonly string[]> => {
    const host = hostFor(one);
    const program = { ...programOf(one), refused: { ...refused, ...more } };
    const run = (_: string, action: () => Promise<unknown>) => {
      const entry = Promise.resolve().then(action);
      return Object.assign(entry, { map: () => entry });
    };
    const context = { run, attemptOver: new AbortController().signal } as never;
    const of = { runId: RUN, host, inDoubt: 'fail', placement: NO_ROUTES, program, presence: null } as const;
    const entries = new EffectEntries(context, of);
    for (const kind of ['function', 'tool', 'shell'] as const)
      await entries.start({ kind, effect: kind, attempt: 1, text: kind } as never, 0, 0);
    await new Promise((resolve) => setImmediate(resolve));
    return [...new Set(started.splice(0))];
  };
  expect(await kinds({})).toEqual(['shell']);
  expect(await kinds({ isOfFunctions: false })).toEqual([]);
});
