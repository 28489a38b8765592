/** The refusal of a run that cannot be used as somebody asked. */

/** Why a run cannot be used as it was asked for. The message is a clause with names in backticks. */
export class RunRefused extends Error {
  override readonly name = 'RunRefused';

  constructor(
    /**
     * `held`: a process executes it. `over`: it has ended. `unusable`: what is on disk cannot be understood. `foreign`:
     * somebody else may have made the store.
     */
    readonly kind: 'unknown' | 'held' | 'over' | 'unusable' | 'foreign' | 'wrong-use',
    message: string,
    /** What to do next. */
    readonly help: string | null = null,
  ) {
    super(message);
  }
}
