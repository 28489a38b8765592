/** A time that passes while somebody looks: how long something has lasted so far. */
import { useEffect, useState } from 'preact/hooks';
import { duration } from '../../views/drawing/duration.js';

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
