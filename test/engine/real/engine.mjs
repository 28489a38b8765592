/** A real engine for tests: its packages, its server and its workers, each a process of its own on free local ports. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa, execaSync } from 'execa';

const SDK = '1.12.0';
const SERVER = '1.7.12';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(dirname(here)));
const cache = join(root, 'node_modules/.cache', `engine-${SERVER}-${SDK}`);
/** The folder with the installed packages. */
export const modules = join(cache, 'node_modules');
const platform = `${process.platform}-${process.arch}`;
export const binary = join(cache, `node_modules/@restatedev/restate-server-${platform}/bin/restate-server`);
const sdk = join(cache, 'node_modules/@restatedev/restate-sdk/dist/index.js');

/** Null, or why the server cannot be executed here. Scripts of the packages would report the installation to somebody. */
export function install() {
  if (!existsSync(binary) || !existsSync(sdk)) {
    mkdirSync(cache, { recursive: true });
    const packages = [`@restatedev/restate-sdk@${SDK}`, `@restatedev/restate-server@${SERVER}`];
    const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
    const { exitCode, stderr } = execaSync('npm', ['install', '--prefix', cache, ...quiet, ...packages], {
      reject: false,
    });
    if (exitCode !== 0) return String(stderr).trim();
    if (!existsSync(binary)) return `Restate ${SERVER} has no server for ${platform}`;
  }
  // It is linked to a C library, which may be older or another one here.
  const { exitCode, stderr, shortMessage } = execaSync(binary, ['--version'], { reject: false });
  return exitCode === 0 ? null : `Restate ${SERVER} cannot be executed on this system: ${stderr || shortMessage}`;
}

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Passes each connection to the next of the ports at which something listens, as the balancers of clusters do. */
async function startBalancer(port, targets) {
  let turn = 0;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    const tryNext = (left) => {
      if (left === 0) return void client.destroy();
      const target = connect(targets[turn++ % targets.length], '127.0.0.1');
      const refused = () => tryNext(left - 1);
      target.once('error', refused);
      target.once('connect', () => {
        target.off('error', refused);
        target.on('error', () => undefined);
        target.once('close', () => client.destroy());
        client.once('close', () => target.destroy());
        client.pipe(target).pipe(client);
      });
    };
    tryNext(targets.length);
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

function processorMs({ pid }) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name, which may have spaces: the times of the program and of the system, in ticks of 10 ms.
    const words = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(words[11]) + Number(words[12])) * 10;
  } catch {
    return Number.NaN;
  }
}

/** `folder`: for everything that it stores. */
export async function startEngine(folder) {
  const [ingressPort, adminPort, nodePort, workerPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const ingress = `http://127.0.0.1:${ingressPort}`;
  const admin = `http://127.0.0.1:${adminPort}`;
  const core = join(folder, 'core.mjs');
  const banner = "import { createRequire as $require } from 'node:module'; const require = $require(import.meta.url);";
  await build({
    entryPoints: [join(here, 'core.ts')],
    outfile: core,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: { js: banner },
    logLevel: 'warning',
  });
  const configuration = join(folder, 'restate.toml');
  const lines = [
    'bind-ip = "127.0.0.1"',
    'listen-mode = "tcp"',
    'advertised-host = "127.0.0.1"',
    'disable-telemetry = true',
    `bind-port = ${nodePort}`,
    'node-name = "test"',
    `base-dir = ${JSON.stringify(join(folder, 'data'))}`,
    `[ingress]\nbind-address = "127.0.0.1:${ingressPort}"`,
    `[admin]\nbind-address = "127.0.0.1:${adminPort}"`,
  ];
  writeFileSync(configuration, `${lines.join('\n')}\n`);
  const log = join(folder, 'effects.ndjson');
  writeFileSync(log, '');
  const start = (program, args) => {
    const child = execa(program, args, {
      reject: false,
      cwd: folder,
      stderr: 'ignore',
      stdin: 'ignore',
      buffer: false,
    });
    return { child, end: child.then(() => undefined) };
  };
  const state = { server: null, workers: [] };
  /** One of the ports of a worker. With a balancer the engine knows only the address of that. */
  const startWorkerAt = async (at, port, known = port, code = core) => {
    const one = start(process.execPath, [join(here, 'worker.mjs'), code, sdk, admin, port, log, known]);
    state.workers[at] = { ...one, port, known };
    await new Promise((resolve) => one.child.stdout.once('data', resolve));
  };
  const engine = {
    ingress,
    core: await import(core),
    async startServer() {
      state.server = start(binary, ['--no-logo', '-c', configuration]);
      state.server.child.stdout.resume();
      for (const address of [`${admin}/health`, `${ingress}/restate/health`])
        while ((await fetch(address).catch(() => null))?.ok !== true) await sleep(50);
    },
    startWorker: () => startWorkerAt(0, workerPort),
    /** Another worker, at an address of its own. Resolves with its port, as text. */
    async startNext() {
      const port = await freePort();
      await startWorkerAt(state.workers.length, port);
      return String(port);
    },
    /** Starts the worker at its address again, with a module that was made from the code of this one. */
    async startChanged(change) {
      const changed = join(folder, 'changed.mjs');
      writeFileSync(changed, change(readFileSync(core, 'utf8')));
      await startWorkerAt(0, workerPort, workerPort, changed);
    },
    /** Changes a setting of a service on the server. */
    async configure(service, settings) {
      const request = {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(settings),
      };
      const answer = await fetch(`${admin}/services/${service}`, request);
      if (!answer.ok) throw new Error(await answer.text());
    },
    /** Two workers that share one address. */
    async startWorkers() {
      const ports = [await freePort(), await freePort()];
      state.balancer = await startBalancer(workerPort, ports);
      await Promise.all(ports.map((port, at) => startWorkerAt(at, port, workerPort)));
    },
    /** Kills the server, the worker, or one of the workers by chance. Resolves with the action that starts it again. */
    async kill(which) {
      const at = which === 'one' ? Math.floor(Math.random() * state.workers.length) : 0;
      const killed = which === 'server' ? state.server : state.workers[at];
      killed.child.kill('SIGKILL');
      await killed.end;
      const startAgain = () =>
        which === 'server' ? engine.startServer() : startWorkerAt(at, killed.port, killed.known);
      return Object.assign(startAgain, { port: killed.port === undefined ? null : String(killed.port) });
    },
    /** How long processors have worked for the server, and for the first worker, in milliseconds. Where the system does not say it: not a number. */
    serverMs: () => processorMs(state.server.child),
    workerPid: () => state.workers[0].child.pid,
    workerMs: () => processorMs(state.workers[0].child),
    /** Kills one and starts it again. */
    restart: async (which) => (await engine.kill(which))(),
    /** What effects left behind, in order. A line that is still written is not read. */
    effects: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    async stop() {
      const all = [...state.workers, state.server];
      for (const one of all) one?.child.kill('SIGKILL');
      await Promise.all(all.map((one) => one?.end));
      state.balancer?.close();
    },
  };
  return engine;
}
