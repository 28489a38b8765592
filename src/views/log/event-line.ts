/**
 * One event of a run as one line for people, the same on a terminal and in a file except for colors. Events of no
 * interest to a reader (a clock reading, a recorded result) have no line.
 */
import type { RunEvent, Waiting } from '../../interpreter/events/event.js';
import { byteCount } from '../../machine/byte-count.js';
import type { Json } from '../../machine/expression.js';
import { unreachable } from '../../prelude/unreachable.js';
import { duration, limitDuration } from '../drawing/amounts.js';
import type { Paint } from '../drawing/paint.js';
import { cut, oneLine } from '../drawing/visible-text.js';

/** Longest rendering of one value, so that a line stays a line. */
const LONGEST_VALUE = 500;

/**
 * The line, or null if the event has none. `log.ts` decides below which line it is shown, and draws effects with their
 * output.
 */
export function eventLine(event: RunEvent, paint: Paint): string | null {
  switch (event.type) {
    case 'state_entered':
      return `${paint.state(`→ ${event.state}`)}${fields(event.with ?? {}, ' with ', event.printed)}`;
    case 'emitted':
      return emittedLine(event, paint);
    case 'effect_retried':
      return paint.warning(
        event.until_ms === undefined
          ? `  failed (attempt ${event.attempt}), retrying${pause(event.delay_ms)}: ${value(event.error)}`
          : event.account === undefined
            ? `  retrying in ${duration(event.delay_ms)}: ${value(event.error)}`
            : `  waits for ${accountWords(event.account)}, ${duration(event.delay_ms)} until ${exactTime(event.until_ms)}: ${value(event.error)}`,
      );
    case 'asked':
      return `  ${paint.strong('?')} ${value(event.question)}${choices(event.choices)}${paint.faint(ofId(event.id))}${fields(event.show ?? {}, ' ')}`;
    case 'answered':
      return `  ${event.name} = ${value(event.value, event.printed)}${paint.faint(` (${event.by})${ofId(event.id)}${event.reason === undefined ? '' : `: ${value(event.reason)}`}`)}`;
    case 'answer_refused':
      return `${paint.warning('refused')}: ${event.name} = ${value(event.value, event.printed)}${paint.faint(` (${event.by}, who may not answer)${ofId(event.id)}`)}`;
    case 'signal_received':
      return `  signal ${event.name}${event.payload === null ? '' : ` ${value(event.payload, event.printed)}`}${paint.faint(ofId(event.id))}`;
    case 'warned': {
      // Line 0: the event concerns the run and not an instruction.
      const location = event.line === 0 ? '' : paint.faint(` (${event.state}, line ${event.line})`);
      return `${paint.warning('warning')}: ${value(event.message)}${location}`;
    }
    case 'budget_exceeded':
      return paint.error(`limit reached: ${event.scope} ${amount(event.scope, event.limit)}`);
    case 'step_started': {
      const who = event.agent === null ? '' : ` ${value(event.agent)}`;
      return `▸ ${paint.state(event.step)}${paint.faint(`${who}${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}`)}`;
    }
    case 'gate_result': {
      const why = event.message === undefined ? '' : `: ${value(event.message)}`;
      return event.pass ? `gate ${event.gate} passed` : paint.error(`gate ${event.gate} failed${why}`);
    }
    case 'retry_triggered':
      return paint.warning(`${event.step}: attempt ${event.attempt}${changes(event.overrides)}`);
    case 'step_completed':
      return event.status === 'pass'
        ? `${event.step} passed`
        : paint.error(`${event.step}: ${event.status} after attempt ${event.attempt}`);
    case 'run_resumed':
      return event.of === undefined ? `resumed by ${value(event.by)}` : newRunLine(event);
    case 'rollback_started':
      return `rollback by ${value(event.by)}`;
    case 'rolled_back':
      return rolledBack(event, paint);
    case 'run_cancelled':
      return paint.warning(`cancelled by ${value(event.by)}`);
    case 'variable_changed':
      return paint.warning(`changed by ${event.by}: ${event.name} = ${value(event.value, event.printed)}`);
    case 'key_shared':
      return paint.faint(keyWords(event));
    case 'run_skipped':
      return paint.warning(`skipped: run ${event.run_id} has the key \`${value(event.key)}\``);
    case 'run_started':
    case 'instruction_failed':
    case 'effect_requested':
    case 'effect_settled':
    case 'tracked_set':
    case 'state_set':
    case 'timer_set':
    case 'worktree_committed':
    case 'run_suspended':
    case 'run_interrupted':
    case 'run_returned':
    case 'run_failed':
      return null;
    default:
      return unreachable(event);
  }
}

function keyWords({ key, run_id, how, waited_ms }: Extract<RunEvent, { type: 'key_shared' }>): string {
  const name = `the key \`${value(key)}\``;
  switch (how) {
    case 'waited':
      return `waited ${duration(waited_ms ?? 0)} for run ${run_id}, which had ${name}`;
    case 'cancelled':
      return `cancelled run ${run_id}, which had ${name}`;
    case 'waits':
      return `run ${run_id} waits for ${name}`;
    case 'skipped':
      return `run ${run_id} was skipped, because this run has ${name}`;
    default:
      return unreachable(how);
  }
}

