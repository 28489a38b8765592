/** `statedsl verify`: explores everything that programs can do, without starting anything. */
import { isPlan, isTestFile } from '../../app/project/preparation.js';
import { loadSettings } from '../../app/project/settings.js';
import type { Reduction } from '../../lab/foresight/configuration.js';
import type { ExplorationProgress } from '../../lab/foresight/exploration.js';
import { reportJson, reportText, verdictOf } from '../../lab/foresight/foresight-report.js';
import type { MomentCondition } from '../../lab/foresight/monitors.js';
import type { Property } from '../../lab/foresight/properties.js';
import { type Verification, verify } from '../../lab/foresight/verify-machine.js';
import { type Diagnostic, hasErrors, type SourceSet, sourceFile } from '../../language/source/diagnostic.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Configuration } from '../../runtime/configuration/load-configuration.js';
import { wholeOf } from '../../runtime/redact.js';
import { agentCosts } from '../../runtime/run/run-options.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { commandLineHost } from '../files/command-line-host.js';
import { whyNoFolder } from '../files/replace-file.js';
import { readInputs } from '../preparation/inputs.js';
import { readMachines } from '../preparation/read-machines.js';
import { readStart } from '../preparation/start-state.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { printDiagnostics } from '../terminal/report-diagnostics.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

