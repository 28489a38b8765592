/** A run as an agent sees it: short facts, the same as text, and one next step. */
import type { ShownRun } from '../app/runs.js';
import { fromRecord } from '../interpreter/values/json.js';
import type { Json } from '../machine/expression.js';
import type { JournalRecord } from '../runtime/store/journal-line.js';
import { dollars, duration } from '../views/drawing/amounts.js';
import { oneLine } from '../views/drawing/visible-text.js';
import { eventGist } from '../views/log/event-gist.js';
import type { Door } from './door.js';
import { dateOf, defaultsOf, isQuestion, nameOf, wordsOf } from './forms.js';
import { cutText, fitMembers, jsonText, type ShortMembers } from './short-answer.js';
import { markDigits } from './written-numbers.js';

/** The result of a tool. */
export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: ShortMembers;
  readonly isError?: true;
}

const RECENT = 5;
const STEPS = 12;
const LONGEST_EVENT = 160;
/** A message may repeat what the caller gave. */
const LONGEST_REASON = 1500;

/** How to get what does not fit. */
export const MORE: Readonly<Record<string, string>> = {
  returned: 'the whole: `get` with `part: "output"`',
  recent: '`get` with `part: "events"`',
  steps: '`get` with `part: "report"`',
  error: '`get` with `part: "events"`',
  waiting: '`get` with `part: "events"`',
};

interface InspectedNow {
  readonly run: ShownRun;
  readonly recent: readonly JournalRecord[];
}

/** What only some answers say. */
export interface Remarks {
  readonly note?: string;
  /** What no run exceeds: `at most 12 calls of agents`. */
  readonly bound?: string;
  /** Also the last events and all steps. */
  readonly isDetailed?: boolean;
  /** The client can show forms. */
  readonly canAsk?: boolean;
}

export async function describeRun(
  door: Door,
  { run, recent }: InspectedNow,
  remarks: Remarks = {},
): Promise<ToolResult> {
  const questions = run.waiting.filter(isQuestion);
  const defaults = questions.length === 0 ? new Map<string, string>() : await defaultsOf(door.runs, run.run_id);
  const { note, bound, isDetailed = false, canAsk = false } = remarks;
  const next = nextStep(door, run, canAsk);
  const facts: ShortMembers = {
    run_id: run.run_id,
    status: run.status,
    machine: run.machine,
    ...(run.title === run.machine ? {} : { title: run.title }),
    ...(run.state === null ? {} : { state: run.state }),
    ...(run.status === 'returned' ? { returned: fromRecord(run.returned, run.printed_returned) } : {}),
    ...(run.error === null ? {} : { error: errorFacts(run) }),
    ...(run.waiting.length === 0 ? {} : { waiting: run.waiting.map((one) => waitingFacts(one, defaults)) }),
    ...(run.cost === 0 && run.cost_unknown !== true ? {} : { cost: run.cost }),
    duration_ms: run.duration_ms,
    ...(isDetailed ? { effects: run.effects, last_seq: run.last_seq } : {}),
    ...(isDetailed && run.steps !== undefined ? { steps: run.steps.slice(-STEPS).map(stepFacts) } : {}),
    ...(isDetailed ? { recent: recent.slice(-RECENT).map(eventText) } : {}),
    ...(bound === undefined ? {} : { bound }),
    ...(note === undefined ? {} : { note }),
    ...(next === null ? {} : { next }),
  };
  return resultOf(facts, MORE, (fitted) => textOf(run, fitted, defaults));
}

/** Text and values, each within the budget. */
export function resultOf(
  facts: ShortMembers,
  more: Readonly<Record<string, string>>,
  textOfFacts: (fitted: ShortMembers) => string,
): ToolResult {
  const fitted = fitMembers(facts, more);
  return {
    content: [{ type: 'text', text: textOfFacts(fitted) }],
    structuredContent: markDigits(fitted) as ShortMembers,
  };
}

/** An answer about a mistake that its reader can correct. */
export function failedResult(message: string, help: string | null = null, more: ShortMembers = {}): ToolResult {
  const error = {
    message: cutText(message, LONGEST_REASON),
    ...(help === null ? {} : { help: cutText(help, LONGEST_REASON) }),
  };
  const text = error.help === undefined ? error.message : `${error.message}\nnext: ${error.help}`;
  return { content: [{ type: 'text', text }], structuredContent: fitMembers({ error, ...more }, {}), isError: true };
}

function errorFacts({ error }: ShownRun): ShortMembers {
  const { kind, message, state, line, tool } = error as NonNullable<ShownRun['error']>;
  return {
    kind,
    message,
    ...(state === null ? {} : { state }),
    ...(line === null ? {} : { line }),
    ...(tool === null ? {} : { tool }),
  };
}

function waitingFacts(one: ShownRun['waiting'][number], defaults: ReadonlyMap<string, string>): ShortMembers {
  const standard = defaults.get(nameOf(one));
  return {
    kind: one.kind,
    ...(one.id === undefined ? {} : { id: one.id }),
    ...(nameOf(one) === '' ? {} : { name: nameOf(one) }),
    ...(one.question === undefined ? {} : { question: one.question }),
    ...(one.choices == null ? {} : { choices: [...one.choices] }),
    ...(standard === undefined ? {} : { default: standard }),
    ...(one.show === undefined ? {} : { show: one.show }),
    ...(one.until == null ? {} : { until: new Date(one.until).toISOString() }),
  };
}

