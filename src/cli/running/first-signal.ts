/** The signals that ask a service to stop. */

/** Resolves at the first signal; each later one calls the function. */
export function firstSignal(onLater: () => void): Promise<void> {
  return new Promise((resolve) => {
    let isFirst = true;
    const onSignal = (): void => {
      if (!isFirst) onLater();
      isFirst = false;
      resolve();
    };
    // They stay: a signal without a handler would end the process in the middle of stopping.
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  });
}
