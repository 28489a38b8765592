/**
 * Executes a recorded run again on a scripted engine: every effect has the outcome on record, in the order of the record.
 * What it came to, and what its journal has, must be the same as after `drive`, wherever turns are cut off.
 */
import type { Submission } from '../../src/engine/messages.js';
import { NO_ROUTES } from '../../src/engine/messages.js';
import type { RunState } from '../../src/engine/run-readers.js';
import { StartedEffects } from '../../src/engine/started-effects.js';
import type { TurnHost, TurnProgram } from '../../src/engine/turn-host.js';
import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import { type LinkedMachine, link } from '../../src/interpreter/run.js';
import { digestOf } from '../../src/runtime/store/image.js';
import type { Delivery } from '../../src/runtime/store/inbox.js';
import { readJournalLine } from '../../src/runtime/store/journal-line.js';
import { VERSION } from '../../src/runtime/version.js';
import { amount, pointsBelow, tries } from '../amount.js';
import type { Undisturbed } from '../corpus/crash-case.js';
import { eventLine } from '../corpus/event-line.js';
import { type Cut, type OpenEntry, ScriptedEngine, SERVICES, type World } from './scripted-engine.js';

const KEY = '01900000-0000-7000-8000-000000000000';

type Item =
  | { readonly kind: 'effect'; readonly key: string; readonly at: number }
  | { readonly kind: 'timer' | 'limit' | 'printed' }
  | { readonly kind: 'mail'; readonly delivery: Delivery };

/** What happened to the run, in order. */
function itemsOf(events: readonly RunEvent[]): Item[] {
  const kinds = new Map<string, string>();
  /** Timers that have not ended, with their times. */
  const timers = new Map<string, number>();
  /** Timers that ended together with another one: a turn has one entry for all of them. */
  const joint = new Set<string>();
  let clock = 0;
  return events.flatMap((event): Item[] => {
    switch (event.type) {
      case 'effect_requested':
        kinds.set(event.effect, event.kind);
        return [];
      case 'timer_set':
        timers.set(event.effect, event.until);
        return [];
      case 'effect_settled': {
        const until = timers.get(event.effect);
        if (until !== undefined) {
          timers.delete(event.effect);
          if (event.stopped || joint.has(event.effect)) return [];
          for (const [other, otherUntil] of timers) if (otherUntil <= until) joint.add(other);
          return [{ kind: 'timer' }];
        }
        if (event.stopped) return [];
        const { outcome } = event;
        if (kinds.get(event.effect) === 'clock' && outcome.kind === 'value')
          clock = Math.max(clock, Number(outcome.value));
        // A busy machine may have read the clock after the end of a timer that it noticed only then.
        return [
          { kind: 'effect', key: `${event.effect}.${event.attempt}`, at: Math.min(clock, ...earlierThan(timers)) },
        ];
      }
      case 'answered':
        return [{ kind: 'mail', delivery: { kind: 'answer', name: event.name, value: event.value, by: event.by } }];
      case 'signal_received': {
        const { name, payload, by } = event;
        return [{ kind: 'mail', delivery: { kind: 'signal', name, payload, by } }];
      }
      case 'budget_exceeded':
        if (event.scope === 'time') return [{ kind: 'limit' }];
        return event.scope === 'output' ? [{ kind: 'printed' }] : [];
      default:
        return [];
    }
  });
}

const earlierThan = (timers: ReadonlyMap<string, number>): number[] => [...timers.values()].map((until) => until - 1);

/** Timers for one point in time end in any order. */
function hasTimersAtOnce(events: readonly RunEvent[]): boolean {
  const untils = new Map(events.flatMap((event) => (event.type === 'timer_set' ? [[event.effect, event.until]] : [])));
  const ended = events.flatMap((event) => (event.type === 'effect_settled' ? (untils.get(event.effect) ?? []) : []));
  return ended.some((until, at) => at > 0 && until <= (ended[at - 1] ?? 0));
}

class RecordedWorld implements World {
  now = 0;
  /** How often each effect was performed. */
  readonly performed = new Map<string, number>();
  private readonly items: Item[];
  private readonly outcomes = new Map<string, Outcome[]>();

  constructor(the: Undisturbed) {
    this.items = itemsOf(the.events);
    for (const event of the.events) {
      if (event.type !== 'effect_settled' || event.stopped) continue;
      const key = `${event.effect}.${event.attempt}`;
      this.outcomes.set(key, [...(this.outcomes.get(key) ?? []), withText(the, event.outcome)]);
    }
  }

