/**
 * A plan under way, as the rest of the run sees it: the effect that its calls are numbered below. Everything else is known
 * to `plan/` alone, whose own interface extends this one.
 */
export interface ActivePlan {
  readonly effect: string;
}
