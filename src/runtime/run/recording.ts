/**
 * The record of a run that is driven: writes events to its journal, and shows each once it is durable. Events that the loop
 * adds are on record after the next `sync`, in order.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { Run } from '../../interpreter/run.js';
import { timeStamp } from '../clock.js';
import type { DriveOptions } from './drive-options.js';
import { Recorder } from './recorder.js';
import type { ReplayPoints } from './replay-points.js';

interface Batch {
  readonly events: readonly RunEvent[];
  /** The same events as the journal has them. */
  readonly recorded: readonly RunEvent[];
  readonly time: string;
}

export class Recording {
  private shown: number;
  /** Recorded and not yet shown. */
  private unshown: Batch[] = [];
  private readonly recorder: Recorder;

  constructor(
    private readonly options: Pick<
      DriveOptions,
      'journal' | 'redactor' | 'stateFile' | 'onEvent' | 'begin' | 'checkpoints' | 'inbox'
    >,
    private readonly points: ReplayPoints,
  ) {
    const { begin, redactor, journal } = options;
    this.recorder = new Recorder(begin.seq, redactor, journal?.folder?.large ?? null);
    this.shown = begin.seq;
  }

  get hasUnshown(): boolean {
    return this.unshown.length > 0;
  }

  add(events: RunEvent[]): void {
    if (events.length === 0) return;
    const { journal, stateFile, onEvent } = this.options;
    const { clean, recorded, firstSeq } = this.recorder.record(events);
    const time = timeStamp();
    journal?.append(recorded, firstSeq, time);
    if (this.points.areKept) for (const [at, event] of recorded.entries()) this.points.note(event, firstSeq + at);
    stateFile?.note(recorded);
    if (onEvent !== null) this.unshown.push({ events: clean, recorded, time });
  }

  /** Makes all added events durable. `synchronously`: the process may block meanwhile. Rejects with a `StoreError`. */
  async sync(synchronously = false): Promise<void> {
    await this.options.journal?.sync(synchronously);
  }

  /** Shows the events that were added since the last call. Call it only after `sync`. */
  show(): void {
    const { onEvent } = this.options;
    const batches = this.unshown;
    this.unshown = [];
    if (onEvent === null) return;
    for (const { events, recorded, time } of batches)
      for (let at = 0; at < events.length; at++) {
        const line = recorded[at] as RunEvent;
        // Listeners get the whole value of a variable. Large prompts and arguments stay in their artifacts.
        const whole = events[at] as RunEvent;
        const event = line.type === 'tracked_set' ? whole : line;
        onEvent(event, { seq: ++this.shown, time, recorded: line }, whole);
      }
  }

  /** Writes a checkpoint if one is due or it `isLast`: the process then leaves the run. Call it only after `sync`. */
  checkpoint(run: Run, activeMs: number, isLast: boolean): void {
    const { checkpoints, journal, inbox } = this.options;
    if (checkpoints === null || journal === null) return;
    // A failed run is resumed before its failure, so it needs the last checkpoint before the failure.
    if (run.result?.status === 'failed') return;
    const position = { seq: this.recorder.seq, offset: journal.offset ?? 0 };
    if (!isLast && !checkpoints.due(position)) return;
    // Resuming here does not read the earlier lines.
    this.recorder.startAnew();
    checkpoints.write(run, { ...position, activeMs, inbox: inbox?.read ?? 0, isExecuted: !isLast });
  }
}
