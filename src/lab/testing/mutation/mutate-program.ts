/** Runs the tests of a file against mutants of its program, and finds those that no test notices. */
import { basename } from 'node:path';
import { parseNamed } from '../../../app/project/compile-program.js';
import { isPlan } from '../../../app/project/preparation.js';
import { type ProjectHost, pathOf, withOpenTexts } from '../../../app/project/project-host.js';
import { readNamed, readProgram } from '../../../app/project/read-program.js';
import { positionAt, sourceFile } from '../../../language/source/diagnostic.js';
import type { Machine } from '../../../machine/machine.js';
import { type LoadedSuite, loadSuite } from '../load-suite.js';
import { runTest } from '../run-test.js';
import { Snapshots } from '../snapshots.js';
import type { Suite, TestOptions } from '../suite.js';
import { rowsOf } from '../test-rows.js';
import { mutantsOf } from './mutants.js';
import { planMutantsOf } from './plan-mutants.js';

export interface JudgedMutant {
  /** The program, as messages call it. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly change: string;
  /** The name of the test that fails, or `check` if the test file itself is wrong then; null: nothing notices it. */
  readonly killed_by: string | null;
}

/** How much longer than the longest test a run may be before it counts as endless. */
const LONGER = { times: 10, events: 1000 };

/** All suites of one program. */
export async function mutateProgram(
  host: ProjectHost,
  suites: readonly Suite[],
  cwd: string,
  onMutant: (mutant: JudgedMutant) => void,
): Promise<void> {
  const [suite] = suites;
  if (suite === undefined) return;
  const found = readProgram(host, suite.program);
  // A workflow may be named as steps name it.
  const read = found.kind === 'missing' ? readNamed(host, basename(suite.program), suite.configuration) : found;
  if (read.kind !== 'text') return;
  const { name } = read;
  const source = sourceFile(name, read.text);
  const path = pathOf(host, name);
  const ordinary: Ordinary[] = [];
  for (const suite of suites) ordinary.push(await ordinaryRuns(suite, cwd));
  const seen = new Set([suites.map(({ machine }) => digestOf(machine)).join()]);
  const mutants = isPlan(name) ? planMutantsOf(source) : mutantsOf(await parseNamed(source), source);
  for (const { start, change, text } of mutants) {
    const changed = { ...host, files: withOpenTexts(host.files, (one) => (one === path ? text : undefined)) };
    const loaded = [];
    for (const suite of suites) loaded.push(await loadSuite(changed, suite.name, cwd));
    if (!loaded.every(isCompiled)) continue;
    const digest = loaded.map(({ suite }) => (suite === null ? '' : digestOf(suite.machine))).join();
    // Two mutants, or a mutant and its program, may be the same machine.
    if (seen.has(digest)) continue;
    if (loaded.every(({ suite }) => suite !== null)) seen.add(digest);
    const { line, column } = positionAt(source, start);
    onMutant({ file: name, line, column, change, killed_by: await killerOf(loaded, ordinary, cwd) });
  }
}

type ReadSuite = Awaited<ReturnType<typeof loadSuite>>;

/** Whether only the tests can be wrong, and not the program. */
function isCompiled(loaded: ReadSuite): loaded is LoadedSuite {
  return (
    !('missing' in loaded) && !loaded.diagnostics.some(({ severity, span }) => severity === 'error' && span.file > 0)
  );
}

async function killerOf(
  loaded: readonly LoadedSuite[],
  ordinary: readonly Ordinary[],
  cwd: string,
): Promise<string | null> {
  for (const [at, { suite }] of loaded.entries()) {
    const killer = suite === null ? 'check' : await noticing(suite, cwd, ordinary[at] as Ordinary);
    if (killer !== null) return killer;
  }
  return null;
}

interface Ordinary {
  /** The tests that pass without starting anything. */
  readonly names: ReadonlySet<string>;
  /** The number of events after which a run counts as endless. */
  readonly mostEvents: number;
}

async function ordinaryRuns(suite: Suite, cwd: string): Promise<Ordinary> {
  let most = 0;
  const names = new Set<string>();
  for (const row of suite.tree.tests.flatMap(rowsOf)) {
    const options = optionsOf(suite, cwd, (count) => {
      most = Math.max(most, count);
    });
    if ((await runTest(suite, row, options)).status === 'passed') names.add(row.name);
  }
  return { mostEvents: most * LONGER.times + LONGER.events, names };
}

/** The first test that fails. */
async function noticing(suite: Suite, cwd: string, { names, mostEvents }: Ordinary): Promise<string | null> {
  for (const row of suite.tree.tests.flatMap(rowsOf)) {
    if (!names.has(row.name)) continue;
    const options = { ...optionsOf(suite, cwd, () => undefined), mostEvents };
    if ((await runTest(suite, row, options)).status === 'failed') return row.name;
  }
  return null;
}

function optionsOf(suite: Suite, cwd: string, noteEvents: (count: number) => void): TestOptions {
  const snapshots = new Snapshots(suite.snapshots, 'read-only');
  return {
    cwd,
    real: null,
    snapshot: (name, text) => snapshots.compare(name, text),
    noteUse: () => undefined,
    noteEvents: ({ length }) => noteEvents(length),
  };
}

/** Two machines with the same digest do the same, wherever their lines are; and an input that nothing reads does nothing. */
function digestOf({ inputs, ...machine }: Machine): string {
  const text = JSON.stringify(machine, (key, value) => (key === 'origin' || key === 'source' ? undefined : value));
  const read = inputs.filter(({ name }) => text.includes(JSON.stringify(name)) || text.includes(`\u2020input.${name}`));
  return `${text} ${JSON.stringify(read)}`;
}
