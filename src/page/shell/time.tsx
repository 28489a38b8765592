/** A point in time in the time zone of the reader. A pointer shows it exactly. */
import { localTime } from '../../views/drawing/amounts.js';
import { shortTime } from './short-time.js';

/** Asking for it takes longer than all else of a row in a list. */
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `at`: ISO 8601. Of today only the time is shown. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={`${exact(at)}`}>
      {shortTime(at)}
    </time>
  );
}

function exact(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${localTime(at)}.${ms} (${ZONE})\n${at}`;
}
