/**
 * The bound on effects of all runs together: who asks first is served first. A process that ends gives back what it holds,
 * so no permit is lost.
 */

/** One process that executes a run. */
export interface PermitHolder {
  take(): void;
  /** Gives a permit back. */
  give(): void;
  /** One fewer is wanted. A permit that is on its way already comes nevertheless. */
  cancel(): void;
  /** The process has ended. */
  close(): void;
}

interface Holder {
  readonly grant: () => void;
  held: number;
}

export class PermitPool {
  private free: number;
  /** In the order of their requests. */
  private waiting: Holder[] = [];

  constructor(total: number) {
    this.free = total;
  }

  /** `grant` is called for each permit. */
  open(grant: () => void): PermitHolder {
    const holder: Holder = { grant, held: 0 };
    return {
      take: () => {
        this.waiting.push(holder);
        this.grantFree();
      },
      give: () => {
        if (holder.held === 0) return;
        holder.held--;
        this.returnFree(1);
      },
      cancel: () => {
        const at = this.waiting.lastIndexOf(holder);
        if (at >= 0) this.waiting.splice(at, 1);
      },
      close: () => {
        this.waiting = this.waiting.filter((one) => one !== holder);
        const { held } = holder;
        holder.held = 0;
        this.returnFree(held);
      },
    };
  }

  /** Takes permits away at once, for a process that cannot ask: it may use so many. Returns what gives them back. */
  reserve(count: number): () => void {
    this.free -= count;
    let isReserved = true;
    return () => {
      if (isReserved) this.returnFree(count);
      isReserved = false;
    };
  }

  private returnFree(count: number): void {
    this.free += count;
    this.grantFree();
  }

  private grantFree(): void {
    while (this.free > 0) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      this.free--;
      next.held++;
      next.grant();
    }
  }
}
