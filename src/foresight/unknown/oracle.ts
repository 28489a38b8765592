/**
 * Decides what is not known. A script says how the first questions are answered; the questions after it get their first
 * alternative, and the explorer tries the others later by executing the segment again.
 */
export interface Decision {
  readonly index: number;
  readonly of: number;
  readonly text: string;
}

/** Most segments decide nothing. */
const NOTHING: readonly number[] = [];

export class Oracle {
  readonly taken: Decision[] = [];

  constructor(private readonly script: readonly number[]) {}

  /** The index of the alternative. With only one there is nothing to decide. */
  choose(what: string, alternatives: readonly string[]): number {
    if (alternatives.length < 2) return 0;
    const index = this.script[this.taken.length] ?? 0;
    this.taken.push({ index, of: alternatives.length, text: `${what} ${alternatives[index] ?? ''}`.trim() });
    return index;
  }

  /** The indexes of the alternatives that were taken. */
  get indexes(): readonly number[] {
    return this.taken.length === 0 ? NOTHING : this.taken.map(({ index }) => index);
  }

  /** The scripts of the other answers to the questions that this execution answered first. */
  others(): number[][] {
    const found: number[][] = [];
    for (let at = this.script.length; at < this.taken.length; at++) {
      const before = this.taken.slice(0, at).map(({ index }) => index);
      for (let other = 1; other < (this.taken[at] as Decision).of; other++) found.push([...before, other]);
    }
    return found;
  }
}
