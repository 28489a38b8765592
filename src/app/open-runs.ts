/** Opens the programs of a folder, and its runs. */
import { wrongForm } from './execution-options.js';
import { folderRuns } from './folder/folder-runs.js';
import { type FolderOptions, hostOf, type OpenedFolder, type Programs, storeOf } from './programs.js';
import type { Runs } from './runs.js';

/** Opens the runs of a folder. Nothing is read or written yet, and nothing is kept open. */
export function openRuns(options: OpenedFolder = {}): Runs {
  return folderRuns(options);
}

/**
 * Opens the programs of a folder. Like the command line, it looks for the configuration in the folder and then in its
 * parents. Reads nothing yet and keeps nothing open.
 */
export function openPrograms(options: FolderOptions = {}): Programs {
  const host = hostOf(options);
  const dir = storeOf(options);
  const work = () => import('./read-programs.js');
  return {
    folder: host.folder,
    dir,
    configuration: async () => (await work()).configurationOf(host),
    list: async () => (await work()).listOf(host),
    check: async (program, given = {}) =>
      wrongForm(program) ?? (await work()).checkProgram(host, options, program, given),
    prepare: async (program, given = {}) =>
      wrongForm(program) ?? (await work()).prepareFor(host, { ...options, dir }, program, given),
    format: async (text, name) => (await work()).formatNamed(text, name),
    fix: async (program) => wrongForm(program) ?? (await work()).fixProgram(host, options, program),
    bounds: async (program, inputs = {}, limits = {}) =>
      wrongForm(program, 'machines') ?? (await work()).boundsOfRun(host, options, program, { inputs, limits }),
    graph: async (program, given = {}) =>
      wrongForm(program, 'machines') ?? (await work()).drawGraph(host, options, program, given),
  };
}
