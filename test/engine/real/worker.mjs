/** A process that executes turns: `worker.mjs CORE SDK ADMIN PORT LOG KNOWN`, with the port by which the engine knows it. Says `ready` when the engine knows it. */
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const [core, sdk, engine, port, log, known] = process.argv.slice(2);
const { hostEffects, startWorker, workerProcesses } = await import(core);
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
const directory = `${log}.${port}`;
await startWorker({
  sdk: {
    ...restate,
    createEndpointHandler: (given) => restate.createEndpointHandler({ ...given, services: [...given.services, empty] }),
  },
  ...{ engine, host: '127.0.0.1', port: Number(port), namespace: 'statedsl', patienceMs: 60_000 },
  advertise: port === known ? null : `http://127.0.0.1:${known}`,
  effects: hostEffects({ commands }),
  ...{ directory, processes: workerProcesses(directory), cwd: process.cwd(), shared: null },
  ...{ token: null, key: null, identityKeys: [], secrets: [], environment: {}, submitters: null, functions: null },
  ...{ labels: [], homes: [], log: null },
  // Warnings are part of what is left behind.
  warn: (message) => appendFileSync(log, `${JSON.stringify({ what: 'warning', message, port })}\n`),
});
console.log('ready');
