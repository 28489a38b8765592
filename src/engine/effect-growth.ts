/**
 * How much the effects of a run print in this process, and what happens when it is too much: all of them are stopped. What is
 * printed beyond the limit is not kept, so it is counted here and not in outcomes.
 */
import type { OutputUse } from '../runtime/process/output-store.js';
import type { EffectBounds } from './turn-host.js';

export class EffectGrowth {
  private readonly running = new Set<EffectBounds>();
  private reported: number;

  constructor(private readonly use: OutputUse) {
    this.reported = use.bytes;
    use.limit = 0;
    use.onExceeded = () => {
      for (const { onExceeded } of this.running) onExceeded();
    };
  }

  /** What the turn has not heard of yet is not part of what the effect may print. */
  begin(effect: EffectBounds): void {
    this.running.add(effect);
    this.use.limit = Math.max(this.use.limit, this.reported + effect.outputLimit);
  }

  /** How many bytes were printed since the last report, by whichever effect: together they are exact. */
  report(): number {
    const printed = this.use.bytes - this.reported;
    this.reported = this.use.bytes;
    return printed;
  }

  end(effect: EffectBounds): void {
    this.running.delete(effect);
  }
}
