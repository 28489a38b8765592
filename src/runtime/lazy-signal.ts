/**
 * A signal that is created on demand. Most short effects do not need it, and creating an `AbortController` takes longer
 * than everything else about them.
 */
export class LazySignal {
  private controller: AbortController | null = null;
  private isOver = false;

  get isAborted(): boolean {
    return this.isOver;
  }

  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController();
      if (this.isOver) this.controller.abort();
    }
    return this.controller.signal;
  }

  abort(): void {
    this.isOver = true;
    this.controller?.abort();
  }
}
