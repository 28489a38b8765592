/** The program that a test file is about: a program, a document, a workflow file or a plan, compiled so that mocks answer it. */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Machine } from '../machine/machine.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { compileProgram } from '../project/compile-program.js';
import type { ProjectHost } from '../project/host.js';
import { pathOf, shortName } from '../project/host.js';
import { isPlan } from '../project/program-kind.js';
import { readNamed, readProgram } from '../project/read-program.js';
import { readableFrom } from '../project/readable-folders.js';
import { gateLookup, loadSettings } from '../project/settings.js';
import { testMessages as say } from '../source/catalogue/tests.js';
import { type Diagnostic, hasErrors } from '../source/diagnostic.js';
import type { SourceSet, Span } from '../source/source-file.js';
import type { TestFile } from '../syntax/tests/test-tree.js';
import type { Suite } from './suite.js';

interface Compiled {
  readonly machine: Machine | null;
  readonly sources: SourceSet;
  readonly diagnostics: readonly Diagnostic[];
}

type Tested = Pick<Suite, 'machine' | 'configuration' | 'program' | 'programDir'>;

/** A file that a test file names, absolute. */
export function fileOfTests(host: ProjectHost, testFile: string, path: string): string {
  return resolve(host.folder, isAbsolute(path) ? path : join(dirname(testFile), path));
}

/** The program that a test file names. Adds its files to `sources`, and what is wrong with it to `diagnostics`. */
export async function compileTested(
  host: ProjectHost,
  { file, tree, cwd }: { readonly file: string; readonly tree: TestFile; readonly cwd: string },
  sources: SourceSet,
  diagnostics: Diagnostic[],
): Promise<Tested | null> {
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
async function compilePlan(host: ProjectHost, name: string): Promise<Compiled | { readonly missing: string }> {
  const [{ loadPlan }, { planProgram }] = await Promise.all([
    import('../project/load-plan.js'),
    import('../project/link-plans.js'),
  ]);
  const loaded = loadPlan(host, name, {});
  if (loaded.kind === 'missing') return { missing: loaded.message };
  const { sources, diagnostics } = loaded;
  if (hasErrors(diagnostics) || loaded.plan === null) return { machine: null, sources, diagnostics };
  const { machine } = planProgram(host, loaded, { file: name, standIns: () => true });
  return { machine, sources, diagnostics };
}

/** Adds what is wrong with the program to what is wrong with its tests. Null: it cannot run. */
function addProblems(compilation: Compiled, sources: SourceSet, diagnostics: Diagnostic[]): Machine | null {
  const first = sources.push(...compilation.sources) - compilation.sources.length;
  const rebase = (at: Span): Span => ({ ...at, file: at.file < 0 ? at.file : at.file + first });
  const errors = compilation.diagnostics.filter(({ severity }) => severity === 'error');
  for (const { labels = [], ...one } of errors)
    diagnostics.push({
      ...one,
      span: rebase(one.span),
      labels: labels.map((label) => ({ ...label, span: rebase(label.span) })),
    });
  return compilation.machine;
}
