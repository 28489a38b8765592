/** The options of resuming a run. */

import type { Json } from '../../../machine/expression.js';
import type { Machine } from '../../../machine/machine.js';
import type { Delivery } from '../../store/inbox.js';
import type { InDoubt } from '../in-doubt.js';
import type { RunOptions } from '../run-options.js';
import type { GoingBack } from './refuse-resume.js';

/** The options of `run` that still apply, and those that only a resumed run has. */
export interface ResumeOptions
  extends Omit<
    RunOptions,
    'runId' | 'journal' | 'start' | 'autoEvents' | 'jobs' | 'effectTimeoutMs' | 'sources' | 'settings'
  > {
  /** The folder of the store; `.statedsl` by default. */
  readonly dir?: string;
  /** The secret inputs. They are not on disk, so they must be given again. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Default `fail`: such a call fails with `in_doubt`, which the program can handle. */
  readonly inDoubt?: InDoubt;
  /** An edited program in which the run continues. */
  readonly machine?: Machine;
  /** The path of this program, for messages. */
  readonly file?: string;
  /**
   * Whether the run may go back before a failure that effects of a handler followed: true, or a function that asks. The run
   * is refused without either.
   */
  readonly again?: boolean | ((back: GoingBack) => boolean | Promise<boolean>);
  /** Rolls back a run that has ended. */
  readonly rollback?: true;
  /** Delivered to the run before it continues. */
  readonly deliveries?: readonly Delivery[];
}
