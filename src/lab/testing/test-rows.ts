/** The tests of a suite: one for each TEST, or one for each row of its EACH. */
import type { TestCase } from '../../language/syntax/tests/test-tree.js';
import type { Json } from '../../machine/expression.js';
import { isJsonObject } from '../../prelude/json-object.js';
import { constantOf } from './test-expressions.js';

export interface TestRow {
  readonly test: TestCase;
  readonly name: string;
  /** The row by its name; empty without EACH. */
  readonly values: Readonly<Record<string, Json>>;
}

export function rowsOf(test: TestCase): TestRow[] {
  const each = test.lines.find((line) => line.kind === 'each');
  if (each === undefined) return [{ test, name: test.name, values: {} }];
  const list = constantOf(each.list);
  if (!Array.isArray(list)) return [];
  return list.map((row, at) => ({
    test,
    name: `${test.name}[${labelOf(row) ?? at}]`,
    values: { [each.name.text]: row },
  }));
}

/** The member `name` of a row, on one line, as the names of tests are. */
export function labelOf(row: Json): string | null {
  if (!isJsonObject(row)) return null;
  return typeof row.name === 'string' ? row.name.trim().replace(/\s+/g, ' ') : null;
}
