/** `statedsl graph`: the states of a program as a picture, or as text that becomes one. */

import { compileProgram } from '../project/compile-program.js';
import { isPlan } from '../project/program-kind.js';
import { readNamed } from '../project/read-program.js';
import { loadSettings } from '../project/settings.js';
import { hasErrors } from '../source/diagnostic.js';
import { nearest } from '../source/suggest.js';
import { drawDiagnostics } from '../views/diagnostics/diagnostic.js';
import { type Graph, graphOf } from '../views/graph/graph.js';
import { ascii, dot, mermaid } from '../views/graph/graph-text.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { commandLineHost } from './host.js';
import { stderr, stdout } from './streams.js';
import { usageError } from './usage.js';

export interface GraphFlags {
  readonly format: string;
  readonly machine?: string;
  readonly tools?: string;
}

export async function graphCommand(file: string, flags: GraphFlags): Promise<ExitCode> {
  if (isPlan(file)) return (await import('./plan/plan-graph.js')).planGraphCommand(file, flags);
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
        });
  const errors = compilation.diagnostics.filter(({ severity }) => severity === 'error');
  if (hasErrors(errors)) {
    stderr.write(drawDiagnostics(errors, compilation.sources, await stderr.paint()));
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
  const machines = compilation.machines.filter(({ name }) => flags.machine === undefined || name === flags.machine);
  return print(machines.map(graphOf), flags.format);
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
