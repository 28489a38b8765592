/**
 * What becomes of a run if its process dies after any of its events: the run is rebuilt from the events before, and
 * continues in a world that gives every effect the outcome that it had. Nothing is started, so this can be tried after
 * each event of each case; that processes die like this, too, is shown in `runtime/crash.test.ts`.
 */
import { vi } from 'vitest';
import type { RunReport } from '../../src/index.js';
import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import { Replay } from '../../src/interpreter/record/replay.js';
import {
  type InterpreterOptions,
  type LinkedMachine,
  link,
  type Run,
  restoreRun,
  snapshotOf,
  startRun,
} from '../../src/interpreter/run.js';
import type { Json } from '../../src/machine/expression.js';
import type { Machine } from '../../src/machine/machine.js';
import type { EffectContext, Effects } from '../../src/runtime/effect-context.js';
import type { Redactor } from '../../src/runtime/redact.js';
import { drive } from '../../src/runtime/run/drive.js';
import type { AskHandler, DriveEnd } from '../../src/runtime/run/drive-options.js';
import { reportOf } from '../../src/runtime/run/run-report.js';
import { memoryJournal } from '../../src/runtime/store/journal.js';
import type { FixedOptions } from '../../src/runtime/store/run-header.js';
import { pointsBelow, tries } from '../amount.js';
import { eventLine } from './event-line.js';

/** A run that nothing happened to, with all that is needed to make it again. */
export interface Undisturbed {
  readonly machine: Machine;
  readonly options: InterpreterOptions;
  /** The same, as they are stored, and the inputs. */
  readonly fixed: FixedOptions;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly redactor: Redactor | null;
  /** As they are in its journal. */
  readonly events: readonly RunEvent[];
  readonly report: RunReport;
  /** When it came to that, milliseconds since the epoch. */
  readonly at: number;
  /** Output that was too large for the journal. */
  readonly artifacts: ReadonlyMap<string, string>;
  readonly ask: AskHandler | null;
}

/** Points that a run is crashed at; a longer one is crashed at that many of its events, evenly. */
const POINTS = tries(2, 80);
/** How long a run that is out of time takes to notice. */
const LEFT_MS = 15;

/** What went wrong, one line a finding; nothing when the run survives everything. */
export async function crashed(the: Undisturbed): Promise<string[]> {
  if (the.report.status !== 'suspended') return everywhere(the);
  // What it was suspended for has not come: a deadline is not to pass while it is crashed.
  vi.useFakeTimers({ toFake: ['Date'], now: the.at });
  try {
    return await everywhere(the);
  } finally {
    vi.useRealTimers();
  }
}

async function everywhere(the: Undisturbed): Promise<string[]> {
  const linked = link(the.machine);
  const found: string[] = [];
  const { length } = the.events;
  for (const point of pointsBelow(length, POINTS)) {
    // There is no checkpoint before the first event.
    if (point > 0) found.push(...restored(the, linked, point));
    found.push(...(await gone(the, linked, point)));
  }
  found.push(...(await gone(the, linked, length)));
  return found;
}

/** The run after its first events, which must be those on record. */
function replayed(the: Undisturbed, linked: LinkedMachine, until: number): { replay: Replay; wrong: string[] } {
  const replay = new Replay(startRun(linked, the.options), replayOptions(the), false);
  return { replay, wrong: fed(replay, the, 0, until) };
}

function fed(replay: Replay, { events }: Undisturbed, from: number, until: number): string[] {
  for (let at = from; at < until; at++) {
    const difference = replay.take(at + 1, events[at] as RunEvent);
    if (difference === null) continue;
    const { recorded, made } = difference;
    return [`event ${at + 1} of ${until} is ${JSON.stringify(recorded)}, made was ${JSON.stringify(made)}`];
  }
  return [];
}

function replayOptions(the: Undisturbed) {
  const toRecorded = (event: RunEvent): RunEvent => the.redactor?.event(event) ?? event;
  const complete = (outcome: Outcome): Outcome => withText(the, outcome);
  return { toRecorded, complete, toCompared: (event: RunEvent) => event, migrate: () => null };
}

function withText({ artifacts }: Undisturbed, outcome: Outcome): Outcome {
  if (outcome.kind !== 'exited' || outcome.stdout.artifact === undefined) return outcome;
  const text = artifacts.get(outcome.stdout.artifact);
  return text === undefined ? outcome : { ...outcome, stdout: { ...outcome.stdout, text } };
}

/** A checkpoint at this point, and the events after it. */
function restored(the: Undisturbed, linked: LinkedMachine, point: number): string[] {
  const { replay, wrong } = replayed(the, linked, point);
  if (wrong.length > 0) return wrong;
  const lost = replay.rest();
  const { run } = replay;
  const snapshot = JSON.parse(JSON.stringify(snapshotOf(run)));
  const kept = restoreRun(linked, snapshot, the.options);
  const [before, after] = [JSON.stringify(snapshot), JSON.stringify(snapshotOf(kept))];
  if (before !== after) return [`a checkpoint at ${point} keeps ${after} instead of ${before}`];
  const again = new Replay(kept, replayOptions(the), true);
  const differs = fed(again, the, point + lost.length, the.events.length);
  if (differs.length > 0) return differs.map((line) => `from a checkpoint at ${point}: ${line}`);
  return compared(the, again.run, { kind: 'ended' }, `from a checkpoint at ${point}`);
}

