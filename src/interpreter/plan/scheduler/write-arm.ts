/** How the result of a call comes to the paths of the arm that it took. */
import type { Json } from '../../../machine/expression.js';
import type { OutputMethod, PlanCall, PlanPath } from '../../../machine/plan.js';
import type { DataTree } from '../../values/data-tree.js';
import type { CallRecord } from './call-record.js';

/** The paths of an arm that the call writes: without a method those where nothing is. */
export function openPaths(data: DataTree, { arms, method }: PlanCall, arm: number): readonly PlanPath[] {
  const paths = arms[arm] ?? [];
  return method !== null || !paths.some((path) => data.has(path)) ? paths : paths.filter((path) => !data.has(path));
}

/** Writes all paths or none; why it does not, as a clause, or null. */
export function writeAll(
  data: DataTree,
  paths: readonly PlanPath[],
  value: Json,
  method: OutputMethod | null,
): string | null {
  for (const path of paths) {
    const refusal = data.refusal(path, value, method);
    if (refusal !== null) return refusal;
  }
  for (const path of paths) data.write(path, value, method);
  return null;
}

/** Writes what a decided call wrote, if it wrote anything. */
export function writeAgain(data: DataTree, call: PlanCall, { status, arm }: CallRecord, value: Json): void {
  if ((status === 'done' || status === 'denied') && arm !== null)
    writeAll(data, openPaths(data, call, arm), value, call.method);
}
