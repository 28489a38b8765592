/**
 * An active plan as the rest of the run sees it: the effect below which its calls are numbered. Everything else is private
 * to `plan/`, whose own interface extends this one.
 */
export interface ActivePlan {
  readonly effect: string;
}
