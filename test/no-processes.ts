/** A unit test starts no process: one that tries fails, and belongs to the other tests (`processes.ts`). */
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'vitest';
import { startsProcesses } from './processes.js';

const NAMES = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const;
/** What is replaced while unit tests run. A worker executes this file once for each of its test files. */
const REAL = Symbol.for('child processes');

const shared = globalThis as { [REAL]?: Partial<typeof childProcess> };
shared[REAL] ??= { ...childProcess };
const isAllowed = startsProcesses(expect.getState().testPath ?? '');

for (const name of NAMES) {
  const refuse = (program: unknown): never => {
    throw new Error(`a unit test starts no process, and this one starts ${String(program)}`);
  };
  Object.assign(childProcess, { [name]: isAllowed ? shared[REAL][name] : refuse });
}
syncBuiltinESMExports();
