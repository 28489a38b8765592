/** What a run on an engine comes to, as far as the engine can keep it. */
import type { RunEvent } from '../interpreter/events/event.js';
import type { Run } from '../interpreter/run.js';
import type { RunReport } from '../runtime/run/report.js';
import { bytesOf, MOST_IMAGE, MOST_REPORT, MOST_WAITING_REPORT, type TooLarge, tooMuch } from './most-stored.js';

/** What the run returned, if that is too large; otherwise null. */
export function tooLargeResult({ result }: Run): TooLarge | null {
  return result === null ? null : tooMuch(bytesOf(result.value), MOST_IMAGE);
}

/** Whether the event is the end of a run. */
export function isEnd({ type }: RunEvent): boolean {
  return type === 'run_returned' || type === 'run_failed';
}

/** The report without its largest variables, if it has too many bytes with them. The record has them. */
export function storedReport(report: RunReport, isOver: boolean): RunReport {
  let left = bytesOf(report) - (isOver ? MOST_REPORT : MOST_WAITING_REPORT);
  if (left <= 0) return report;
  const sizes = Object.entries(report.tracked).map(([name, value]) => ({ name, bytes: bytesOf(value) }));
  const dropped = new Set<string>();
  for (const { name, bytes } of sizes.sort((a, b) => b.bytes - a.bytes)) {
    if (left <= 0) break;
    dropped.add(name);
    left -= bytes;
  }
  const tracked = Object.fromEntries(Object.entries(report.tracked).filter(([name]) => !dropped.has(name)));
  return { ...report, tracked };
}