type Step = NonNullable<ShownRun['steps']>[number];

function stepFacts({ path, status, agent, attempt, cost }: Step): ShortMembers {
  return { path, status, attempt, ...(agent === null ? {} : { agent }), ...(cost === null ? {} : { cost }) };
}

function eventText({ seq, event }: JournalRecord): string {
  return cutText(oneLine(`${seq} ${event.type} ${eventGist(event)}`).trim(), LONGEST_EVENT);
}

/** A word of a shell. */
function shellWord(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function nextStep(door: Door, run: ShownRun, canAsk: boolean): string | null {
  const { run_id, status, waiting, error } = run;
  const question = waiting.find(isQuestion);
  if (question !== undefined) {
    const value = question.kind === 'approval' ? 'true' : (question.choices?.[0] ?? '…');
    const command = `statedsl answer ${run_id} ${shellWord(`${nameOf(question)}=${value}`)}`;
    if (door.agentsMayAnswer) return 'call `answer` with the answers';
    const form = canAsk ? 'call `get`, which shows a form, or ' : '';
    return `a person has to answer; ${form}ask them to run \`${command}\``;
  }
  const signal = waiting.find(({ kind }) => kind === 'signal');
  if (signal !== undefined) return `it waits for the signal \`${nameOf(signal)}\`: \`answer\` sends it`;
  switch (status) {
    case 'running':
      return 'it continues; call `get` with `wait_s` to follow it';
    case 'suspended': {
      const until = waiting.find((one) => one.until != null)?.until;
      return until == null ? null : `it waits until ${dateOf(until)}; then \`control\` with \`resume\` continues it`;
    }
    case 'failed':
      if (error?.kind === 'cancelled') return run.undo === undefined ? null : '`control` with `rollback` undoes it';
      return 'mend the cause, then `control` with `resume`; see `get` with `part: "events"`';
    case 'interrupted':
    case 'killed':
      return '`control` with `resume` continues it';
    default:
      return null;
  }
}

function textOf(run: ShownRun, fitted: ShortMembers, defaults: ReadonlyMap<string, string>): string {
  const where = run.state === null || run.status === 'returned' ? '' : ` in ${run.state}`;
  const cost = run.cost === null || run.cost === 0 ? '' : `, ${dollars(run.cost)}`;
  const title = run.title === run.machine ? '' : ` "${run.title}"`;
  const lines = [
    `${run.machine}${title}: ${run.status}${where} after ${duration(run.duration_ms)}${cost} (run ${run.run_id})`,
  ];
  const print = (value: Json): string => (typeof value === 'string' ? value : jsonText(value));
  if (fitted.returned !== undefined) lines.push(`result: ${print(fitted.returned)}`);
  if (fitted.error !== undefined) {
    const { kind, message } = fitted.error as { readonly kind?: string; readonly message?: string };
    lines.push(`error: ${kind === undefined ? print(fitted.error) : `${kind}: ${message}`}`);
  }
  const { waiting = [] } = fitted as { readonly waiting?: readonly Json[] };
  for (const one of run.waiting.slice(0, waiting.length))
    lines.push(`waits: ${isQuestion(one) ? `\`${nameOf(one)}\`: ${wordsOf(one, defaults)}` : waitWords(one)}`);
  if (Array.isArray(fitted.steps))
    for (const step of fitted.steps as ShortMembers[])
      lines.push(`step ${step.path}: ${step.status}, attempt ${step.attempt}`);
  if (Array.isArray(fitted.recent)) lines.push('last events:', ...(fitted.recent as string[]).map((one) => `  ${one}`));
  for (const name of ['bound', 'note', 'next'] as const)
    if (typeof fitted[name] === 'string') lines.push(`${name}: ${fitted[name]}`);
  if (Array.isArray(fitted.left_out)) lines.push(...(fitted.left_out as string[]).map((one) => `left out: ${one}`));
  return cutText(lines.join('\n'), 8000);
}

function waitWords({ kind, name, until }: ShownRun['waiting'][number]): string {
  const limit = until == null ? '' : ` until ${dateOf(until)}`;
  return kind === 'signal' ? `the signal \`${name}\`${limit}` : `the time${limit}`;
}

/** What a person reads while a call waits. */
export function progressText(run: ShownRun, bound: string | undefined): string {
  const step = run.steps?.findLast(({ status }) => status === 'running');
  const parts = [
    run.state === null ? null : `in ${run.state}`,
    step === undefined ? null : `step ${step.path}, attempt ${step.attempt}`,
    `${run.effects} ${run.effects === 1 ? 'effect' : 'effects'}`,
    run.cost === null || run.cost === 0 ? null : dollars(run.cost),
    bound ?? null,
  ];
  return parts.filter((part) => part !== null).join(', ');
}
