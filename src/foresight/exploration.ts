/** What is explored of a machine, and what came of it. */
import type { RunEvent } from '../interpreter/events/event.js';
import type { Run } from '../interpreter/run.js';
import type { Json } from '../machine/expression.js';
import type { Machine } from '../machine/machine.js';
import type { Reduction } from './configuration.js';
import type { CountedSite, Edge, Mistake, Node } from './graph.js';
import type { Condition, MonitorState, Monitors } from './monitors.js';
import type { Rare } from './rare.js';
import type { Executed, Moment, Segment } from './segment.js';
import type { Unknown } from './unknown/knowledge.js';
import type { RequestFacts, Way } from './way.js';

export interface ExploreOptions {
  /** Inputs that have a value. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Inputs that may have any value. */
  readonly unknownInputs: ReadonlyMap<number, Unknown>;
  readonly start?: { readonly state: number; readonly with: Readonly<Record<string, Json>> };
  /** Whether effects may fail. */
  readonly withFailures: boolean;
  /** The longest list that a program goes through. */
  readonly longest: number;
  /** Leaves out lists that are longer than that because the program asks for them. */
  readonly withoutForced?: true;
  readonly maxConfigurations: number;
  /** How many segments are executed at most; undefined: as many as there are. */
  readonly maxSegments?: number;
  /** CPU time of the exploration. */
  readonly seconds: number;
  /** Asked about ten times a second, with how much is explored: whether the time of whoever waits is up. */
  readonly isTimeUp?: (progress: Progress) => boolean;
  /** The agents that a limit of their own may stop; absent: any may be. */
  readonly limitedAgents?: ReadonlySet<string>;
  /** Whether what is rare happens, too. */
  readonly withRare?: true;
  readonly without: ReadonlySet<Reduction>;
  readonly monitors?: Monitors;
  /** What is true of the inputs of all runs. */
  readonly assumptions?: readonly Condition[];
  /** Called after each segment; without an edge it is not part of any run. It may set what it has read back to 0. */
  readonly onSegment?: (edge: Edge | null, events: readonly RunEvent[], executed: Executed) => void;
}

/** How far an exploration is. */
export interface Progress {
  readonly configurations: number;
  /** Configurations that are known and from which nothing was explored yet. */
  readonly waiting: number;
}

export interface Exploration {
  readonly machine: Machine;
  readonly nodes: readonly Node[];
  /** The segments with which runs begin. */
  readonly begins: readonly Edge[];
  readonly sites: readonly CountedSite[];
  readonly mistakes: readonly Mistake[];
  /** Where each agent is called, as `STATE LINE`. */
  readonly agentLines: ReadonlyMap<string, ReadonlySet<string>>;
  readonly executed: Executed;
  readonly starts: readonly number[];
  /** How many segments were executed. */
  readonly segments: number;
  /** Why it is not complete; null: it is. */
  readonly stoppedBy: 'configurations' | 'seconds' | 'timeout' | 'memory' | 'long-list' | null;
  /** What may happen and was not explored, because it is rare. */
  readonly leftOut: ReadonlySet<Rare>;
  /** Whether a list of unknown length was cut. */
  readonly isBounded: boolean;
  /** The lists of unknown length that were cut. */
  readonly lists: ReadonlySet<string>;
  /** The lists of unknown length of which longer ones only add calls. */
  readonly freeLists: ReadonlySet<string>;
  readonly options: ExploreOptions;
  /** Executes the segment of an edge again. */
  readonly repeat: (moment: Moment | null, edge: Edge) => Repeated;
  /** How long the rounds of a WAIT take, by its position. */
  readonly timeOfWait: (position: number) => number;
  /** Whether a run may be suspended. */
  readonly mayBeSuspended: boolean;
  /** Whether a duration is unknown. */
  readonly hasUnknownTime: boolean;
  /** Equal for runs without unknown values that can do the same from there on. */
  readonly keyOf: (run: Run) => string;
  /** What monitors found, by node. */
  readonly violations: readonly { readonly edge: Edge; readonly property: number }[];
  /** By node. */
  readonly monitorStates: readonly MonitorState[];
  /** For each rule whose first moment happened, the first edge on which it did. */
  readonly awoken: ReadonlyMap<number, Edge>;
  /** For each rule, the edges on which its second moment happens. */
  readonly fulfilled: ReadonlyMap<number, ReadonlySet<Edge>>;
}

/** A segment that was executed again: what a trace needs to know of it. */
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
