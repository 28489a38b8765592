/** Symbolic links in a store: their author would choose what statedsl reads and removes. */

import { join } from 'node:path';
import { entryAt } from './own-file.js';
import { RunRefused } from './run-refused.js';

/** What decides which runs the service executes and whom it notifies. */
export const SERVICE_PARTS = ['service/queue', 'service/deliveries', 'service/processes', 'service/notices'];

/** The parts of a store that would lead out of it as links. */
const PARTS = ['runs', 'worktrees', 'index.ndjson', 'runs/index.ndjson', 'service', ...SERVICE_PARTS];

/** Whether a store, or a part of it, is a symbolic link. */
export function leadsElsewhere(directory: string): boolean {
  return ['', ...PARTS].some((part) => entryAt(join(directory, part))?.isSymbolicLink());
}

/** Throws a `RunRefused` if parts of the store are symbolic links. */
export function refuseLinks(directory: string): void {
  for (const part of PARTS) {
    const path = join(directory, part);
    if (!entryAt(path)?.isSymbolicLink()) continue;
    const help = 'remove the link, or choose another store with `--dir`';
    throw new RunRefused('foreign', `the store \`${directory}\` is not used: \`${path}\` is a symbolic link`, help);
  }
}
