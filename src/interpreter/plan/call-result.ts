/**
 * The result of a plan or CALL inside a program: the value to bind, and the writes that the data of the program takes
 * over.
 */
import type { Json } from '../../machine/expression.js';
import { writeData } from '../control/branch-data.js';
import type { DataPath } from '../run-state/run-data.js';
import { type Thread, warn } from '../run-state/thread.js';
import { DataTree, type UnknownData } from '../values/data-tree.js';
import type { RunningPlan } from './active-plan.js';
import type { FailedCall } from './engine/node-outcome.js';
import type { PlanNode } from './engine/plan-node.js';

/** The result of the one call of a CALL; if it did not run, the value that its output path has. */
export function callResult({ plan, scheduler: { data } }: PlanNode, unknown: UnknownData | null): Json {
  const [record] = data.callRecords();
  if (record?.status === 'done') return data.resultOf(0);
  const path = plan.calls[0]?.arms[record?.arm ?? 0]?.[0];
  return (path === undefined ? undefined : valueAt(data.all(), path, unknown)) ?? null;
}

function valueAt(data: Json, path: readonly string[], unknown: UnknownData | null): Json | undefined {
  return new DataTree(data, unknown).read(path);
}

/** The one call of a CALL, if it failed. */
export function failureOfCall({ engine }: RunningPlan): FailedCall | undefined {
  const { plan, scheduler } = engine.root;
  const [record] = scheduler.data.callRecords();
  const [call] = plan.calls;
  return record?.status === 'failed' && call !== undefined ? { call, record } : undefined;
}

/** Whether the one call of a CALL did its work: it ran, and took no arm for failures. */
export function hasSucceeded({ engine }: RunningPlan): boolean {
  const { plan, scheduler } = engine.root;
  const [record] = scheduler.data.callRecords();
  if (record?.status !== 'done') return false;
  const last = engine.log.findLast((entry) => 'outcome' in entry);
  if (last === undefined || last.outcome.kind === 'result') return true;
  const outcomes = plan.tools[plan.calls[0]?.tool ?? '']?.outcomes ?? {};
  return last.outcome.kind === 'failure' && Object.hasOwn(outcomes, String(last.outcome.exitCode));
}

/** Copies what a PLAN wrote to the data of the program. While it runs, its data is its own, so that each run of it starts anew. */
export function leaveResults(thread: Thread, { engine, written }: RunningPlan): void {
  const data = engine.root.scheduler.data.all();
  const last = new Map(written.map((path) => [JSON.stringify(path), path]));
  for (const path of last.values()) {
    if (path[0] !== 'state' && path[0] !== 'data') continue;
    const value = valueAt(data, path, thread.run.linked.unknownData);
    if (value === undefined) continue;
    const why = thread.data.refusal(path as DataPath, value, 'set');
    if (why === null) writeData(thread, { path: path as DataPath, value, method: 'set' });
    else warn(thread, `what the plan wrote to \`†${path.join('.')}\` is dropped: ${why}`);
  }
}
