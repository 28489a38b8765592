/** Polls the inbox of a run while the run is driven: senders do not know which process executes the run. */
import type { Delivery, Inbox } from '../store/inbox.js';

/** How long a delivery may wait in the inbox, in milliseconds. */
const LOOK_MS = 200;

export class Mailbox {
  private full = false;
  private readonly timer: ReturnType<typeof setInterval> | null = null;

  /** `inbox`: null if no other process can reach the run. Calls `onMail` when there is mail. */
  constructor(
    private readonly inbox: Inbox | null,
    onMail: () => void,
  ) {
    if (inbox === null) return;
    this.timer = setInterval(() => {
      if (this.look()) onMail();
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

  /** What came, in order, each with the position in the inbox after it. */
  take(): readonly { readonly delivery: Delivery; readonly inbox: number }[] {
    this.full = false;
    return this.inbox?.take() ?? [];
  }

  close(): void {
    if (this.timer !== null) clearInterval(this.timer);
  }
}
