/**
 * The last execution of a plan before an event, from the record alone: what became of its calls, and the values that they
 * were given. A program can execute its plans several times, each time with data of their own.
 */
import { threadOf } from '../../interpreter/events/facts.js';
import type { Json, JsonObject } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import type { PlanCall } from '../../machine/plan.js';
import { isJsonObject } from '../../prelude/json-object.js';
import { printPath } from '../../prelude/reference.js';
import { endingOf } from '../../runtime/record/run-model.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { ROOM_FOR_VALUE } from '../../views/graph/plan-picture.js';
import type { PictureEdge } from '../../views/picture/picture.js';
import type { RecordedRunEvent } from '../data/page-data.js';
import type { RecordLines } from '../data/record-lines.js';

type CallEventOf<T extends RecordedRunEvent['type']> = Extract<RecordedRunEvent, { type: T }>;
type CallRequested = CallEventOf<'effect_requested'>;
type CallSettled = CallEventOf<'effect_settled'>;

export interface PlanExecution {
  /** By the indexes of calls. Calls that have not begun are absent. */
  readonly calls: ReadonlyMap<number, ExecutedCall>;
  /** Calls that have not begun will not begin any more. */
  readonly isOver: boolean;
  /** By paths, what calls were given. */
  readonly values: JsonObject;
}

interface ExecutedCall {
  readonly status: 'running' | 'done' | 'failed';
  /** The event that began it for the first time. */
  readonly seq: number;
}

/** So many effects that belong to something else are looked at. */
const MOST_OTHERS = 2000;

/** `last`: the index of the shown line. */
export function lastExecution(machine: Machine, plan: string, lines: RecordLines, last: number): PlanExecution {
  const requests = requestsOf(machine, plan, lines, last);
  const first = requests[requests.length - 1];
  if (first === undefined) return { calls: new Map(), isOver: false, values: {} };
  const settled = settledSince(lines, last, first.seq);
  const planned = machine.plans?.[plan]?.calls ?? [];
  const calls = new Map<number, ExecutedCall>();
  // The newest attempt of a call says how it is, and the oldest one where it began.
  for (const request of requests) {
    const index = indexOf(request);
    const newest = calls.get(index);
    const status = newest?.status ?? statusOf(request, settled, planned[index]);
    calls.set(index, { status, seq: request.seq });
  }
  const isOpen = [...calls.values()].some(({ status }) => status === 'running');
  const values: Record<string, Json> = {};
  for (const request of requests.toReversed()) {
    const call = planned[indexOf(request)] as PlanCall;
    Object.assign(values, resultOf(settled.get(keyOf(request)), call), argumentsOf(request, call));
  }
  return { calls, isOver: !isOpen && continues(lines, last, settled), values };
}

/** The indexes of calls begin at 0, those in the ids of effects at 1. */
function indexOf({ effect }: CallRequested): number {
  return Number(effect.slice(effect.lastIndexOf('.') + 1)) - 1;
}

/** Those of the last execution, newest first. */
function requestsOf(machine: Machine, plan: string, lines: RecordLines, last: number): CallRequested[] {
  const found: CallRequested[] = [];
  const calls = machine.plans?.[plan]?.calls ?? [];
  const linesOfUses = usesOf(machine, plan);
  let others = 0;
  for (const request of lines.before('effect_requested', last)) {
    const call = calls[indexOf(request)];
    const uses = linesOfUses.get(request.state);
    const isOwn =
      request.kind === 'tool' &&
      call !== undefined &&
      uses !== undefined &&
      (call.line > 0 ? call.line === request.line : uses.has(request.line));
    const isNewest = found[0] === undefined || threadOf(found[0].effect) === threadOf(request.effect);
    if (isOwn && !isNewest) return found;
    if (isOwn) found.push(request);
    else if (++others > MOST_OTHERS) return found;
  }
  return found;
}

/** The lines at which each state executes the plan. */
function usesOf({ states }: Machine, plan: string): ReadonlyMap<string, ReadonlySet<number>> {
  const uses = new Map<string, Set<number>>();
  for (const { name, code } of states)
    for (const instruction of code) {
      if (instruction.op !== 'plan' || instruction.plan !== plan) continue;
      uses.set(name, (uses.get(name) ?? new Set()).add(instruction.origin.line));
    }
  return uses;
}

