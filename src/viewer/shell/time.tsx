/** A point in time in the time zone of the reader. A pointer shows it exactly. */
import { localTime } from '../../views/drawing/amounts.js';

/** Asking for it takes longer than all else of a row in a list. */
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const sameDay = (a: Date, b: Date): boolean => a.toDateString() === b.toDateString();

/** `at`: ISO 8601. Of today only the time is shown. */
export function Time({ at }: { readonly at: string }) {
  const text = localTime(at);
  const shown = sameDay(new Date(at), new Date()) ? text.slice(11) : text.slice(0, 16);
  return (
    <time dateTime={at} title={`${exact(at)}`}>
      {shown}
    </time>
  );
}

function exact(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${localTime(at)}.${ms} (${ZONE})\n${at}`;
}
