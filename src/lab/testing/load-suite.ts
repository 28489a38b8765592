/** From the name of a test file to a suite: its tests, the compiled program, and everything that is wrong with them. */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { compileProgram } from '../../app/project/compile-program.js';
import { isPlan } from '../../app/project/preparation.js';
import { type ProjectHost, pathOf, shortName } from '../../app/project/project-host.js';
import { readableFrom, readNamed, readProgram } from '../../app/project/read-program.js';
import { gateLookup, loadSettings } from '../../app/project/settings.js';
import { withoutQuotedLines } from '../../language/check/lints/quoted-lines.js';
import { testMessages as say } from '../../language/source/catalogue/tests.js';
import {
  type Diagnostic,
  hasErrors,
  moveDiagnostic,
  type SourceSet,
  type Span,
  sortDiagnostics,
  sourceFile,
} from '../../language/source/diagnostic.js';
import { parseTests } from '../../language/syntax/tests/parse-tests.js';
import type { TestFile } from '../../language/syntax/tests/test-tree.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Cassette } from '../../runtime/cassette/cassette.js';
import { createRedactor } from '../../runtime/redact.js';
import { secretsOf } from '../../runtime/run/run-options.js';
import { checkSuite } from './check-suite.js';
import { compileProperties } from './compile-properties.js';
import { factsOf } from './machine-facts.js';
import { readSnapshots } from './read-snapshots.js';
import { RUN_NAMES, type Suite } from './suite.js';
import { compileExpressions, typesByName } from './test-expressions.js';

export interface LoadedSuite {
  /** Null: the file cannot be right. */
  readonly suite: Suite | null;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: SourceSet;
}

/** Reads a test file and its program. `cwd`: the working directory of commands. `isRenewed`: cassettes may be missing. */
export async function loadSuite(
  host: ProjectHost,
  file: string,
  cwd: string,
  isRenewed = false,
): Promise<LoadedSuite | { readonly missing: string }> {
  const read = readProgram(host, file);
  if (read.kind === 'missing') return { missing: read.message };
  if (read.kind === 'broken') return { suite: null, ...read.compilation };
  const sources: SourceSet = [sourceFile(read.name, read.text)];
  const { tree, diagnostics: parsed } = parseTests(sources[0] as SourceSet[number], 0);
  const diagnostics = [...withoutQuotedLines(sortDiagnostics(parsed), sources)];
  const program = await compileTested(host, { file, tree, cwd }, sources, diagnostics);
  if (program === null) return { suite: null, diagnostics: sortDiagnostics(diagnostics), sources };
  const { machine } = program;
  const rows = tree.tests.flatMap(({ lines }) =>
    lines.flatMap((line) => (line.kind === 'each' ? [line.name.text] : [])),
  );
  const variables = [...machine.inputs, ...machine.tracked.map((name) => ({ name }))].map(({ name }) => name);
  // A row may have the name of a variable.
  const measured = ['cost', 'time'].map((name): [string, string] => [name, ' (number)']);
  const types = new Map([...measured, ...typesByName(machine)].filter(([name]) => !rows.includes(name)));
  const expressions = compileExpressions(tree, 0, new Set([...variables, ...rows, ...RUN_NAMES]), types);
  diagnostics.push(...expressions.diagnostics);
  const { properties, diagnostics: wrong } = compileProperties(tree.properties, machine, 0);
  diagnostics.push(...wrong);
  const cassettes = new Map<string, Cassette>();
  const facts = factsOf(machine);
  const stored = readSnapshots(host, read.name);
  if ('problem' in stored)
    diagnostics.push(
      say.snapshots({ file: 0, start: 0, end: 0 }, { path: `${read.name}.snap`, reason: stored.problem }),
    );
  const snapshots = 'text' in stored ? stored.text : null;
  const suite: Suite = {
    name: read.name,
    snapshots,
    tree,
    facts,
    expressions,
    properties,
    sources,
    cassettes,
    ...program,
  };
  diagnostics.push(...(await loadCassettes(host, suite, isRenewed)));
  diagnostics.push(...checkSuite(suite));
  const sorted = sortDiagnostics(diagnostics);
  return { suite: hasErrors(sorted) ? null : suite, diagnostics: sorted, sources };
}

/** Reads the cassettes of all tests into the suite. */
async function loadCassettes(host: ProjectHost, suite: Suite, isRenewed: boolean): Promise<Diagnostic[]> {
  const lines = suite.tree.tests.flatMap((test) => test.lines.filter((line) => line.kind === 'cassette'));
  if (lines.length === 0) return [];
  const [{ readCassette }, { whyNoRecording }, { existsSync }] = await Promise.all([
    import('../../runtime/cassette/read-cassette.js'),
    import('../../runtime/cassette/recorder.js'),
    import('node:fs'),
  ]);
  const diagnostics: Diagnostic[] = [];
  const redactor = createRedactor(secretsOf(suite.machine, {}));
  for (const { path, span } of lines) {
    if (suite.cassettes.has(path)) continue;
    const file = cassettePath(host, suite.name, path);
    const name = shortName(host, file);
    const readable = readableFrom(host, suite.name);
    const refused = host.files.whyRefused(file, readable);
    if (refused !== null) {
      diagnostics.push(say.cassette(span, { path: name, reason: refused }));
      continue;
    }
    const why = isRenewed ? whyNoRecording(file, true, readable) : null;
    if (why !== null) {
      const help = 'choose another file, or create its folder';
      diagnostics.push(say.cassette(span, { path: name, reason: `it cannot be written: ${why}`, help }));
      continue;
    }
    if (isRenewed && !existsSync(file)) {
      suite.cassettes.set(path, emptyCassette(name, suite.machine));
      continue;
    }
    const read = await readCassette(file, name, redactor);
    if ('cassette' in read) suite.cassettes.set(path, read.cassette);
    else
      for (const { line, message, help } of read.problems) {
        const reason = line === null ? message : `line ${line}: ${message}`;
        diagnostics.push(say.cassette(span, { path: name, reason, ...omitUndefined({ help }) }));
      }
  }
  return diagnostics;
}

