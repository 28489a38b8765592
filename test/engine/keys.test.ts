/** Keys of runs on an engine: of the runs with the same key one is executed at a time, whatever order messages come in. */
import { expect, test } from 'vitest';
import { programOf } from '../../src/engine/effect-outputs.js';
import type { Submission } from '../../src/engine/messages.js';
import type { EventLines } from '../../src/engine/run-journal.js';
import {
  decideClaim,
  decideRelease,
  FREE_KEY,
  type KeyClaim,
  type KeyDecision,
  type KeyState,
} from '../../src/engine/run-key.js';
import type { RunState } from '../../src/engine/run-readers.js';
import { StartedEffects } from '../../src/engine/started-effects.js';
import type { TurnHost } from '../../src/engine/turn-host.js';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { compile } from '../../src/language/check/compile.js';
import { fixedOptions } from '../../src/runtime/run/run-options.js';
import { digestOf } from '../../src/runtime/store/image.js';
import { readJournalLine } from '../../src/runtime/store/journal-line.js';
import type { OnBusy, RunKey } from '../../src/runtime/store/run-header.js';
import { VERSION } from '../../src/runtime/version.js';
import { longTest } from '../amount.js';
import { seed } from '../random.js';
import { type OpenEntry, ScriptedEngine, SERVICES, type World } from './scripted-engine.js';

const idOf = (number: number): string => `01900000-0000-7000-8000-00000000000${number}`;
const [A, B, C, D] = [1, 2, 3, 4].map(idOf) as [string, string, string, string];
const ASKS = 'ASK user: "Go on?" → ok\nRETURN: {ok}\n';

interface Wanted {
  readonly text?: string;
  readonly onBusy?: OnBusy;
  readonly while?: 'running';
}

/** Runs with the key `deploy`. */
function keyed() {
  const submissions = new Map<string, Submission>();
  /** The runs whose effects were started. */
  const started: string[] = [];
  const host: TurnHost = {
    services: SERVICES,
    environment: {},
    submitters: null,
    functions: null,
    started: new StartedEffects(),
    program: async (runId) => programOf(submissions.get(runId) as Submission),
    perform: async (runId) => {
      started.push(runId);
      return { outcome: { kind: 'value', value: 1 }, at: 1, printed: 0 };
    },
    newName: () => 'attempt',
    hasWorker: async () => true,
  };
  const world: World = {
    now: 0,
    ended: () => undefined,
    next: async (open) => open.find(({ kind }) => kind === 'run') as OpenEntry,
  };
  const engine = new ScriptedEngine(world, host);
  const submit = async (runId: string, { text = ASKS, onBusy, while: period }: Wanted = {}) => {
    const { machine } = compile(text, { name: 'test.dsl', commands: ['work'] });
    if (machine === null) throw new Error('it does not compile');
    const key: RunKey = { name: 'deploy', ...(period === undefined ? {} : { while: period }) };
    const facts = { runId, machine, digest: digestOf(machine), inputs: {}, startedAt: new Date(0).toISOString() };
    const options = fixedOptions(machine, { jobs: 4 });
    const header = { ...facts, cwd: '/', version: VERSION, sources: [], options, settings: {}, key };
    const one: Submission = { header, inDoubt: 'fail', by: 'ann', ...(onBusy === undefined ? {} : { onBusy }) };
    submissions.set(runId, one);
    await engine.call(runId, 'submit', one);
    await engine.deliverAll();
  };
  const tell = async (runId: string, delivery: object) => {
    await engine.call(runId, 'tell', [{ by: 'bob', ...delivery }]);
    await engine.deliverAll();
  };
  return {
    engine,
    started,
    submit,
    answer: (runId: string) => tell(runId, { kind: 'answer', name: 'ok', value: 'yes' }),
    cancel: (runId: string) => tell(runId, { kind: 'cancel' }),
    state: (runId: string) => engine.call<RunState>(runId, 'status', null),
    async standing(...runs: readonly string[]) {
      const states = await Promise.all(runs.map((one) => engine.call<RunState>(one, 'status', null)));
      return states.map(({ status, key }) => `${status} ${key?.state}`);
    },
    /** The events of a run without those that any run has, with the other run and what was done. */
    async record(runId: string) {
      const { lines } = await engine.call<EventLines>(runId, 'events', {});
      const events = lines.map((line, at) => {
        const record = readJournalLine(line);
        expect(record?.seq).toBe(at + 1);
        return record?.event as RunEvent;
      });
      return events.flatMap((event) => {
        if (event.type === 'key_shared') return [`${event.how} ${event.run_id.slice(-1)}`];
        if (event.type === 'run_cancelled') return [`cancelled by ${event.by}`];
        return ['state_entered', 'asked', 'answered'].includes(event.type) ? [] : [event.type];
      });
    },
  };
}

