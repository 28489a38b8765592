/** Kills workers and the server of a real engine at random times: `node test/engine/kills.mjs COUNT`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install, startEngine } from './real/engine.mjs';
import { killed } from './real/killed.mjs';
import { tools } from './real/tools.mjs';

const times = Number(process.argv[2] ?? 20);
const reason = install();
if (reason !== null) throw new Error(`no engine was started: ${reason}`);
for (const which of ['worker', 'server']) {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-engine-'));
  const engine = await startEngine(folder);
  try {
    await engine.startServer();
    await engine.startWorker();
    console.log(which, JSON.stringify(await killed(tools(engine, folder), which, times)));
  } finally {
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
