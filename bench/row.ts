/** What a row of the benchmark gives: ratios taken in one run on one machine, each with the bar it must pass. */

export interface Measured {
  /** What is compared with what. */
  readonly what: string;
  /** The two sides in the row's own unit, for people: `172 ms vs 86 ms`. */
  readonly sides: string;
  readonly ratio: number;
  /** The same of the time that processors worked. It depends less on what else the machine does. */
  readonly cpuRatio?: number;
  /** `ratio` must not be above `atMost`, or not below `atLeast`; with neither the row only informs. */
  readonly atMost?: number;
  readonly atLeast?: number;
  /** The unit of the number, unless it is a ratio: `MB/s`, `ms`, `KiB`. */
  readonly unit?: string;
}

export interface Row {
  readonly name: string;
  measure(): Promise<Measured[]>;
}

export function passes({ ratio, atMost, atLeast }: Measured): boolean {
  return !(atMost !== undefined && !(ratio <= atMost)) && !(atLeast !== undefined && !(ratio >= atLeast));
}
