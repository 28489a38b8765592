/** How many effects a worker performs at once, whichever runs they are of: first come, first served. */
import type { EffectPermits } from '../runtime/effect-context.js';

export function workerPermits(count: number): EffectPermits {
  let free = count;
  const waiting: (() => void)[] = [];
  const giveBack = (): void => {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  };
  const once = (): (() => void) => {
    let isHeld = true;
    return () => {
      if (isHeld) giveBack();
      isHeld = false;
    };
  };
  return {
    take(stop) {
      if (stop.aborted) return Promise.resolve(null);
      if (free > 0) {
        free--;
        return Promise.resolve(once());
      }
      return new Promise((resolve) => {
        const receive = (): void => {
          stop.removeEventListener('abort', giveUp);
          resolve(once());
        };
        const giveUp = (): void => {
          waiting.splice(waiting.indexOf(receive), 1);
          resolve(null);
        };
        waiting.push(receive);
        stop.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
