/** The engine in memory behind an address, as the ingress of a real one answers: for what asks it over HTTP. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { engineClient } from '../../src/engine/client.js';
import { type WorkerOptions, workerHost } from '../../src/engine/worker-host.js';
import type { CommandFunction } from '../../src/runtime/command-function.js';
import { hostEffects } from '../../src/runtime/effects.js';
import { EngineRefusal, type OpenEntry, ScriptedEngine, SERVICES } from './scripted-engine.js';

export const NAMESPACE = 'test';

/** The address of an engine whose worker has these functions. Entries end in the order in which a turn waits for them. */
export async function liveEngine(
  commands: Readonly<Record<string, CommandFunction>> = {},
  worker: Partial<WorkerOptions> = {},
): Promise<string> {
  let delivering = Promise.resolve();
  const server = createServer(async (request, response) => {
    const [, , key = '', handler = ''] = (request.url ?? '').split('/').map(decodeURIComponent);
    const body = await text(request);
    const deliver = (): void => {
      delivering = delivering.then(() => engine.deliverAll());
    };
    try {
      const answer = engine.call(key, handler as 'submit', JSON.parse(body === '' ? 'null' : body));
      // A reader that waits has sent its message.
      deliver();
      const value = (await answer) ?? null;
      response.end(JSON.stringify(value));
    } catch (cause) {
      response.writeHead(cause instanceof EngineRefusal ? cause.status : 500);
      response.end(JSON.stringify({ message: String((cause as Error).message) }));
    }
    deliver();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const host = workerHost({
    services: SERVICES,
    client: engineClient({ url, namespace: NAMESPACE, token: null, patienceMs: 0 }),
    effects: hostEffects({ commands }),
    cwd: process.cwd(),
    secrets: [],
    environment: {},
    knows: async () => worker.worktrees !== undefined,
    ...worker,
  });
  const world = {
    now: Date.now(),
    ended: () => undefined,
    next: async (open: readonly OpenEntry[]) => open.find(({ kind }) => kind === 'run') as OpenEntry,
  };
  const engine = new ScriptedEngine(world, host);
  engine.submitters.push(...(worker.submitters ?? []));
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await host.close();
  });
  return url;
}
