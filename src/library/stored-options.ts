/** The options with which a stored run continues, where the caller leaves them open: from the current configuration. */
import { omitUndefined } from '../prelude/omit-undefined.js';
import { configuredOptions } from '../project/configured-options.js';
import type { ProjectHost } from '../project/host.js';
import { loadSettings } from '../project/settings.js';
import { programOf } from '../project/stored-program.js';
import type { ResumeOptions } from '../runtime/run/again/resume-options.js';
import { openStoredRun } from '../runtime/store/stored-run.js';
import { firstError, ProgramRefused, type ProjectOptions } from './project.js';

/** `directory`: of the store. Rejects with a `RunRefused`, or with a `ProgramRefused` if the configuration has errors. */
export async function storedOptions(
  host: ProjectHost,
  directory: string,
  id: string,
  { agents = {}, env, commands }: Pick<ProjectOptions, 'agents' | 'env' | 'commands'>,
): Promise<ResumeOptions> {
  const program = programOf(openStoredRun(directory, id)) ?? '-';
  const settings = await loadSettings(host, program);
  if (settings.diagnostics.length > 0) throw new ProgramRefused(settings, firstError(settings.diagnostics));
  const configured = configuredOptions(host, settings.configuration, { program, instead: agents });
  return { ...configured, ...omitUndefined({ env, commands }) };
}
