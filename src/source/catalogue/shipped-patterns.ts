/** The patterns of the shipped library, so that a message about a missing one can name its import. A test compares the files. */

const FILES: Readonly<Record<string, readonly string[]>> = {
  approve: ['APPROVE_PATTERN'],
  error: ['ERROR_PATTERN'],
  explore: ['EXPLORE_PATTERN'],
  init: ['INIT_PATTERN'],
  plan: ['PLAN_PATTERN'],
  poll: ['POLL_PATTERN', 'POLL_STATUS_PATTERN'],
  retry: ['RETRY_PATTERN'],
};

export const shippedPatterns: readonly { readonly file: string; readonly pattern: string }[] = Object.entries(
  FILES,
).flatMap(([file, patterns]) => patterns.map((pattern) => ({ file, pattern })));

/** The pattern of that name; `poll` and `POLL` are `POLL_PATTERN`. */
export function shippedPattern(name: string): { readonly file: string; readonly pattern: string } | undefined {
  const upper = name.toUpperCase();
  return shippedPatterns.find(({ pattern }) => pattern === upper || pattern === `${upper}_PATTERN`);
}