  perform: TurnHost['perform'] = async (_, __, request, { stopping: { signal: stop } }) => {
    const key = `${request.effect}.${request.attempt}`;
    const waits = 'waits' in request ? (request.waits ?? 0) : 0;
    this.performed.set(`${key} ${waits}`, (this.performed.get(`${key} ${waits}`) ?? 0) + 1);
    const outcome = this.outcomes.get(key)?.[waits];
    const isCutOff = this.items[0]?.kind === 'printed';
    const at = request.kind === 'clock' && outcome?.kind === 'value' ? Number(outcome.value) : this.now;
    if (outcome !== undefined) return { outcome, at, printed: 0 };
    const stopped: Outcome = { kind: 'not-started', reason: 'it was stopped' };
    if (isCutOff) return { outcome: stopped, at, printed: Number.MAX_SAFE_INTEGER };
    return new Promise((resolve) =>
      stop.addEventListener('abort', () => resolve({ outcome: stopped, at, printed: 0 })),
    );
  };

  async next(open: readonly OpenEntry[], engine: ScriptedEngine): Promise<OpenEntry> {
    const runs = open.filter(({ kind }) => kind === 'run');
    if (open.some(({ name }) => name === 'stopping')) return runs[0] as OpenEntry;
    const heard = open.find(({ kind, name }) => kind === 'awakeable' && engine.resolved.has(name));
    if (heard !== undefined) return heard;
    for (;;) {
      const item = this.items[0];
      const found = item === undefined ? undefined : await this.entryFor(item, open, engine);
      if (found !== undefined) return found;
      // A timer that was due ended without an entry.
      if (item?.kind !== 'timer')
        throw new Error(`${JSON.stringify(item)} cannot happen: ${open.map(({ name }) => name).join(', ')}`);
      this.items.shift();
    }
  }

  private async entryFor(
    item: Item,
    open: readonly OpenEntry[],
    engine: ScriptedEngine,
  ): Promise<OpenEntry | undefined> {
    const named = (name: string): OpenEntry | undefined => open.find((one) => one.name === name);
    switch (item.kind) {
      case 'effect':
        return open.find(({ kind, name }) => kind === 'run' && name.includes(`/${item.key} `));
      case 'printed':
        return open.find(({ kind }) => kind === 'run');
      case 'timer':
      case 'limit':
        return named(item.kind);
      case 'mail': {
        const listening = open.find(({ kind }) => kind === 'awakeable');
        if (listening === undefined) return named('flush');
        await engine.deliverToObjects();
        this.items.shift();
        await engine.call(KEY, 'tell', [item.delivery]);
        return listening;
      }
    }
  }

  ended({ name }: OpenEntry): void {
    const item = this.items[0];
    if (item === undefined) return;
    if (item.kind === 'effect' && name.includes(`/${item.key} `) && !name.endsWith(' begin')) {
      this.now = Math.max(this.now, item.at);
      this.items.shift();
    } else if (item.kind === name || item.kind === 'printed') this.items.shift();
  }

  /** What a suspended run waits for has come. False: nothing comes. */
  async wake(engine: ScriptedEngine): Promise<boolean> {
    const item = this.items.shift();
    if (item?.kind === 'mail') {
      await engine.call(KEY, 'tell', [item.delivery]);
      await engine.deliverAll();
      return true;
    }
    if (item?.kind !== 'timer' || engine.delayed.length === 0) return false;
    await engine.deliverDelayed();
    return true;
  }
}

function withText({ artifacts }: Undisturbed, outcome: Outcome): Outcome {
  if (outcome.kind !== 'exited' || outcome.stdout.artifact === undefined) return outcome;
  const text = artifacts.get(outcome.stdout.artifact);
  return text === undefined ? outcome : { ...outcome, stdout: { ...outcome.stdout, text } };
}

interface EngineRun {
  readonly events: readonly RunEvent[];
  readonly state: RunState;
  readonly operations: number;
  readonly performed: ReadonlyMap<string, number>;
}

