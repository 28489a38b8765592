/**
 * Who sees what of the run's data. A branch begins with what was there at its fork and sees besides only what it writes
 * itself; at the join its writes follow in source order. So the outcome never depends on which branch was faster.
 */
import { printPath } from '../../machine/reference.js';
import type { Member } from '../run-state/fork.js';
import { type DataWrite, RunData } from '../run-state/run-data.js';
import { record, type Thread, warn } from '../run-state/thread.js';

/** Writes what is not refused there. Of a branch it is told at the join, when it is known whether it counts. */
export function writeData(thread: Thread, write: DataWrite): void {
  const { path, value, method } = write;
  thread.data.write(path, value, method);
  if (thread.member !== null) {
    thread.member.writes.push(write);
    return;
  }
  const how = method === null || method === 'set' ? {} : { method };
  record(thread, { type: 'state_set', path: printPath(path), value, ...how });
}

/** The data of a branch that begins. */
export function branchData(member: Member): RunData {
  return new RunData({ root: member.fork.data, written: [] });
}

/** The data of a branch that was under way: what was there at its fork, and its writes. */
export function restoredBranchData(member: Member): RunData {
  const data = branchData(member);
  for (const { path, value, method } of member.writes) data.write(path, value, method);
  return data;
}

/** What a branch wrote becomes part of what its parent has; the first of two that write one path has written it. */
export function joinWrites({ writes, fork, index }: Member): void {
  const { parent } = fork;
  for (const write of writes) {
    const { path, value, method } = write;
    const why =
      method === null && parent.data.has(path)
        ? 'an earlier member has written there'
        : parent.data.refusal(path, value, method);
    if (why === null) writeData(parent, write);
    else warn(parent, `what member ${index + 1} wrote to \`†${printPath(path)}\` is dropped: ${why}`);
  }
}