test('a run with a key waits for the one that has it, also while that waits for a person', async () => {
  const { submit, answer, record, standing, state, engine } = keyed();
  await submit(A);
  await submit(B);
  await submit(C);
  expect(await standing(A, B, C)).toEqual(['suspended held', 'running waits', 'running waits']);
  expect(await state(B)).toMatchObject({ seq: 0, turn: 0, key: { name: 'deploy', busy: A } });
  expect(await engine.call(B, 'whereabouts', null)).toMatchObject({ waits_for_key: { key: 'deploy', run_id: A } });
  // It is not continued for that.
  expect(await record(A)).toEqual(['run_started', 'run_suspended', 'waits 2', 'waits 3']);
  await answer(A);
  expect(await standing(A, B, C)).toEqual(['returned free', 'suspended held', 'running waits']);
  expect(await record(B)).toEqual(['run_started', 'waited 1', 'run_suspended', 'waits 3']);
  await answer(B);
  await answer(C);
  expect(await record(C)).toEqual([
    'run_started',
    'waited 1',
    'waited 2',
    'run_suspended',
    'run_resumed',
    'run_returned',
  ]);
  expect((await state(C)).report).toMatchObject({ status: 'returned', key: 'deploy' });
  expect(await engine.call('days', 'days', null)).toHaveLength(1);
});

test('a run that is skipped says which run had the key, and that one knows it', async () => {
  const { submit, answer, record, state } = keyed();
  await submit(A);
  await submit(B, { onBusy: 'skip' });
  expect(await state(B)).toMatchObject({ status: 'skipped', report: { status: 'skipped', key: 'deploy', held_by: A } });
  expect(await record(B)).toEqual(['run_started', 'run_skipped']);
  expect(await record(A)).toEqual(['run_started', 'run_suspended', 'skipped 2']);
  await answer(A);
  await submit(C, { onBusy: 'skip' });
  expect(await record(C)).toEqual(['run_started', 'run_suspended']);
});

test('a run that cancels takes the place of the other one, and of two the newer one goes on', async () => {
  const { submit, record, standing } = keyed();
  await submit(B);
  await submit(C, { onBusy: 'cancel' });
  expect(await record(B)).toContain(`cancelled by run ${C} with the key \`deploy\``);
  expect(await record(C)).toEqual(['run_started', 'cancelled 2', 'run_suspended']);
  await submit(A, { onBusy: 'cancel' });
  expect(await standing(A, B, C)).toEqual(['skipped skipped', 'failed free', 'suspended held']);
  await submit(D, { onBusy: 'cancel' });
  expect(await standing(C, D)).toEqual(['failed free', 'suspended held']);
});

test('a run that is cancelled while it waits leaves the others in their order', async () => {
  const { submit, answer, cancel, record, standing, started } = keyed();
  await submit(A);
  await submit(B, { text: 'DO: work\nRETURN: 1\n' });
  await submit(C);
  await cancel(B);
  expect(await standing(A, B, C)).toEqual(['suspended held', 'failed free', 'running waits']);
  expect(await record(B)).toEqual([
    'run_started',
    'effect_requested',
    'cancelled by bob (unverified)',
    'effect_settled',
    'run_failed',
  ]);
  expect(started).toEqual([]);
  await answer(A);
  expect(await standing(B, C)).toEqual(['failed free', 'suspended held']);
});

test('with `--key-while running` a run has its key only while it is executed', async () => {
  const { submit, answer, cancel, record, standing, started } = keyed();
  await submit(A, { while: 'running' });
  await submit(B, { while: 'running', text: 'ASK user: "Go on?" → ok\nDO: work\nRETURN: {ok}\n' });
  await submit(C);
  expect(await standing(A, B, C)).toEqual(['suspended free', 'suspended free', 'suspended held']);
  await answer(A);
  await answer(B);
  expect(await standing(A, B)).toEqual(['running waits', 'running waits']);
  // A wish to end it waits for nobody.
  await cancel(B);
  expect(await standing(A, B, C)).toEqual(['running waits', 'failed free', 'suspended held']);
  expect(started).toEqual([]);
  await answer(C);
  expect(await standing(A, C)).toEqual(['returned free', 'returned free']);
  expect(await record(A)).toEqual(['run_started', 'run_suspended', 'run_resumed', 'waited 3', 'run_returned']);
});

