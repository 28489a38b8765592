/** What a scan keeps of a record, and for how long the run was executed at any of its events, whenever it was read. */
import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { ActiveTime } from '../../src/interpreter/events/status-after.js';
import { RecordScan } from '../../src/runtime/record-scan.js';
import { type JournalRecord, journalLine, readJournalLine } from '../../src/runtime/store/journal-line.js';
import { temporaryFolder } from './running.js';

/** One after the other, so that each follows each: what begins and ends an execution, what is delivered, and all else. */
const EVENTS = [
  { type: 'run_started', machine: 'm', digest: 'd', inputs: {}, version: '1' },
  { type: 'state_entered', state: 'A' },
  { type: 'run_suspended' },
  { type: 'signal_received', name: 's', payload: null, by: 'ann' },
  { type: 'answered', name: 'q', value: 1, by: 'ann' },
  { type: 'answer_refused', name: 'q', value: 1, by: 'ann' },
  { type: 'key_shared', key: 'k' },
  { type: 'run_resumed', by: 'ann' },
  { type: 'step_started', step: 's', attempt: 1, agent: 'a', step_type: 'code' },
  { type: 'retry_triggered', step: 's', attempt: 2, matched: [], overrides: {} },
  { type: 'run_interrupted' },
] as unknown as RunEvent[];

test('the active time at each event is that of all events until then', () => {
  const journal = join(temporaryFolder(), 'journal.ndjson');
  const lines = Array.from({ length: 1300 }, (_, at) => {
    const event = EVENTS[(at * (1 + Math.floor(at / EVENTS.length))) % EVENTS.length] as RunEvent;
    return journalLine(event, at + 1, new Date(Date.UTC(2030, 0, 1) + 1000 * at + (at % 7)).toISOString());
  });
  const whole = new ActiveTime();
  const wanted = lines.map((line, at) => {
    const { event, time } = readJournalLine(line) as JournalRecord;
    whole.take(Date.parse(time), event);
    return { seq: at + 1, ms: whole.ms, last: whole.last };
  });
  writeFileSync(journal, '');
  const scan = new RecordScan(journal);
  for (const [from, to] of [
    [0, 3],
    [3, 700],
    [700, 1300],
  ] as const) {
    appendFileSync(
      journal,
      lines
        .slice(from, to)
        .map((line) => `${line}\n`)
        .join(''),
    );
    expect(scan.update()).toBe(true);
    expect(scan.last).toBe(to);
    expect(scan.activeMark(to)).toEqual(wanted[to - 1]);
  }
  const marked = (seq: number) => (seq < 512 ? { seq: 0, ms: 0, last: null } : wanted[seq < 1024 ? 511 : 1023]);
  for (const seq of [1, 511, 512, 513, 1023, 1024, 1299])
    expect(scan.activeMark(seq), String(seq)).toEqual(marked(seq));
  expect(scan.events.map(({ seq }) => seq)).toEqual(
    lines.flatMap((line, at) => (/"type":"(?:run|step|retry)_/.test(line) ? [at + 1] : [])),
  );
  expect(scan.update(), 'nothing is new').toBe(true);
  const next = journalLine(EVENTS[1] as RunEvent, 1301, new Date(0).toISOString());
  const size = statSync(journal).size;
  appendFileSync(journal, `${next.replace('"A"', '"B"')}\n`);
  expect(scan.update()).toBe(true);
  expect([scan.last, scan.damaged]).toEqual([1300, { seq: 1301, byte: size }]);
  writeFileSync(journal, '');
  expect(scan.update()).toBe(false);
});
