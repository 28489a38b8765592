/**
 * What other processes, or a script, send to a run while it is driven. The inbox is polled, because senders do not know
 * which process executes the run.
 */
import type { Delivery, Inbox } from '../store/inbox.js';

/** How long a delivery may wait in the inbox, in milliseconds. */
const LOOK_MS = 200;

/** A delivery, with the position in the inbox after it if it came from there. */
interface ReceivedDelivery {
  readonly delivery: Delivery;
  readonly inbox?: number;
}

export class Mailbox {
  private full = false;
  /** What was posted in this process. */
  private posted: ReceivedDelivery[] = [];
  private next: readonly ReceivedDelivery[];
  private readonly timer: ReturnType<typeof setInterval> | null = null;

  /**
   * `inbox`: null if no other process can reach the run. `next`: what comes after that which is in the inbox now. Calls
   * `onMail` when there is mail.
   */
  constructor(
    private readonly inbox: Inbox | null,
    next: readonly Delivery[],
    onMail: () => void,
    onDebugger: ((asked: string) => void) | null = null,
  ) {
    this.next = next.map((delivery) => ({ delivery }));
    // What was sent before the run is executed comes before the answers of a mock or a person at the terminal.
    this.full = next.length > 0 || inbox?.hasMore() === true;
    if (inbox === null) return;
    this.timer = setInterval(() => {
      if (this.look()) onMail();
      const asked = onDebugger === null ? null : inbox.takeDebugger();
      if (asked !== null) onDebugger?.(asked);
    }, LOOK_MS);
    this.timer.unref();
  }

  /** Whether there is mail that was not taken yet. */
  get hasMail(): boolean {
    return this.full;
  }

  /** Reads the file now. */
  look(): boolean {
    this.full ||= this.inbox?.hasMore() === true;
    return this.full;
  }

  /** Delivers something from this process. */
  post(delivery: Delivery): void {
    this.posted.push({ delivery });
    this.full = true;
  }

  /** What came, in order. */
  take(): readonly ReceivedDelivery[] {
    const { posted, next } = this;
    this.full = false;
    this.posted = [];
    this.next = [];
    return [...posted, ...(this.inbox?.take() ?? []), ...next];
  }

  close(): void {
    if (this.timer !== null) clearInterval(this.timer);
  }
}
