/** What a caller may say about resuming a run. */

import type { Json } from '../../../machine/expression.js';
import type { Machine } from '../../../machine/machine.js';
import type { Delivery } from '../../store/inbox.js';
import type { RunOptions } from '../run-options.js';
import type { GoingBack } from './refuse-resume.js';

/** What to do with a `once` command or agent call that may have run: `fail` lets the program handle `in_doubt`. */
export type InDoubt = 'retry' | 'skip' | 'fail';

/** The options of `run` that still apply, and those that only a resumed run has. */
export interface ResumeOptions
  extends Omit<RunOptions, 'journal' | 'start' | 'autoEvents' | 'jobs' | 'effectTimeoutMs' | 'sources' | 'settings'> {
  /** Folder of the store; default `.statedsl`. */
  readonly dir?: string;
  /** Inputs that are secret: they are not on disk, so they have to be given again. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Default `fail`: such a call fails with `in_doubt`, which the program can handle. */
  readonly inDoubt?: InDoubt;
  /** An edited program in which the run continues. */
  readonly machine?: Machine;
  /** Where that program is, for messages. */
  readonly file?: string;
  /**
   * Whether the run may go back before a failure that was handled by effects: true, or a function that asks. Without
   * either the run is refused.
   */
  readonly again?: boolean | ((back: GoingBack) => boolean | Promise<boolean>);
  /** Takes back what a run did that is over. */
  readonly rollback?: true;
  /** Delivered to the run before it continues. */
  readonly deliveries?: readonly Delivery[];
}
