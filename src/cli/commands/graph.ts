/** `statedsl graph`: the states of a program as a picture, or as text that becomes one. */
import { isPlan } from '../../app/project/preparation.js';
import type { Machine } from '../../machine/machine.js';
import { ascii, dot, mermaid } from '../../views/graph/graph-text.js';
import { graphOf } from '../../views/graph/machine-graph.js';
import { readMachines } from '../preparation/read-machines.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

interface GraphFlags {
  readonly format: string;
  readonly failures?: boolean;
  readonly machine?: string;
  readonly tools?: string;
}

export async function graphCommand(file: string, flags: GraphFlags): Promise<ExitCode> {
  if (flags.failures && flags.format !== 'svg')
    return usageError(
      '`--failures` has an effect on `--format svg` only',
      'the other formats draw every failure anyway',
    );
  if (isPlan(file)) return (await import('./plan/plan-graph.js')).planGraphCommand(file, flags);
  const machines = await readMachines(file, flags);
  return typeof machines === 'number' ? machines : print(machines, flags);
}

async function print(machines: readonly Machine[], { format, failures = false }: GraphFlags): Promise<ExitCode> {
  switch (format) {
    case 'dot':
      stdout.write(dot(machines.map(graphOf)));
      return EXIT.returned;
    case 'ascii':
      stdout.write(ascii(machines.map(graphOf)));
      return EXIT.returned;
    case 'svg':
      return printSvg(machines, failures);
    default:
      stdout.write(mermaid(machines.map(graphOf)));
      return EXIT.returned;
  }
}

async function printSvg(machines: readonly Machine[], failures: boolean): Promise<ExitCode> {
  const { machinesPicture } = await import('../../views/graph/machine-picture.js');
  const { layOutSvg } = await import('../terminal/graph-svg.js');
  const name = machines.map((machine) => machine.name).join(', ');
  const drawn = await layOutSvg(name, machinesPicture(machines, { failures }));
  if ('problem' in drawn)
    return usageError(`cannot draw this graph: ${drawn.problem}`, 'use `--format dot` and draw it with another tool');
  stdout.write(drawn.svg);
  return EXIT.returned;
}