export interface VerifyFlags {
  readonly machine?: string;
  readonly start?: string;
  readonly input?: readonly string[];
  readonly free?: readonly string[];
  readonly failures: boolean;
  readonly len: number;
  readonly maxConfigurations: number;
  readonly seconds: number;
  /** Milliseconds for all programs together. */
  readonly timeout?: number;
  /** True: all reductions. */
  readonly reduction: true | readonly string[];
  readonly never?: readonly string[];
  readonly after?: readonly string[];
  readonly assume?: readonly string[];
  readonly property?: readonly string[];
  readonly strict?: boolean;
  readonly traces?: boolean;
  readonly bounds?: boolean;
  readonly tools?: string;
  readonly graph?: 'svg' | 'mermaid';
  /** The folder of tests that are written. */
  readonly writeTests?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** A machine to verify, with the properties of its test file. */
interface VerifiedMachine {
  readonly file: string;
  readonly program: string;
  readonly isOneOfSeveral: boolean;
  readonly machine: Machine;
  readonly configuration: Configuration;
  readonly properties: readonly Property[];
}

/** A file is no folder, also if it does not exist yet. */
const whyNoTestFolder = (path: string): string | null =>
  isTestFile(path) ? 'it is the name of a test file' : whyNoFolder(path);

export async function verifyCommand(files: readonly string[], flags: VerifyFlags): Promise<ExitCode> {
  const problem = flags.writeTests === undefined ? null : whyNoTestFolder(flags.writeTests);
  if (problem !== null)
    return usageError(
      `cannot write to \`${flags.writeTests}\`: ${problem}`,
      'name a directory, as in `--write-tests .`: the files get the names of their programs',
    );
  if (flags.quiet && (flags.traces || flags.bounds))
    return usageError('`--quiet` prints only what is wrong', 'leave it out, or leave out `--traces` and `--bounds`');
  const subjects: VerifiedMachine[] = [];
  for (const file of files) {
    const found = await (isTestFile(file) ? subjectsOfTests(file, flags) : subjectsOf(file, flags, []));
    if (typeof found === 'number') return found;
    subjects.push(...found);
  }
  const unknown = await unknownProperty(subjects, flags);
  if (unknown !== null) return unknown;
  const results: Verification[] = [];
  const watch = watchOf(flags);
  for (const subject of subjects) {
    const { file, machine, configuration } = subject;
    const given = await valuesFor(machine, flags);
    if (given === null) return EXIT.usage;
    const notFree = (flags.free ?? []).find((name) => !machine.inputs.some((input) => input.name === name));
    const fixed = (flags.free ?? []).find((name) =>
      flags.input?.some((one) => one.startsWith(`${name}=`) || one.startsWith(`${name}:=`)),
    );
    if (fixed !== undefined)
      return usageError(`\`${fixed}\` is fixed by \`--input\``, 'leave it out there, or out of `--free`');
    if (notFree !== undefined) return usageError(`the program has no input \`${notFree}\``, 'leave it out of `--free`');
    const named = await rulesOfFlags(machine, flags);
    if (named === null) return EXIT.usage;
    const verification = verify(machine, {
      properties: [...subject.properties, ...named.properties],
      assumptions: named.assumptions,
      ...given,
      free: new Set(flags.free ?? []),
      withFailures: flags.failures,
      longest: flags.len,
      maxConfigurations: flags.maxConfigurations,
      seconds: flags.seconds,
      isTimeUp: (progress) => watch.isTimeUp(machine.name, progress),
      ...omitUndefined({ timeoutMs: flags.timeout }),
      without: new Set(flags.reduction === true ? [] : (flags.reduction as readonly Reduction[])),
      maxCost: costsOf(configuration),
    });
    watch.clear();
    if (verification.isEmpty)
      return usageError(
        'no run fulfills what `--assume` says',
        verification.isBounded
          ? 'correct it, or explore longer lists with `--len`'
          : 'correct it; everything holds for no runs',
      );
    if (flags.json !== true && flags.graph === undefined) {
      if (subjects.length > 1) stdout.write(`${results.length > 0 ? '\n' : ''}${file}: `);
      stdout.write(reportText(verification, textOptions(flags)));
    }
    results.push(verification);
  }
  if (flags.json === true) stdout.write(`${JSON.stringify(jsonOf(subjects, results))}\n`);
  if (flags.graph !== undefined) {
    const { verificationGraph } = await import('./verify-graph.js');
    const drawn = await verificationGraph(results, flags.graph);
    if ('problem' in drawn) {
      stderr.write(`error: cannot draw the graph: ${drawn.problem}\n`);
      return EXIT.failed;
    }
    stdout.write(drawn.text);
  }
  if (flags.writeTests !== undefined) {
    const { writeTestsOf } = await import('./verify-tests.js');
    const files = new Set<string>();
    for (const [at, result] of results.entries())
      if (!(await writeTestsOf(flags.writeTests, subjects[at] as VerifiedMachine, result, files))) return EXIT.failed;
  }
  const verdicts = results.map((one) => verdictOf(one, flags.strict === true));
  if (verdicts.includes(1)) return EXIT.failed;
  return verdicts.includes(3) ? EXIT.undecided : EXIT.returned;
}

const textOptions = ({ traces = false, bounds = false, quiet = false }: VerifyFlags) => ({
  allTraces: traces,
  allBounds: bounds,
  quiet,
});

/** Nobody wonders before what a shorter exploration does. */
const FIRST_SHOWN_MS = 1000;
const REDRAWN_MS = 100;

/** Looks at the clock for an exploration, and shows on a terminal how far it is. */
function watchOf({ timeout = Number.POSITIVE_INFINITY, json, quiet }: VerifyFlags) {
  const began = performance.now();
  const isShown = stderr.terminal && json !== true && quiet !== true;
  let isLine = false;
  let next = FIRST_SHOWN_MS;
  return {
    isTimeUp(name: string, { configurations, waiting }: ExplorationProgress): boolean {
      const ms = performance.now() - began;
      if (isShown && ms >= next) {
        next = ms + REDRAWN_MS;
        const seconds = Math.floor(ms / 1000);
        const line = `exploring ${visibleLine(name)}: ${configurations} configurations, ${waiting} waiting, ${seconds} s`;
        stderr.write(`\r${line}\x1b[K`);
        isLine = true;
      }
      return ms >= timeout;
    },
    clear(): void {
      if (isLine) stderr.write('\r\x1b[K');
      isLine = false;
    },
  };
}

/** The machines of a program. */
async function subjectsOf(
  file: string,
  flags: VerifyFlags,
  properties: readonly Property[],
): Promise<readonly VerifiedMachine[] | ExitCode> {
  if (isPlan(file))
    return usageError(`\`${file}\` is a plan, and \`verify\` explores programs`, 'verify a program with a PLAN line');
  const found = await readMachines(file, { ...flags, withGates: true });
  if (typeof found === 'number') return found;
  if (found.length === 0) return usageError(`\`${file}\` has nothing to run`);
  const { configuration, diagnostics, sources } = await loadSettings(commandLineHost(), file);
  if (hasErrors(diagnostics)) {
    await printDiagnostics(diagnostics, sources, {});
    return EXIT.usage;
  }
  const isOneOfSeveral = flags.machine !== undefined || found.length > 1;
  return found.map((machine) => ({ file, program: file, isOneOfSeveral, machine, configuration, properties }));
}

/** The program of a test file, with the properties of that file. */
async function subjectsOfTests(file: string, flags: VerifyFlags): Promise<readonly VerifiedMachine[] | ExitCode> {
  const { loadSuite } = await import('../../lab/testing/load-suite.js');
  const loaded = await loadSuite(commandLineHost(), file, process.cwd());
  if ('missing' in loaded) return usageError(loaded.missing);
  const { suite, diagnostics, sources } = loaded;
  await printDiagnostics(diagnostics, sources, {});
  if (suite === null) return EXIT.usage;
  const machine = flags.machine ?? suite.machine.name;
  const found = await subjectsOf(suite.program, { ...flags, machine }, []);
  if (typeof found === 'number') return found;
  const isOneOfSeveral = flags.machine !== undefined || suite.tree.program?.machine !== null;
  const [{ compileProperties }, { checkProperties }, { factsOf }] = await Promise.all([
    import('../../lab/testing/compile-properties.js'),
    import('../../lab/testing/check-suite.js'),
    import('../../lab/testing/machine-facts.js'),
  ]);
  const isWanted = ({ name }: { readonly name: string }): boolean => flags.property?.includes(name) !== false;
  const cases = suite.tree.properties.filter(isWanted);
  const fitting: VerifiedMachine[] = [];
  for (const subject of found) {
    const { machine: tested } = subject;
    const compiled = compileProperties(cases, tested, 0);
    // The file was checked for its own machine, and `--machine` may name another one.
    const wrong =
      tested.name === suite.machine.name
        ? []
        : [...compiled.diagnostics, ...checkProperties(cases, { machine: tested, facts: factsOf(tested), sources })];
    if (hasErrors(wrong)) {
      await printDiagnostics(wrong, sources, {});
      return EXIT.usage;
    }
    fitting.push({ ...subject, file, isOneOfSeveral, properties: compiled.properties });
  }
  return fitting;
}

/** What `--property` names and no test file has; null: nothing. */
async function unknownProperty(
  subjects: readonly VerifiedMachine[],
  { property = [] }: VerifyFlags,
): Promise<ExitCode | null> {
  const names = subjects.flatMap(({ properties }) => properties.map(({ name }) => name));
  const unknown = property.find((name) => !names.includes(name));
  if (unknown === undefined) return null;
  return usageError(
    `no test file has the property \`${unknown}\``,
    'name one that follows `PROPERTY:` in a file that is verified',
  );
}

/** The properties and assumptions of the command line; null: they are wrong, and it was printed. */
async function rulesOfFlags(
  machine: Machine,
  { never = [], after = [], assume = [] }: VerifyFlags,
): Promise<{ readonly properties: readonly Property[]; readonly assumptions: readonly MomentCondition[] } | null> {
  const given = [
    ...never.map((text) => ['NEVER', text] as const),
    ...after.map((text) => ['AFTER', text] as const),
    ...assume.map((text) => ['ASSUME', text] as const),
  ];
  if (given.length === 0) return { properties: [], assumptions: [] };
  const [{ parseRule }, { checkProperties }, { compileProperties }, { factsOf }] = await Promise.all([
    import('../../language/syntax/tests/parse-tests.js'),
    import('../../lab/testing/check-suite.js'),
    import('../../lab/testing/compile-properties.js'),
    import('../../lab/testing/machine-facts.js'),
  ]);
  const sources: SourceSet = [];
  const diagnostics: Diagnostic[] = [];
  const properties: Property[] = [];
  const assumptions: MomentCondition[] = [];
  for (const [verb, text] of given) {
    const lead = `--${verb.toLowerCase()} `;
    const file = sources.push(sourceFile('command line', lead + text)) - 1;
    const { property, diagnostics: wrong } = parseRule(sources[file] as SourceSet[number], file, verb, lead.length);
    diagnostics.push(...wrong);
    if (hasErrors(wrong)) continue;
    if (verb !== 'ASSUME')
      diagnostics.push(...checkProperties([property], { machine, facts: factsOf(machine), sources }));
    const compiled = compileProperties([property], machine, file);
    diagnostics.push(...compiled.diagnostics);
    const [only] = compiled.properties;
    if (verb === 'ASSUME') assumptions.push(...(only?.assumptions ?? []));
    else if (only !== undefined) properties.push(only);
  }
  if (!hasErrors(diagnostics)) return { properties, assumptions };
  await printDiagnostics(diagnostics, sources, {});
  return null;
}

function jsonOf(subjects: readonly VerifiedMachine[], results: readonly Verification[]): Json {
  const [only, second] = results;
  if (only !== undefined && second === undefined) return reportJson(only);
  return results.map((one, at) => ({
    file: subjects[at]?.file ?? '',
    ...(reportJson(one) as { [name: string]: Json }),
  }));
}

/** The inputs and the start of the flags; null: they are wrong, and it was printed. */
async function valuesFor(machine: Machine, { input = [], start }: VerifyFlags) {
  const sources: SourceSet = [];
  const { values, printed, diagnostics } = readInputs(machine, { flags: input, file: null, complete: false, sources });
  const first = start === undefined ? null : readStart(start, machine, sources);
  const problems = [...diagnostics, ...(first !== null && 'diagnostics' in first ? first.diagnostics : [])];
  if (hasErrors(problems)) {
    await printDiagnostics(problems, sources, {});
    return null;
  }
  const inputs = wholeOf(Object.fromEntries(values) as Record<string, Json>, printed);
  if (first === null || !('start' in first)) return { inputs };
  const state = machine.states.findIndex(({ name }) => name === first.start.state);
  return { inputs, start: { state, with: first.start.with } };
}

export function costsOf({ agents, folder }: Configuration): Record<string, number> {
  return agentCosts({ agents, folder, instead: {} });
}
