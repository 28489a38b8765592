/**
 * The record of a run on an engine as an ordinary run folder, which everything that reads runs can read. The lines of the
 * journal are copied byte for byte; only those that the folder does not have are fetched.
 */
import { join } from 'node:path';
import { indexEntryOf } from '../runtime/run/drive-run.js';
import { fileJournal, openFileJournal } from '../runtime/store/journal.js';
import { writeOwn } from '../runtime/store/own-file.js';
import { readJournal } from '../runtime/store/read-journal.js';
import { lockRun } from '../runtime/store/run-lock.js';
import { RunRefused } from '../runtime/store/run-refused.js';
import { openRunFolder } from '../runtime/store/store.js';
import { storeError } from '../runtime/store/store-error.js';
import { hasBegun } from '../runtime/store/stored-run.js';
import type { EngineClient } from './client.js';

/** What `mirrorRun` reads. */
export type RunSource = Pick<EngineClient, 'about' | 'status' | 'events'>;

/**
 * Writes what there is of a run on the engine at `url` into the store `directory`. Resolves with the path of its folder.
 * Rejects with a `RunRefused` if there is no such run or another process writes the folder, or with a `StoreError`.
 */
export async function mirrorRun(source: RunSource, url: string, runId: string, directory: string): Promise<string> {
  const about = await source.about(runId);
  if (about === null) throw new RunRefused('unknown', `there is no run \`${runId}\` on the engine at \`${url}\``);
  const { header } = about;
  if (!hasBegun(directory, runId)) {
    const settings = { ...header.settings, engine: url };
    await fileJournal(directory)
      .open({ ...header, settings })
      .close();
  }
  const path = join(directory, 'runs', runId);
  const attempt = lockRun(path);
  if (!('lock' in attempt)) throw new RunRefused('held', `another process writes the folder of run \`${runId}\``);
  const folder = openRunFolder(directory, runId, attempt.lock);
  const journal = join(path, 'journal.ndjson');
  const end = readJournal(journal, () => true);
  // Opening it removes a line that was torn.
  const open = openFileJournal(folder, end);
  try {
    const status = await source.status(runId);
    let { seq } = end;
    if (status !== null && status.seq > seq)
      for await (const { lines } of source.events(runId, seq + 1)) {
        append(journal, lines);
        seq += lines.length;
        if (seq >= status.seq) break;
      }
    if (status?.report != null) folder.appendIndex(indexEntryOf(status.report, header.startedAt));
  } finally {
    await open.close();
  }
  return path;
}

function append(journal: string, lines: readonly string[]): void {
  try {
    writeOwn(journal, lines.map((line) => `${line}\n`).join(''), 'a', true);
  } catch (cause) {
    throw storeError('write', journal, cause);
  }
}
