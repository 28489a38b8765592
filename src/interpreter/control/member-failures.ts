/**
 * Results of members and rounds that failed or were stopped: the names that they would have bound become null, one failure
 * names all that failed, and `failures` lists them if the program continues.
 */
import type { Handler } from '../../machine/machine.js';
import type { FailureFacts } from '../events/event.js';
import { excerpt } from '../failure.js';
import type { Fork, Member } from '../run-state/fork-state.js';
import type { ForkLayout } from '../run-state/linked-machine.js';
import { type Lost, type Thread, warn } from '../run-state/thread.js';
import { render } from '../values/json.js';
import { isBeyondJson, isObject, type Value } from '../values/value.js';

/** How many members one failure names. It counts the others. */
const NAMED = 20;
const LONGEST_ITEM = 40;

/** The name of a member in `failures`. A layout of steps has no names. */
function itemOf({ items }: Fork, { names }: ForkLayout, index: number): Value {
  return items === null ? (names?.[index] ?? null) : (items[index] ?? null);
}

/** An item as a short text: its own name if it has one. */
function labelOf(item: Value): string {
  const own = isObject(item) ? (item.name ?? item.id) : item;
  const named = typeof own === 'string' || typeof own === 'number' ? own : item;
  const text = (isBeyondJson(named) ? JSON.stringify(named) : render(named)).replace(/\s+/g, ' ').trim();
  return text.length > LONGEST_ITEM ? `${text.slice(0, LONGEST_ITEM - 1)}…` : text;
}

function entry(item: Value, index: number, { error_type, error, exit_code }: FailureFacts): Value {
  return { item, index, kind: error_type, error, exit_code };
}

/** The value of `failures` at a join. */
export function failuresOf(fork: Fork, layout: ForkLayout): Value {
  return failedMembers(fork).map(({ index, failure }) => entry(itemOf(fork, layout, index), index, failure));
}

function failedMembers({ members }: Fork): (Member & { failure: FailureFacts })[] {
  return members.filter((member): member is Member & { failure: FailureFacts } => member.failure !== null);
}

/** The failure of a join: the first one, with the messages of all. */
export function joinedFailure(fork: Fork, layout: ForkLayout): FailureFacts | null {
  const failed = failedMembers(fork);
  const first = failed[0]?.failure;
  if (first === undefined) return null;
  const { members } = fork;
  if (layout.names === null || members.length === 1) return first;
  const said = failed
    .slice(0, NAMED)
    .map(
      ({ index, failure }) =>
        `${labelOf(itemOf(fork, layout, index))}: ${failed.length === 1 ? failure.error : excerpt(failure.error)}`,
    );
  const more = failed.length > NAMED ? `; and ${failed.length - NAMED} more` : '';
  return { ...first, error: `${failed.length} of ${members.length} failed: ${said.join('; ')}${more}` };
}

/** Reports the failure of a member that stops nothing. */
export function warnOfMember({ fork, index }: Member, layout: ForkLayout, facts: FailureFacts, isKept: boolean): void {
  const name = isKept ? ` (${labelOf(itemOf(fork, layout, index))})` : '';
  warn(fork.parent, `member ${index + 1} of ${fork.members.length}${name} failed: ${facts.error}`, facts);
}

/** Binds null to the names that a member did not bind, and notes the reason for messages. */
export function loseSlots(thread: Thread, slots: readonly number[], how: Lost): void {
  const names = thread.run.linked.machine.states[thread.state]?.locals ?? [];
  for (const slot of slots) {
    thread.locals[slot] = null;
    thread.lost = { ...thread.lost, [names[slot] ?? '']: how };
  }
}

/** Continues a loop after a failed round. The thread is then at the head of the loop. */
export function keepTurn(
  thread: Thread,
  { items, index, failures, handling, clear }: NonNullable<Handler['keep']>,
  facts: FailureFacts,
): void {
  const list = thread.locals[items] as readonly Value[];
  const at = (thread.locals[index] as number) - 1;
  const item = list[at] ?? null;
  thread.locals[failures] = [
    ...((thread.locals[failures] as readonly Value[] | undefined) ?? []),
    entry(item, at, facts),
  ];
  thread.handling = thread.locals[handling] === true;
  loseSlots(thread, clear, 'failed');
  warn(thread, `item ${at + 1} of ${list.length} (${labelOf(item)}) failed: ${facts.error}`, facts);
}
