/**
 * The run's data as branches see it. A branch starts with the data at its fork and sees only its own writes in addition.
 * The join applies the writes of branches in source order, so the result never depends on which branch was faster.
 */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { printPath } from '../../prelude/reference.js';
import { readable } from '../failure.js';
import type { Member } from '../run-state/fork-state.js';
import { type DataWrite, RunData } from '../run-state/run-data.js';
import { record, type Thread, warn } from '../run-state/thread.js';
import { printedForm } from '../values/json.js';
import { plain, type Value } from '../values/value.js';

/** Writes a value that is accepted there. A branch records it at the join, when it is known whether it counts. */
export function writeData(thread: Thread, write: DataWrite): void {
  const { path, value, method } = write;
  readable(value as Value);
  thread.data.write(path, value, method);
  if (thread.member !== null) {
    thread.member.writes.push(write);
    return;
  }
  const how = method === null || method === 'set' ? {} : { method };
  const printed = omitUndefined({ printed: printedForm(value as Value) });
  record(thread, { type: 'state_set', path: printPath(path), value: plain(value as Value), ...printed, ...how });
}

/** The data of a branch that starts. */
export function branchData(member: Member): RunData {
  return new RunData({ root: member.fork.data, written: [] }, member.fork.parent.run.linked.unknownData);
}

/** The data of a restored branch: the data at its fork, and its writes. */
export function restoredBranchData(member: Member): RunData {
  const data = branchData(member);
  for (const { path, value, method } of member.writes) data.write(path, value, method);
  return data;
}

/** Applies the writes of a branch to its parent. If two branches write one path, the first one in source order wins. */
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
