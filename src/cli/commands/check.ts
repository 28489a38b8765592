/** `statedsl check`: reports the errors and warnings of programs without running them. */
import { resolve } from 'node:path';
import { compileProgram } from '../../app/project/compile-program.js';
import { isPlan, isTestFile, mayHaveWorktree } from '../../app/project/preparation.js';
import { readMock } from '../../app/project/prepare.js';
import { emptyCompilation, readNamed } from '../../app/project/read-program.js';
import { agentLookup, gateLookup, loadSettings, toolLookup } from '../../app/project/settings.js';
import { pathsOnlyHere } from '../../app/project/target-problem.js';
import type { Functions } from '../../engine/engine-functions.js';
import type { Compilation } from '../../language/check/compile.js';
import type { SourceSet } from '../../language/source/diagnostic.js';
import { type Diagnostic, hasErrors } from '../../language/source/diagnostic.js';
import { type FixedText, fixText, type MadeEdit, withSafeFixes } from '../../language/source/fix-text.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { locationJson } from '../../views/diagnostics/diagnostic-json.js';
import type { FindingJson } from '../../views/diagnostics/findings-json.js';
import { drawExplanations, drawFixes } from '../../views/diagnostics/fixes.js';
import { explainAll } from '../../views/steps/explain-steps.js';
import { commandLineHost } from '../files/command-line-host.js';
import { replaceRead } from '../files/replace-file.js';
import { isForAnEngine, NO_ENGINE } from '../running/configured-engine.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { filterDiagnostics, findingsOf, hideSecrets, printDiagnostics } from '../terminal/report-diagnostics.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

interface CheckFlags {
  readonly explain?: boolean;
  readonly json?: boolean;
  readonly strict?: boolean;
  readonly quiet?: boolean;
  readonly bounds?: boolean;
  readonly cwd?: string;
  readonly tools?: string;
  readonly state?: string;
  readonly fix?: boolean;
  readonly mock?: string;
  /** The engine that is to execute the programs. */
  readonly on?: string;
  readonly home?: string;
  readonly shared?: string;
}

/** What the files of one command line come to. With `--json` all of it is one object, and nothing else is printed. */
class CheckedFiles {
  readonly findings: FindingJson[] = [];
  /** What only some kinds of files have. */
  more: Readonly<Record<string, unknown>> = {};
  code: ExitCode = EXIT.returned;

  constructor(readonly flags: CheckFlags) {}

  /** Reports what is wrong with the command line, or with a file that cannot be read. */
  async refuse(message: string, help?: string): Promise<ExitCode> {
    this.code = EXIT.usage;
    if (this.flags.json !== true) return usageError(message, help);
    this.findings.push({ code: 'usage', severity: 'error', message, ...omitUndefined({ help }) });
    return EXIT.usage;
  }
}

/** Plans are recognized by their names. */
export async function checkCommand(all: readonly string[], flags: CheckFlags): Promise<ExitCode> {
  const outcome = new CheckedFiles(flags);
  await checkAll(all, flags, outcome);
  const { code, more } = outcome;
  const rank = ({ severity }: FindingJson): number => ['error', 'warning', 'note'].indexOf(String(severity));
  const findings = outcome.findings.toSorted((a, b) => rank(a) - rank(b));
  const status = code === EXIT.returned ? 'valid' : 'invalid';
  if (flags.json) stdout.write(`${JSON.stringify({ status, diagnostics: findings, ...more })}\n`);
  return code;
}

