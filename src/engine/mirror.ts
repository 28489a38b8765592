/**
 * The record of a run on an engine as an ordinary run folder, which everything that reads runs can read. The lines of the
 * journal are copied byte for byte; only those that the folder does not have are fetched.
 */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '../interpreter/events/event.js';
import { isOver } from '../interpreter/events/status-after.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { clockMs } from '../runtime/clock.js';
import { indexEntryOf } from '../runtime/run/drive-run.js';
import { emptyReport } from '../runtime/run/run-report.js';
import { artifactName, artifactsFolder } from '../runtime/store/artifacts.js';
import { openFileJournal } from '../runtime/store/journal.js';
import { entryAt, makeFolder, readOwn, writeOwn } from '../runtime/store/own-file.js';
import { readJournal } from '../runtime/store/read-journal.js';
import { labelsOf } from '../runtime/store/run-header.js';
import { lockRun } from '../runtime/store/run-lock.js';
import { createRunFolder, openRunFolder } from '../runtime/store/store.js';
import { RunRefused, storeError } from '../runtime/store/store-error.js';
import { hasBegun, readIndex } from '../runtime/store/stored-run.js';
import { keepFacts } from '../runtime/worktree/worktree-facts.js';
import type { EngineClient } from './client.js';
import { bytesOfArtifact } from './turn-record.js';

/** What `mirrorRun` reads. */
export type RunSource = Pick<EngineClient, 'about' | 'status' | 'events' | 'artifact'>;

/** Which runs of which engine. */
export interface EngineAddress {
  /** The address of the ingress. */
  readonly url: string;
  readonly namespace: string;
}

/** How long to wait while another process copies the same run. Milliseconds. */
const LOCKED_MS = 10_000;
const LOOK_MS = 25;

/**
 * Writes what there is of a run on the engine at `url` into the store `directory`. Resolves with the path of its folder.
 * Rejects with a `RunRefused` if there is no such run or another process writes the folder, or with a `StoreError`.
 */
export async function mirrorRun(
  source: RunSource,
  { url, namespace }: EngineAddress,
  runId: string,
  directory: string,
): Promise<string> {
  const about = await source.about(runId);
  if (about === null) throw unknownRun(runId, url);
  const { header } = about;
  if (!hasBegun(directory, runId)) {
    const settings = { ...header.settings, engine: url, engine_namespace: namespace };
    const worktree = about.worktree === undefined ? undefined : await firstWorktree(source, runId);
    const options = { ...header.options, ...omitUndefined({ worktree }) };
    // The lines are those of the engine, which vouches for them itself.
    createRunFolder(directory, { ...header, options, settings }, null).close();
  }
  const path = join(directory, 'runs', runId);
  let attempt = lockRun(path);
  for (const end = clockMs() + LOCKED_MS; !('lock' in attempt) && clockMs() < end; attempt = lockRun(path))
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  if (!('lock' in attempt)) throw new RunRefused('held', `another process writes the folder of run \`${runId}\``);
  const folder = openRunFolder(directory, runId, attempt.lock);
  const journal = join(path, 'journal.ndjson');
  // Reading needs what the lines refer to, and the engine may soon not have it any more.
  await fetchArtifacts(source, runId, path, referencesOfFile(journal));
  const end = readJournal(journal, () => true);
  // Opening it removes a line that was torn.
  const open = openFileJournal(folder, end);
  try {
    const status = await source.status(runId);
    const { startedAt } = header;
    let { seq } = end;
    if (status !== null && status.seq > seq)
      for await (const { lines } of source.events(runId, seq + 1)) {
        await fetchArtifacts(source, runId, path, new Set(lines.flatMap(referencesIn)));
        append(journal, lines);
        seq += lines.length;
        if (seq >= status.seq) break;
      }
    if (status?.report?.worktree !== undefined) keepFacts(path, status.report.worktree);
    if (status?.report != null) folder.appendIndex(indexEntryOf(status.report, startedAt, labelsOf(header)));
    else if (seq > end.seq && hasEnded(directory, runId)) {
      const entry = indexEntryOf(emptyReport(runId, header.machine.name, 'interrupted'), startedAt, labelsOf(header));
      folder.appendIndex({ ...entry, status: 'running' });
    }
  } finally {
    await open.close();
  }
  return path;
}

/** Only the worker that began the run knows from which commit its worktree starts: the first event says it. */
async function firstWorktree(source: RunSource, runId: string): Promise<{ readonly base: string } | undefined> {
  for await (const { lines } of source.events(runId, 1)) {
    const [line] = lines;
    if (line !== undefined) return (JSON.parse(line) as Extract<RunEvent, { type: 'run_started' }>).worktree;
  }
  return undefined;
}

/** A run that is resumed after its end is not over any more. */
function hasEnded(directory: string, runId: string): boolean {
  return isOver({ status: readIndex(directory).get(runId)?.status ?? '' });
}

const REFERENCE = /"(?:\$artifact|artifact|stderr_artifact)":"([0-9a-f]{64})"/g;

/** How much of a journal is searched at once, in bytes, and more than what a reference has. */
const PART = 16 * 1024 * 1024;
const OVERLAP = 200;

/** The names of the artifacts that a text refers to. */
export function referencesIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map(([, name]) => name as string);
}

function referencesOfFile(journal: string): ReadonlySet<string> {
  const bytes = readOwn(journal);
  const names = new Set<string>();
  for (let at = 0; at < bytes.length; at += PART)
    for (const name of referencesIn(bytes.toString('latin1', at, at + PART + OVERLAP))) names.add(name);
  return names;
}

/** Fetches what is not there. A value of the program that only looks like a reference has no artifact. */
async function fetchArtifacts(
  source: RunSource,
  runId: string,
  path: string,
  names: ReadonlySet<string>,
): Promise<void> {
  const folder = artifactsFolder(path);
  for (const name of names) {
    if (entryAt(join(folder, name)) !== null) continue;
    const content = await source.artifact(runId, name);
    if (content === null) continue;
    makeFolder(folder);
    const bytes = bytesOfArtifact(content);
    if (artifactName(bytes) !== name)
      throw new RunRefused('unusable', `the engine has changed the artifact \`${name}\``);
    writeWhole(join(folder, name), bytes);
  }
}

function writeWhole(path: string, bytes: Uint8Array): void {
  try {
    writeOwn(`${path}.new`, bytes, 'w', true);
    renameSync(`${path}.new`, path);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}

function append(journal: string, lines: readonly string[]): void {
  try {
    writeOwn(journal, lines.map((line) => `${line}\n`).join(''), 'a', true);
  } catch (cause) {
    throw storeError('write', journal, cause);
  }
}

/** A run that the engine does not have. `url`: where the engine is, if the caller knows it. */
export function unknownRun(runId: string, url?: string): RunRefused {
  const [where, on] = url === undefined ? ['', ''] : [` at \`${url}\``, ` --on ${url}`];
  const help = `list its runs: \`statedsl runs${on}\`; those of another namespace need \`--namespace\``;
  return new RunRefused('unknown', `there is no run \`${runId}\` on the engine${where}`, help);
}