function rolledBack({ done, failed }: Extract<RunEvent, { type: 'rolled_back' }>, paint: Paint): string {
  if (failed.length === 0) return `${done} undone`;
  const lines = failed.map(({ line }) => line).join(', ');
  return paint.error(`${done} undone, ${failed.length} failed (line ${lines})`);
}

/** A point in time in a form that needs no zone. Milliseconds since the epoch. */
export const exactTime = (timeMs: number): string => new Date(timeMs).toISOString();

/** The account of agents, or the budget of a program or a trial, that a run waits for. */
function accountWords(account: string): string {
  const [, kind, name] = /^(budget|trial):(.*)@\$[\d.]+$/s.exec(account) ?? [];
  if (name === undefined) return `the account \`${value(account)}\``;
  return `the budget of ${kind === 'trial' ? 'trial ' : ''}\`${value(name)}\``;
}

const ofId = (id: string | undefined): string => (id === undefined ? '' : ` [${id}]`);

/** What the run waits for, one line each. */
export function waitingLine(waiting: Waiting, timeText = exactTime): string {
  const until = `${waiting.until == null ? '' : ` until ${timeText(waiting.until)}`}${ofId(waiting.id)}`;
  switch (waiting.kind) {
    case 'ask':
      return `an answer to \`${waiting.name}\`: ${value(waiting.question ?? '')}${choices(waiting.choices ?? null)}${until}`;
    case 'signal':
      return `the signal \`${waiting.name}\`${until}`;
    case 'time':
      return `${waiting.account === undefined ? 'the clock' : accountWords(waiting.account)}${until}`;
    case 'approval':
      return `an approval: \`${waiting.path}\` (\`false\` denies it)${until}`;
    default:
      return unreachable(waiting.kind);
  }
}

/** What a question shows, one line for each value. */
export function shownLines({ show = {} }: Pick<Waiting, 'show'>): string[] {
  return Object.entries(show).map(([name, one]) => `  ${name} = ${value(one)}`);
}

function emittedLine(event: Extract<RunEvent, { type: 'emitted' }>, paint: Paint): string {
  const tint = event.by === 'engine' && event.event === 'TOOL_FAILURE' ? paint.error : paint.event;
  const said = event.message === null ? '' : cut(oneLine(event.message), 4 * LONGEST_VALUE);
  if (event.event === null) return `EMIT ${said}`;
  const { tool, error } = event.fields;
  if (event.by === 'engine' && event.event === 'TOOL_FAILURE' && tool === null)
    return `${paint.error('failed')}: ${value(error ?? null)}${paint.faint(` (${event.state}, line ${event.line})`)}`;
  return `EMIT ${tint(event.event)}${fields(event.fields, ' ', event.printed)}${said === '' ? '' : ` ${said}`}`;
}

function pause(delayMs: number): string {
  return delayMs === 0 ? '' : ` in ${duration(delayMs)}`;
}

/** The changes of a retry; a changed prompt is only mentioned, because it can be a page long. */
function changes({ prompt, ...others }: Readonly<Record<string, Json>>): string {
  return fields(prompt === undefined ? others : { ...others, prompt: 'another' }, ' with ');
}

function fields(
  record: Readonly<Record<string, Json>>,
  before: string,
  printed: Readonly<Record<string, string>> = {},
): string {
  const parts = Object.entries(record).map(([name, one]) => {
    return `${name}=${value(one, Object.hasOwn(printed, name) ? printed[name] : undefined)}`;
  });
  return parts.length === 0 ? '' : before + parts.join(' ');
}

function choices(list: readonly string[] | null): string {
  return list === null || list.length === 0 ? '' : ` (${list.map((one) => value(one)).join(', ')})`;
}

/**
 * A value on one line as the language renders it: text raw, null empty, all others as JSON. Long values are shortened.
 */
function value(one: Json, printed?: string): string {
  if (one === null) return '';
  return cut(oneLine(printed ?? (typeof one === 'string' ? one : JSON.stringify(one))), LONGEST_VALUE);
}

function amount(scope: Extract<RunEvent, { type: 'budget_exceeded' }>['scope'], limit: number): string {
  if (scope === 'time') return limitDuration(limit);
  if (scope === 'journal' || scope === 'output' || scope === 'image') return byteCount(limit);
  return scope === 'cost' ? `$${limit.toFixed(2)}` : String(limit);
}

/** A replay changes nothing of the run that it begins with, and repeats only what does not count any more. */
function newRunLine({ of = '', by, without = [] }: Extract<RunEvent, { readonly type: 'run_resumed' }>): string {
  const count = without.length;
  const repeats = count === 0 ? '' : `; repeats ${count} ${count === 1 ? 'effect that failed' : 'effects that failed'}`;
  return `a new run by ${value(by)}, which begins as ${of} did${repeats}`;
}
