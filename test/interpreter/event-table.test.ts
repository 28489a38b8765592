/** The published page of events is the one that the types and their words give. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, expectTypeOf, test } from 'vitest';
import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import { outcomeTable, shapeTable } from '../../src/interpreter/events/event-shapes.js';
import { always, type DescribedFields, eventTable, sometimes } from '../../src/interpreter/events/event-table.js';
import { printEventPage } from '../../src/views/event-page.js';

const published = fileURLToPath(new URL('../../docs/events.md', import.meta.url));

test('docs/events.md is printed from the table', () => {
  const printed = printEventPage();
  if (process.env.UPDATE === '1') writeFileSync(published, printed);
  expect(readFileSync(published, 'utf8')).toBe(printed);
});

test('every event and every kind of outcome has its words', () => {
  expectTypeOf<keyof typeof eventTable>().toEqualTypeOf<RunEvent['type']>();
  expectTypeOf<keyof typeof outcomeTable>().toEqualTypeOf<Outcome['kind']>();
  expectTypeOf<keyof typeof eventTable.run_resumed.fields>().toEqualTypeOf<
    Exclude<keyof Extract<RunEvent, { type: 'run_resumed' }>, 'type'>
  >();
  const rows = [...Object.values(eventTable), ...Object.values(outcomeTable)];
  expect(rows.filter(({ means }) => !/\w/.test(means))).toEqual([]);
});

test('a field that may be absent has to be called so, and only such a field', () => {
  interface Sample {
    readonly kept: string;
    readonly rare?: string;
  }
  expectTypeOf<{
    kept: { type: string; means: string };
    rare: { type: string; means: string; optional: true };
  }>().toExtend<DescribedFields<Sample>>();
  expectTypeOf<{ kept: { type: string; means: string }; rare: { type: string; means: string } }>().not.toExtend<
    DescribedFields<Sample>
  >();
  expectTypeOf<{ kept: { type: string; means: string } }>().not.toExtend<DescribedFields<Sample>>();
  expect([always('text', 'a'), sometimes('text', 'b')]).toEqual([
    { type: 'text', means: 'a' },
    { type: 'text', means: 'b', optional: true },
  ]);
});

test('a shape that is named is described', () => {
  const shapes = new Set(['outcome', ...Object.keys(shapeTable)]);
  const named = [...JSON.stringify([eventTable, outcomeTable]).matchAll(/\[(\w+)\]"/g)].map((found) => found[1]);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((name) => !shapes.has(name as string))).toEqual([]);
});
