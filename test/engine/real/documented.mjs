/** The files that the documentation shows for Compose and Kubernetes: the server and the workers start with exactly their words. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { parseAllDocuments } from 'yaml';
import { binary, freePort, modules } from './engine.mjs';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const cli = join(root, 'dist', 'cli.js');

/** Of each kind of file: the words and variables of the server, its probes, and the words of a worker with its probes. */
function documented() {
  const text = readFileSync(join(root, 'docs/engine-deployment.md'), 'utf8');
  const files = [...text.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, one]) =>
    parseAllDocuments(one).map((document) => document.toJS()),
  );
  const { services } = files.find(([one]) => one.services !== undefined)[0];
  const containerOf = (kind) => files.flat().find((one) => one.kind === kind).spec.template.spec.containers[0];
  const [server, worker] = [containerOf('StatefulSet'), containerOf('Deployment')];
  const probesOf = ({ readinessProbe, livenessProbe }) => [readinessProbe.httpGet, livenessProbe.httpGet];
  return {
    compose: {
      env: services.restate.environment,
      args: services.restate.command ?? [],
      probes: [],
      worker: services.worker.command,
      workerProbes: [],
      check: services.worker.healthcheck.test.slice(1),
    },
    kubernetes: {
      env: Object.fromEntries(server.env.map(({ name, value }) => [name, value])),
      args: server.args ?? [],
      probes: probesOf(server),
      worker: worker.args,
      workerProbes: probesOf(worker),
    },
  };
}

/** `folder`: for everything that is stored. */
export async function documentedFiles(folder) {
  for (const [name, spec] of Object.entries(documented())) await tryFile(join(folder, name), spec);
}

async function tryFile(folder, spec) {
  mkdirSync(join(folder, 'keys'), { recursive: true });
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(folder, 'keys/private.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const [ingress, admin, node, turns, status] = await Promise.all([1, 2, 3, 4, 5].map(freePort));
  const ports = { 8080: ingress, 9070: admin, 9180: turns, 9181: status };
  // All that a container gives: its folders, its names of machines, and its ports.
  const here = (word) =>
    String(word)
      .replace(/^\/keys\//, `${folder}/keys/`)
      .replace(/^\/restate-data$/, join(folder, 'data'))
      .replace(/\/\/(?:restate|worker|statedsl-worker-1):/, '//127.0.0.1:')
      .replace(/:(8080|9070|9180|9181)\b/, (_, port) => `:${ports[port]}`);
  const env = {
    ...Object.fromEntries(Object.entries(spec.env).map(([key, value]) => [key, here(value)])),
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
  };
  assert.equal(env.RESTATE_DISABLE_TELEMETRY, 'true');
  const children = [];
  const start = (program, words, options) => {
    const child = execa(program, words, { reject: false, cwd: folder, extendEnv: false, all: true, ...options });
    const seen = { text: '', hasEnded: false };
    child.all.on('data', (bytes) => {
      seen.text += bytes;
    });
    const end = child.then(() => {
      seen.hasEnded = true;
    });
    children.push({ child, end });
    return seen;
  };
  const until = async (what, isDone, ...seen) => {
    for (let tries = 0; !(await isDone()); tries++) {
      assert(
        tries < 600 && seen.every(({ hasEnded }) => !hasEnded),
        `${what}: ${seen.map((one) => one.text).join('\n')}`,
      );
      await sleep(100);
    }
  };
  const isWell = async (port, path) => (await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null))?.ok === true;
  try {
    const server = start(binary, ['--no-logo', ...spec.args.map(here)], { env });
    for (const { path, port } of [{ path: '/restate/health', port: 8080 }, ...spec.probes])
      await until(`the server answers ${path}`, () => isWell(ports[port], path), server);
    await until('the server prints its key', () => /publickeyv1_\w+/.test(server.text), server);
    const [key] = /publickeyv1_\w+/.exec(server.text);
    symlinkSync(modules, join(folder, 'node_modules'));
    const [program, ...words] = spec.worker;
    assert.equal(program, 'statedsl');
    const own = words.map((word) => here(word).replace('publickeyv1_…', key));
    const worker = start(process.execPath, [cli, ...own], { env: { PATH: process.env.PATH, HOME: folder } });
    for (const path of ['/healthz', '/readyz'])
      await until(`the worker answers ${path}`, () => isWell(status, path), worker);
    for (const { path, port } of spec.workerProbes) assert(await isWell(ports[port], path), path);
    if (spec.check !== undefined) {
      const { exitCode } = await execa(process.execPath, spec.check.slice(1).map(here), { reject: false });
      assert.deepEqual([spec.check[0], exitCode], ['node', 0]);
    }
    writeFileSync(join(folder, 'hello.dsl'), 'CHECK: x = echo hello\nRETURN: {x}\n');
    const run = ['run', 'hello.dsl', '--on', `http://127.0.0.1:${ingress}`, '--quiet'];
    const { stdout, stderr } = await execa(process.execPath, [cli, ...run], { cwd: folder, reject: false });
    assert.equal(stdout, 'hello', stderr);
    const metrics = await (await fetch(`http://127.0.0.1:${status}/metrics`)).text();
    assert.match(metrics, /statedsl_worker_effects_total\{kind="shell",outcome="exited"\} 1/);
  } finally {
    for (const { child, end } of children.reverse()) {
      child.kill('SIGKILL');
      await end;
    }
  }
}
