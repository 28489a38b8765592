/** `statedsl test`: runs the tests of programs with scripted answers, in virtual time. */

import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { isTestFile } from '../../app/project/preparation.js';
import { namesIn, reasonOf } from '../../app/project/read-text.js';
import { Coverage, percentOf } from '../../lab/testing/coverage.js';
import { FAULT_KINDS, type FaultKind } from '../../lab/testing/faults/points.js';
import type { FaultResult } from '../../lab/testing/faults/run-faults.js';
import { findTests, watchedFolders } from '../../lab/testing/find-tests.js';
import { loadSuite } from '../../lab/testing/load-suite.js';
import type { JudgedMutant } from '../../lab/testing/mutation/mutate-program.js';
import { coverageJson, coverageTable, lcov, unreachableText } from '../../lab/testing/reporters/coverage-text.js';
import { FAULT_STATEMENT, faultLines, faultLog } from '../../lab/testing/reporters/fault-text.js';
import { failedPoints, github, json, junit, tap } from '../../lab/testing/reporters/machine-reports.js';
import {
  mutantsSummary,
  neededCallsText,
  percentNoticed,
  resultLines,
  summaryLine,
  survivorLine,
} from '../../lab/testing/reporters/result-text.js';
import { runSuite, type SuiteOptions } from '../../lab/testing/run-suites.js';
import type { SnapshotMode } from '../../lab/testing/snapshots.js';
import type { Suite } from '../../lab/testing/suite.js';
import type { TestResult } from '../../lab/testing/test-world.js';
import type { SourceSet } from '../../language/source/diagnostic.js';
import { type Diagnostic, hasErrors } from '../../language/source/diagnostic.js';
import { nearest } from '../../prelude/nearest.js';
import { makeFolder } from '../../runtime/store/own-file.js';
import { commandLineHost, writeNamed } from '../files/command-line-host.js';
import { isAmong, keyOf, readFailed, writeFailed } from '../files/failed-tests.js';
import { FolderWatch } from '../files/folder-watch.js';
import { whyNoFolder, whyNotWritable } from '../files/replace-file.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { printDiagnostics } from '../terminal/report-diagnostics.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

export interface TestFlags {
  readonly filter?: string;
  readonly jobs?: number;
  readonly bail?: boolean;
  readonly watch?: boolean;
  readonly update?: boolean;
  /** Calls what is not as recorded, and writes the cassettes. */
  readonly updateCassettes?: boolean;
  /** Absent: in CI. */
  readonly offline?: boolean;
  readonly reporter: 'pretty' | 'tap' | 'junit' | 'json' | 'github';
  readonly cwd?: string;
  /** `table`, `lcov:FILE`, `json:FILE` and `svg:FILE`. */
  readonly coverage?: readonly string[];
  /** Per cent. */
  readonly coverageMin?: number;
  /** Tries the tests on programs with a mistake. */
  readonly mutate?: boolean;
  /** Per cent of the mistakes. */
  readonly min?: number;
  /** Writes tests for what is not covered. */
  readonly suggest?: boolean;
  /** Kinds of faults. */
  readonly faults?: readonly FaultKind[];
  /** The name of one point. */
  readonly fault?: string;
  readonly quiet?: boolean;
  /** Only those that failed when they last ran. */
  readonly rerunFailed?: boolean;
}

export async function testCommand(names: readonly string[], flags: TestFlags): Promise<ExitCode> {
  const read = new Set<string>();
  const code = await runTests(names, flags, read);
  return flags.watch === true ? watchTests(names, flags, read) : code;
}

