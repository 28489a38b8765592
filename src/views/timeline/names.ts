/** Texts that occur often, each kept once and named by a number. */
export class Names {
  private readonly texts: string[] = [];
  private readonly numbers = new Map<string, number>();

  number(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    const number = this.texts.push(text) - 1;
    this.numbers.set(text, number);
    return number;
  }

  get size(): number {
    return this.texts.length;
  }

  at(number: number): string {
    return this.texts[number] ?? '';
  }
}
