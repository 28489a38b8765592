/** `statedsl graph`: the states of a program as a picture, or as text that becomes one. */

import { isPlan } from '../project/program-kind.js';
import { type Graph, graphOf } from '../views/graph/graph.js';
import { ascii, dot, mermaid } from '../views/graph/graph-text.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { readMachines } from './read-machines.js';
import { stdout } from './streams.js';
import { usageError } from './usage.js';

interface GraphFlags {
  readonly format: string;
  readonly machine?: string;
  readonly tools?: string;
}

export async function graphCommand(file: string, flags: GraphFlags): Promise<ExitCode> {
  if (isPlan(file)) return (await import('./plan/plan-graph.js')).planGraphCommand(file, flags);
  const machines = await readMachines(file, flags);
  return typeof machines === 'number' ? machines : print(machines.map(graphOf), flags.format);
}

async function print(graphs: readonly Graph[], format: string): Promise<ExitCode> {
  switch (format) {
    case 'dot':
      stdout.write(dot(graphs));
      return EXIT.returned;
    case 'ascii':
      stdout.write(ascii(graphs));
      return EXIT.returned;
    case 'svg':
      return printSvg(graphs);
    default:
      stdout.write(mermaid(graphs));
      return EXIT.returned;
  }
}

async function printSvg(graphs: readonly Graph[]): Promise<ExitCode> {
  const { layOut } = await import('./graph-svg.js');
  const drawn = await layOut(dot(graphs));
  if ('problem' in drawn)
    return usageError(`cannot draw this graph: ${drawn.problem}`, 'use `--format dot` and draw it with another tool');
  stdout.write(drawn.svg);
  return EXIT.returned;
}
