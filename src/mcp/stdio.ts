/** The door over standard input and output: one connection, whose first request decides its revision. */
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Door } from './door.js';
import { makeServer } from './mcp-server.js';

/** Resolves when the client has closed the connection. */
export function serveOverStdio(door: Door): Promise<void> {
  const transport = new StdioServerTransport();
  return new Promise((resolve) => {
    const handle = serveStdio(({ era }) => makeServer(door, era), { transport, onerror: () => undefined });
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(name, () => void handle.close().finally(resolve));
  });
}
