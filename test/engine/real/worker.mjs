/** A process that executes turns: `worker.mjs CORE SDK INGRESS ADMIN PORT LOG KNOWN`, with the port by which the engine knows it. Says `ready` when the engine knows it. */
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import http2 from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';

const [core, sdk, ingress, admin, port, log, known] = process.argv.slice(2);
const { engineClient, hostEffects, restateServices, serviceNames, workerHost } = await import(core);
const restate = await import(sdk);

const note = (what, { runId }, args, token) =>
  appendFileSync(log, `${JSON.stringify({ what, run: runId, name: args[0], token, port })}\n`);
const commands = {
  noop: () => '',
  /** `mark NAME MS`: takes so long, and leaves a trace when it begins. What it comes to is its trace. */
  mark: async (args, context) => {
    const token = randomUUID();
    note('start', context, args, token);
    await sleep(Number(args[1] ?? 0), undefined, { signal: context.signal });
    return token;
  },
};
/** Warnings are part of what is left behind. */
const warn = (message) => appendFileSync(log, `${JSON.stringify({ what: 'warning', message, port })}\n`);
const client = engineClient({ url: ingress, namespace: 'statedsl', token: null, patienceMs: 60_000 });
const services = serviceNames('statedsl');
const host = workerHost({
  services,
  client,
  effects: hostEffects({ commands }),
  cwd: process.cwd(),
  secrets: [],
  environment: {},
  knows: async () => false,
  warn,
  address: () => `http://127.0.0.1:${known}`,
});
/** What the engine can do at most: so many empty entries in one handler, whose journal is not kept either. */
const empty = restate.service({
  name: 'empty',
  options: { journalRetention: 0 },
  handlers: {
    entries: async (context, count) => {
      for (let at = 0; at < count; at++) await context.run('empty', () => '');
    },
  },
});
const offered = [...restateServices(restate, host), empty];
const logger = ({ context }, ...words) => void host.origins.explain(context?.invocationId ?? '', words.join(' '));
const handler = restate.createEndpointHandler({ services: offered, logger });
http2.createServer(handler).listen(Number(port), '127.0.0.1', async () => {
  const body = JSON.stringify({ uri: `http://127.0.0.1:${known}` });
  for (;;) {
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    const answer = await fetch(`${admin}/deployments`, request).catch(() => null);
    if (answer?.ok) break;
    await sleep(100);
  }
  console.log('ready');
});
