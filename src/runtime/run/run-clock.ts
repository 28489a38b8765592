/** How long a run has been executed, in all its processes, and the limit. */
import { startTimer } from '../timer.js';

export class RunClock {
  private readonly begun = Date.now();
  private readonly cancel: (() => void) | null;
  private over = false;

  /** `beforeMs`: the time in earlier processes. `limitMs`: null means no limit. Calls `onTimeUp` once, at the limit. */
  constructor(
    private readonly beforeMs: number,
    limitMs: number | null,
    onTimeUp: () => void,
  ) {
    const passLimit = (): void => {
      this.over = true;
      onTimeUp();
    };
    this.cancel = limitMs === null ? null : startTimer(Math.max(0, limitMs - beforeMs), passLimit);
  }

  get activeMs(): number {
    return this.beforeMs + (Date.now() - this.begun);
  }

  get isTimeUp(): boolean {
    return this.over;
  }

  close(): void {
    this.cancel?.();
  }
}
