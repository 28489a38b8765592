/**
 * How far the interpreter advances before the loop checks for signals. Checking is cheap, but one round of a program's loop
 * may take any time: adding an item copies a list of half a million. So the number of rounds follows the time they take,
 * and signals are handled and memory is released whatever a program computes.
 */

/** The most transitions and loop rounds at once, so that signals are handled while a program only computes. */
const MOST = 4_096;
const FIRST = 64;
const SHORT_MS = 5;
const LONG_MS = 20;

export class Turns {
  /** How many transitions and loop rounds the next turn may have. */
  size = FIRST;
  private begun = 0;

  begin(): number {
    this.begun = Date.now();
    return this.size;
  }

  /** Call after everything that follows from the turn is done. */
  end(): void {
    const ms = Date.now() - this.begun;
    if (ms < SHORT_MS) this.size = Math.min(MOST, this.size * 2);
    else if (ms > LONG_MS) this.size = Math.max(1, Math.floor((this.size * SHORT_MS) / ms));
  }
}
