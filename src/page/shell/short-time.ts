/** A point in time in the zone of the reader: of today only the time of day. */
import { localTime } from '../../views/drawing/amounts.js';

/** `at`: ISO 8601, or milliseconds since the epoch. */
export function shortTime(at: string | number): string {
  const text = localTime(at);
  return new Date(at).toDateString() === new Date().toDateString() ? text.slice(11) : text.slice(0, 16);
}