/** What has ended, by the effect and its attempt. */
function settledSince(lines: RecordLines, last: number, seq: number): ReadonlyMap<string, CallSettled> {
  const settled = new Map<string, CallSettled>();
  for (const one of lines.before('effect_settled', last)) {
    if (one.seq < seq) break;
    settled.set(keyOf(one), one);
  }
  // What is tried again has not ended.
  for (const one of lines.before('effect_retried', last)) {
    if (one.seq < seq) break;
    settled.delete(keyOf(one));
  }
  return settled;
}

const keyOf = ({ effect, attempt }: { readonly effect: string; readonly attempt: number }): string =>
  `${effect} ${attempt}`;

/** A failure for which the plan has an alternative is a result. */
function statusOf(
  request: CallRequested,
  settled: ReadonlyMap<string, CallSettled>,
  call: PlanCall | undefined,
): ExecutedCall['status'] {
  const end = settled.get(keyOf(request));
  if (end === undefined) return 'running';
  const hasFailed = endingOf(end.outcome, request.kind, end.stopped === true) === 'failed';
  return hasFailed && (call?.arms.length ?? 0) < 2 ? 'failed' : 'done';
}

/** Whether something happened after the last result that is not a part of the plan. */
function continues(lines: RecordLines, last: number, settled: ReadonlyMap<string, CallSettled>): boolean {
  const newest = [...settled.values()].reduce((most, { seq }) => Math.max(most, seq), 0);
  return lines.indexOf(newest) < last;
}

/** A result that a call wrote as it is. */
function resultOf(end: CallSettled | undefined, { arms, method }: PlanCall): JsonObject {
  const path = arms[0]?.[0];
  const isPlain = end?.outcome.kind === 'value' && method === null && arms[0]?.length === 1;
  return isPlain && path !== undefined ? { [printPath(path)]: end.outcome.value } : {};
}

/** What a call was given, by the paths from which it read that. */
function argumentsOf({ args = [] }: CallRequested, call: PlanCall): JsonObject {
  const given = args[0];
  if (!isJsonObject(given)) return {};
  const values: Record<string, Json> = {};
  for (const [name, parameter] of call.parameters.entries) {
    const value = (given as { readonly [name: string]: Json })[name];
    if (parameter.op === 'read' && parameter.of.op === 'path' && value !== undefined)
      values[printPath(parameter.of.path)] = value;
  }
  return values;
}

/** The value at a path such as `state.user.name`, which can be inside of a value that was written; undefined: none. */
export function valueAt(values: JsonObject, path: string): Json | undefined {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const written = values[path.slice(0, end)];
    if (written !== undefined) return inside(written, path.slice(end + 1));
  }
  return undefined;
}

function inside(value: Json, rest: string): Json | undefined {
  let found: Json | undefined = value;
  for (const name of rest.split('.').filter(Boolean)) {
    if (found === null || typeof found !== 'object' || !Object.hasOwn(found, name)) return undefined;
    found = (found as { readonly [name: string]: Json })[name];
  }
  return found;
}

/** The paths of an edge. That of an input is the title of its node. */
export function pathsOf({ labels }: PictureEdge, inputTitle: string): string[] {
  return labels.map((label) => label.replace(ROOM_FOR_VALUE, '').trim() || inputTitle);
}

/** A value in the room that a label keeps for it. */
export function shortValue(value: Json): string {
  const text = visibleLine(typeof value === 'string' ? `"${value}"` : JSON.stringify(value));
  return text.length <= ROOM_FOR_VALUE.length ? text : `${text.slice(0, ROOM_FOR_VALUE.length - 1)}…`;
}

/** Lines of a label with values instead of the room for them. `values`: in the order of the paths. */
export function withValues(lines: readonly string[], values: readonly (Json | undefined)[]): string[] {
  let at = 0;
  return lines.map((line) => {
    if (!line.includes(ROOM_FOR_VALUE)) return line;
    const value = values[at++];
    return line.replace(ROOM_FOR_VALUE, value === undefined ? '' : shortValue(value)).trim();
  });
}
