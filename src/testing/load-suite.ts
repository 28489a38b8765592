/** From the name of a test file to a suite: its tests, the compiled program, and everything that is wrong with them. */
import type { Machine } from '../machine/machine.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { ProjectHost } from '../project/host.js';
import { shortName } from '../project/host.js';
import { readProgram } from '../project/read-program.js';
import { readableFrom } from '../project/readable-folders.js';
import type { Cassette } from '../runtime/cassette/cassette.js';
import { createRedactor } from '../runtime/redact.js';
import { secretsOf } from '../runtime/run/run-options.js';
import { testMessages as say } from '../source/catalogue/tests.js';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../source/diagnostic.js';
import { type SourceSet, sourceFile } from '../source/source-file.js';
import { parseTests } from '../syntax/tests/parse-tests.js';
import { checkSuite } from './check-suite.js';
import { compileProperties } from './compile-properties.js';
import { compileExpressions } from './expressions.js';
import { factsOf } from './machine-facts.js';
import { readSnapshots } from './read-snapshots.js';
import { RUN_NAMES, type Suite } from './suite.js';
import { compileTested, fileOfTests } from './tested-program.js';

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
  const diagnostics = [...parsed];
  const program = await compileTested(host, { file, tree, cwd }, sources, diagnostics);
  if (program === null) return { suite: null, diagnostics: sortDiagnostics(diagnostics), sources };
  const { machine } = program;
  const rows = tree.tests.flatMap(({ lines }) =>
    lines.flatMap((line) => (line.kind === 'each' ? [line.name.text] : [])),
  );
  const variables = [...machine.inputs, ...machine.tracked.map((name) => ({ name }))].map(({ name }) => name);
  const expressions = compileExpressions(tree, 0, new Set([...variables, ...rows, ...RUN_NAMES]));
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
    import('../runtime/cassette/read-cassette.js'),
    import('../runtime/cassette/recorder.js'),
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
