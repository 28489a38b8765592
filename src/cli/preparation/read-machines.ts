/** Reads the machines of a program for commands that only show them. No agent is looked up and nothing runs. */
import { compileProgram } from '../../app/project/compile-program.js';
import { readNamed } from '../../app/project/read-program.js';
import { gateLookup, loadSettings } from '../../app/project/settings.js';
import { hasErrors } from '../../language/source/diagnostic.js';
import type { Machine } from '../../machine/machine.js';
import { nearest } from '../../prelude/nearest.js';
import type { Configuration } from '../../runtime/configuration/load-configuration.js';
import { commandLineHost } from '../files/command-line-host.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { drawn } from '../terminal/report-diagnostics.js';
import { stderr } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

export interface MachineFlags {
  readonly machine?: string;
  readonly tools?: string;
  /** Whether gates have commands, as in a run. */
  readonly withGates?: boolean;
}

/**
 * Returns all machines, or the one that `machine` names. If there are errors, reports them and returns an exit code.
 */
export async function readMachines(file: string, flags: MachineFlags): Promise<readonly Machine[] | ExitCode> {
  const { configuration } = await loadSettings(commandLineHost(), file);
  const read = readNamed(commandLineHost(), file, configuration);
  if (read.kind === 'missing') return usageError(read.message);
  const compilation =
    read.kind === 'broken'
      ? read.compilation
      : await compileProgram(commandLineHost(), read, {
          cwd: process.cwd(),
          configuration,
          calls: { tools: flags.tools },
          ...(flags.withGates === true ? { lookups: allGates(configuration) } : {}),
        });
  const errors = compilation.diagnostics.filter(({ severity }) => severity === 'error');
  if (hasErrors(errors)) {
    stderr.write(await drawn(errors, compilation.sources));
    return EXIT.usage;
  }
  const names = compilation.machines.map(({ name }) => name);
  if (flags.machine !== undefined && !names.includes(flags.machine)) {
    const near = nearest(flags.machine, names);
    const help =
      near === undefined
        ? `it has ${names.map((name) => `\`${name}\``).join(', ') || 'none'}`
        : `did you mean \`${near}\`?`;
    return usageError(
      `there is no machine \`${flags.machine}\` in \`${read.kind === 'text' ? read.name : file}\``,
      help,
    );
  }
  return compilation.machines.filter(({ name }) => flags.machine === undefined || name === flags.machine);
}

/** Commands of gates, as in a run. A gate that has none here has one where the program runs. */
function allGates(configuration: Configuration) {
  const { gate, gateTimeoutMs } = gateLookup(configuration, process.cwd());
  const find = (name: string) => {
    const found = gate(name);
    return found === null || 'refused' in found ? { command: name, timeoutMs: gateTimeoutMs } : found;
  };
  return { worktree: true, gate: find, gateTimeoutMs };
}