/** The process dies after this many events, and another one resumes the run. */
async function gone(the: Undisturbed, linked: LinkedMachine, point: number): Promise<string[]> {
  const { replay, wrong } = replayed(the, linked, point);
  if (wrong.length > 0) return wrong;
  const lost = replay.rest();
  const kept = the.events.slice(0, point);
  const journal = memoryJournal();
  const run = replay.release();
  const end = await goOn(the, run, { lost, point, journal });
  const lines = visible([...kept, ...journal.events]);
  const wanted = visible(the.events);
  if (lines !== wanted) return [`crashed after event ${point}, it went on otherwise:\n${lines}instead of\n${wanted}`];
  return compared(the, run, end, `crashed after event ${point}`);
}

async function goOn(
  the: Undisturbed,
  run: Run,
  { lost, point, journal }: { lost: readonly RunEvent[]; point: number; journal: ReturnType<typeof memoryJournal> },
): Promise<DriveEnd> {
  const late = the.events.some((event) => event.type === 'budget_exceeded' && event.scope === 'time');
  const timeMs = late ? (run.limits.timeMs ?? null) : null;
  return drive(run, {
    effects: recordedWorld(the, point),
    context: { resources: { worktrees: null } } as unknown as Omit<EffectContext, 'stop' | 'show'>,
    journal: journal.open({} as Parameters<typeof journal.open>[0]),
    redactor: the.redactor,
    stateFile: null,
    checkpoints: null,
    inbox: null,
    time: null,
    growth: null,
    begin: { seq: point, events: lost, activeMs: timeMs === null ? 0 : timeMs - LEFT_MS },
    onEvent: null,
    onOutput: null,
    onNotice: null,
    ask: the.ask,
    person: 'tester',
    signal: null,
    timeMs,
    suspendAfterMs: the.report.status === 'suspended' ? 0 : null,
    signalUpToMs: the.report.status === 'suspended' ? 0 : null,
    mayBlock: () => false,
  });
}

/** Gives each effect the outcome on record, in the order of the record: one after the other, as the run asks for it. */
function recordedWorld(the: Undisturbed, point: number): Effects {
  // A try that was put off is asked for again under the same name, so one name may have several outcomes.
  const outcomes = new Map<string, Outcome[]>();
  let order: string[] = [];
  the.events.forEach((event, at) => {
    if (event.type !== 'effect_settled' || event.stopped) return;
    if (at < point) return;
    const key = `${event.effect} ${event.attempt}`;
    outcomes.set(key, [...(outcomes.get(key) ?? []), withText(the, event.outcome)]);
    order.push(key);
  });
  const waiting = new Map<string, () => void>();
  const turn = (): void => {
    const next = waiting.get(order[0] ?? '');
    if (next === undefined) return;
    waiting.delete(order[0] as string);
    order = order.slice(1);
    next();
    setImmediate(turn);
  };
  return {
    perform({ effect, attempt, kind }, { stop }) {
      const key = `${effect} ${attempt}`;
      const outcome = outcomes.get(key)?.shift();
      // Another outcome may have come between this request and its answer.
      const isNext = order[0] === key;
      if (outcome !== undefined && isNext && (kind === 'clock' || kind === 'uuid' || kind === 'random')) {
        order = order.slice(1);
        setImmediate(turn);
        return outcome;
      }
      return new Promise((resolve) => {
        stop.addEventListener('abort', () => resolve({ kind: 'not-started', reason: 'it was stopped' }));
        if (outcome === undefined) return;
        waiting.set(key, () => resolve(outcome));
        setImmediate(turn);
      });
    },
  };
}

/** The visible events. How often a run had to be left is no part of what it does. */
function visible(events: readonly RunEvent[]): string {
  return events
    .filter(({ type }) => type !== 'run_suspended')
    .map(eventLine)
    .filter((line) => line !== null)
    .map((line) => `${untimed(line)}\n`)
    .join('');
}

/** How late a run noticed that it was out of time is no part of what it does either. */
function untimed(text: string): string {
  return text.replace(/(ms is exceeded )\(\d+\)/g, '$1(…)');
}

/** What a run came to must be what the undisturbed one came to. */
function compared(the: Undisturbed, run: Run, end: DriveEnd, how: string): string[] {
  const { run_id: runId, duration_ms: durationMs, ...wanted } = the.report;
  const actual = reportOf(run, run.result === null ? end : { kind: 'ended' }, {
    runId,
    durationMs,
    redactor: the.redactor,
    worktree: null,
  });
  const { run_id: _, duration_ms: __, ...got } = actual;
  // A run that is only fed its record is not driven to the point where it would suspend.
  const ignored = run.result === null && end.kind === 'ended' ? { status: '', waiting: [] } : {};
  const [a, b] = [JSON.stringify({ ...got, ...ignored }), JSON.stringify({ ...wanted, ...ignored })];
  return untimed(a) === untimed(b) ? [] : [`${how}: ${a} instead of ${b}`];
}
