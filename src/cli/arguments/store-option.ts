/** What commands on stored runs share: where runs are stored, options that scripts can pass to every command, and how runs are named. */
import { Option } from 'commander';
import { environmentOption } from './environment-option.js';

export function storeOption(): Option {
  return environmentOption('--dir <directory>', 'the directory in which runs are stored (default: .statedsl)');
}

/** Scripts may pass `--dir` to all commands; those that store nothing ignore it. */
export function unusedStoreOption(): Option {
  return new Option('--dir <directory>', 'ignored: this stores no run').hideHelp();
}

/** Scripts may pass `--cwd` to all commands; those that only read stored runs ignore it. */
export function unusedDirectoryOption(): Option {
  return new Option('--cwd <directory>', 'ignored: this starts no command').hideHelp();
}

/** How help describes an argument that names a run. */
export const RUN = 'the id of the run or the beginning of it';
