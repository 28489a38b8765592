/**
 * What is left out of an exploration because it is rare, and can happen at almost every line: values that are too large, texts
 * that cannot be passed on, and trouble with git. What is claimed of all runs is explored a second time with it.
 */

/** In the order in which reports name them. */
const WORDS = {
  value_too_large: 'values over 16 MiB',
  nul: 'texts with NUL characters',
  merge_conflict: 'merge conflicts',
  worktree: 'failures of git',
} as const;

export type Rare = keyof typeof WORDS;

export const RARE = Object.keys(WORDS) as readonly Rare[];

/** `values over 16 MiB and merge conflicts` */
export function rareWords(kinds: readonly Rare[]): string {
  const words = RARE.filter((one) => kinds.includes(one)).map((one) => WORDS[one]);
  const last = words.pop() ?? '';
  return words.length === 0 ? last : `${words.join(', ')} and ${last}`;
}
