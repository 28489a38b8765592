/** Names that programs cannot bind: words of expressions, and names that the engine binds. */

/** The error contract: the entry values of ERROR, which ON ERROR can read too. */
export const ERROR_NAMES = ['error_type', 'tool', 'error', 'exit_code', 'from_state', 'line', 'file'] as const;

/** Words of expressions, which cannot name variables; and names that only the engine binds. */
const KEYWORDS = new Set(
  'AND OR NOT and or not in is contains exists matches starts ends with true false null empty'.split(' '),
);
// `file` is part of the contract too, but the name is too common to be reserved.
const ENGINE_NAMES = new Set<string>([...ERROR_NAMES.filter((name) => name !== 'file'), 'timed_out']);

/** Whether only the engine can bind the name. */
export function isEngineName(name: string): boolean {
  return ENGINE_NAMES.has(name);
}

export function isReserved(name: string): boolean {
  return KEYWORDS.has(name) || ENGINE_NAMES.has(name);
}
