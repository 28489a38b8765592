/**
 * The flat keys that steps write: `<path of the step>.<field>`, all of them texts. Steps read each other's keys, and
 * `state.json` shows them.
 */
import { RuntimeFailure } from '../failure.js';
import type { GateFinding, StepFrame, Tally } from '../run-state/frame.js';
import type { Run } from '../run-state/run-memory.js';
import type { StepRecord } from '../run-state/run-result.js';
import type { Thread } from '../run-state/thread.js';

/** US dollars for people: two decimals, or four if two would show zero. */
export function costText(cost: number | null): string {
  if (cost === null) return 'unknown';
  return cost > 0 && cost < 0.01 ? cost.toFixed(4) : cost.toFixed(2);
}

/** The cost of a step in US dollars; null if none of its calls reported it. */
export function costOfTally({ cost, unknown }: Tally): number | null {
  return unknown && cost === 0 ? null : cost;
}

function set(run: Run, path: string, field: string, value: string): void {
  run.steps.setKey(path, field, value);
}

const count = (value: number | undefined | null): string =>
  value === undefined || value === null ? '' : String(value);

/** Writes the keys of an attempt that its gates may read. `changes`: whether the step is meant to change files. */
export function writeWork(run: Run, frame: StepFrame, changes: boolean): void {
  const { path, tally } = frame;
  run.steps.removeKeysBelow(`${path}.gate.`);
  set(run, path, 'output', frame.output);
  if (changes) {
    set(run, path, 'diff', frame.diff);
    set(run, path, 'files', frame.files.join(', '));
  }
  set(run, path, 'agent', frame.agent ?? '');
  set(run, path, 'session_id', frame.session ?? '');
  set(run, path, 'cost', costText(costOfTally(tally)));
  set(run, path, 'turns', count(tally.turns));
  set(run, path, 'tokens_in', count(tally.tokens?.in));
  set(run, path, 'tokens_out', count(tally.tokens?.out));
  set(run, path, 'cache_read', count(tally.tokens?.cache_read));
  set(run, path, 'cache_write', count(tally.tokens?.cache_write));
  // Nearly no attempt has one: reading it gives an empty text then.
  run.steps.removeKeysBelow(`${path}.${DENIED}`);
  if (frame.denied !== undefined && frame.denied.length > 0) set(run, path, DENIED, deniedText(frame));
  if (frame.comments !== null) set(run, path, 'comments', frame.comments);
}

/** The key of the calls of tools that were not allowed. */
const DENIED = 'denied';

/** One line for each call of a tool that was not allowed. */
function deniedText({ denied = [] }: StepFrame): string {
  return denied.map(({ tool, input }) => (input === undefined ? tool : `${tool} ${input}`)).join('\n');
}

/** Writes the keys of a gate. */
export function writeGate(run: Run, frame: StepFrame, name: string, { pass, comments, error }: GateFinding): void {
  const field = `gate.${name}`;
  set(run, frame.path, field, String(pass));
  if (comments !== undefined) set(run, frame.path, `${field}.comments`, comments);
  set(run, frame.path, `${field}.error`, error ?? '');
}

/** Writes the keys that follow from the result of an attempt. */
export function writeVerdict(run: Run, frame: StepFrame, status: 'pass' | 'fail' | 'fatal', nowMs: number): void {
  const { path, attempt, gates } = frame;
  set(run, path, 'status', status);
  set(run, path, 'attempt', String(attempt));
  set(run, path, 'retries', String(attempt - 1));
  set(run, path, 'duration', String(Math.max(0, Math.round(nowMs - frame.startedMs))));
  const results = Object.values(gates);
  set(run, path, 'check_result', results.length === 0 ? 'none' : results.every(({ pass }) => pass) ? 'pass' : 'fail');
}

/** Copies the keys of a failed attempt to those of the previous iteration. */
export function copyToPrevious(run: Run, path: string): void {
  const before = `prev.${path}.`;
  run.steps.removeKeysBelow(before);
  run.steps.copyKeys(`${path}.`, before);
}

/** A key that must exist. */
export function readKey(thread: Thread, key: string, text: string): string {
  const value = thread.run.steps.keys.get(key);
  if (value !== undefined) return value;
  const path = key.slice(0, key.indexOf('.'));
  const ran = thread.run.steps.records.has(path);
  if (ran && key === `${path}.${DENIED}`) return '';
  const why = ran ? `\`${path}\` did not write \`${key.slice(path.length + 1)}\`` : `\`${path}\` has not run yet`;
  throw new RuntimeFailure('bad_value', `\`${text}\` has no value here: ${why}`);
}

/** Notes the status of a step for the report of the run. */
export function recordStep(run: Run, frame: StepFrame, status: StepRecord['status']): void {
  const { path, agent, attempt, tally, verdict } = frame;
  run.steps.record({ path, status, agent, attempt, cost: costOfTally(tally), verdict });
}
