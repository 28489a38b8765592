/** `statedsl export mermaid|xstate|github-actions`: a program in the form of another tool, or what that cannot say. */
import type { Machine } from '../../machine/machine.js';
import { escapeControls, visibleLine } from '../../views/drawing/visible-text.js';
import type { Exported } from '../../views/export/xstate.js';
import { readMachines } from '../preparation/read-machines.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';
import { graphCommand } from './graph.js';

interface ExportFlags {
  readonly machine?: string;
  readonly tools?: string;
}

const FORMS: Readonly<Record<string, () => Promise<(machine: Machine) => Exported>>> = {
  xstate: async () => (await import('../../views/export/xstate.js')).xstateOf,
  'github-actions': async () => (await import('../../views/export/github-actions.js')).githubActionsOf,
};

export async function exportProgram(form: string, file: string, flags: ExportFlags): Promise<ExitCode> {
  const load = FORMS[form];
  if (load === undefined) return graphCommand(file, { format: form, ...flags });
  const machines = await readMachines(file, flags);
  if (typeof machines === 'number') return machines;
  const [machine, ...others] = machines;
  if (machine === undefined) return usageError(`\`${file}\` has nothing to export`, 'name a program with states');
  if (others.length > 0)
    return usageError(
      `\`${file}\` has ${machines.length} machines, and this form has one`,
      `choose one with \`--machine\`: ${machines.map(({ name }) => `\`${name}\``).join(', ')}`,
    );
  const exported = (await load())(machine);
  if ('text' in exported) {
    stdout.write(exported.text);
    return EXIT.returned;
  }
  const paint = await stderr.paint();
  for (const { message, help, location } of exported.problems) {
    stderr.write(`${paint.error('error')}${paint.strong(`: ${visibleLine(message)}`)}\n`);
    if (location !== null) stderr.write(`  --> ${visibleLine(location.file)}:${location.line}\n`);
    stderr.write(`  = ${paint.strong('help:')} ${escapeControls(help)}\n`);
  }
  return EXIT.usage;
}
