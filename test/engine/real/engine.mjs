/** A real engine for tests: its packages, its server and its workers, each a process of its own on free local ports. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
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
const binary = join(cache, `node_modules/@restatedev/restate-server-${platform}/bin/restate-server`);
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

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
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
  const state = { server: null, worker: null };
  const engine = {
    ingress,
    core: await import(core),
    async startServer() {
      state.server = start(binary, ['--no-logo', '-c', configuration]);
      state.server.child.stdout.resume();
      for (const address of [`${admin}/health`, `${ingress}/restate/health`])
        while ((await fetch(address).catch(() => null))?.ok !== true) await sleep(50);
    },
    async startWorker() {
      state.worker = start(process.execPath, [join(here, 'worker.mjs'), core, sdk, ingress, admin, workerPort, log]);
      await new Promise((resolve) => state.worker.child.stdout.once('data', resolve));
    },
    /** Kills one and starts it again. */
    async restart(which) {
      state[which].child.kill('SIGKILL');
      await state[which].end;
      await (which === 'server' ? engine.startServer() : engine.startWorker());
    },
    /** What effects left behind, in order. */
    effects: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    async stop() {
      for (const one of [state.worker, state.server]) one?.child.kill('SIGKILL');
      await Promise.all([state.worker?.end, state.server?.end]);
    },
  };
  return engine;
}
