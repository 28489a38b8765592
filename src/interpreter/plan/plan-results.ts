/** What a plan that is part of a program leaves when it has ended: its value, and in the program's data what it wrote. */
import type { Json } from '../../machine/expression.js';
import type { PlanCall } from '../../machine/plan.js';
import { writeData } from '../control/branch-data.js';
import type { DataPath } from '../run-state/run-data.js';
import { type Thread, warn } from '../run-state/thread.js';
import { DataTree } from '../values/data-tree.js';
import type { RunningPlan } from './active-plan.js';
import type { PlanNode } from './engine/plan-node.js';

import type { CallRecord } from './scheduler/call-record.js';

/** What the call gave, or what was there so that it did not run. */
export function callResult({ plan, scheduler }: PlanNode): Json {
  const [record] = scheduler.records();
  if (record?.status === 'done') return scheduler.values[0] ?? null;
  const path = plan.calls[0]?.arms[record?.arm ?? 0]?.[0];
  return (path === undefined ? undefined : valueAt(scheduler.state(), path)) ?? null;
}

function valueAt(data: Json, path: readonly string[]): Json | undefined {
  return new DataTree(data).read(path);
}

/** The call of a CALL with its record, when it failed. */
export function failureOf({ run }: RunningPlan): { call: PlanCall; record: CallRecord } | undefined {
  const { plan, scheduler } = run.root;
  const [record] = scheduler.records();
  const [call] = plan.calls;
  return record?.status === 'failed' && call !== undefined ? { call, record } : undefined;
}

/** Whether the call of a CALL did what it is for: it took no arm for failures, and nothing of it was there already. */
export function hasSucceeded({ run }: RunningPlan): boolean {
  const { plan, scheduler } = run.root;
  const [record] = scheduler.records();
  if (record?.status !== 'done') return false;
  const last = run.log.findLast((entry) => 'outcome' in entry);
  if (last === undefined || last.outcome.kind === 'result') return true;
  const outcomes = plan.tools[plan.calls[0]?.tool ?? '']?.outcomes ?? {};
  return last.outcome.kind === 'failure' && Object.hasOwn(outcomes, String(last.outcome.exitCode));
}

/** A plan has data of its own while it runs, so that each begins anew; what it came to is then there for all. */
export function leaveResults(thread: Thread, { run, written }: RunningPlan): void {
  const data = run.root.scheduler.state();
  const last = new Map(written.map((path) => [JSON.stringify(path), path]));
  for (const path of last.values()) {
    if (path[0] !== 'state' && path[0] !== 'data') continue;
    const value = valueAt(data, path);
    if (value === undefined) continue;
    const why = thread.data.refusal(path as DataPath, value, 'set');
    if (why === null) writeData(thread, { path: path as DataPath, value, method: 'set' });
    else warn(thread, `what the plan wrote to \`†${path.join('.')}\` is dropped: ${why}`);
  }
}
