/** The error for a run that cannot be used as requested. */

/** Why a run cannot be used as requested. The message is a clause with names in backticks. */
export class RunRefused extends Error {
  override readonly name = 'RunRefused';

  constructor(
    /**
     * `held`: a process executes it. `over`: it has ended. `unusable`: the files cannot be understood. `foreign`: another
     * user may have made the store. `conflict`: somebody else did it first.
     */
    readonly kind: 'unknown' | 'held' | 'over' | 'unusable' | 'foreign' | 'wrong-use' | 'conflict',
    message: string,
    /** What to do next. */
    readonly help: string | null = null,
  ) {
    super(message);
  }
}
