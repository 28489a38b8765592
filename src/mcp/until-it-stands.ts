/** Waits for a run: until it ends, waits for somebody, or the time is over. It continues, whatever becomes of the call. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Refused, Result } from '../app/result.js';
import type { ShownRun } from '../app/runs.js';
import { isOver } from '../interpreter/events/status-after.js';
import type { JournalRecord } from '../runtime/store/journal-line.js';
import type { Caller } from './caller.js';
import type { Door } from './door.js';
import { idOf, isQuestion, withOwnNames } from './forms.js';
import { progressText } from './run-view.js';

interface AwaitedEnd {
  readonly run_id: string;
  readonly wait_s: number;
  readonly bound?: string | undefined;
  /** Ids of questions that were answered just now: the process of the run has the answers soon. */
  readonly answered?: readonly string[];
}

type FoundEnd = { readonly ok: true; readonly run: ShownRun; readonly recent: readonly JournalRecord[] } | Refused;

/** How often a run is looked at: often at first, since most runs are short. Each look asks an engine. Milliseconds. */
const FIRST_MS = 25;
const LATER_MS = 250;
const ENGINE_MS = 1000;
/** How long a run may take to be suspended after it has asked. What else it does then continues. Milliseconds. */
const SUSPENDING_MS = 1000;

export async function untilItStands(
  door: Door,
  caller: Caller,
  { run_id, wait_s, bound, answered = [] }: AwaitedEnd,
): Promise<FoundEnd> {
  let end = performance.now() + wait_s * 1000;
  let askedAt = performance.now();
  let reported = -1;
  const longest = door.engine === null ? LATER_MS : ENGINE_MS;
  for (let between = FIRST_MS; ; between = Math.min(longest, between * 1.5)) {
    const found = await lookAt(door, run_id);
    if (!found.ok || found.run.status !== 'running') return found;
    if (asks(found.run, answered)) end = Math.min(end, askedAt + SUSPENDING_MS);
    else askedAt = performance.now();
    const { last_seq } = found.run;
    if (caller.progress !== null && last_seq > reported && wait_s > 0) {
      reported = last_seq;
      // A connection that is gone does not keep the run from continuing.
      await caller.progress(last_seq, progressText(found.run, bound)).catch(() => undefined);
    }
    const left = end - performance.now();
    if (left <= 0 || caller.signal.aborted) return found;
    await pause(Math.min(between, left), undefined, { signal: caller.signal }).catch(() => undefined);
  }
}

export async function lookAt(door: Door, run_id: string): Promise<FoundEnd> {
  const inspected = await door.runs.inspect(run_id);
  if (!inspected.ok) return inspected;
  const { value, recent } = inspected;
  const run = { ...value, waiting: withOwnNames(value.waiting) };
  // Its process was asked to continue it and has not recorded that yet.
  const mayContinue = run.status !== 'running' && !run.waiting.some(isQuestion) && (await isContinuing(door, run));
  return { ok: true, run: mayContinue ? { ...run, status: 'running' } : run, recent };
}

async function isContinuing(door: Door, { run_id, status }: ShownRun): Promise<boolean> {
  if (isOver({ status }) || door.engine !== null) return false;
  const opened: Result<boolean> = await door
    .executions()
    .then((executions) => ({ ok: true as const, value: executions.mayContinue(run_id) }))
    .catch(() => ({ ok: true as const, value: false }));
  return opened.ok && opened.value;
}

/** A question of it can be answered already. */
function asks({ waiting }: ShownRun, answered: readonly string[]): boolean {
  return waiting.some((one) => isQuestion(one) && !answered.includes(idOf(one)));
}
