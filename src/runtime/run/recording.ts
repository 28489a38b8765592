/**
 * Events on their way: numbered, without secrets, into the journal, and shown once they are durable. What the loop hands
 * over here is on record after the next sync, in the order it came.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import { AppendEncoder } from '../store/appended.js';
import type { DriveOptions } from './drive-options.js';
import type { ReplayPoints } from './replay-points.js';

interface Batch {
  readonly events: readonly RunEvent[];
  /** The same as the journal has them. */
  readonly recorded: readonly RunEvent[];
  readonly time: string;
}

export class Recording {
  /** The number of the last event. */
  seq: number;
  private shown: number;
  /** Recorded and not yet shown. */
  private unshown: Batch[] = [];
  private readonly appended = new AppendEncoder();

  constructor(
    private readonly options: Pick<DriveOptions, 'journal' | 'redactor' | 'stateFile' | 'onEvent' | 'begin'>,
    private readonly points: ReplayPoints,
  ) {
    this.seq = options.begin.seq;
    this.shown = this.seq;
  }

  get hasUnshown(): boolean {
    return this.unshown.length > 0;
  }

  /** From here on an event has its number, and its secrets are gone. */
  add(events: RunEvent[]): void {
    if (events.length === 0) return;
    const { redactor, journal, stateFile, onEvent } = this.options;
    const clean = redactor === null ? events : events.map((event) => redactor.event(event));
    const large = journal?.folder?.large;
    const recorded =
      large === undefined
        ? clean
        : clean.map((event, at) => large.event(this.appended.encode(events[at] as RunEvent, event)));
    const time = new Date().toISOString();
    journal?.append(recorded, this.seq + 1, time);
    if (this.points.areKept) for (const [at, event] of recorded.entries()) this.points.note(event, this.seq + 1 + at);
    this.seq += recorded.length;
    stateFile?.note(recorded);
    if (onEvent !== null) this.unshown.push({ events: clean, recorded, time });
  }

  /** Called after a sync only. */
  show(): void {
    const { onEvent } = this.options;
    const batches = this.unshown;
    this.unshown = [];
    if (onEvent === null) return;
    for (const { events, recorded, time } of batches)
      for (let at = 0; at < events.length; at++) {
        const line = recorded[at] as RunEvent;
        // Only of a variable is the value told whole; large prompts and arguments are in their artifacts.
        const event = line.type === 'tracked_set' ? (events[at] as RunEvent) : line;
        onEvent(event, { seq: ++this.shown, time, recorded: line });
      }
  }

  /** What follows is read without what came before. */
  begin(): void {
    this.appended.reset();
  }
}
