/** The states a run went through. One or two bytes an entry, since a loop may enter a hundred million of them. */

export class Trail {
  private entries: Uint8Array | Uint16Array | Uint32Array;
  private length = 0;

  constructor(private readonly states: number) {
    this.entries = this.allocate(16);
  }

  push(state: number): void {
    if (this.length === this.entries.length) {
      const larger = this.allocate(this.length * 2);
      larger.set(this.entries);
      this.entries = larger;
    }
    this.entries[this.length++] = state;
  }

  list(): number[] {
    return Array.from(this.entries.subarray(0, this.length));
  }

  /** How many states were entered. */
  get count(): number {
    return this.length;
  }

  /** The entries from the given one on, as indexes of states. */
  since(entry: number): Uint32Array {
    return Uint32Array.from(this.entries.subarray(entry, this.length));
  }

  private allocate(length: number): Uint8Array | Uint16Array | Uint32Array {
    if (this.states <= 0x100) return new Uint8Array(length);
    return this.states <= 0x10000 ? new Uint16Array(length) : new Uint32Array(length);
  }
}
