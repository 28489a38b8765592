/**
 * What a worker keeps of runs for the time after its death: which sessions of agents their calls began, and how far scripted
 * agents are. It is of use if the run has a home on this machine; elsewhere the next turn may come to another one.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { entryAt, makeFolder, writeOwn } from '../runtime/store/own-file.js';
import { errorCode } from '../runtime/store/store-error.js';
import { isRunId } from '../runtime/store/stored-run.js';

/** A file in each folder, with the engine of its run. */
const ENGINE = 'engine';

export class WorkerFolders {
  private readonly folder: string;

  /** `directory`: of the worker. `engine`: a worker of another one with the same folder knows nothing about the runs. */
  constructor(
    directory: string,
    private readonly engine: string,
  ) {
    // The folder may also be a store, whose runs are in `runs`.
    this.folder = join(directory, 'worker-runs');
  }

  /** Makes the folder of a run, unless it is there. */
  of(runId: string): string {
    const folder = join(this.folder, runId);
    if (entryAt(folder) !== null) return folder;
    makeFolder(folder, 0o700);
    writeOwn(join(folder, ENGINE), this.engine);
    return folder;
  }

  /** Notes that a call begins. True: a process that died had begun it. `call`: its effect and attempt. */
  begin(runId: string, call: string): boolean {
    const note = join(this.of(runId), `call-${call}`);
    if (entryAt(note) !== null) return true;
    writeOwn(note, '');
    return false;
  }

  /** A call has ended. */
  end(runId: string, call: string): void {
    rmSync(join(this.folder, runId, `call-${call}`), { force: true });
  }

  /** Removes the folders of runs that the engine no longer has. Rejects with whatever `isGone` rejects with. */
  async removeGone(isGone: (runId: string) => Promise<boolean>): Promise<void> {
    for (const runId of this.names()) {
      const folder = join(this.folder, runId);
      if (isRunId(runId) && this.isOurs(folder) && (await isGone(runId)))
        rmSync(folder, { recursive: true, force: true });
    }
  }

  private names(): readonly string[] {
    try {
      return readdirSync(this.folder);
    } catch (cause) {
      if (errorCode(cause) === 'ENOENT') return [];
      throw cause;
    }
  }

  private isOurs(folder: string): boolean {
    try {
      return entryAt(folder)?.isDirectory() === true && readFileSync(join(folder, ENGINE), 'utf8') === this.engine;
    } catch {
      return false;
    }
  }
}
