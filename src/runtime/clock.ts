/** Time that passes evenly, for durations. The global `performance` is the same and takes Node longer to load. */

/** Milliseconds since some moment in the past, with fractions. */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
