/** The program of a stored run as it is now, compiled as the run was: for a run that continues in it or is compared with it. */
import type { SourceSet } from '../../language/source/diagnostic.js';
import { hasErrors } from '../../language/source/diagnostic.js';
import type { Machine } from '../../machine/machine.js';
import type { Configuration } from '../../runtime/configuration/load-configuration.js';
import type { Mock } from '../../runtime/mock-file.js';
import type { RunAbout } from '../../runtime/store/stored-run.js';
import { compileProgram } from './compile-program.js';
import type { Instead, ProgramFindings, ProgramSource } from './preparation.js';
import { isPlan } from './preparation.js';
import { surroundingOptions } from './prepare.js';
import type { ProjectHost } from './project-host.js';
import { readProgram } from './read-program.js';

/** The machine and its texts, or what is wrong with the program. */
export type EditedProgram =
  | { readonly machine: Machine; readonly sources: SourceSet }
  | ProgramFindings
  | { readonly missing: string };

export async function editedProgram(
  host: ProjectHost,
  source: ProgramSource,
  about: RunAbout,
  given: { readonly configuration: Configuration; readonly instead: Instead; readonly mock: Mock | null },
): Promise<EditedProgram> {
  const name = typeof source === 'string' ? source : (source.name ?? '<stdin>');
  const { machine: named, cwd, settings } = about;
  const tools = typeof settings.tools === 'string' ? settings.tools : undefined;
  if (isPlan(name)) {
    const { editedPlan } = await import('./prepare-plan.js');
    const state = typeof settings.state === 'string' ? settings.state : undefined;
    return editedPlan(host, source, about, { tools, state, mock: given.mock });
  }
  const read =
    typeof source === 'string' ? readProgram(host, source) : { kind: 'text' as const, name, text: source.text };
  if (read.kind === 'missing') return { missing: read.message };
  if (read.kind === 'broken') return read.compilation;
  const options = surroundingOptions(host, given.configuration, {
    cwd,
    instead: given.instead,
    tools,
    worktree: about.options.worktree !== undefined,
    isPlayed: settings.mock !== undefined,
  });
  const same = await compileProgram(host, read, { ...options, machine: named });
  // A program without a MACHINE line is named after its file, and the edited file may have another name.
  const isRenamed = same.diagnostics.some(({ code }) => code === 'unknown-machine');
  const alone = isRenamed ? await compileProgram(host, read, options) : null;
  const isAlone = alone !== null && (alone.machines.length === 1 || hasErrors(alone.diagnostics));
  const { machine, diagnostics, sources } = isAlone ? alone : same;
  return machine === null || hasErrors(diagnostics) ? { diagnostics, sources } : { machine, sources };
}
