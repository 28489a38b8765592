/** The state of a run as a page of text: its facts, its variables, what it waits for and its last events. */

import type { RunError, RunEvent, Waiting } from '../interpreter/events/event.js';
import type { Printed } from '../interpreter/values/json.js';
import type { Json } from '../machine/expression.js';
import { countOf, dollars, duration, localTime } from './drawing/amounts.js';
import { alignedLines } from './drawing/columns.js';
import type { Paint } from './drawing/paint.js';
import { cut, visibleLine } from './drawing/visible-text.js';
import { eventGist } from './log/event-gist.js';
import { shownLines, waitingLine } from './log/event-line.js';
import { statusPaint } from './run-list.js';
import { stepPaint } from './steps/step-table.js';

interface DrawnRun {
  readonly run_id: string;
  readonly machine: string;
  readonly title: string;
  readonly status: string;
  readonly state: string | null;
  readonly states: readonly string[];
  readonly states_total: number;
  readonly returned: Json;
  readonly printed_returned?: string;
  readonly error: RunError | null;
  readonly waiting: readonly Waiting[];
  readonly inputs: Readonly<Record<string, Json>>;
  readonly tracked: Readonly<Record<string, Json>>;
  readonly bound: Readonly<Record<string, Json>>;
  readonly printed_inputs?: Printed;
  readonly printed_tracked?: Printed;
  readonly printed_bound?: Printed;
  readonly cost: number | null;
  readonly cost_unknown?: true;
  readonly duration_ms: number;
  readonly effects: number;
  readonly started_at: string;
  readonly seq: number;
  readonly at: string;
  readonly last_seq: number;
  readonly steps?: readonly CurrentStep[];
  /** The UNDOs that a rollback would perform, in order. */
  readonly undo?: readonly { readonly line: number; readonly text: string }[];
  /** Runs with the same key are executed one at a time. */
  readonly key?: string;
  readonly worktree?: { readonly branch: string; readonly directory: string };
  readonly engine?: EngineFacts;
}

/** Where workers of an engine execute the run. */
interface EngineFacts {
  readonly turn: number | null;
  readonly worker: string | null;
  readonly invocation: string | null;
  readonly since: string | null;
  readonly no_worker_since: string | null;
  readonly made_by: string | null;
  readonly refused: string | null;
  readonly waits: readonly {
    readonly kind: string;
    readonly name: string;
    readonly since: string | null;
    readonly worker: 'none' | 'gone' | 'there';
  }[];
  readonly waits_for_key?: { readonly key: string; readonly run_id: string | null; readonly status?: string };
}

/** The status of a step; `since`, ISO 8601, is the start of its attempt or its end. */
interface CurrentStep {
  readonly path: string;
  readonly status: 'running' | 'pass' | 'fail' | 'fatal';
  readonly agent: string | null;
  readonly attempt: number;
  readonly cost: number | null;
  readonly since: string;
}

interface Recent {
  readonly seq: number;
  readonly time: string;
  readonly event: RunEvent;
}

const LONGEST_VALUE = 500;
const MOST_STATES = 20;
const LABEL = 10;

export function drawRunState(run: DrawnRun, recent: readonly Recent[], paint: Paint): string {
  const lines = [`${statusPaint(run.status, paint)(run.status)}  run ${run.run_id}`];
  const add = (label: string, texts: readonly string[]): void => {
    texts.forEach((text, at) => {
      lines.push(paint.faint((at === 0 ? label : '').padEnd(LABEL)) + text);
    });
  };
  if (run.seq < run.last_seq) add('as of', [`event ${run.seq} of ${run.last_seq}, ${localTime(run.at)}`]);
  if (run.title !== run.machine) add('title', [paint.strong(visibleLine(run.title))]);
  add('machine', [visibleLine(run.machine)]);
  add('state', run.state === null ? [] : [paint.state(visibleLine(run.state))]);
  add('states', run.states.length === 0 ? [] : [statesLine(run.states, run.states_total)]);
  add('started', [localTime(run.started_at)]);
  add('key', run.key === undefined ? [] : [visibleLine(run.key)]);
  const { worktree } = run;
  add(
    'worktree',
    worktree === undefined ? [] : [`${visibleLine(worktree.branch)}, ${visibleLine(worktree.directory)}`],
  );
  add('took', [`${duration(run.duration_ms)}, ${countOf(run.effects, 'effect')}, ${costWords(run)}`]);
  add('steps', stepLines(run.steps ?? [], paint));
  add('inputs', assignments(run.inputs, run.printed_inputs));
  add('tracked', assignments(run.tracked, run.printed_tracked));
  add('bound', assignments(run.bound, run.printed_bound));
  add('undo', undoWords(run.undo ?? []));
  add(
    'returned',
    run.returned === null
      ? []
      : [visibleLine(cut(run.printed_returned ?? JSON.stringify(run.returned), LONGEST_VALUE))],
  );
  add('error', run.error === null ? [] : [paint.error(errorWords(run.error))]);
  add(
    'waits for',
    run.waiting.flatMap((one) => [waitingLine(one), ...shownLines(one)].map(visibleLine)),
  );
  if (run.engine !== undefined) add('engine', engineLines(run.engine, paint));
  lines.push(
    '',
    paint.faint(run.seq < run.last_seq ? 'last events before that' : 'last events'),
    ...eventLines(recent),
  );
  return `${lines.join('\n')}\n`;
}