async function checkAll(all: readonly string[], flags: CheckFlags, outcome: CheckedFiles): Promise<void> {
  const plans = all.filter(isPlan);
  if (plans.length === 0 && flags.state !== undefined) {
    await outcome.refuse(
      '`--state` sets the initial state of a plan, but none of these files is a plan',
      'leave out `--state`',
    );
    return;
  }
  const about: object[] = [];
  for (const file of plans) {
    const { checkPlan, fixPlan } = await import('./plan/plan-check.js');
    if (flags.fix === true) {
      const { problem, made } = await fixPlan(file, flags);
      if (problem !== null) await outcome.refuse(problem);
      else outcome.more = { fixed: [...fixedOf(outcome), ...hideSecrets(made).map((edit) => ({ file, ...edit }))] };
    }
    const checked = await checkPlan(file, flags);
    if ('missing' in checked) await outcome.refuse(checked.missing);
    else {
      outcome.findings.push(...checked.findings);
      about.push(plans.length === 1 ? checked.about : { file, ...checked.about });
      if (checked.isInvalid) outcome.code = EXIT.usage;
    }
  }
  if (about.length > 0) outcome.more = { ...outcome.more, ...(plans.length === 1 ? about[0] : { plans: about }) };
  const files = all.filter((file) => !isPlan(file));
  if (files.length > 0) await checkPrograms(files, flags, outcome);
}

const fixedOf = ({ more }: CheckedFiles): readonly FixedJson[] => (more.fixed ?? []) as readonly FixedJson[];

async function checkPrograms(files: readonly string[], flags: CheckFlags, outcome: CheckedFiles): Promise<void> {
  // A file may import one that is corrected after it, so all are checked when all are corrected.
  const checks: (() => Promise<Compilation>)[] = [];
  const fixed: FixedJson[] = [];
  const reported = new Set<string>();
  let missing = false;
  for (const file of files) {
    const opened = await openFile(file, outcome, reported);
    if (opened === null) missing = true;
    else if (opened.kind === 'broken' || flags.fix !== true)
      checks.push(async () => lookFurther(file, await compilationOf(opened, flags), flags));
    else {
      const result = await fixText(opened.text, opened.compile);
      const { text, made } = result;
      const problem = await writeFixed(file, opened, result, outcome);
      if (problem !== null) missing = true;
      else fixed.push(...hideSecrets(made).map((edit) => ({ file: opened.name, ...edit })));
      const left = problem === null ? { ...opened, text } : opened;
      checks.push(async () => lookFurther(file, await compilationOf(left, flags), flags));
    }
  }
  const compilations: Compilation[] = [];
  for (const checkFile of checks) compilations.push(await checkFile());
  const all = compilations.flatMap(({ diagnostics }) => diagnostics);
  if (flags.json !== true) await report(compilations, flags);
  const isWrong = missing || isInvalid(all, flags);
  if (isWrong) outcome.code = EXIT.usage;
  const bounds = flags.bounds !== true || isWrong ? undefined : await boundsOf(files, flags);
  if (flags.json !== true) return;
  for (const { diagnostics, sources } of compilations)
    outcome.findings.push(...(await findingsOf(diagnostics, sources)));
  outcome.more = omitUndefined({
    ...outcome.more,
    ...explanationsJson(compilations, flags),
    fixed: flags.fix === true ? [...fixedOf(outcome), ...fixed] : undefined,
    bounds,
  });
}

/** What only a look at the whole machine finds. */
async function lookFurther(file: string, compilation: Compilation, flags: CheckFlags): Promise<Compilation> {
  const paid = await withPaidCalls(file, await withConfirmedLoops(compilation));
  const confirmed = await withScheduledInputs(file, paid);
  if (flags.shared !== undefined || flags.home !== undefined) return confirmed;
  if (!(await isForAnEngine(file, flags)) || (await hasHome(file))) return confirmed;
  return (await import('./check-surroundings.js')).withEngineFiles(confirmed);
}

/** Compares the costs of agents in the configuration with the budget of the program. */
async function withPaidCalls(file: string, compilation: Compilation): Promise<Compilation> {
  if (compilation.machines.every(({ limits }) => limits.cost === undefined)) return compilation;
  const { configuration } = await loadSettings(commandLineHost(), file);
  const { withUnpaidCalls } = await import('./check-surroundings.js');
  return withUnpaidCalls(compilation, configuration);
}

