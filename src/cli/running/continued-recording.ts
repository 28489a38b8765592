/**
 * `--record` of commands that continue a run. The cassette is made from the record of the run when the command ends, so it
 * holds all that the run got since its beginning, and nothing is lost if the process is killed: the next command makes it.
 */
import { resolve } from 'node:path';
import { namedBoundary } from '../../app/project/read-program.js';
import { writeCassette } from '../../runtime/cassette/make-record.js';
import { readCassette } from '../../runtime/cassette/read-cassette.js';
import { whyNoRecording } from '../../runtime/cassette/recorder.js';
import { createRedactor } from '../../runtime/redact.js';
import { cassetteOfRun, workingDirectoryOf } from '../../runtime/run/again/cassette-of-run.js';
import type { ResumeOptions } from '../../runtime/run/again/resume-options.js';
import { secretsOf } from '../../runtime/run/run-options.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import { DEFAULT_STORE } from '../../runtime/store/open-own-run.js';
import { RunRefused, StoreError } from '../../runtime/store/store-error.js';
import { openStoredRun, storedMachine } from '../../runtime/store/stored-run.js';
import { commandLineHost } from '../files/command-line-host.js';
import type { ResumeFlags } from '../preparation/prepare-resume.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';
import { CommandEnded } from './stored-runs.js';

export class ContinuedRecording {
  private readonly boundary = namedBoundary(commandLineHost());
  private options: ResumeOptions = {};
  private cwd = '';

  /** `id`: the stored run, which is the origin of a new one if `isCopy`. */
  constructor(
    private readonly id: string,
    private readonly file: string,
    private readonly flags: Pick<ResumeFlags, 'overwrite' | 'quiet' | 'cwd'>,
    private readonly isCopy: boolean,
  ) {}

  /** Refuses what cannot be recorded before anything is delivered or begins. */
  readonly prepare = async (options: ResumeOptions): Promise<void> => {
    this.options = options;
    const dir = options.dir ?? DEFAULT_STORE;
    const stored = openStoredRun(dir, this.id);
    // Also for `run --resume`, where `--cwd` means more than this.
    if (this.flags.cwd !== undefined)
      throw new RunRefused('wrong-use', `${this.cannot}: the run continues in another directory`, 'leave out `--cwd`');
    const why = await this.whyRefused();
    if (why !== null) {
      const other = 'choose another file, or replace this one with `--overwrite`';
      throw new CommandEnded(
        await usageError(`${this.cannot}: ${why.reason}`, why.isOwn ? other : 'choose another file'),
      );
    }
    this.cwd = await workingDirectoryOf(stored, dir);
    if (!this.isCopy) this.make(this.id);
  };

  /** Writes the cassette, whichever way the command ended. */
  async finish(report: RunReport | null, code: ExitCode, background: boolean): Promise<ExitCode> {
    if (report === null) return code;
    const problem = await this.write(report);
    if (problem === null) {
      if (this.flags.quiet !== true && !background) stderr.write(`recorded to ${this.file}\n`);
      return code;
    }
    const wrong = await usageError(`${this.cannot}: ${problem.message}`, problem.help ?? undefined);
    return code === EXIT.returned ? wrong : code;
  }

  private async write({ run_id, status }: RunReport): Promise<{ message: string; help: string | null } | null> {
    try {
      // A copy has a worktree of its own.
      if (this.isCopy) {
        const dir = this.options.dir ?? DEFAULT_STORE;
        this.cwd = await workingDirectoryOf(openStoredRun(dir, run_id), dir);
      }
      const { header, records, holdsSecret } = this.make(run_id);
      if (holdsSecret) return { message: 'the cassette would hold the text of a secret', help: null };
      const ended = { isComplete: status !== 'interrupted', isSuspended: status === 'suspended' };
      const message = writeCassette(resolve(this.file), { ...header, ...ended }, records, this.boundary);
      return message === null ? null : { message, help: null };
    } catch (cause) {
      if (cause instanceof RunRefused) return cause;
      if (cause instanceof StoreError) return { message: cause.message, help: null };
      throw cause;
    }
  }

  private make(id: string) {
    return cassetteOfRun(openStoredRun(this.options.dir ?? DEFAULT_STORE, id), this.cwd, this.options);
  }

  private get cannot(): string {
    return `cannot record to \`${this.file}\``;
  }

  /** Null: the file can be written, and is not there, or has the beginning of this run. `isOwn`: it may be replaced. */
  private async whyRefused(): Promise<{ readonly reason: string; readonly isOwn: boolean } | null> {
    const path = resolve(this.file);
    const unwritable = whyNoRecording(path, true, this.boundary);
    if (unwritable !== null) return { reason: unwritable, isOwn: false };
    if (whyNoRecording(path, this.flags.overwrite === true, this.boundary) === null) return null;
    if (this.isCopy) return { reason: 'a file of that name exists already', isOwn: true };
    const stored = openStoredRun(this.options.dir ?? DEFAULT_STORE, this.id);
    const machine = storedMachine(stored, stored.about.digest);
    const redactor = createRedactor(secretsOf(machine, this.options));
    const read = await readCassette(path, this.file, redactor);
    if ('problems' in read) return { reason: read.problems[0]?.message ?? 'it is not a cassette', isOwn: true };
    if (read.cassette.run === stored.about.run_id) return null;
    return { reason: `it is not the cassette of run ${stored.about.run_id}`, isOwn: true };
  }
}
