/** Lists and texts that grow: the journal has what was appended, and its readers get whole values. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/index.js';
import type { Json } from '../../src/machine/expression.js';
import { AppendDecoder, AppendEncoder } from '../../src/runtime/store/appended.js';
import { readJournal } from '../../src/runtime/store/read-journal.js';
import { amount } from '../amount.js';
import { ended, projectFolder } from '../cli/statedsl.js';

const set = (name: string, value: Json): RunEvent => ({ type: 'tracked_set', name, value });

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
          if (grows && typeof before === 'string') now = before + String(given).repeat(9);
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

  test('that continues what is not on record is damage', () => {
    const appended = { type: 'tracked_set', name: 'l', appended: [1] } as unknown as RunEvent;
    expect(new AppendDecoder().decode(appended)).toBeNull();
  });
});

describe('a run that collects', () => {
  test('writes in proportion to what it collects, and is replayed and shown as ever', async () => {
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

  test('resumes after kill -9, from its checkpoint and without it', async () => {
    const one = projectFolder({ 'p.dsl': collects(amount(30_000, 100_000)) });
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
