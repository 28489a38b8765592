/** The door over standard input and output: one connection, whose first request decides its revision. */
import type { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { findLauncher } from '../prelude/launcher.js';
import type { Door } from './door.js';
import { watchPrograms } from './program-tools.js';
import { makeServer } from './server.js';
import { WrittenFrames } from './written-numbers.js';

/** When the first requests were answered. Milliseconds. */
const STARTED_MS = 2000;

/** Resolves when the client has closed the connection. */
export function serveOverStdio(door: Door): Promise<void> {
  const transport = new WrittenFrames(process.stdin, process.stdout);
  // The last one is the one that answers: others are made for clients that only ask what there is.
  let current: McpServer | null = null;
  const remember = (server: McpServer): McpServer => {
    current = server;
    return server;
  };
  const stop = watchPrograms(door, () => {
    if (current?.isConnected() === true) current.sendToolListChanged();
  });
  // Clients may kill this process, and then there is no other moment for it.
  setTimeout(() => findLauncher()?.keepCode(), STARTED_MS).unref();
  return new Promise<void>((resolve) => {
    const handle = serveStdio(async ({ era }) => remember(await makeServer(door, era)), {
      transport,
      onerror: () => undefined,
    });
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(name, () => void handle.close().finally(resolve));
  }).finally(stop);
}
