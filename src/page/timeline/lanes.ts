/**
 * Lanes of a timeline: the bars of a lane follow each other and never overlap. The run itself has the first lane, and
 * branches and calls at the same time have lanes below it. A branch keeps its lane as long as no other one has taken it, so that
 * there are only as many lanes as there was work at the same time.
 */
import { firstIndex, withDoubleRoom } from './bars.js';

/** Numbers in rising order, to which numbers are added at the end or near it. */
class RisingNumbers {
  length = 0;
  private numbers = new Int32Array(16);

  at(index: number): number {
    return this.numbers[index] as number;
  }

  add(number: number): void {
    if (this.length === this.numbers.length) this.numbers = withDoubleRoom(this.numbers, Int32Array);
    let at = this.length++;
    while (at > 0 && (this.numbers[at - 1] as number) > number) {
      this.numbers[at] = this.numbers[at - 1] as number;
      at--;
    }
    this.numbers[at] = number;
  }

  /** How many numbers are smaller. */
  countBelow(number: number): number {
    return firstIndex(this.length, (index) => this.at(index) >= number);
  }
}

/** A lane with its bars in the order of time. */
export class Lane {
  readonly bars = new RisingNumbers();
  /** Those of its bars that failed. */
  readonly failed = new RisingNumbers();
  /** The effect that occupies it now, and the branch that used it last. */
  effect: string | null = null;
  thread = '';
}

const MAIN = '';

export class Lanes {
  readonly all: Lane[] = [new Lane()];
  readonly states = new Lane();
  private readonly ofEffect = new Map<string, number>();
  private readonly ofThread = new Map<string, number>([[MAIN, 0]]);

  /** The lane that the effect of a thread occupies from now on. */
  occupy(effect: string, thread: string): number {
    const known = this.ofEffect.get(effect);
    if (known !== undefined) return known;
    const preferred = this.ofThread.get(thread);
    const lane = preferred !== undefined && this.isFree(preferred) ? preferred : this.firstFree(thread);
    const taken = this.all[lane] as Lane;
    if (taken.thread !== thread) {
      if (this.ofThread.get(taken.thread) === lane) this.ofThread.delete(taken.thread);
      taken.thread = thread;
      if (!this.ofThread.has(thread)) this.ofThread.set(thread, lane);
    }
    taken.effect = effect;
    this.ofEffect.set(effect, lane);
    return lane;
  }

  release(effect: string): void {
    const lane = this.ofEffect.get(effect);
    if (lane === undefined) return;
    this.ofEffect.delete(effect);
    (this.all[lane] as Lane).effect = null;
  }

  private isFree(lane: number): boolean {
    return this.all[lane]?.effect === null;
  }

  /** The first lane belongs to the run itself. */
  private firstFree(thread: string): number {
    for (let lane = thread === MAIN ? 0 : 1; lane < this.all.length; lane++) if (this.isFree(lane)) return lane;
    this.all.push(new Lane());
    return this.all.length - 1;
  }
}
