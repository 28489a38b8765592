/** The last lines of the log of a run, without colours, for the failure of a test. */
import type { RunEvent } from '../interpreter/events/event.js';
import { plain } from '../views/drawing/paint.js';
import { eventLog } from '../views/log/log.js';

const LINES = 6;

export function logTail(events: readonly RunEvent[]): string[] {
  const log = eventLog({ paint: plain, terminal: true, outputOf: () => null, head: () => null });
  return events.flatMap((event) => log.lines(event)).slice(-LINES);
}
