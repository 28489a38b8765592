/**
 * The state of a run of a folder, now or after any of its events. A page or a service asks for the same runs again and
 * again, so what was found is kept as long as the journal does not change.
 */
import { statusAfter } from '../../interpreter/events/status-after.js';
import { inspectRun } from '../../runtime/inspect-run.js';
import { RecordScan } from '../../runtime/record-scan.js';
import { entryAt } from '../../runtime/store/own-file.js';
import { openFoundRun, runStatus } from '../../runtime/store/stored-run.js';
import type { Inspected } from '../runs.js';
import { findRun } from './find-run.js';
import type { RunIndex } from './run-index.js';

/** The number of runs with cached records: as many as a service follows at once. */
const SCANS = 256;
/** How many parsed events these may have together. */
const SCANNED_EVENTS = 500_000;
/** How much is kept of what was found, as JSON, in characters. */
const KEPT_CHARACTERS = 32 * 1024 * 1024;

type FoundInspection = Extract<Inspected, { ok: true }>;

/** What was found, and the journal in which it was found. */
interface KeptRun {
  readonly found: FoundInspection;
  readonly journal: JournalVersion;
  readonly characters: number;
  /** Whether the last event ends the work on the run, so that its status is on record. */
  readonly isEnded: boolean;
}

interface JournalVersion {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

export class RunInspector {
  /** Those that were used last are at the end. */
  private readonly scans = new Map<string, RecordScan>();
  private scannedEvents = 0;
  private readonly kept = new Map<string, KeptRun>();
  private characters = 0;
  /** Reading the environment of a process costs more than reading a short run. */
  private readonly env = { ...process.env };

  constructor(private readonly index: RunIndex) {}

  /** Throws a `RunRefused` or a `StoreError`. */
  inspect(run: string | null, at: number | null): Inspected {
    const { directory } = this.index;
    // What was found in a journal whose file is the same needs no look at the rest of the store.
    const known = at === null && run !== null ? this.keptRun(run) : null;
    if (known !== null) return known;
    const id = findRun(directory, run);
    const kept = at === null && id !== run ? this.keptRun(id) : null;
    if (kept !== null) return kept;
    const stored = openFoundRun(directory, id);
    const { journal, about } = stored;
    // Before reading: what is appended meanwhile makes a newer version.
    const version = versionOf(journal);
    const { run: value, recent } = inspectRun(directory, id, at, {
      stored,
      scanned: this.scanOf(id, journal),
      env: this.env,
      statusNow: () => this.statusOf(id),
    });
    const found: FoundInspection = { ok: true, value, recent };
    // The branch of a worktree changes without an event.
    if (at === null && version !== null && about.options.worktree === undefined) this.keep(id, found, version);
    return found;
  }

  private statusOf(id: string): ReturnType<typeof runStatus> {
    return runStatus(this.index.directory, id, this.index.read().get(id));
  }

  private keptRun(id: string): FoundInspection | null {
    const one = this.kept.get(id);
    if (one === undefined) return null;
    const now = versionOf(`${this.index.directory}/runs/${id}/journal.ndjson`);
    const { ino, size, mtimeMs } = one.journal;
    if (now === null || now.ino !== ino || now.size !== size || now.mtimeMs !== mtimeMs) {
      this.forget(id, one);
      return null;
    }
    this.kept.delete(id);
    this.kept.set(id, one);
    return one.isEnded ? one.found : { ...one.found, value: { ...one.found.value, status: this.statusOf(id) } };
  }

  private keep(id: string, found: FoundInspection, journal: JournalVersion): void {
    const characters = JSON.stringify(found).length;
    if (characters > KEPT_CHARACTERS / 16) return;
    const isEnded = statusAfter(found.recent[found.recent.length - 1]?.event) !== null;
    this.kept.set(id, { found, journal, characters, isEnded });
    this.characters += characters;
    for (const [oldest, one] of this.kept) {
      if (this.characters <= KEPT_CHARACTERS) break;
      this.forget(oldest, one);
    }
  }

  private forget(id: string, { characters }: KeptRun): void {
    this.kept.delete(id);
    this.characters -= characters;
  }

  private scanOf(id: string, journal: string): RecordScan {
    let scan = this.scans.get(id);
    const before = scan?.events.length ?? 0;
    if (scan === undefined || !scan.update()) {
      scan = new RecordScan(journal);
      scan.update();
    }
    this.scans.delete(id);
    this.scans.set(id, scan);
    this.scannedEvents += scan.events.length - before;
    for (const [oldest, one] of this.scans) {
      if (one === scan || (this.scans.size <= SCANS && this.scannedEvents <= SCANNED_EVENTS)) break;
      this.scannedEvents -= one.events.length;
      this.scans.delete(oldest);
    }
    return scan;
  }
}

function versionOf(journal: string): JournalVersion | null {
  const entry = entryAt(journal);
  return entry === null ? null : { ino: entry.ino, size: entry.size, mtimeMs: entry.mtimeMs };
}
