/** `statedsl verify`: explores everything that programs can do, without starting anything. */
import type { Reduction } from '../../foresight/configuration.js';
import { matchesNothing, type Property, readProperty } from '../../foresight/properties.js';
import { reportJson, reportText, verdictOf } from '../../foresight/report.js';
import { type Verification, verify } from '../../foresight/verify.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { isPlan } from '../../project/program-kind.js';
import { loadSettings } from '../../project/settings.js';
import type { Configuration } from '../../runtime/configuration/configuration.js';
import { hasErrors } from '../../source/diagnostic.js';
import type { SourceSet } from '../../source/source-file.js';
import { commandLineHost } from '../files/host.js';
import { readInputs } from '../preparation/inputs.js';
import { readMachines } from '../preparation/read-machines.js';
import { readStart } from '../preparation/start-state.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { printDiagnostics } from '../terminal/report-diagnostics.js';
import { stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage.js';

export interface VerifyFlags {
  readonly machine?: string;
  readonly start?: string;
  readonly input?: readonly string[];
  readonly free?: readonly string[];
  readonly failures: boolean;
  readonly len: number;
  readonly maxConfigurations: number;
  readonly seconds: number;
  /** True: all reductions. */
  readonly reduction: true | readonly string[];
  readonly never?: readonly string[];
  readonly after?: readonly string[];
  readonly strict?: boolean;
  readonly traces?: boolean;
  readonly tools?: string;
  readonly json?: boolean;
}

export async function verifyCommand(files: readonly string[], flags: VerifyFlags): Promise<ExitCode> {
  const machines: { readonly file: string; readonly machine: Machine; readonly configuration: Configuration }[] = [];
  for (const file of files) {
    if (isPlan(file))
      return usageError(`\`${file}\` is a plan, and \`verify\` explores programs`, 'verify a program with a PLAN line');
    const found = await readMachines(file, { ...flags, withGates: true });
    if (typeof found === 'number') return found;
    if (found.length === 0) return usageError(`\`${file}\` has nothing to run`);
    const { configuration } = await loadSettings(commandLineHost(), file);
    machines.push(...found.map((machine) => ({ file, machine, configuration })));
  }
  const properties: Property[] = [];
  for (const kind of ['never', 'after'] as const)
    for (const text of flags[kind] ?? []) {
      const read = readProperty(kind, text);
      if ('problem' in read) return usageError(read.problem);
      properties.push(read);
    }
  const results: Verification[] = [];
  for (const { file, machine, configuration } of machines) {
    const given = await valuesFor(machine, flags);
    if (given === null) return EXIT.usage;
    const unknown = (flags.free ?? []).find((name) => !machine.inputs.some((input) => input.name === name));
    if (unknown !== undefined) return usageError(`the program has no input \`${unknown}\``, 'leave it out of `--free`');
    for (const property of properties) {
      const missing = matchesNothing(machine, property);
      if (missing !== null)
        return usageError(
          `\`${property.name}\` matches nothing: the program has ${missing}`,
          'correct the name; such a property would hold only because nothing happens',
        );
    }
    const verification = verify(machine, {
      properties,
      ...given,
      free: new Set(flags.free ?? []),
      withFailures: flags.failures,
      longest: flags.len,
      maxConfigurations: flags.maxConfigurations,
      seconds: flags.seconds,
      without: new Set(flags.reduction === true ? [] : (flags.reduction as readonly Reduction[])),
      maxCost: costsOf(configuration),
    });
    if (flags.json !== true) {
      if (machines.length > 1) stdout.write(`${results.length > 0 ? '\n' : ''}${file}: `);
      stdout.write(reportText(verification, { allTraces: flags.traces === true }));
    }
    results.push(verification);
  }
  if (flags.json === true) stdout.write(`${JSON.stringify(jsonOf(results))}\n`);
  const verdicts = results.map((one) => verdictOf(one, flags.strict === true));
  if (verdicts.includes(1)) return EXIT.failed;
  return verdicts.includes(3) ? EXIT.undecided : EXIT.returned;
}

function jsonOf(results: readonly Verification[]): Json {
  const [only, second] = results;
  return only !== undefined && second === undefined ? reportJson(only) : results.map(reportJson);
}

/** The inputs and the start of the flags; null: they are wrong, and it was printed. */
async function valuesFor(machine: Machine, { input = [], start }: VerifyFlags) {
  const sources: SourceSet = [];
  const { values, diagnostics } = readInputs(machine, { flags: input, file: null, complete: false, sources });
  const first = start === undefined ? null : readStart(start, machine, sources);
  const problems = [...diagnostics, ...(first !== null && 'diagnostics' in first ? first.diagnostics : [])];
  if (hasErrors(problems)) {
    await printDiagnostics(problems, sources, {});
    return null;
  }
  const inputs = Object.fromEntries(values) as Record<string, Json>;
  if (first === null || !('start' in first)) return { inputs };
  const state = machine.states.findIndex(({ name }) => name === first.start.state);
  return { inputs, start: { state, with: first.start.with } };
}

export function costsOf({ agents }: Configuration): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [name, agent] of Object.entries(agents ?? {})) {
    const cost = (agent as { readonly max_cost?: unknown }).max_cost;
    if (typeof cost === 'number') found[name] = cost;
  }
  return found;
}
