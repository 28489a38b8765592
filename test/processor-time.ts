/** Processor time of this process in milliseconds: unlike the clock it does not count what other programs do meanwhile. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
