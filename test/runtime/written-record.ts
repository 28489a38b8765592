/** A record that a test writes: its events as the journal of a stored run. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { journalLine } from '../../src/runtime/store/journal-line.js';
import type { StoredRun } from '../../src/runtime/store/stored-run.js';
import { temporaryFolder } from './running.js';

/** `damaged`: the journal ends with a line that nobody can read. */
export function writtenRecord(events: readonly object[], damaged = false): StoredRun {
  const path = temporaryFolder();
  const journal = join(path, 'journal.ndjson');
  const lines = events.map((event, at) => journalLine(event as RunEvent, at + 1, '2030-01-01T00:00:00.000Z'));
  if (damaged) lines.push('what is no event', journalLine(events[0] as RunEvent, lines.length + 2, ''));
  writeFileSync(journal, lines.map((line) => `${line}\n`).join(''));
  const about = { run_id: 'r', options: { worktree: { base: 'base' } } };
  return { path, journal, about } as unknown as StoredRun;
}
