/**
 * Makes dist/bridges/: programs that agents of some adapters are, each a script of its own. No other part of statedsl loads
 * them, so what they need costs a start nothing.
 */
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { oneLanguage } from './slimming.mjs';

/** `place` writes a file of dist/. Resolves with the paths of all inputs. */
export async function buildBridges({ root, dist, debug, place, define }) {
  const folder = join(dist, 'bridges');
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    write: false,
    bundle: true,
    minify: !debug,
    sourcemap: debug ? 'inline' : false,
    format: 'cjs',
    platform: 'node',
    target: 'node20.20',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    entryPoints: {
      model: 'src/runtime/bridges/ask-model.ts',
      acp: 'src/runtime/bridges/speak-acp.ts',
      hosts: 'src/runtime/bridges/reach-hosts.ts',
    },
    define,
    plugins: [oneLanguage],
  });
  const names = outputFiles.map(({ path }) => basename(path));
  for (const { path, contents } of outputFiles) place(path, contents);
  for (const name of readdirSync(folder)) if (!names.includes(name)) rmSync(join(folder, name));
  return Object.keys(metafile.inputs);
}
