/** The kinds of errors that ON ERROR can name, and that properties name. */
export const ERROR_KINDS: readonly string[] = [
  'tool_failure',
  'timeout',
  'not_json',
  'bad_value',
  'value_too_large',
  'in_doubt',
  'fell_off',
  'limit',
  'gate_failed',
  'cancelled',
  'failed',
  'worktree',
  'merge_conflict',
  'plan_failed',
  'unresolved',
  'denied',
];
