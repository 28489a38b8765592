/** Long work is done in parts, so that the page stays responsive. */

/** Until the page has drawn itself and has done what a person wants. */
export function untilIdle(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