/** Schedules of the configuration that start the program give it inputs. */
async function withScheduledInputs(file: string, compilation: Compilation): Promise<Compilation> {
  const { machine, sources } = compilation;
  if (machine === null || file === '-') return compilation;
  const { configuration } = await loadSettings(commandLineHost(), file);
  if ((configuration.schedules ?? []).length === 0) return compilation;
  const { scheduledInputDiagnostics } = await import('../../app/project/scheduled-inputs.js');
  const found = await scheduledInputDiagnostics(commandLineHost(), configuration, file, machine);
  const diagnostics = found.diagnostics.map((one) => ({
    ...one,
    span: { ...one.span, file: one.span.file < 0 ? -1 : one.span.file + sources.length },
  }));
  return {
    ...compilation,
    diagnostics: [...compilation.diagnostics, ...diagnostics],
    sources: [...sources, ...found.sources],
  };
}

/** Whether the configuration binds the runs to workers with a name. */
async function hasHome(file: string): Promise<boolean> {
  return (await loadSettings(commandLineHost(), file)).configuration.engine?.home !== undefined;
}

/** Explores a program if a cycle of it seems to have no bound. */
async function withConfirmedLoops(compilation: Compilation): Promise<Compilation> {
  if (!compilation.diagnostics.some(({ code }) => code === 'unbounded-cycle')) return compilation;
  return (await import('./check-loops.js')).withConfirmedLoops(compilation);
}

async function boundsOf(files: readonly string[], flags: CheckFlags) {
  return (await import('./check-bounds.js')).boundsOfFiles(files, flags);
}

function isInvalid(all: readonly Diagnostic[], { strict }: CheckFlags): boolean {
  return strict === true ? all.some(({ severity }) => severity !== 'note') : hasErrors(all);
}

type OpenedFile =
  /** Nothing more is to be compiled. */
  | { readonly kind: 'broken'; readonly compilation: Compilation }
  | {
      readonly kind: 'text';
      readonly name: string;
      readonly text: string;
      /** Compiles another text as if it were the text of the file. */
      readonly compile: (text: string) => Promise<Compilation>;
    };

type FixedJson = MadeEdit & { readonly file: string };

/** Returns null, after reporting the problem, if there is no file to read. */
async function openFile(file: string, outcome: CheckedFiles, reported: Set<string>): Promise<OpenedFile | null> {
  const { flags } = outcome;
  if (isTestFile(file)) return openTests(file, outcome);
  const { configuration, diagnostics, sources, warnings } = await loadSettings(commandLineHost(), file);
  await reportOnce(warnings, sources, outcome, reported);
  const read = readNamed(commandLineHost(), file, configuration);
  if (read.kind === 'broken') return read;
  if (read.kind === 'missing') {
    await outcome.refuse(read.message);
    return null;
  }
  if (diagnostics.length > 0) return { kind: 'broken', compilation: emptyCompilation(diagnostics, sources) };
  const answers = await readMock(commandLineHost(), flags.mock);
  if (answers !== null && 'diagnostics' in answers)
    return { kind: 'broken', compilation: emptyCompilation(answers.diagnostics, answers.sources) };
  const mocked = answers?.mock.agents ?? {};
  const agents = agentLookup(configuration, {});
  let functions: Functions | null = null;
  try {
    if (flags.on !== undefined && flags.on !== NO_ENGINE)
      functions = await (await import('../../engine/engine-functions.js')).functionsOf(configuration);
  } catch (cause) {
    await outcome.refuse((cause as Error).message);
    return null;
  }
  const cwd = resolve(flags.cwd ?? '.');
  const worktree = mayHaveWorktree(cwd);
  const isForEngine = await isForAnEngine(file, flags);
  const compile = (text: string) =>
    compileProgram(
      commandLineHost(),
      { name: read.name, text },
      {
        cwd,
        configuration,
        ...omitUndefined({ commands: functions === null ? undefined : Object.keys(functions.all) }),
        lookups: {
          // The mock answers for the agents that it names, so neither their names nor their programs are looked up.
          agents: {
            ...agents,
            isKnown: (name) => Object.hasOwn(mocked, name) || agents.isKnown(name),
            program: (name) => (Object.hasOwn(mocked, name) ? null : agents.program(name)),
          },
          ...gateLookup(configuration, cwd),
          ...omitUndefined({ worktree }),
        },
        explain: flags.explain ?? false,
        strict: flags.strict ?? false,
        calls: {
          tools: flags.tools,
          ...toolLookup(commandLineHost(), configuration, { cwd }),
          ...omitUndefined({ onlyHere: isForEngine ? pathsOnlyHere(cwd, flags.shared) : undefined }),
        },
      },
    );
  return { kind: 'text', name: read.name, text: read.text, compile };
}

