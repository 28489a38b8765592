/** Opens runs, wherever they are kept. */
import { folderRuns } from './folder/folder-runs.js';
import type { FolderOptions } from './programs.js';
import type { Runs } from './runs.js';

/**
 * Opens the runs of a folder, with every operation that the command line has on them. Nothing is read or written yet, and
 * nothing is kept open. Runs are executed by this process; runs that other processes execute can be read, followed,
 * answered and cancelled.
 */
export function openRuns(options: FolderOptions = {}): Runs {
  return folderRuns(options);
}
