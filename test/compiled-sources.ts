/**
 * Tests execute the sources as plain modules of Node. They are compiled at once, into a folder next to `src/`: vitest
 * needs a minute of processor time to transform and evaluate a thousand files one by one. What changes the sources while they
 * run (mutations, `npm run watch`) does without.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = join(root, 'src');
/** At the depth of `src/`, because some modules find the shipped files by their own location. */
const compiled = join(root, '.compiled');

export const COMPILED = /\/\.compiled\//;

const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
export const compiledPath = (source: string): string =>
  join(compiled, relative(sources, source)).replace(/\.tsx?$/, '.js');

/** Compiles what is newer than its output, and removes the output of files that are gone. */
async function compileSources(): Promise<void> {
  const files = filesOf(sources).filter((path) => /\.tsx?$/.test(path));
  const outputs = new Set(files.map(compiledPath));
  if (statSync(compiled, { throwIfNoEntry: false }) !== undefined)
    for (const path of filesOf(compiled)) if (path.endsWith('.js') && !outputs.has(path)) rmSync(path);
  const changed = files.filter((path) => changedAt(path) >= changedAt(compiledPath(path)));
  if (changed.length === 0) return;
  await build({
    entryPoints: changed,
    outbase: sources,
    outdir: compiled,
    format: 'esm',
    platform: 'node',
    target: `node${process.versions.node}`,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'warning',
  });
}

/** Leads imports of sources in tests to what was compiled. */
export function compiledSources(): Plugin {
  return {
    name: 'compiled-sources',
    enforce: 'pre',
    buildStart: compileSources,
    resolveId(name, importer) {
      const [, path, query = ''] = /^(\.[^?]*)\.js(\?.*)?$/.exec(name) ?? [];
      if (importer === undefined || path === undefined) return null;
      const source = join(dirname(importer), `${path}.ts`);
      return source.startsWith(`${sources}/`) ? compiledPath(source) + query : null;
    },
  };
}
