/** Limits as records and `--json` spell them: keys of what is public or stored are in snake_case. */
import type { Limits } from '../../machine/machine.js';

/** Limits as events have them. */
export interface StoredLimits extends Omit<Limits, 'timeMs'> {
  readonly time_ms?: number;
}

export function storedLimits({ timeMs, ...others }: Limits): StoredLimits {
  return timeMs === undefined ? others : { ...others, time_ms: timeMs };
}

/** Limits from a record. */
export function limitsOf({ time_ms, ...others }: StoredLimits): Limits {
  return time_ms === undefined ? others : { ...others, timeMs: time_ms };
}
