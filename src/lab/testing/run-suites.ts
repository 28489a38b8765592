/** Runs the tests of suites in one process, several at a time; their results are in the order of the files. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, relative, resolve } from 'node:path';
import { isTestFile } from '../../app/project/preparation.js';
import { configuredOptions } from '../../app/project/prepare.js';
import type { ProjectHost } from '../../app/project/project-host.js';
import { namedBoundary, readableFrom } from '../../app/project/read-program.js';
import { testMessages as say } from '../../language/source/catalogue/tests.js';
import type { Diagnostic } from '../../language/source/diagnostic.js';
import type { MockLine } from '../../language/syntax/tests/test-tree.js';
import { differentLines } from '../../runtime/cassette/drift.js';
import { hostEffects } from '../../runtime/effects.js';
import { whyForeign } from '../../runtime/readable-file.js';
import { writeWhole } from '../../runtime/written-file.js';
import type { Coverage } from './coverage.js';
import { type FaultChoice, type FaultResult, runFaults } from './faults/run-faults.js';
import type { Judged } from './judge.js';
import { cassettePath } from './load-suite.js';
import { snapshotPath } from './read-snapshots.js';
import { rowsOf, runTest, type TestRow } from './run-test.js';
import type { Suite } from './suite.js';
import { listingRenewal, type NeededCall, performingRenewal, runCostOf, type TestOptions } from './suite.js';
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

const SKIPPED: ReadonlySet<string> = new Set(['node_modules']);

/**
 * Sorted, each once. Hidden folders are not searched, and links are not followed. `missing`: names that lead nowhere;
 * `foreign`: files that were found and that another user may have made.
 */
export function findTests(names: readonly string[]): {
  readonly files: readonly string[];
  readonly missing: readonly string[];
  readonly foreign: readonly { readonly file: string; readonly why: string }[];
} {
  const files = new Set<string>();
  const foreign: { file: string; why: string }[] = [];
  const missing: string[] = [];
  for (const name of names) {
    const kind = kindOf(name);
    if (kind === 'folder')
      for (const file of testsBelow(name === '.' ? '' : name)) {
        const why = whyForeign(resolve(file));
        if (why === null) files.add(file);
        else foreign.push({ file, why });
      }
    else if (kind === 'file') files.add(normalize(name));
    else missing.push(name);
  }
  return { files: [...files], missing, foreign };
}

function kindOf(name: string): 'file' | 'folder' | null {
  try {
    return statSync(name).isDirectory() ? 'folder' : 'file';
  } catch {
    return null;
  }
}

function testsBelow(folder: string): string[] {
  const entries = entriesOf(folder).sort((one, other) => (one.name < other.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name.startsWith('.') || SKIPPED.has(entry.name) ? [] : testsBelow(path);
    return entry.isFile() && isTestFile(entry.name) ? [path] : [];
  });
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder === '' ? '.' : folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** `named`: files and folders, as given. `files`: what the suites were read from. Folders inside of others are left out. */
export function watchedFolders(named: readonly string[], files: Iterable<string>): string[] {
  const wanted = (named.length === 0 ? ['.'] : named).map((name) =>
    /\.(?:dsl|statedsl)$/.test(name) ? dirname(name) : name,
  );
  const folders = new Set([...wanted, ...[...files].map((file) => dirname(file))].map((folder) => resolve(folder)));
  // Included patterns have names, not files.
  const present = [...folders].filter((folder) => existsSync(folder));
  return present.filter((folder) => !present.some((other) => other !== folder && isInside(folder, other)));
}

function isInside(folder: string, other: string): boolean {
  const way = relative(other, folder);
  return !way.startsWith('..') && !isAbsolute(way);
}

/** The snapshots of a test file, in one text file next to it: a heading for each test, and below it what its run did. */
export type SnapshotMode = 'update' | 'write-missing' | 'read-only';

const HEADING = /(?<=^|\n)=== ([^\n]*)/g;

export class Snapshots {
  private readonly known = new Map<string, string>();
  private readonly used = new Set<string>();
  private isChanged = false;

  /** `text`: of the file; null: there is none. */
  constructor(
    text: string | null,
    private readonly mode: SnapshotMode,
  ) {
    const headings = [...(text ?? '').matchAll(HEADING)];
    for (const [at, heading] of headings.entries()) {
      const end = headings[at + 1]?.index ?? text?.length;
      const body = text?.slice(heading.index + heading[0].length + 1, end) ?? '';
      this.known.set(heading[1] as string, body.replace(/\n+$/, ''));
    }
  }

  /** Compares, or stores. */
  compare(name: string, text: string): Judged | null {
    const before = this.known.get(name);
    this.used.add(name);
    if (before === text) return null;
    if (before === undefined && this.mode === 'read-only')
      return { message: 'there is no snapshot of this test; write it with `statedsl test --update`' };
    if (before === undefined || this.mode === 'update') {
      this.known.set(name, text);
      this.isChanged = true;
      return null;
    }
    return {
      message: 'the snapshot is different; accept it with `--update`',
      difference: differentLines(before, text),
    };
  }

  /** Names of snapshots that no test has, if all tests of the file have run. */
  get obsolete(): readonly string[] {
    return [...this.known.keys()].filter((name) => !this.used.has(name));
  }

  /** The text to write; null: nothing changed. `isComplete`: all tests of the file have run. */
  textToWrite(isComplete: boolean): string | null {
    const removed = isComplete && this.mode === 'update' ? this.obsolete : [];
    if (!this.isChanged && removed.length === 0) return null;
    for (const name of removed) this.known.delete(name);
    const sorted = [...this.known].sort(([one], [other]) => (one < other ? -1 : 1));
    return sorted.map(([name, text]) => `=== ${name}\n${text}\n`).join('\n');
  }
}
