/**
 * How far the interpreter goes before the loop looks up. Looking costs little, but a turn of a loop may cost anything: a
 * list of half a million items is copied for each item that is added. So turns are as long as their time allows, and a
 * signal is seen, and memory given back, whatever a program computes.
 */

/** Transitions and loop turns at most, so that signals are seen while a program only computes. */
const MOST = 4_096;
const FIRST = 64;
const SHORT_MS = 5;
const LONG_MS = 20;

export class Turns {
  /** How many transitions and loop turns the next one has. */
  size = FIRST;
  private begun = 0;

  begin(): number {
    this.begun = Date.now();
    return this.size;
  }

  /** All that follows from the turn is done. */
  end(): void {
    const ms = Date.now() - this.begun;
    if (ms < SHORT_MS) this.size = Math.min(MOST, this.size * 2);
    else if (ms > LONG_MS) this.size = Math.max(1, Math.floor((this.size * SHORT_MS) / ms));
  }
}
