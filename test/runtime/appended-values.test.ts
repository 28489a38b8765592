/** Lists and texts that grow: the journal has what was appended, and its readers get whole values. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/index.js';
import { decode, withText } from '../../src/interpreter/values/json.js';
import type { Json } from '../../src/machine/expression.js';
import { AppendDecoder, AppendEncoder } from '../../src/runtime/store/appended.js';
import { readJournal } from '../../src/runtime/store/read-journal.js';
import { amount, longTest } from '../amount.js';
import { ended, projectFolder } from '../cli/statedsl.js';
import { seed } from '../random.js';

const set = (name: string, value: Json): RunEvent => ({ type: 'tracked_set', name, value });

type Growing = string | Json[];

/** A program that collects `count` items and a text of them. */
const collects = (count: number): string => `LIMIT: transitions=1000000
STATE: BEGIN
  TRACK: l = []
  TRACK: s = ""
  TRACK: n = 0
  GOTO: MORE

STATE: MORE
  INCREMENT: n
  SET: l = l + [n]
  SET: s = s + "0123456789"
  IF: n == ${count} → GOTO END
  GOTO: MORE

STATE: END
  DO: printf '%s' {n}
  RETURN: {l}
`;

describe('an event', () => {
  test('of a value that grew has what was appended, and is read with all of it', () => {
    const encoder = new AppendEncoder();
    const items = Array.from({ length: 20 }, (_, at) => ({ at }));
    const long = 'x'.repeat(100);
    const made = [set('l', items), set('l', [...items, 1]), set('l', [1]), set('s', long), set('s', `${long}yz`)];
    const recorded = made.map((event) => encoder.encode(event, event));
    expect(recorded).toEqual([
      made[0],
      { type: 'tracked_set', name: 'l', appended: [1] },
      made[2],
      made[3],
      { type: 'tracked_set', name: 's', appended: 'yz' },
    ]);
    const decoder = new AppendDecoder();
    expect(recorded.map((event) => decoder.decode(event))).toEqual(made);
  });

  test('of a value that was something else in between is recorded whole', () => {
    const encoder = new AppendEncoder();
    const items = Array.from({ length: 20 }, () => 1);
    for (const event of [set('l', items), set('l', 5), set('l', [...items, 2])])
      expect(encoder.encode(event, event)).toBe(event);
    const decoder = new AppendDecoder();
    for (const event of [set('l', items), set('l', 5)]) decoder.decode(event);
    expect(decoder.decode({ type: 'tracked_set', name: 'l', appended: [2] } as unknown as RunEvent)).toBeNull();
  });

  test('of a list keeps how its numbers were written, also where only that changed', () => {
    const literal = fc.constantFrom('1', '1.0', '1.00', '1.1', '1.10', '10', '"1.0"', '12e5', '[1,2.50]', '{"a":1.0}');
    const list = fc.array(literal, { minLength: 7, maxLength: 12 });
    const change = fc.tuple(fc.nat(12), literal, fc.array(literal, { maxLength: 3 }), fc.nat(5));
    fc.assert(
      fc.property(list, fc.array(change, { maxLength: 6 }), (first, changes) => {
        let items = first;
        const lists = [first];
        for (const [at, other, more, dice] of changes) {
          items = dice === 0 ? items.map((one, index) => (index === at ? other : one)) : items;
          items = dice === 1 ? more : [...items, ...more];
          lists.push(items);
        }
        const made = lists.map((texts): RunEvent => {
          const { value, ...about } = withText(decode(`[${texts.join(',')}]`) as Json);
          return { type: 'tracked_set', name: 'l', value, ...about };
        });
        const [encoder, decoder] = [new AppendEncoder(), new AppendDecoder()];
        const recorded = made.map((event) => JSON.parse(JSON.stringify(encoder.encode(event, event))) as RunEvent);
        expect(recorded.map((event) => decoder.decode(event))).toEqual(made);
      }),
      { numRuns: amount(300, 5000), seed },
    );
  });

  test.each<[string, Growing, Growing, Json]>([
    ['8 items', Array(8).fill(1), [...Array(8).fill(1), 2], [2]],
    ['64 characters', 'x'.repeat(64), `${'x'.repeat(64)}y`, 'y'],
  ])('of a value of at least %s is shortened', (_, before, now, appended) => {
    for (const [from, to] of [
      [before, { type: 'tracked_set', name: 'v', appended }],
      [before.slice(1), set('v', now.slice(1))],
    ] as const) {
      const encoder = new AppendEncoder();
      encoder.encode(set('v', from), set('v', from));
      const event = set('v', from === before ? now : now.slice(1));
      expect(encoder.encode(event, event)).toEqual(to);
    }
  });

  test('of a list with secrets has them replaced in what was appended', () => {
    const encoder = new AppendEncoder();
    const events = [Array(9).fill('a b'), [...Array(9).fill('a b'), 'b'], [...Array(9).fill('a b'), 'c', 'd']];
    const clean = (value: readonly string[]) =>
      set(
        'l',
        value.map((item) => item.replace('b', '***')),
      );
    const recorded = events.map((value) => encoder.encode(set('l', value), clean(value)));
    expect(recorded[1]).toEqual({ type: 'tracked_set', name: 'l', appended: ['***'] });
    expect(recorded[2]).toEqual(clean(events[2] as string[]));
  });

  test('of any values, with new beginnings anywhere, reads back as it was', () => {
    const value = fc.oneof(fc.string(), fc.array(fc.jsonValue(), { maxLength: 12 }), fc.integer());
    const step = fc.record({ name: fc.constantFrom('a', 'b'), value, grows: fc.boolean(), anew: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const encoder = new AppendEncoder();
        let decoder = new AppendDecoder();
        const last = new Map<string, unknown>();
        for (const { name, value: given, grows, anew } of steps) {
          const before = last.get(name);
          let now: unknown = given;
          if (grows && typeof before === 'string') now = before + JSON.stringify(given).repeat(9);
          else if (grows && Array.isArray(before)) now = [...before, given, ...before];
          last.set(name, now);
          if (anew) {
            encoder.reset();
            decoder = new AppendDecoder();
          }
          const event = set(name, now as Json);
          expect(decoder.decode(JSON.parse(JSON.stringify(encoder.encode(event, event))))).toEqual(
            JSON.parse(JSON.stringify(event)),
          );
        }
      }),
    );
  });

  test('of a text in which two parts became a secret is recorded whole', () => {
    const encoder = new AppendEncoder();
    const [before, now] = [`${'x'.repeat(80)}hun`, `${'x'.repeat(80)}hunter2`];
    encoder.encode(set('s', before), set('s', before));
    const clean = set('s', now.replace('hunter2', '***'));
    expect(encoder.encode(set('s', now), clean)).toBe(clean);
  });

  test('of a list that was made anew with equal items has what was appended', () => {
    const encoder = new AppendEncoder();
    const items = (): Json[] => Array.from({ length: 20 }, (_, at) => ({ at }));
    encoder.encode(set('l', items()), set('l', items()));
    const event = set('l', [...items(), 1]);
    expect(encoder.encode(event, event)).toEqual({ type: 'tracked_set', name: 'l', appended: [1] });
  });

  test('that continues what is not on record is damage', () => {
    const appended = { type: 'tracked_set', name: 'l', appended: [1] } as unknown as RunEvent;
    expect(new AppendDecoder().decode(appended)).toBeNull();
    const decoder = new AppendDecoder();
    decoder.decode(set('l', 'x'.repeat(100)));
    expect(decoder.decode(appended)).toBeNull();
  });
});