/** Adds the files that were read to `read`. */
async function runTests(names: readonly string[], flags: TestFlags, read: Set<string>): Promise<ExitCode> {
  const begun = performance.now();
  const { files, missing, foreign } = findTests(names.length === 0 ? ['.'] : names);
  for (const { file, why } of foreign) stderr.write(`warning: \`${file}\` is not run: ${why}; name it to run it\n`);
  const [absent] = missing;
  if (absent !== undefined) return usageError(`there is no file or folder \`${absent}\``, absentHelp(absent));
  if (flags.suggest === true && flags.filter !== undefined)
    return usageError('`--suggest` needs all tests, and `--filter` leaves some out', 'leave out one of them');
  if (flags.suggest === true && flags.rerunFailed === true)
    return usageError('`--suggest` needs all tests, and `--rerun-failed` leaves some out', 'leave out one of them');
  const other = files.find((file) => !isTestFile(file));
  if (other !== undefined)
    return usageError(`\`${other}\` is not a test file`, 'tests are in files with a name that ends in `.test.dsl`');
  if (files.length === 0)
    return usageError(
      'there are no tests here: they are in files with a name that ends in `.test.dsl`',
      'write one as `statedsl guide tests` shows; `statedsl verify FILE --write-tests .` drafts one from a program',
    );
  const cwd = resolve(flags.cwd ?? '.');
  if (flags.updateCassettes === true && (flags.offline ?? isCi()))
    return usageError('`--update-cassettes` calls commands and agents', 'allow that with `--no-offline`');
  for (const { file } of coverageFiles(flags)) {
    const problem = makeFolderOf(file) ?? whyNotWritable(file);
    if (problem !== null)
      return usageError(`cannot write \`${file}\`: ${problem}`, 'choose another file in `--coverage=KIND:FILE`');
  }
  const suites = await loadSuites(files, cwd, flags, read);
  if (suites === null) return EXIT.usage;
  const isCounted = flags.coverage !== undefined || flags.coverageMin !== undefined || flags.suggest === true;
  const coverage = isCounted ? new Coverage() : null;
  const faults: FaultResult[] = [];
  const unwritten: string[] = [];
  const record = readFailed();
  const isOnRecord = record.some((one) => suites.some(({ name, tree }) => isAmong(one, name, tree.tests)));
  const wanted = flags.rerunFailed === true && isOnRecord ? new Set(record.map(keyOf)) : null;
  if (flags.rerunFailed === true && wanted === null && flags.quiet !== true)
    stderr.write('no test of these files is on record as failed, so all run\n');
  const results = await runSuites(suites, cwd, { coverage, faults, unwritten, wanted }, flags);
  writeFailed(record, results);
  if (results.length === 0) {
    const what =
      flags.filter === undefined ? 'the files contain no tests' : `no test has \`${flags.filter}\` in its name`;
    return usageError(what, 'write one: `TEST: NAME`, and below it `EXPECT: returned`');
  }
  const mutants =
    flags.mutate === true && results.every(({ status }) => status !== 'failed')
      ? await mutate(suites, cwd, flags)
      : null;
  await printResults(results, faults, { ms: performance.now() - begun, mutants }, flags);
  if (flags.fault !== undefined && faults.length === 0)
    return usageError(`no test has the fault \`${flags.fault}\``, '`--faults` lists those that change something');
  const isEnough = coverage === null || (await reportCoverage(coverage, flags));
  if (coverage !== null && flags.suggest === true) {
    const { writeSuggestions } = await import('./test-suggestions.js');
    if (!(await writeSuggestions(suites, coverage))) return EXIT.failed;
  }
  const isNoticed = mutants === null || percentNoticed(mutants) >= (flags.min ?? 0);
  return exitCodeOf(results, faults, isEnough && isNoticed && unwritten.length === 0);
}

/** A defect of statedsl comes before everything that is wrong with the program. */
export function exitCodeOf(
  results: readonly Pick<TestResult, 'status'>[],
  faults: readonly Pick<FaultResult, 'outcomes'>[],
  isEnough: boolean,
): ExitCode {
  const outcomes = faults.flatMap((one) => one.outcomes);
  if (outcomes.some(({ defect }) => defect !== undefined)) return EXIT.bug;
  const hasFailed =
    results.some(({ status }) => status === 'failed') || outcomes.some(({ failures }) => failures.length > 0);
  return hasFailed || !isEnough ? EXIT.failed : EXIT.returned;
}

/** Prints and writes what was covered. False: it is less than was asked for, or a file cannot be written. */
async function reportCoverage(covered: Coverage, flags: TestFlags): Promise<boolean> {
  const { coverage = [], coverageMin = 0 } = flags;
  if (covered.list().some(({ hits }) => hits === 0)) await dropUnreachable(covered);
  const items = covered.list();
  if (coverage.includes('table')) stderr.write(`${coverageTable(items)}${unreachableText(covered.unreachable())}`);
  let isWritten = true;
  for (const { kind, file } of coverageFiles(flags)) {
    const problem =
      kind === 'svg'
        ? await writePicture(file, covered)
        : writeNamed(file, kind === 'lcov' ? lcov(items) : coverageJson(items));
    if (problem !== null) stderr.write(`error: cannot write \`${file}\`: ${problem}\n`);
    isWritten &&= problem === null;
  }
  const percent = percentOf(items);
  if (percent >= coverageMin) return isWritten;
  stderr.write(`error: ${percent.toFixed(1)} % is covered, and \`--coverage-min\` asks for ${coverageMin} %\n`);
  return false;
}

/** Makes the folder of a file, unless it may not be used, which `whyNotWritable` reports. Why the system refuses, as a clause. */
function makeFolderOf(file: string): string | null {
  const folder = dirname(resolve(file));
  const why = whyNoFolder(folder);
  if (why !== null) return null;
  try {
    makeFolder(folder);
    return null;
  } catch (cause) {
    return reasonOf(cause as NodeJS.ErrnoException);
  }
}

