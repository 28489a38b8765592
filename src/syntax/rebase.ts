/**
 * Copies a part of a tree, or a diagnostic, to another position: the same plain data with every offset moved. The
 * original is not modified, because an earlier compilation may still use it.
 */

/** A line of shell text with its offset in the file: the only offset outside of a span. */
const SHELL_LINE = 'source';

/** Returns a copy of `value`, moved by `by` code units, in the file with the index `file`. */
export function rebase<Value>(value: Value, file: number, by: number): Value {
  return rebaseValue(value, file, by) as Value;
}

function rebaseValue(value: unknown, file: number, by: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list: unknown[] = new Array(value.length);
    for (let at = 0; at < value.length; at++) list[at] = rebaseValue(value[at], file, by);
    return list;
  }
  const record = value as Record<string, unknown>;
  if (isSpan(record)) return { file, start: record.start + by, end: record.end + by };
  const copy: Record<string, unknown> = { ...record };
  for (const key in copy) {
    const inner = copy[key];
    if (typeof inner === 'object') copy[key] = rebaseValue(inner, file, by);
    else if (key === SHELL_LINE) copy[key] = (inner as number) + by;
  }
  return copy;
}

function isSpan(record: Record<string, unknown>): record is { file: number; start: number; end: number } {
  return typeof record.file === 'number' && typeof record.start === 'number' && typeof record.end === 'number';
}
