/**
 * The processes that are being started: each takes a processor until it executes its run. Many of them at once would keep
 * the service from answering, and none of them would begin sooner.
 */

import type { RunProcess } from './promised-run.js';

/** How long the start of a process keeps back the next one. */
const START_MS = 5000;

export class StartingProcesses {
  private readonly processes = new Set<RunProcess>();

  /** `onRoom`: called when the next process may be started. */
  constructor(
    private readonly atMost: number,
    private readonly onRoom: () => void,
  ) {}

  get isFull(): boolean {
    return this.processes.size >= this.atMost;
  }

  /** It counts until it executes its run, has ended or takes too long. */
  add(process: RunProcess): void {
    if (process.begun === undefined) return;
    this.processes.add(process);
    const remove = (): void => {
      clearTimeout(timer);
      if (this.processes.delete(process)) this.onRoom();
    };
    const timer = setTimeout(remove, START_MS).unref();
    void process.begun.then(remove);
    void process.end.then(remove);
  }
}