/** The files of `--coverage=KIND:FILE`. */
function coverageFiles({ coverage = [] }: TestFlags): { readonly kind: string; readonly file: string }[] {
  return [...new Set(coverage)]
    .filter((wanted) => wanted !== 'table')
    .map((wanted) => {
      const end = wanted.indexOf(':');
      return { kind: wanted.slice(0, end), file: wanted.slice(end + 1) };
    });
}

/** What no run of any machine comes to is not counted. */
async function dropUnreachable(covered: Coverage): Promise<void> {
  (await import('../../lab/testing/machine-facts.js')).dropUnreachable(covered);
}

/** Why it cannot be written; null: it is. */
async function writePicture(file: string, covered: Coverage): Promise<string | null> {
  const [{ coveragePicture }, { layOutSvg }] = await Promise.all([
    import('../../lab/testing/reporters/coverage-picture.js'),
    import('../terminal/graph-svg.js'),
  ]);
  const { name, picture } = coveragePicture(covered);
  const drawn = await layOutSvg(name, picture);
  return 'problem' in drawn ? drawn.problem : writeNamed(file, drawn.svg);
}

/** All suites, or null where a file cannot be right: then nothing runs. */
async function loadSuites(
  files: readonly string[],
  cwd: string,
  flags: TestFlags,
  read: Set<string>,
): Promise<Suite[] | null> {
  const suites: Suite[] = [];
  let isWrong = false;
  for (const file of files) {
    const loaded = await loadSuite(commandLineHost(), file, cwd, flags.updateCassettes === true);
    if ('missing' in loaded) {
      await usageError(loaded.missing);
      isWrong = true;
      continue;
    }
    for (const { name } of loaded.sources) read.add(name);
    await printDiagnostics(loaded.diagnostics, loaded.sources, flags);
    if (loaded.suite === null || hasErrors(loaded.diagnostics)) isWrong = true;
    else suites.push(loaded.suite);
  }
  return isWrong ? null : suites;
}

async function runSuites(
  suites: readonly Suite[],
  cwd: string,
  found: {
    readonly coverage: Coverage | null;
    readonly faults: FaultResult[];
    readonly unwritten: string[];
    readonly wanted: ReadonlySet<string> | null;
  },
  flags: TestFlags,
): Promise<TestResult[]> {
  const { coverage, faults, wanted } = found;
  const isPretty = flags.reporter === 'pretty';
  const paint = await stdout.paint();
  const results: TestResult[] = [];
  const warnings: { readonly diagnostics: readonly Diagnostic[]; readonly sources: SourceSet }[] = [];
  const obsolete: string[] = [];
  for (const suite of suites) {
    let isFirst = true;
    const ran = await runSuite(suite, {
      host: commandLineHost(),
      cwd,
      jobs: flags.jobs ?? availableParallelism(),
      isWanted: (name) => name.includes(flags.filter ?? '') && wanted?.has(keyOf({ file: suite.name, name })) !== false,
      bail: flags.bail === true,
      offline: flags.offline ?? isCi(),
      snapshots: snapshotMode(flags),
      coverage,
      faults: faultsOf(flags, (result) => {
        faults.push(result);
        if (!isPretty) return;
        if (faults.length === 1) stdout.write('\n');
        stdout.write(faultLines(result, paint));
        if (flags.fault !== undefined) stdout.write(faultLog(result, paint));
      }),
      renew: flags.updateCassettes === true ? (calls, cost) => stderr.write(neededCallsText(calls, cost)) : null,
      onResult: (result) => {
        results.push(result);
        if (!isPretty || (flags.quiet === true && result.status !== 'failed')) return;
        if (isFirst) stdout.write(`${paint.strong(suite.name)}\n`);
        isFirst = false;
        stdout.write(resultLines(result, paint));
      },
    });
    warnings.push({ diagnostics: ran.diagnostics, sources: suite.sources });
    if (ran.unwritten !== null) found.unwritten.push(`cannot write \`${suite.name}.snap\`: ${ran.unwritten}`);
    obsolete.push(...ran.obsolete.map((name) => `\`${name}\` in ${suite.name}.snap`));
    if (flags.bail === true && results.some(({ status }) => status === 'failed')) break;
  }
  for (const { diagnostics, sources } of warnings) await printDiagnostics(diagnostics, sources, flags);
  for (const problem of found.unwritten) stderr.write(`error: ${problem}\n`);
  if (obsolete.length > 0 && flags.quiet !== true)
    stderr.write(`snapshots without a test: ${obsolete.join(', ')} (\`--update\` removes them)\n`);
  return results;
}

