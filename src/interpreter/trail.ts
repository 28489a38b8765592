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

  /** One character an entry: JSON that is small and read at once. */
  encode(): string {
    const parts: string[] = [];
    for (let at = 0; at < this.length; at += 4096) {
      const chunk = this.entries.subarray(at, Math.min(at + 4096, this.length));
      parts.push(String.fromCodePoint(...Array.from(chunk, (state) => characterOf(state))));
    }
    return parts.join('');
  }

  decode(text: string): void {
    for (const character of text) this.push(stateOf(character.codePointAt(0) as number));
  }

  private allocate(length: number): Uint8Array | Uint16Array | Uint32Array {
    if (this.states <= 0x100) return new Uint8Array(length);
    return this.states <= 0x10000 ? new Uint16Array(length) : new Uint32Array(length);
  }
}

// The characters start behind those that JSON escapes and leave out the surrogates.
const FIRST = 0x5d;

function characterOf(state: number): number {
  const character = state + FIRST;
  return character < 0xd800 ? character : character + 0x800;
}

function stateOf(character: number): number {
  return (character < 0xd800 ? character : character - 0x800) - FIRST;
}
