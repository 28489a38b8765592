/**
 * Makes of the events of a run what its journal has: gives each a number, replaces secrets, and puts large values into
 * artifacts. Writes no line and knows no clock: the caller decides where the lines go and which time they have.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { Redactor } from '../redact.js';
import { AppendEncoder } from '../store/appended.js';
import type { LargeValues } from '../store/large-values.js';

export interface RecordedEvents {
  /** The events with secrets replaced. */
  readonly clean: readonly RunEvent[];
  /** The same events as the journal has them. */
  readonly recorded: readonly RunEvent[];
  /** The number of the first one. */
  readonly firstSeq: number;
}

export class Recorder {
  private readonly appended = new AppendEncoder();

  /** `seq`: the number of the last event on record. `large`: null if lines have all values, however large. */
  constructor(
    public seq: number,
    private readonly redactor: Redactor | null,
    private readonly large: LargeValues | null,
  ) {}

  record(events: readonly RunEvent[]): RecordedEvents {
    const { redactor, large } = this;
    const clean = redactor === null ? events : events.map((event) => redactor.event(event));
    const recorded =
      large === null ? clean : clean.map((event, at) => this.inStoredForm(events[at] as RunEvent, event, large));
    const firstSeq = this.seq + 1;
    this.seq += recorded.length;
    return { clean, recorded, firstSeq };
  }

  /** The same for one event, of which only the recorded form is needed. Its number is `seq` then. */
  recordOne(event: RunEvent): RunEvent {
    const { redactor, large } = this;
    const clean = redactor === null ? event : redactor.event(event);
    this.seq++;
    return large === null ? clean : this.inStoredForm(event, clean, large);
  }

  private inStoredForm(event: RunEvent, clean: RunEvent, large: LargeValues): RunEvent {
    return large.event(this.appended.encode(event, clean));
  }

  /** Later lines do not continue values of earlier ones, because a reader may start between them. */
  startAnew(): void {
    this.appended.reset();
  }
}
