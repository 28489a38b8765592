/**
 * The states a run went through. One or two bytes an entry, since a loop may enter a hundred million of them; the same
 * bytes are what is kept on disk.
 */
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

  /** The entries as names of states. */
  names(of: readonly string[]): string[] {
    const { entries, length } = this;
    const names = new Array<string>(length);
    for (let at = 0; at < length; at++) names[at] = of[entries[at] as number] ?? '';
    return names;
  }

  /** The entries behind the first `from` bytes. */
  bytes(from = 0): Uint8Array {
    const { entries, length } = this;
    return new Uint8Array(entries.buffer, from, length * entries.BYTES_PER_ELEMENT - from);
  }

  /** The entries as `bytes` gave them for a program with as many states. */
  load(bytes: Uint8Array): void {
    const width = this.entries.BYTES_PER_ELEMENT;
    this.length = Math.floor(bytes.length / width);
    this.entries = this.allocate(Math.max(16, this.length));
    new Uint8Array(this.entries.buffer).set(bytes.subarray(0, this.length * width));
  }

  private allocate(length: number): Uint8Array | Uint16Array | Uint32Array {
    if (this.states <= 0x100) return new Uint8Array(length);
    return this.states <= 0x10000 ? new Uint16Array(length) : new Uint32Array(length);
  }
}
