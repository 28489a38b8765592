/** Starts the benchmark: it measures the sources as they are, bundled like the program itself. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const outfile = join(root, 'node_modules/.cache/statedsl-bench/table.mjs');
await build({
  absWorkingDir: root,
  entryPoints: ['bench/table.ts'],
  outfile,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.15',
  external: ['xstate'],
  banner: { js: "import { createRequire as $require } from 'node:module'; const require = $require(import.meta.url);" },
  logLevel: 'warning',
});
const { status } = spawnSync(process.execPath, ['--expose-gc', outfile, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, STATEDSL_BENCH_ROOT: root },
});
process.exitCode = status ?? 1;
