/** What a killed worker left running on this machine. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stopLeftRunning } from '../../src/engine/worker-processes.js';
import { processStat, thisOrigin } from '../../src/runtime/process/process-group.js';
import { start } from '../harness/process.js';

test('the commands of a worker that was killed are stopped, even if its parent has not noticed its death', async () => {
  // A parent that never asks for the end of its child.
  const parent = start('bash', ['-c', 'sleep 0.3 & echo $!; exec sleep 60']);
  const worker = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
  const command = start('sleep', ['60'], { detached: true });
  onTestFinished(() => {
    parent.kill('SIGKILL');
    command.kill('SIGKILL');
  });
  while (processStat(worker)?.state !== 'Z') await new Promise((resolve) => setTimeout(resolve, 5));
  const factsOf = (pid: number) => ({ pid, startedAt: processStat(pid)?.startedAt });
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-left-'));
  const lines = [
    { ...thisOrigin(), ...factsOf(worker) },
    { effect: '1', group: command.pid, ...factsOf(command.pid) },
  ];
  writeFileSync(join(folder, `processes-${worker}.ndjson`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  expect(await stopLeftRunning(folder)).toBe(1);
  expect((await command.end).code).toBe(null);
});
