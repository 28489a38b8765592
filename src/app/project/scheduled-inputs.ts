/** What schedules of the configuration give to a program that is checked, and that it cannot take. */
import { resolve } from 'node:path';
import type { Machine } from '../../machine/machine.js';
import type { Configuration } from '../../runtime/configuration/load-configuration.js';
import { scheduledInputProblems } from '../../runtime/configuration/schedules.js';
import { type FileProblem, readYamlFile } from '../../runtime/configuration/yaml-file.js';
import { type ProjectHost, pathOf } from './project-host.js';
import { problemDiagnostics } from './settings.js';

/** `program`: its path as it was given. */
export async function scheduledInputDiagnostics(
  host: ProjectHost,
  { schedules = [], file, folder }: Configuration,
  program: string,
  machine: Machine,
) {
  if (file === null || folder === null) return problemDiagnostics(host, 'configuration', []);
  const problems: FileProblem[] = [];
  for (const [at, schedule] of schedules.entries()) {
    if (resolve(folder, schedule.program) !== pathOf(host, program)) continue;
    const found = scheduledInputProblems(schedule, machine);
    const read = found.length === 0 ? null : await readYamlFile(file);
    for (const { kind, input, message, help } of found) {
      const path = kind === 'missing' ? ['schedules', String(at), 'name'] : ['schedules', String(at), 'inputs', input];
      const location = read?.locationOf(path, kind !== 'missing') ?? null;
      problems.push({
        file,
        line: location?.line ?? null,
        column: location?.column ?? null,
        message,
        ...(help && { help }),
      });
    }
  }
  return problemDiagnostics(host, 'configuration', problems);
}
