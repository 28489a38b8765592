/** Limits the number of calls of one agent at the same time. Waiting calls continue in the order of their requests. */

export interface Permits {
  /** Resolves with a function that returns the permit, when one is free; resolves with null if stopped before. */
  take(agent: string, limit: number | null, stop: AbortSignal): Promise<(() => void) | null>;
}

export function createPermits(): Permits {
  const taken = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();

  const leave = (agent: string): void => {
    const next = waiting.get(agent)?.shift();
    // The permit passes directly to the next waiting call, so a new call cannot take it first.
    if (next !== undefined) next();
    else taken.set(agent, (taken.get(agent) ?? 1) - 1);
  };
  const leaveOnce = (agent: string): (() => void) => {
    let taken = true;
    return () => {
      if (taken) leave(agent);
      taken = false;
    };
  };
  return {
    take(agent, limit, stop) {
      if (stop.aborted) return Promise.resolve(null);
      const count = taken.get(agent) ?? 0;
      if (limit === null || count < limit) {
        taken.set(agent, count + 1);
        return Promise.resolve(leaveOnce(agent));
      }
      return new Promise((resolve) => {
        const queue = waiting.get(agent) ?? [];
        waiting.set(agent, queue);
        const give = (): void => {
          stop.removeEventListener('abort', giveUp);
          resolve(leaveOnce(agent));
        };
        const giveUp = (): void => {
          const at = queue.indexOf(give);
          if (at >= 0) queue.splice(at, 1);
          resolve(null);
        };
        queue.push(give);
        stop.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
