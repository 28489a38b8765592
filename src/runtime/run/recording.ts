/** The record of a run while it is driven: its events become lines of its journal, and points in them become commits. */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { Run } from '../../interpreter/run.js';
import { timeStamp } from '../clock.js';
import type { Redactor } from '../redact.js';
import { AppendEncoder } from '../store/appended.js';
import type { LargeValues } from '../store/large-values.js';
import type { RunWorktrees } from '../worktree/run-worktrees.js';
import type { DriveOptions } from './drive-options.js';

interface Batch {
  readonly events: readonly RunEvent[];
  /** The same events as the journal has them. */
  readonly recorded: readonly RunEvent[];
  readonly time: string;
  /** The hashes in their lines; empty without a journal. */
  readonly hashes: readonly (string | null)[];
}

/**
 * Writes events to the journal, and shows each once it is durable. Events that the loop adds are on record after the next
 * `sync`, in order.
 */
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
    const hashes: (string | null)[] | undefined = onEvent === null ? undefined : [];
    journal?.append(recorded, firstSeq, time, hashes);
    if (this.points.areKept) for (const [at, event] of recorded.entries()) this.points.note(event, firstSeq + at);
    stateFile?.note(recorded);
    if (onEvent !== null) this.unshown.push({ events: clean, recorded, time, hashes: hashes ?? [] });
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
    for (const { events, recorded, time, hashes } of batches)
      for (let at = 0; at < events.length; at++) {
        const line = recorded[at] as RunEvent;
        // Listeners get the whole value of a variable. Large prompts and arguments stay in their artifacts.
        const whole = events[at] as RunEvent;
        const event = line.type === 'tracked_set' ? whole : line;
        const hash = hashes[at] ?? null;
        onEvent(event, { seq: ++this.shown, time, recorded: line, ...(hash === null ? {} : { hash }) }, whole);
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

/**
 * Makes the commits of a run's worktree that `replay --from STATE` needs. Steps request their own, but states do not,
 * because a transition is not an effect. So the runtime commits before anything is done in the new state.
 */
export class ReplayPoints {
  /** The number of the event of the last outcome. */
  private settled: number;
  /** The state that was entered since the last commit. */
  private entered: string | null = null;

  /** `seq`: the number of the last event on record. */
  constructor(
    private readonly worktrees: Pick<RunWorktrees, 'keepPoint'> | null,
    seq: number,
  ) {
    this.settled = seq;
  }

  /** Without a worktree there is nothing to commit. */
  get areKept(): boolean {
    return this.worktrees !== null;
  }

  /** Receives every event with its number. */
  note(event: RunEvent, seq: number): void {
    if (event.type === 'effect_settled') this.settled = seq;
    else if (event.type === 'state_entered') this.entered = event.state;
  }

  /** Commits if a state was entered and files may have changed. Returns the event that records it. */
  async keep(): Promise<RunEvent | null> {
    const { entered, settled, worktrees } = this;
    if (entered === null || worktrees === null) return null;
    this.entered = null;
    const commit = await worktrees.keepPoint(`before ${entered}`);
    return commit === null ? null : { type: 'worktree_committed', commit, since: settled };
  }
}

interface RecordedEvents {
  /** The events with secrets replaced. */
  readonly clean: readonly RunEvent[];
  /** The same events as the journal has them. */
  readonly recorded: readonly RunEvent[];
  /** The number of the first one. */
  readonly firstSeq: number;
}

/**
 * Makes of the events of a run what its journal has: gives each a number, replaces secrets, and puts large values into
 * artifacts. Writes no line and knows no clock: the caller decides where the lines go and which time they have.
 */
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
