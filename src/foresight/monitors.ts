/** Monitors: what a property remembers of a run. Their states are part of each configuration. */
import type { Segment } from './segment.js';

/** One number for each property. */
export type MonitorState = readonly number[];

export interface Watched {
  readonly state: MonitorState;
  /** Indexes of the properties that this segment violates. */
  readonly violated: readonly number[];
  /** Indexes of the properties whose left side happened. */
  readonly awoken: readonly number[];
}

export interface Monitors {
  readonly first: MonitorState;
  readonly looksAtEvents: boolean;
  /** Whether the order of members matters. */
  readonly looksAtOrder: boolean;
  readonly step: (before: MonitorState, segment: Pick<Segment, 'run' | 'events' | 'knowledge' | 'happened'>) => Watched;
}

const NOTHING: Watched = { state: [], violated: [], awoken: [] };

export const NO_MONITORS: Monitors = { first: [], looksAtEvents: false, looksAtOrder: false, step: () => NOTHING };
