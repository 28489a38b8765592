/** The files in which workers record their processes, in one folder. */
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stopLeftRunning, workerProcesses } from '../../src/engine/worker-processes.js';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'statedsl-processes-'));

test('each worker has a file of its own from its start, even with the same process number', () => {
  const folder = newFolder();
  const workers = [workerProcesses(folder), workerProcesses(folder)];
  expect(readdirSync(folder)).toHaveLength(2);
  for (const worker of workers) worker.close();
  expect(readdirSync(folder)).toEqual([]);
  writeFileSync(join(folder, 'file'), '');
  expect(() => workerProcesses(join(folder, 'file'))).toThrow(/EEXIST|ENOTDIR|not a/);
});

test('the file of a worker that lives stays, and one that cannot be read is left out', async () => {
  const folder = newFolder();
  const own = workerProcesses(folder);
  mkdirSync(join(folder, 'processes-1.ndjson'));
  expect(await stopLeftRunning(folder)).toBe(0);
  expect(readdirSync(folder)).toHaveLength(2);
  own.close();
});
