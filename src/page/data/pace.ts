/** Long work is done in parts, so that the page stays responsive. */

const BUSY_MS = 12;

export class Pace {
  private began = performance.now();

  /** Whether the work has lasted long enough, and should pause. */
  get isDue(): boolean {
    return performance.now() - this.began >= BUSY_MS;
  }

  /** Until the page has drawn itself and has done what a person wants. */
  async pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(null);
    });
    this.began = performance.now();
  }
}