/** All mutants of all programs; those that nothing notices are printed at once. */
async function mutate(suites: readonly Suite[], cwd: string, { reporter }: TestFlags): Promise<JudgedMutant[]> {
  const { mutateProgram } = await import('../../lab/testing/mutation/mutate-program.js');
  const mutants: JudgedMutant[] = [];
  const programs = new Map<string, Suite[]>();
  for (const suite of suites) programs.set(suite.program, [...(programs.get(suite.program) ?? []), suite]);
  for (const own of programs.values())
    await mutateProgram(commandLineHost(), own, cwd, (mutant) => {
      mutants.push(mutant);
      if (mutant.killed_by === null && reporter === 'pretty') {
        if (mutants.filter((one) => one.killed_by === null).length === 1) stdout.write('\nno test notices\n');
        stdout.write(survivorLine(mutant));
      }
    });
  return mutants;
}

/** What to run again with faults; `--fault crash@31` needs only its own kind. */
function faultsOf({ faults, fault }: TestFlags, onResult: (result: FaultResult) => void): SuiteOptions['faults'] {
  if (fault === undefined && faults === undefined) return null;
  const kinds = fault === undefined ? (faults ?? []) : FAULT_KINDS.filter((kind) => fault.startsWith(`${kind}@`));
  return { choice: { kinds: new Set(kinds), only: fault ?? null }, onResult };
}

async function printResults(
  results: readonly TestResult[],
  faults: readonly FaultResult[],
  { ms, mutants }: { readonly ms: number; readonly mutants: readonly JudgedMutant[] | null },
  { reporter, min }: TestFlags,
): Promise<void> {
  const points = failedPoints(faults);
  switch (reporter) {
    case 'pretty':
      if (faults.length > 0) stdout.write(`${FAULT_STATEMENT}\n`);
      stdout.write(summaryLine(results, points.length, ms, await stdout.paint()));
      if (mutants !== null) stdout.write(mutantsSummary(mutants, min));
      return;
    case 'tap':
      stdout.write(tap([...results, ...points]));
      return;
    case 'junit':
      stdout.write(junit([...results, ...points]));
      return;
    case 'json':
      stdout.write(json(results, faults, mutants));
      return;
    case 'github':
      stdout.write(github([...results, ...points]));
  }
}

/** In an unattended run, a missing snapshot is a mistake and not the first one. */
function snapshotMode({ update }: TestFlags): SnapshotMode {
  if (update === true) return 'update';
  return isCi() ? 'read-only' : 'write-missing';
}

function isCi(): boolean {
  const { CI } = process.env;
  return CI !== undefined && !['', '0', 'false'].includes(CI);
}

/** Runs the tests again whenever a file changes, until the process is interrupted. */
function watchTests(names: readonly string[], flags: TestFlags, read: Set<string>): Promise<ExitCode> {
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let isStale = false;
  const rerun = async (): Promise<void> => {
    isStale = isRunning;
    if (isRunning) return;
    isRunning = true;
    stdout.write('\n');
    await runTests(names, flags, read);
    watchAll();
    isRunning = false;
    if (isStale) await rerun();
  };
  const folders = new FolderWatch({
    counts: (name) => /[^/]\.(?:dsl|statedsl|md|ya?ml|json)$/.test(name),
    onChange: () => {
      clearTimeout(timer);
      // Editors write a file in several steps.
      timer = setTimeout(rerun, 50);
    },
    onProblem: (message) => stderr.write(`error: ${message}\n`),
  });
  // An edited test may be about another program.
  const watchAll = (): void => {
    for (const folder of watchedFolders(names, read)) folders.add(folder);
    if (flags.quiet !== true) stderr.write('waiting for a change; Ctrl-C ends\n');
  };
  watchAll();
  return new Promise((end) =>
    process.once('SIGINT', () => {
      clearTimeout(timer);
      folders.close();
      end(EXIT.returned);
    }),
  );
}

/** The command that was meant by a word that is not a file. */
function absentHelp(word: string): string {
  const [file, name] = word.split(/::?/, 2);
  if (name !== undefined && name !== '' && /\.(?:dsl|statedsl)$/.test(file ?? ''))
    return `write \`statedsl test ${file} --filter '${name}'\``;
  if (/^(?:all|crash|fail|late|twice)(?:,|$)/.test(word))
    return `write \`--faults=${word === 'all' ? 'crash,fail,late,twice' : word}\``;
  if (/^(?:html|lcov|json|svg|text)$/.test(word))
    return `write \`--coverage=${/json|svg|lcov/.test(word) ? word : 'svg'}:FILE\``;
  const near = nearest(
    word,
    namesIn('.').filter((one) => isTestFile(one) || !one.includes('.')),
  );
  return near === undefined
    ? 'name a file that ends in `.test.dsl`; `statedsl test` alone runs all below this folder, and `--filter TEXT` those with a name'
    : `did you mean \`${near}\`?`;
}