/** A test file is checked together with the program that it names. */
async function openTests(file: string, outcome: CheckedFiles): Promise<OpenedFile | null> {
  const { cwd } = outcome.flags;
  const { loadSuite } = await import('../../lab/testing/load-suite.js');
  const loaded = await loadSuite(commandLineHost(), file, resolve(cwd ?? '.'));
  if (!('missing' in loaded))
    return { kind: 'broken', compilation: emptyCompilation(loaded.diagnostics, loaded.sources) };
  await outcome.refuse(loaded.missing);
  return null;
}

/** Several files may share one configuration, whose warnings are reported once. */
async function reportOnce(
  warnings: readonly Diagnostic[],
  sources: SourceSet,
  { flags, findings }: CheckedFiles,
  reported: Set<string>,
): Promise<void> {
  const fresh = warnings.filter(({ message }) => !reported.has(message));
  for (const { message } of fresh) reported.add(message);
  if (flags.json === true) findings.push(...(await findingsOf(fresh, sources)));
  else await printDiagnostics(fresh, sources, flags);
}

async function compilationOf(opened: OpenedFile, { json }: CheckFlags): Promise<Compilation> {
  if (opened.kind === 'broken') return opened.compilation;
  const { text, compile } = opened;
  const compilation = await compile(text);
  // Only `--json` tells which fixes are safe.
  return json === true ? withSafeFixes(text, compilation, compile) : compilation;
}

/** Writes the fixed text and reports the fixes. If the file cannot be written, reports and returns the problem. */
async function writeFixed(
  file: string,
  { name, text: original }: Extract<OpenedFile, { kind: 'text' }>,
  { text, fixes }: FixedText,
  outcome: CheckedFiles,
): Promise<string | null> {
  const problem = file === '-' || text === original ? null : replaceRead(name, original, text);
  if (problem !== null) {
    await outcome.refuse(problem);
    return problem;
  }
  const { json, quiet } = outcome.flags;
  if (json === true) return null;
  if (file === '-') stdout.write(text);
  if (quiet !== true) stderr.write(drawFixes(name, hideSecrets(fixes)));
  return null;
}

async function report(compilations: readonly Compilation[], flags: CheckFlags): Promise<void> {
  for (const { diagnostics, sources, explanations, machines } of compilations) {
    await printDiagnostics(filterDiagnostics(diagnostics, flags), sources, {});
    if (!flags.explain) continue;
    stdout.write(drawExplanations(explainAll(explanations, machines, sources), sources));
  }
}

/** What `--explain` adds to the object. */
function explanationsJson(compilations: readonly Compilation[], { explain }: CheckFlags): object {
  if (!explain) return {};
  return {
    explanations: compilations.flatMap(({ explanations, machines, sources }) =>
      explainAll(explanations, machines, sources).map(({ span, text }) => ({ ...locationJson(span, sources), text })),
    ),
  };
}
