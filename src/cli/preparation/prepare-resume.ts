/** The flags of commands that continue a stored run, as options of `Runs`. */
import type { ContinuedOptions, ExaminedRun } from '../../app/folder/continued-options.js';
import { fromRecord } from '../../interpreter/values/json.js';
import { commandLineMessages } from '../../language/source/catalogue/command-line.js';
import type { SourceSet } from '../../language/source/diagnostic.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { reportConfiguration } from '../running/configuration-line.js';
import { type ShowFlags, suspendOptions } from '../running/drive-on-command-line.js';
import type { RunFlags } from '../running/run-flags.js';
import { CommandEnded, flagLimits } from '../running/stored-runs.js';
import { printDiagnostics, reportInvalid } from '../terminal/report-diagnostics.js';
import { partsOfFlag, readInputs } from './inputs.js';

export interface ResumeFlags
  extends ShowFlags,
    Pick<
      RunFlags,
      | 'input'
      | 'cwd'
      | 'maxTransitions'
      | 'timeout'
      | 'maxCost'
      | 'maxTokens'
      | 'maxJournal'
      | 'maxOutput'
      | 'agent'
      | 'mock'
      | 'realTime'
      | 'detach'
      | 'inDoubt'
      | 'again'
      | 'record'
      | 'overwrite'
      | 'yes'
    > {
  readonly fromFile?: string;
}

/** `seen`: what messages about the run show. */
export function resumeOptions(
  flags: ResumeFlags,
  background: boolean,
  seen: (found: ExaminedRun) => unknown = () => undefined,
): ContinuedOptions {
  const { fromFile: program, mock, realTime, cwd, inDoubt } = flags;
  return {
    limits: flagLimits(flags),
    ...suspendOptions(flags, background),
    ...omitUndefined({ program, mock, realTime, cwd, inDoubt }),
    async examine(found) {
      const { machine, continued, sources, warnings, configuration } = found;
      const texts = [...sources];
      const { values: inputs, diagnostics } = secretInputs(machine, flags, texts, continued);
      if (diagnostics.length > 0) throw new CommandEnded((await reportInvalid(diagnostics, texts, flags)).code);
      await printDiagnostics(warnings.diagnostics, warnings.sources, flags);
      reportConfiguration(configuration, flags);
      await seen(found);
      return { inputs };
    },
  };
}

/** The secret inputs that are passed again. `continued`: the machine that continues the run. */
export function secretInputs(
  machine: Machine,
  flags: Pick<ResumeFlags, 'input'>,
  sources: SourceSet,
  continued: Machine = machine,
) {
  const read = readInputs(machine, { flags: flags.input ?? [], file: null, complete: false, sources });
  const given = new Set((flags.input ?? []).map((text) => partsOfFlag(text).name));
  const values: Record<string, Json> = {};
  for (const [name, value] of read.values) if (given.has(name)) values[name] = fromRecord(value, read.printed[name]);
  const diagnostics = read.diagnostics.map((one) => {
    const facts = commandLineMessages.unknownInput.factsOf(one);
    if (facts === null || !continued.inputs.some(({ name }) => name === facts.name)) return one;
    return commandLineMessages.unknownInput(one.span, { ...facts, isNew: true });
  });
  return { values, diagnostics };
}
