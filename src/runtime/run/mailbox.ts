/** The inbox of a run while the run is driven: it is looked at now and then, since writers need not know who executes it. */
import type { Delivery, Inbox } from '../store/inbox.js';

/** How long a delivery may lie in the inbox before it is seen. */
const LOOK_MS = 200;

export class Mailbox {
  private full = false;
  private readonly timer: ReturnType<typeof setInterval> | null = null;

  /** `inbox`: null when no other process can reach the run. `onMail` is called whenever there is mail. */
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

  /** Whether mail has been seen and not yet taken. */
  get hasMail(): boolean {
    return this.full;
  }

  /** Looks at the file now. */
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