/** Which worker executes the run, and which ones it waits for. */
function engineLines(facts: EngineFacts, paint: Paint): string[] {
  const { turn, worker, invocation, since, no_worker_since: gone } = facts;
  if (facts.waits_for_key !== undefined) return [keyLine(facts.waits_for_key)];
  if (turn === null) return [paint.error(`no worker${from(gone)}; the run waits until one comes`)];
  const lines =
    worker === null
      ? [`turn ${turn}${facts.waits.length > 0 ? '' : ', of which no worker has reported yet'}`]
      : [`turn ${turn}, ${visibleLine(worker)}${from(since)}`];
  if (invocation !== null) lines.push(`invocation ${visibleLine(invocation)}`);
  lines.push(...turnProblems(facts).map((line) => paint.error(line)));
  for (const one of facts.waits)
    lines.push(waitLine(one) ?? `${workerWords(one)} performs an effect${from(one.since)}`);
  return lines;
}

/** Why the run does not continue now, a line each. */
export function engineProblems(facts: EngineFacts): string[] {
  const { turn, worker, waits } = facts;
  if (facts.waits_for_key !== undefined) return [keyLine(facts.waits_for_key)];
  // A worker reports after a second.
  if (worker === null && waits.length === 0)
    return [`no worker executes turn ${turn}; if one has begun it, it waits for a worker at the same address`];
  return [...turnProblems(facts), ...facts.waits.flatMap((one) => waitLine(one) ?? [])];
}

/** Why a run does not begin whose key another one has. */
export function keyLine({ key, run_id: run, status }: NonNullable<EngineFacts['waits_for_key']>): string {
  if (run === null) return `waits for the key \`${visibleLine(key)}\``;
  const has = `run ${run} has the key \`${visibleLine(key)}\``;
  return status === 'suspended'
    ? `${has}: it is suspended; answer what it asks, or end it: \`statedsl cancel ${run}\``
    : `${has}, and this run waits for it`;
}

function turnProblems({ worker, no_worker_since: gone, made_by: by, refused }: EngineFacts): string[] {
  const lines: string[] = [];
  // A turn that was refused continues elsewhere.
  if (refused !== null)
    lines.push(
      `refused by ${visibleLine(worker ?? 'a worker')}: ${visibleLine(refused)}; it waits for a worker that fits`,
    );
  else if (gone !== null)
    lines.push(`no worker${from(gone)}: nothing answers at this address; the run waits until one listens there`);
  if (by !== null) {
    const version = visibleLine(by);
    lines.push(`made by statedsl ${version}, which this worker cannot continue: start statedsl ${version} again there`);
  }
  return lines;
}

/** Null: the worker is there. */
function waitLine(one: EngineFacts['waits'][number]): string | null {
  if (one.worker === 'there') return null;
  const words = `waits for ${workerWords(one)}${from(one.since)}`;
  return one.worker === 'none' ? words : `${words}: the one that the engine knows does not answer`;
}

function workerWords({ kind, name }: EngineFacts['waits'][number]): string {
  return `a worker with the ${kind} ${visibleLine(name)}`;
}

function from(time: string | null): string {
  return time === null ? '' : ` since ${localTime(time)}`;
}

function undoWords(undo: NonNullable<DrawnRun['undo']>): string[] {
  const shown = undo.slice(0, MOST_STATES).map(({ line, text }) => visibleLine(`line ${line}: ${text}`));
  return undo.length > MOST_STATES ? [...shown, `… ${undo.length - MOST_STATES} more`] : shown;
}

/** All open steps, and the last finished ones. */
function stepLines(steps: readonly CurrentStep[], paint: Paint): string[] {
  const over = steps.filter(({ status }) => status !== 'running');
  const left = new Set(over.slice(0, Math.max(0, over.length - MOST_STATES)));
  const lines = steps.filter((step) => !left.has(step)).map((step) => stepLine(step, paint));
  return left.size === 0 ? lines : [`… ${left.size} more finished steps …`, ...lines];
}

function stepLine({ path, status, agent, attempt, cost, since }: CurrentStep, paint: Paint): string {
  const details = [
    ...(agent === null ? [] : [visibleLine(agent)]),
    `attempt ${attempt}`,
    ...(agent === null || status === 'running' ? [] : [cost === null ? 'unknown cost' : dollars(cost)]),
    `${status === 'running' ? 'since ' : ''}${localTime(since)}`,
  ];
  return `${paint.state(visibleLine(path))} ${stepPaint(status, paint)(status)}, ${details.join(', ')}`;
}

function costWords({ cost, cost_unknown }: DrawnRun): string {
  return cost_unknown ? `${dollars(cost)} and an unknown amount` : cost === null ? 'unknown cost' : dollars(cost);
}

/** The last states; `total` were entered. */
function statesLine(states: readonly string[], total: number): string {
  const shown = states.slice(-MOST_STATES).map(visibleLine);
  return (total > shown.length ? [`… ${total - shown.length} more …`, ...shown] : shown).join(' → ');
}

/** As JSON, which distinguishes the text `3` from the number 3. */
function assignments(values: Readonly<Record<string, Json>>, printed: Printed = {}): string[] {
  return Object.entries(values).map(([name, value]) => {
    const text = Object.hasOwn(printed, name) ? (printed[name] as string) : JSON.stringify(value);
    return `${name} = ${visibleLine(cut(text, LONGEST_VALUE))}`;
  });
}

function errorWords({ message, state, line, file }: RunError): string {
  const location = [state, file, line === null ? null : `line ${line}`].filter((part) => part !== null).join(', ');
  return visibleLine(location === '' ? message : `${message} (${location})`);
}

function eventLines(recent: readonly Recent[]): string[] {
  const rows = recent.map(({ seq, time, event }) => [
    String(seq),
    localTime(time),
    event.type,
    visibleLine(cut(eventGist(event), LONGEST_VALUE)),
  ]);
  const head = [{ title: '', right: true } as const, { title: '' }, { title: '' }, { title: '' }];
  return alignedLines(head, rows)
    .slice(1)
    .map((line) => `  ${line}`);
}
