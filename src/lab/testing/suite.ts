/** A test file that was read with its program, and how its tests are executed. */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { SourceSet } from '../../language/source/diagnostic.js';
import type { CassetteLine, MockLine, TestFile } from '../../language/syntax/tests/test-tree.js';
import type { Machine } from '../../machine/machine.js';
import type { Cassette } from '../../runtime/cassette/cassette.js';
import type { CassetteWorld } from '../../runtime/cassette/cassette-world.js';
import type { Configuration } from '../../runtime/configuration/load-configuration.js';
import type { Effects } from '../../runtime/effect-context.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import type { RunOptions } from '../../runtime/run/start-run.js';
import type { VirtualTime } from '../../runtime/virtual-time.js';
import type { Property } from '../foresight/properties.js';
import type { Judged } from './judge.js';
import type { MachineFacts } from './machine-facts.js';
import type { TestExpressions } from './test-expressions.js';
import type { Call, TestFailure, TestWorld, WorldProblem } from './test-world.js';

/** How a test is executed: the world around it, and other ways to execute its run than from its beginning to its end. */
export interface TestOptions {
  /** The working directory, absolute. */
  readonly cwd: string;
  /** Performs what mocks answer `for real`; null: refused. */
  readonly real: Effects | null;
  /** Compares with what is stored, or stores it; null where the test has no `EXPECT: snapshot`. */
  readonly snapshot: (name: string, text: string) => Judged | null;
  /** Notes which mocks of the file were used. */
  readonly noteUse: (mock: MockLine) => void;
  /** Notes what the run recorded. */
  readonly noteEvents: (events: readonly RunEvent[]) => void;
  /** A run with more events counts as endless; absent: without a limit. */
  readonly mostEvents?: number;
  /** Executes the run with a fault; absent: without one. */
  readonly fault?: FaultDrive;
  /** Brings a cassette up to date instead of playing it; absent: cassettes are played. */
  readonly renewal?: CassetteRenewal;
}

/** Executes a run in another way than from its beginning to its end. */
export interface FaultDrive {
  /** What happened before. */
  readonly before: {
    readonly events: readonly RunEvent[];
    readonly calls: readonly Call[];
    /** Milliseconds since the epoch. */
    readonly now: number | null;
  };
  readonly drive: (machine: Machine, options: RunOptions, world: TestWorld, time: VirtualTime) => Promise<RunReport>;
  /** Which expectations are judged. */
  readonly judges: 'all' | 'always';
}

/** A run of a test, and what is wrong with it. */
export interface ExecutedTest {
  readonly failures: readonly TestFailure[];
  readonly warnings: readonly TestFailure[];
  readonly events: readonly RunEvent[];
  /** Null: a value of the test cannot be computed. */
  readonly report: RunReport | null;
  /** Why the run could not continue. */
  readonly problems: readonly WorldProblem[];
  readonly isStuck: boolean;
}

/** What performs the requests that a cassette does not have. */
export interface CassetteRenewal {
  readonly begin: (
    cassette: Cassette,
    world: () => CassetteWorld,
  ) => Pick<ConstructorParameters<typeof CassetteWorld>[0], 'others' | 'onUse'>;
  /** Takes the events of the run, after it has ended. Why the cassette cannot be written, as a clause; null: it is. */
  readonly end: (line: CassetteLine, events: readonly RunEvent[], isSound: boolean) => string | null;
}

/** A test file that can run: its tree, the compiled program, and what its lines can refer to. */
export interface Suite {
  /** As messages call it. */
  readonly name: string;
  readonly tree: TestFile;
  readonly machine: Machine;
  readonly facts: MachineFacts;
  readonly expressions: TestExpressions;
  readonly properties: readonly Property[];
  readonly configuration: Configuration;
  /** The path of the program, as messages call it. */
  readonly program: string;
  /** The folder of the program, absolute. */
  readonly programDir: string;
  /** By their paths as the test file has them. An updated cassette takes the place of the one that was read. */
  readonly cassettes: Map<string, Cassette>;
  /** The text of the file of snapshots; null: there is none. */
  readonly snapshots: string | null;
  /** The test file first, then the program and its imports. */
  readonly sources: SourceSet;
}

/** Names that a condition can use besides the variables of the program. */
export const RUN_NAMES = ['returned', 'error', 'cost', 'time'] as const;
