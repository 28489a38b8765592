/**
 * The cassette of a run that a command continues. It is made from the record of the run when the command ends, so it holds
 * all that the run got since its beginning, and nothing is lost if the process is killed: the next command makes it.
 */
import { resolve } from 'node:path';
import { writeCassette } from '../../runtime/cassette/make-record.js';
import { readCassette } from '../../runtime/cassette/read-cassette.js';
import { whyNoRecording } from '../../runtime/cassette/recorder.js';
import type { Boundary } from '../../runtime/readable-file.js';
import { createRedactor } from '../../runtime/redact.js';
import { cassetteOfRun, workingDirectoryOf } from '../../runtime/run/again/cassette-of-run.js';
import type { ResumeOptions } from '../../runtime/run/again/resume-options.js';
import { secretsOf } from '../../runtime/run/run-options.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import { DEFAULT_STORE } from '../../runtime/store/open-own-run.js';
import { RunRefused, StoreError } from '../../runtime/store/store-error.js';
import { openStoredRun, storedMachine } from '../../runtime/store/stored-run.js';

interface RunCassetteOptions {
  /** The stored run, which is the origin of a new one if `isCopy`. */
  readonly runId: string;
  readonly file: string;
  /** Which files may be written. */
  readonly boundary: Boundary;
  readonly isCopy: boolean;
  /** Whether the file may replace another one. */
  readonly overwrite: boolean;
  /** Whether the command names another working directory. */
  readonly isElsewhere: boolean;
}

export class RunCassette {
  private options: ResumeOptions = {};
  private cwd = '';

  constructor(private readonly about: RunCassetteOptions) {}

  /** Throws a `RunRefused` for what cannot be recorded, before anything is delivered or begins. */
  readonly prepare = async (options: ResumeOptions): Promise<void> => {
    const { runId, isCopy, isElsewhere } = this.about;
    this.options = options;
    const stored = openStoredRun(this.directory, runId);
    if (isElsewhere) throw this.refusal('the run continues in another directory', 'leave out `--cwd`');
    const why = await this.whyRefused();
    if (why !== null) {
      const other = 'choose another file, or replace this one with `--overwrite`';
      throw this.refusal(why.reason, why.isOwn ? other : 'choose another file');
    }
    this.cwd = await workingDirectoryOf(stored, this.directory);
    // What is on record already can be what no cassette holds; that of a copy is not yet.
    if (!isCopy) this.cassetteSoFar(runId);
  };

  /** Writes the cassette, whichever way the command ended. Returns why it could not; null: it is written. */
  async write({ run_id, status }: RunReport): Promise<RunRefused | null> {
    try {
      // A copy has a worktree of its own.
      if (this.about.isCopy) this.cwd = await workingDirectoryOf(openStoredRun(this.directory, run_id), this.directory);
      const { header, records, holdsSecret } = this.cassetteSoFar(run_id);
      if (holdsSecret) return this.refusal('the cassette would hold the text of a secret');
      const ended = { isComplete: status !== 'interrupted', isSuspended: status === 'suspended' };
      const reason = writeCassette(resolve(this.about.file), { ...header, ...ended }, records, this.about.boundary);
      return reason === null ? null : this.refusal(reason);
    } catch (cause) {
      if (cause instanceof RunRefused) return this.refusal(cause.message, cause.help);
      if (cause instanceof StoreError) return this.refusal(cause.message);
      throw cause;
    }
  }

  private get directory(): string {
    return this.options.dir ?? DEFAULT_STORE;
  }

  private cassetteSoFar(runId: string) {
    return cassetteOfRun(openStoredRun(this.directory, runId), this.cwd, this.options);
  }

  private refusal(reason: string, help: string | null = null): RunRefused {
    return new RunRefused('wrong-use', `cannot record to \`${this.about.file}\`: ${reason}`, help);
  }

  /** Null: the file can be written, and is not there, or has the beginning of this run. `isOwn`: it may be replaced. */
  private async whyRefused(): Promise<{ readonly reason: string; readonly isOwn: boolean } | null> {
    const { runId, file, boundary, overwrite, isCopy } = this.about;
    const path = resolve(file);
    const unwritable = whyNoRecording(path, true, boundary);
    if (unwritable !== null) return { reason: unwritable, isOwn: false };
    if (whyNoRecording(path, overwrite, boundary) === null) return null;
    if (isCopy) return { reason: 'a file of that name exists already', isOwn: true };
    const stored = openStoredRun(this.directory, runId);
    const machine = storedMachine(stored, stored.about.digest);
    const redactor = createRedactor(secretsOf(machine, this.options));
    const read = await readCassette(path, file, redactor);
    if ('problems' in read) return { reason: read.problems[0]?.message ?? 'it is not a cassette', isOwn: true };
    if (read.cassette.run === stored.about.run_id) return null;
    return { reason: `it is not the cassette of run ${stored.about.run_id}`, isOwn: true };
  }
}
