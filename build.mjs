/**
 * Makes dist/: the command line as one bundle, the library as another, and its types. Everything is bundled,
 * so that starting reads few files and an installed package needs nothing else.
 */
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');

/** CommonJS packages inside an ES module still call `require` for what Node brings. */
const REQUIRE = "import { createRequire as $require } from 'node:module'; const require = $require(import.meta.url);";

/** Written beside and renamed, so that a run that starts meanwhile sees the old file or the new one. */
function place(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}`;
  writeFileSync(beside, contents);
  renameSync(beside, path);
}

async function bundle() {
  const result = await build({
    absWorkingDir: root,
    entryPoints: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
    outdir: dist,
    write: false,
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: false,
    format: 'esm',
    platform: 'node',
    target: 'node20.15',
    chunkNames: 'chunks/[name]-[hash]',
    legalComments: 'none',
    banner: { js: REQUIRE },
    logLevel: 'warning',
  });
  for (const file of result.outputFiles) place(file.path, file.contents);
  chmodSync(join(dist, 'cli.js'), 0o755);
  const kept = new Set(result.outputFiles.map((file) => basename(file.path)));
  for (const name of readdirSync(join(dist, 'chunks'))) if (!kept.has(name)) rmSync(join(dist, 'chunks', name));
}

/** The types of the library in one file. */
async function types() {
  const { build: declare } = await import('tsdown');
  await declare({
    config: false,
    cwd: root,
    entry: { index: 'src/index.ts' },
    outDir: dist,
    outExtensions: () => ({ dts: '.d.ts' }),
    dts: { emitDtsOnly: true },
    format: 'esm',
    platform: 'node',
    clean: false,
    report: false,
    logLevel: 'warn',
  });
}

await bundle();
if (!process.argv.includes('--without-types')) await types();
