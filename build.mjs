/**
 * Makes dist/: the command line as one bundle, the library as another, and its types. Everything is bundled,
 * so that starting reads few files and an installed package needs nothing else.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

/** The licences of the packages that went into the bundle, which ask to be passed on with them. */
function licences(inputs) {
  const found = inputs.map((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  const texts = [...new Set(found)]
    .filter(Boolean)
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      const file = readdirSync(join(root, folder)).find((one) => /^licen[cs]e/i.test(one));
      const text = file === undefined ? '' : `\n\n${readFileSync(join(root, folder, file), 'utf8').trim()}`;
      return `${name} ${version}: ${license}${text}\n`;
    });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
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
    metafile: true,
    logLevel: 'warning',
  });
  for (const file of result.outputFiles) place(file.path, file.contents);
  place(join(dist, 'licences.txt'), licences(Object.keys(result.metafile.inputs)));
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
