/** Values that were used last, as long as all of them together are not too large. The last one is kept in any case. */
export class RecentlyUsed<T> {
  private readonly all = new Map<string, { readonly value: T; readonly size: number }>();
  private size = 0;

  constructor(private readonly most: number) {}

  get(key: string): T | undefined {
    const one = this.all.get(key);
    if (one === undefined) return undefined;
    // The order of the map is that of use.
    this.all.delete(key);
    this.all.set(key, one);
    return one.value;
  }

  set(key: string, value: T, size: number): void {
    this.delete(key);
    this.all.set(key, { value, size });
    this.size += size;
    for (const oldest of this.all.keys()) {
      if (this.size <= this.most || oldest === key) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.size -= this.all.get(key)?.size ?? 0;
    this.all.delete(key);
  }
}
