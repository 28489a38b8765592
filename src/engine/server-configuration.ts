/** The configuration of a server that only this machine can reach. */

interface ServerAddresses {
  readonly ingressPort: number;
  readonly adminPort: number;
  /** For other servers of a cluster. */
  readonly nodePort: number;
}

/** What decides about new data, and is ignored later. */
interface NewData {
  /** Into how many parts it divides all runs; absent: as many as the server chooses. */
  readonly partitions?: number | undefined;
}

/** As TOML. `directory`: where it stores everything, absolute. */
export function serverConfiguration(
  directory: string,
  { ingressPort, adminPort, nodePort }: ServerAddresses,
  { partitions }: NewData = {},
): string {
  return [
    'bind-ip = "127.0.0.1"',
    'listen-mode = "tcp"',
    'advertised-host = "127.0.0.1"',
    'disable-telemetry = true',
    `bind-port = ${nodePort}`,
    // The name of the data: with the name of the machine, a new name would lose them.
    'node-name = "statedsl"',
    `base-dir = ${JSON.stringify(directory)}`,
    ...(partitions === undefined ? [] : [`default-num-partitions = ${partitions}`]),
    '[ingress]',
    `bind-address = "127.0.0.1:${ingressPort}"`,
    '[admin]',
    `bind-address = "127.0.0.1:${adminPort}"`,
    '',
  ].join('\n');
}
