/** Runs the tests of suites in one process, several at a time; their results are in the order of the files. */
import { configuredOptions } from '../../app/project/prepare.js';
import type { ProjectHost } from '../../app/project/project-host.js';
import { namedBoundary, readableFrom } from '../../app/project/read-program.js';
import { testMessages as say } from '../../language/source/catalogue/tests.js';
import type { Diagnostic } from '../../language/source/diagnostic.js';
import type { MockLine } from '../../language/syntax/tests/test-tree.js';
import { hostEffects } from '../../runtime/effects.js';
import { writeWhole } from '../../runtime/written-file.js';
import type { Coverage } from './coverage.js';
import { type FaultChoice, type FaultResult, runFaults } from './faults/run-faults.js';
import { cassettePath } from './load-suite.js';
import { snapshotPath } from './read-snapshots.js';
import { listingRenewal, type NeededCall, performingRenewal, runCostOf } from './renew-cassettes.js';
import { runTest } from './run-test.js';
import { type SnapshotMode, Snapshots } from './snapshots.js';
import type { Suite, TestOptions } from './suite.js';
import { rowsOf, type TestRow } from './test-rows.js';
import type { TestResult } from './test-world.js';

export interface SuiteOptions {
  readonly host: ProjectHost;
  /** The working directory of commands, absolute. */
  readonly cwd: string;
  readonly jobs: number;
  /** Whether the test of this name is run. */
  readonly isWanted: (name: string) => boolean;
  /** Stops after the first test that fails. */
  readonly bail: boolean;
  /** Refuses to start anything, whatever a mock says. */
  readonly offline: boolean;
  readonly snapshots: SnapshotMode;
  /** Counts what is executed; null: nothing is counted. */
  readonly coverage: Coverage | null;
  /** Brings cassettes up to date. Called before anything is called, with what will be. Null: cassettes are played. */
  readonly renew: ((calls: readonly NeededCall[], runCost: number | null) => void) | null;
  /** Runs each test that has passed again with faults; null: without. */
  readonly faults: {
    readonly choice: FaultChoice;
    readonly onResult: (result: FaultResult) => void;
  } | null;
  /** Called for each result, in order. */
  readonly onResult: (result: TestResult) => void;
}

interface SuiteResult {
  readonly results: readonly TestResult[];
  /** Warnings of the file. */
  readonly diagnostics: readonly Diagnostic[];
  /** Names in the file of snapshots that no test has. */
  readonly obsolete: readonly string[];
  /** Why the snapshots cannot be written; null: they are, or nothing changed. */
  readonly unwritten: string | null;
}

export async function runSuite(loaded: Suite, options: SuiteOptions): Promise<SuiteResult> {
  const { coverage } = options;
  const suite = coverage === null ? loaded : { ...loaded, machine: coverage.watch(loaded.machine) };
  const { isWanted, bail, jobs } = options;
  const all = suite.tree.tests.flatMap(rowsOf);
  const rows = all.filter(({ name }) => isWanted(name));
  const used = new Set<MockLine>();
  const snapshots = new Snapshots(suite.snapshots, options.snapshots);
  const testOptions: TestOptions = {
    cwd: options.cwd,
    real: options.offline ? null : realEffects(suite, options.host),
    snapshot: (name, text) => snapshots.compare(name, text),
    noteUse: (mock) => used.add(mock),
    noteEvents: (events) => coverage?.note(events),
  };
  const { renew } = options;
  if (renew !== null) {
    const calls = await neededCalls(suite, rows, testOptions);
    renew(calls, calls.length > 0 ? await runCostOf(suite) : 0);
  }
  const run = (row: TestRow): Promise<TestResult> => runTest(suite, row, renewing(suite, row, testOptions, options));
  // A cassette may belong to several tests, of which each uses what the one before has written.
  const results = await runInOrder(rows, { jobs: renew === null ? jobs : 1, bail, onResult: options.onResult }, run);
  if (options.faults !== null) await runAllFaults(suite, rows, results, { ...options.faults, testOptions });
  const isComplete = results.length === all.length;
  const text = snapshots.textToWrite(isComplete);
  const unwritten =
    text === null ? null : writeWhole(snapshotPath(options.host, suite.name), text, namedBoundary(options.host));
  return {
    unwritten,
    results,
    diagnostics: isComplete ? unusedMocks(suite, used) : [],
    obsolete: isComplete && options.snapshots !== 'update' ? snapshots.obsolete : [],
  };
}

async function runAllFaults(
  suite: Suite,
  rows: readonly TestRow[],
  results: readonly TestResult[],
  { testOptions, onResult, choice }: NonNullable<SuiteOptions['faults']> & { readonly testOptions: TestOptions },
): Promise<void> {
  for (const row of rows) {
    const result = results.find(({ name }) => name === row.name);
    // The world of a cassette is exactly one run, which a fault would leave.
    if (result?.status !== 'passed' || hasCassette(row)) continue;
    const found = await runFaults(suite, row, testOptions, choice);
    const { file, name, line } = result;
    if (found !== null && found.outcomes.length > 0) onResult({ file, name, line, ...found });
  }
}

const hasCassette = ({ test }: TestRow): boolean => test.lines.some(({ kind }) => kind === 'cassette');

/** The calls that cassettes do not have, as far as they are known without making one. */
async function neededCalls(suite: Suite, rows: readonly TestRow[], options: TestOptions): Promise<NeededCall[]> {
  const needed: NeededCall[] = [];
  const quiet = { snapshot: () => null, noteUse: () => undefined, noteEvents: () => undefined };
  for (const row of rows.filter(hasCassette))
    await runTest(suite, row, { ...options, ...quiet, renewal: listingRenewal(suite, row.name, needed) });
  return needed;
}

function renewing(suite: Suite, row: TestRow, options: TestOptions, { renew, host }: SuiteOptions): TestOptions {
  if (renew === null || !hasCassette(row)) return options;
  const real = options.real ?? realEffects(suite, host);
  const fileOf = (path: string): string => cassettePath(host, suite.name, path);
  return { ...options, renewal: performingRenewal(suite, real, { fileOf, boundary: readableFrom(host, suite.name) }) };
}

function realEffects(suite: Suite, host: ProjectHost) {
  return hostEffects(configuredOptions(host, suite.configuration, { program: suite.program, instead: {} }));
}

/** Mocks of the file itself only get a warning, because each test may need others of them. */
function unusedMocks({ tree }: Suite, used: ReadonlySet<MockLine>): Diagnostic[] {
  return tree.mocks
    .filter((mock) => !used.has(mock))
    .map((mock) => say.unusedMock(mock.selector.span, { what: 'this mock' }));
}

interface SuiteOrder {
  readonly jobs: number;
  readonly bail: boolean;
  readonly onResult: (result: TestResult) => void;
}

/** Runs up to `jobs` tests at a time, and reports each when all before it are reported. */
async function runInOrder(
  rows: readonly TestRow[],
  { jobs, bail, onResult }: SuiteOrder,
  runOne: (row: TestRow) => Promise<TestResult>,
): Promise<TestResult[]> {
  const done: (TestResult | undefined)[] = [];
  const reported: TestResult[] = [];
  let next = 0;
  let isOver = false;
  const report = (): void => {
    for (let result = done[reported.length]; result !== undefined && !isOver; result = done[reported.length]) {
      reported.push(result);
      onResult(result);
      isOver = bail && result.status === 'failed';
    }
  };
  const work = async (): Promise<void> => {
    while (next < rows.length && !isOver) {
      const at = next++;
      done[at] = await runOne(rows[at] as TestRow);
      report();
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, jobs) }, work));
  return reported;
}
