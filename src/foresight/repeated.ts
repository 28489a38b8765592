/** A segment that was executed again: what a trace needs to know of it. */
import type { RequestFacts } from './requests.js';
import type { Moment, Segment } from './segment.js';
import type { Way } from './way.js';

export interface Repeated {
  readonly moment: Moment;
  readonly segment: Omit<Segment, 'run'>;
  /** The new numbers of unknown values. */
  readonly renamed: ReadonlyMap<number, number>;
  /** The first so many of them are the same for each way to the configuration. */
  readonly deciding: number;
  readonly way: Way | null;
  readonly pending: RequestFacts | null;
}