/** A cassette of a test file, absolute. */
export function cassettePath(host: ProjectHost, testFile: string, path: string): string {
  return fileOfTests(host, testFile, path);
}

/** All calls of a test without a recording are made for the first time. */
function emptyCassette(file: string, { name: program }: Machine): Cassette {
  const none = { inputs: {}, worktree: null, isComplete: true, isSuspended: false, records: [] };
  return { ...none, file, program, startedMs: Date.now(), large: () => Buffer.alloc(0) };
}

interface CompiledSuite {
  readonly machine: Machine | null;
  readonly sources: SourceSet;
  readonly diagnostics: readonly Diagnostic[];
}

type TestedMachine = Pick<Suite, 'machine' | 'configuration' | 'program' | 'programDir'>;

/** A file that a test file names, absolute. */
function fileOfTests(host: ProjectHost, testFile: string, path: string): string {
  return resolve(host.folder, isAbsolute(path) ? path : join(dirname(testFile), path));
}

/** The program that a test file names. Adds its files to `sources`, and what is wrong with it to `diagnostics`. */
async function compileTested(
  host: ProjectHost,
  { file, tree, cwd }: { readonly file: string; readonly tree: TestFile; readonly cwd: string },
  sources: SourceSet,
  diagnostics: Diagnostic[],
): Promise<TestedMachine | null> {
  if (tree.program === null) {
    if (hasErrors(diagnostics)) return null;
    const what = 'the file does not say which program it tests';
    diagnostics.push(say.line({ file: 0, start: 0, end: 0 }, { what, help: 'begin it with `TESTS: "./program.dsl"`' }));
    return null;
  }
  const { path, span, machine } = tree.program;
  const refuse = (reason: string): null => {
    diagnostics.push(say.noProgram(span, { path, reason }));
    return null;
  };
  const name = shortName(host, fileOfTests(host, file, path));
  const why = host.files.whyRefused(pathOf(host, name), readableFrom(host, file));
  if (why !== null) return refuse(`cannot read \`${name}\`: ${why}`);
  const settings = await loadSettings(host, file);
  const [broken] = settings.diagnostics;
  if (broken !== undefined) return refuse(`the configuration is wrong: ${broken.message}`);
  const { configuration } = settings;
  const programDir = dirname(resolve(host.folder, name));
  if (isPlan(name)) {
    if (machine !== null) return refuse('a plan is one machine, so there is none to choose');
    const plan = await compilePlan(host, name);
    if ('missing' in plan) return refuse(plan.missing);
    const compiled = addProblems(plan, sources, diagnostics);
    return compiled === null ? null : { machine: compiled, configuration, program: name, programDir };
  }
  const found = readProgram(host, name);
  // A workflow may be named as steps name it.
  const named = found.kind === 'missing' && !path.includes('/') ? readNamed(host, path, configuration) : found;
  const read = named.kind === 'missing' ? found : named;
  if (read.kind === 'missing') return refuse(read.message);
  const compilation =
    read.kind === 'broken'
      ? read.compilation
      : await compileProgram(host, read, {
          cwd,
          configuration,
          lookups: { worktree: true, ...gateLookup(configuration, cwd) },
          standIns: () => true,
          calls: { standIns: () => true },
          ...omitUndefined({ machine: machine?.text }),
        });
  const compiled = addProblems(compilation, sources, diagnostics);
  if (compiled === null) return hasErrors(compilation.diagnostics) ? null : refuse('it has nothing to run');
  return { machine: compiled, configuration, program: name, programDir };
}

/** A plan and the plans that it calls as one machine. Whatever it calls is answered by mocks. */
async function compilePlan(host: ProjectHost, name: string): Promise<CompiledSuite | { readonly missing: string }> {
  const [{ loadPlan }, { planProgram }] = await Promise.all([
    import('../../app/project/load-plan.js'),
    import('../../app/project/link-plans.js'),
  ]);
  const loaded = loadPlan(host, name, {});
  if (loaded.kind === 'missing') return { missing: loaded.message };
  const { sources, diagnostics } = loaded;
  if (hasErrors(diagnostics) || loaded.plan === null) return { machine: null, sources, diagnostics };
  const { machine } = planProgram(host, loaded, { file: name, standIns: () => true });
  return { machine, sources, diagnostics };
}

/** Adds what is wrong with the program to what is wrong with its tests. Null: it cannot run. */
function addProblems(compilation: CompiledSuite, sources: SourceSet, diagnostics: Diagnostic[]): Machine | null {
  const first = sources.push(...compilation.sources) - compilation.sources.length;
  const rebase = (at: Span): Span => ({ ...at, file: at.file < 0 ? at.file : at.file + first });
  const errors = compilation.diagnostics.filter(({ severity }) => severity === 'error');
  diagnostics.push(...errors.map((one) => moveDiagnostic(one, rebase)));
  return compilation.machine;
}