test('what is wrong with a run frees its key, and so does its removal before it had one', async () => {
  const { submit, standing, engine } = keyed();
  await submit(A, { text: 'FAIL: no\n' });
  await engine.call(A, 'drop', null);
  await engine.deliverAll();
  // A word that comes too late for a run that is gone.
  await engine.call(A, 'keyed', { kind: 'granted', key: 'deploy', claim: 1, events: [] });
  await engine.deliverAll();
  await submit(B);
  expect(await standing(B)).toEqual(['suspended held']);
});

const claimOf = (run: number, claim: number, onBusy: OnBusy): KeyClaim => ({
  key: 'k',
  run_id: idOf(run),
  claim,
  onBusy,
});

/** Runs that want a key again and again, and messages that overtake each other. */
function simulate(from: number, isOrdered: boolean): { readonly granted: number; readonly state: KeyState } {
  let random = from;
  const next = (below: number): number => {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    return Math.floor((random / 2 ** 32) * below);
  };
  interface Actor {
    claim: number;
    wishes: number;
    state: 'idle' | 'waits' | 'held';
  }
  const actors = Array.from({ length: 5 }, (): Actor => ({ claim: 0, wishes: 3, state: 'idle' }));
  const mail: { readonly to: number | 'key'; readonly from: number | 'key'; readonly act: () => void }[] = [];
  let state: KeyState = FREE_KEY;
  let granted = 0;
  const numberOf = (run: string): number => Number(run.slice(-1));
  const decide = ({ state: decided, told }: KeyDecision): void => {
    state = decided;
    for (const [run, word] of told) {
      const to = numberOf(run);
      mail.push({ to, from: 'key', act: () => hear(to, word) });
    }
  };
  const release = (run: number, claim: number): void => {
    const act = (): void => decide(decideRelease(state, { key: 'k', run_id: idOf(run), claim }, 0));
    mail.push({ to: 'key', from: run, act });
  };
  const hear = (run: number, word: KeyDecision['told'][number][1]): void => {
    const actor = actors[run] as Actor;
    if (word.kind === 'cancel' && actor.state === 'held') {
      actor.state = 'idle';
      release(run, actor.claim);
    }
    if (!('claim' in word)) return;
    if (actor.state !== 'waits' || word.claim !== actor.claim) {
      if (word.kind === 'granted') release(run, word.claim);
      return;
    }
    if (word.kind === 'granted') {
      actor.state = 'held';
      granted++;
      expect(actors.filter((one) => one.state === 'held')).toHaveLength(1);
    } else if (word.kind === 'skipped') actor.state = 'idle';
  };
  const act = (run: number): void => {
    const actor = actors[run] as Actor;
    if (actor.state === 'idle' && actor.wishes > 0) {
      actor.wishes--;
      actor.claim++;
      actor.state = 'waits';
      const claim = claimOf(run, actor.claim, (['wait', 'wait', 'skip', 'cancel'] as const)[next(4)] as OnBusy);
      mail.push({ to: 'key', from: run, act: () => decide(decideClaim(state, claim, 0)) });
    } else if (actor.state === 'held' || (actor.state === 'waits' && next(8) === 0)) {
      actor.state = 'idle';
      release(run, actor.claim);
    }
  };
  for (let quiet = 0; quiet < 400; ) {
    const isQuiet = mail.length === 0 && actors.every((one) => one.state === 'idle' && one.wishes === 0);
    quiet = isQuiet ? quiet + 400 : quiet + (mail.length === 0 ? 1 : 0);
    if (mail.length > 0 && next(2) === 0) {
      const chosen = mail[next(mail.length)];
      const at = mail.findIndex(
        (one) => one === chosen || (isOrdered && one.from === chosen?.from && one.to === chosen.to),
      );
      mail.splice(at, 1)[0]?.act();
    } else act(next(actors.length));
  }
  expect(actors.map((one) => one.state)).toEqual(actors.map(() => 'idle'));
  return { granted, state };
}

longTest('whatever order messages come in, one run at a time has the key, and in the end nobody', () => {
  let granted = 0;
  for (let n = 0; n < 3000; n++) {
    const { granted: more, state } = simulate(seed + n, n % 2 === 0);
    expect(state, `seed ${seed + n}`).toEqual(FREE_KEY);
    granted += more;
  }
  expect(granted).toBeGreaterThan(10_000);
});