async function onEngine(
  the: Undisturbed,
  linked: LinkedMachine,
  cut: Cut | null,
  isSameProcess: boolean,
): Promise<EngineRun> {
  const world = new RecordedWorld(the);
  const program: TurnProgram = {
    linked,
    options: the.options,
    inDoubt: 'retry',
    placement: NO_ROUTES,
    memo: {},
    secrets: [],
    redactor: null,
    home: null,
    worktree: null,
  };
  let names = 0;
  const hostWith = (started: StartedEffects): TurnHost => ({
    services: SERVICES,
    environment: {},
    submitters: null,
    functions: null,
    started,
    program: async () => program,
    perform: world.perform,
    newName: () => `attempt ${names++}`,
    hasWorker: async () => false,
  });
  const first = hostWith(new StartedEffects());
  const engine = new ScriptedEngine(world, first, cut, () => (isSameProcess ? first : hostWith(new StartedEffects())));
  await engine.call(KEY, 'submit', submissionOf(the));
  await engine.deliverAll();
  while ((await stateOf(engine)).status === 'suspended' && (await world.wake(engine)));
  const { lines } = await engine.call<{ lines: string[] }>(KEY, 'events', { from: 1 });
  const events = lines.map((line) => (readJournalLine(line) as { event: RunEvent }).event);
  return { events, state: await stateOf(engine), operations: engine.operations, performed: world.performed };
}

function submissionOf({ machine, fixed, inputs }: Undisturbed): Submission {
  const facts = { runId: KEY, machine, digest: digestOf(machine), inputs, startedAt: new Date(0).toISOString() };
  const header = { ...facts, cwd: '/', version: VERSION, sources: [], options: fixed, settings: {} };
  return { header, inDoubt: 'retry', by: 'tester' };
}

const stateOf = (engine: ScriptedEngine): Promise<RunState> => engine.call<RunState>(KEY, 'status', null);

/** Points at which each run is cut off, evenly spread. */
const POINTS = tries(1, 400);
/** How it is cut off: whether an action was executed and not recorded, and which process executes the turn again. */
const WAYS = [false, true].flatMap((during) => [true, false].map((isSameProcess) => ({ during, isSameProcess })));

/** What differs from the run on record, one line a finding. */
export async function findingsOnEngine(the: Undisturbed): Promise<string[]> {
  const linked = link(the.machine);
  const whole = await onEngine(the, linked, null, true);
  const found = compared(the, whole, 'on an engine');
  if (found.length > 0) return found;
  for (const [at, after] of pointsBelow(whole.operations, POINTS).entries()) {
    // One after the other; the long tests try all at each point.
    const next = (whole.operations + at) % WAYS.length;
    for (const way of amount(0, 1) === 1 ? WAYS : WAYS.slice(next, next + 1))
      found.push(...(await cutOff(the, linked, { after, ...way })));
  }
  return found;
}

async function cutOff(
  the: Undisturbed,
  linked: LinkedMachine,
  { isSameProcess, ...cut }: Cut & { readonly isSameProcess: boolean },
): Promise<string[]> {
  const action = cut.during ? ' and an action' : '';
  const how = `cut off after ${cut.after} operations${action}, then ${isSameProcess ? 'the same' : 'another'} process`;
  const run = await onEngine(the, linked, cut, isSameProcess);
  const found = compared(the, run, how);
  const again = [...run.performed].filter(([, times]) => times > 1).map(([key]) => key);
  if (isSameProcess && again.length > 0) found.push(`${how}: ${again.join(', ')} was performed again`);
  return found;
}

function compared(the: Undisturbed, { events, state }: EngineRun, how: string): string[] {
  const [made, wanted] = [visible(the, events), visible(the, the.events)];
  if (made !== wanted) return [`${how}, the run has\n${made}instead of\n${wanted}`];
  const { run_id: _, duration_ms: __, ...report } = the.report;
  const { run_id: ___, duration_ms: ____, ...got } = state.report as NonNullable<RunState['report']>;
  const [a, b] = [untimed(JSON.stringify(the.redactor?.value(got as never) ?? got)), untimed(JSON.stringify(report))];
  return a === b ? [] : [`${how}: ${a} instead of ${b}`];
}

function visible({ redactor, events: recorded }: Undisturbed, events: readonly RunEvent[]): string {
  const lines = events
    .filter(({ type }) => type !== 'run_suspended' && type !== 'run_resumed')
    .map((event) => eventLine(redactor?.event(event) ?? event))
    .filter((line) => line !== null)
    .map((line) => `${untimed(line)}\n`);
  return (hasTimersAtOnce(recorded) ? lines.sort() : lines).join('');
}

/** How late a run noticed that it was out of time is no part of what it does. */
function untimed(text: string): string {
  return text.replace(/(ms is exceeded )\(\d+\)/g, '$1(…)');
}
