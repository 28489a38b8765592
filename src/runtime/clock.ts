/** A monotonic clock for durations. The global `performance` is the same clock, but Node takes longer to load it. */

/** Milliseconds since some moment in the past, with fractions. */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
