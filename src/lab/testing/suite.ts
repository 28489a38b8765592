/**
 * A test file that was read with its program, and how its cassettes are brought up to date: a test runs twice. The
 * first time the calls are listed that are not as recorded, the second time these are performed, and the cassette is
 * written again.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { SourceSet } from '../../language/source/diagnostic.js';
import type { CassetteLine, MockLine, TestFile } from '../../language/syntax/tests/test-tree.js';
import type { Machine } from '../../machine/machine.js';
import { resolveAgent } from '../../runtime/agents/resolve.js';
import type { Cassette, CassetteRecord } from '../../runtime/cassette/cassette.js';
import type { CassetteWorld } from '../../runtime/cassette/cassette-world.js';
import { makeRecord, writeCassette } from '../../runtime/cassette/make-record.js';
import type { Configuration } from '../../runtime/configuration/load-configuration.js';
import type { Effects, PerformedRequest } from '../../runtime/effect-context.js';
import type { Boundary } from '../../runtime/readable-file.js';
import { createRedactor } from '../../runtime/redact.js';
import { agentCosts, secretsOf } from '../../runtime/run/run-options.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import type { RunOptions } from '../../runtime/run/start-run.js';
import type { VirtualTime } from '../../runtime/virtual-time.js';
import type { Property } from '../foresight/properties.js';
import type { Judged } from './judge.js';
import type { MachineFacts } from './machine-facts.js';
import type { TestExpressions } from './test-expressions.js';
import type { Call, TestFailure, TestWorld, WorldProblem } from './test-world.js';

/** A call that a cassette does not have, and the most that it may cost: US dollars, or null if nothing limits it. */
export interface NeededCall {
  readonly test: string;
  readonly text: string;
  readonly state: string;
  readonly line: number;
  readonly maxCost: number | null;
}

/** Lists the calls of one test into `needed`. Each gets the outcome that the cassette has at its place. */
export function listingRenewal(suite: Suite, test: string, needed: NeededCall[]): CassetteRenewal {
  return {
    begin: (_, world) => ({
      others: {
        perform(request, context) {
          const outcome = world().outcomeAt(request, context);
          if ('text' in request && 'line' in request) {
            const { text, state, line } = request;
            needed.push({ test, text, state, line, maxCost: maxCostOf(request, suite) });
          }
          return outcome ?? { kind: 'not-started', reason: 'nothing is called yet' };
        },
      },
    }),
    end: () => null,
  };
}

/** What the agents of a whole run reserve: US dollars, or null if nothing limits it. */
export async function runCostOf({ machine, configuration }: Suite): Promise<number | null> {
  const [{ verify }, { DEFAULTS }] = await Promise.all([
    import('../foresight/verify-machine.js'),
    import('../foresight/explore-options.js'),
  ]);
  const { agents, folder } = configuration;
  const maxCost = agentCosts({ agents, folder, instead: {} });
  const { bounds } = verify(machine, { ...DEFAULTS, maxCost });
  const cost = bounds.find(({ kind }) => kind === 'cost');
  return cost === undefined ? 0 : (cost.reserved ?? null);
}

function maxCostOf(request: PerformedRequest, { configuration }: Suite): number | null {
  if (request.kind !== 'agent') return 0;
  const { agents, folder } = configuration;
  const configured = resolveAgent(request.agent, { agents, folder, instead: {} })?.configuration.max_cost;
  return request.guards?.maxCost ?? configured ?? null;
}

interface Cassettes {
  readonly fileOf: (path: string) => string;
  readonly boundary: Boundary;
}

/** Performs these calls with `real`, and writes the cassette to its file. */
export function performingRenewal(suite: Suite, real: Effects, { fileOf, boundary }: Cassettes): CassetteRenewal {
  let records: CassetteRecord[] = [];
  let played: Cassette | null = null;
  let current: (() => CassetteWorld) | null = null;
  return {
    begin(cassette, world) {
      records = [];
      played = cassette;
      current = world;
      return {
        others: real,
        onUse(record, request, context, outcome) {
          if (record !== null) {
            // The program may ask for the time more often than before, which moves the numbers of its effects.
            records.push({ ...record, at: request.effect });
            return;
          }
          const spent = outcome !== null && 'duration_ms' in outcome ? (outcome.duration_ms ?? 0) : 0;
          const ended = world().elapsedMs + spent;
          records.push(makeRecord(request, context, outcome, ended, createRedactor(secretsOf(suite.machine, {}))));
        },
      };
    },
    end(line, events, isSound) {
      if (played === null || current === null || !isSound) return null;
      // Answers and signals are kept, because no person is asked again.
      const kept = [...played.records].filter(({ kind }) => ['ask', 'approval', 'signal'].includes(kind));
      const started = events.find((event) => event.type === 'run_started');
      const isSuspended = events.at(-1)?.type === 'run_suspended';
      const header = {
        ...played,
        run: undefined,
        inputs: started?.inputs ?? played.inputs,
        isComplete: true,
        isSuspended,
      };
      const sorted = inOrder([...records, ...kept]);
      const why = writeCassette(fileOf(line.path), header, sorted, boundary);
      suite.cassettes.set(line.path, { ...header, records: sorted });
      return why;
    },
  };
}

/** By their ends, of which no two are equal. */
function inOrder(records: readonly CassetteRecord[]): CassetteRecord[] {
  let last = 0;
  return [...records]
    .sort((one, other) => one.endedMs - other.endedMs)
    .map((record) => {
      last = Math.round(Math.max(record.endedMs, last + 0.001) * 1000) / 1000;
      return { ...record, endedMs: last };
    });
}

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
interface CassetteRenewal {
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
