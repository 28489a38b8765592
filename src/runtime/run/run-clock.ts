/** How long a run has been executed, in all its processes, and the limit of that time. */
import { clockMs } from '../clock.js';
import { startTimer } from '../timer.js';
import type { VirtualTime } from '../virtual-time.js';

export class RunClock {
  private begun: number;
  private readonly start: () => (() => void) | null;
  private cancel: (() => void) | null;
  private pausedAt: number | null = null;
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
    this.start = () => (limitMs === null || this.over ? null : start(Math.max(0, limitMs - this.activeMs)));
    this.cancel = this.start();
  }

  get activeMs(): number {
    return this.beforeMs + ((this.pausedAt ?? this.now) - this.begun);
  }

  /** While a debugger holds the run, its time does not pass. */
  pause(): void {
    this.cancel?.();
    this.pausedAt = this.now;
  }

  proceed(): void {
    this.begun += this.now - (this.pausedAt ?? this.now);
    this.pausedAt = null;
    this.cancel = this.start();
  }

  private get now(): number {
    // Not the time of day, which may be set.
    return this.time?.now ?? Math.round(clockMs());
  }

  get isTimeUp(): boolean {
    return this.over;
  }

  close(): void {
    this.cancel?.();
  }
}
