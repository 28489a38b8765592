/** How long a run has been executed, in all its processes, and the limit. */
import { startTimer } from '../timer.js';
import type { VirtualTime } from '../virtual-time.js';

export class RunClock {
  private readonly begun: number;
  private readonly cancel: (() => void) | null;
  private over = false;

  /**
   * `beforeMs`: the time in earlier processes. `limitMs`: null means no limit. Calls `onTimeUp` once, at the limit. `time`:
   * null means real time.
   */
  constructor(
    private readonly beforeMs: number,
    limitMs: number | null,
    onTimeUp: () => void,
    private readonly time: VirtualTime | null = null,
  ) {
    this.begun = this.now;
    const passLimit = (): void => {
      this.over = true;
      onTimeUp();
    };
    const start = (ms: number): (() => void) => time?.limit(ms, passLimit) ?? startTimer(ms, passLimit);
    this.cancel = limitMs === null ? null : start(Math.max(0, limitMs - beforeMs));
  }

  get activeMs(): number {
    return this.beforeMs + (this.now - this.begun);
  }

  private get now(): number {
    return this.time?.now ?? Date.now();
  }

  get isTimeUp(): boolean {
    return this.over;
  }

  close(): void {
    this.cancel?.();
  }
}
