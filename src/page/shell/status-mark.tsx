/** The status of a run: a word with a mark, so that it does not depend on a color. */
import { useEffect, useState } from 'preact/hooks';
import { duration } from '../../views/drawing/amounts.js';
import type { ShownStatus } from '../data/page-data.js';

/** `damaged`: the record of the run cannot be read to its end, so its status is not known. */
type MarkedStatus = ShownStatus | 'damaged';

const MARKS: Readonly<Record<MarkedStatus, string>> = {
  damaged: '!',
  queued: '…',
  running: '▶',
  returned: '✓',
  failed: '✕',
  suspended: '?',
  interrupted: '‖',
  skipped: '–',
  killed: '!',
};

const ABOUT: Readonly<Record<MarkedStatus, string>> = {
  damaged: 'its record cannot be read to its end',
  queued: 'the service executes it as soon as other runs have ended',
  running: 'a process executes it',
  returned: 'it has ended with a result',
  failed: 'it has ended with an error',
  suspended: 'it waits for a person, a signal or the clock',
  interrupted: 'it was stopped, and can be resumed',
  skipped: 'nothing of it was executed, because another run had its key',
  killed: 'its process died; it can be resumed',
};

export function StatusMark({ status }: { readonly status: MarkedStatus }) {
  return (
    <span class={`status ${status}`} title={ABOUT[status]}>
      <span class="mark" aria-hidden="true">
        {MARKS[status]}
      </span>
      {status}
    </span>
  );
}

const TICK_MS = 1000;
const MINUTE_MS = 60_000;

/** `sinceMs`: when it would have begun if it had never been interrupted, in milliseconds since the epoch. */
export function Elapsed({ sinceMs }: { readonly sinceMs: number }) {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const ms = Math.max(0, nowMs - sinceMs);
  return <>{ms < MINUTE_MS ? `${Math.floor(ms / TICK_MS)} s` : duration(ms)}</>;
}
