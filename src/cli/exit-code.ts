/** What the process says to the one that started it; the same numbers for every command that runs something. */
export const EXIT = {
  returned: 0,
  failed: 1,
  /** Wrong usage, or a program with errors: nothing was started. */
  usage: 2,
  /** A bug of ours. */
  bug: 70,
  suspended: 75,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
