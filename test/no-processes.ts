/** A unit test starts no process: one that tries fails, and belongs to the other tests (`vitest.config.ts`). */
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const) {
  const refuse = (program: unknown): never => {
    throw new Error(`a unit test starts no process, and this one starts ${String(program)}`);
  };
  Object.assign(childProcess, { [name]: refuse });
}
syncBuiltinESMExports();