describe('a run that collects', () => {
  longTest('writes in proportion to what it collects, and is replayed and shown as ever', async () => {
    const one = projectFolder({ 'p.dsl': collects(1500) });
    const report = JSON.parse((await one.run(['run', 'p.dsl', '--json'])).stdout);
    expect(report.returned).toHaveLength(1500);
    const journal = join(one.folder, '.statedsl/runs', report.run_id, 'journal.ndjson');
    expect(statSync(journal).size).toBeLessThan(1_000_000);
    expect((await one.run(['replay', report.run_id])).code).toBe(0);
    const again = JSON.parse((await one.run(['replay', report.run_id, '--from', 'END', '--json'])).stdout);
    expect(again.returned).toEqual(report.returned);
    expect(JSON.parse((await one.run(['show', again.run_id, '--json'])).stdout).tracked).toEqual(report.tracked);
    const lengths: number[] = [];
    readJournal(journal, ({ event }) => {
      if (event.type === 'tracked_set' && event.name === 'l') lengths.push((event.value as Json[]).length);
      return true;
    });
    expect(lengths).toEqual(Array.from({ length: 1501 }, (_, at) => at));
  });

  longTest('resumes after kill -9, from its checkpoint and without it', async () => {
    const one = projectFolder({ 'p.dsl': collects(amount(7500, 100_000)) });
    const child = one.start(['run', 'p.dsl', '--events', '--quiet']);
    let printed = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.length;
      if (printed > 1_600_000) child.kill('SIGKILL');
    });
    await ended(child);
    const limits = ['--max-transitions', '1000000'];
    const shown = JSON.parse((await one.run(['show', '--json'])).stdout);
    expect(shown.tracked.l).toEqual(
      Array.from({ length: shown.tracked.n }, (_, at) => at + 1).slice(0, shown.tracked.l.length),
    );
    expect(shown.tracked.l.length).toBeGreaterThan(2000);
    const again = one.start(['resume', '--events', '--quiet', ...limits]);
    again.stdout?.once('data', () => again.kill('SIGTERM'));
    again.stdout?.resume();
    expect((await ended(again)).code).toBe(130);
    expect((await one.run(['replay', shown.run_id])).code).toBe(0);
  });

  test('shows with `--events` the lines of its journal', async () => {
    const one = projectFolder({ 'p.dsl': collects(40) });
    const { stdout } = await one.run(['run', 'p.dsl', '--events']);
    const { run_id } = JSON.parse((await one.run(['runs', '--json'])).stdout).runs[0];
    expect(stdout).toBe(readFileSync(join(one.folder, '.statedsl/runs', run_id, 'journal.ndjson'), 'utf8'));
    expect(stdout).toContain('"appended":[40]');
  });
});
