/** Names that programs cannot bind: words of expressions, and what the engine binds. */

/** The error contract: entry values of ERROR, and what `ON ERROR` can read. */
export const ERROR_NAMES = ['error_type', 'tool', 'error', 'exit_code', 'from_state', 'line', 'file'] as const;

/** Words of expressions, which cannot name variables; and names that only the engine binds. */
const KEYWORDS = new Set(
  'AND OR NOT and or not in is contains exists matches starts ends with true false null empty'.split(' '),
);
// `file` is part of the contract too, but it is too common a word to be taken from everybody.
const ENGINE_NAMES = new Set<string>([...ERROR_NAMES.filter((name) => name !== 'file'), 'timed_out']);

/** Whether only the engine binds that name. */
export function isEngineName(name: string): boolean {
  return ENGINE_NAMES.has(name);
}

export function isReserved(name: string): boolean {
  return KEYWORDS.has(name) || ENGINE_NAMES.has(name);
}
