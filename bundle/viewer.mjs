/**
 * Makes dist/viewer/: the page with its scripts and styles, all compressed. Names contain a hash of the content, so
 * that browsers can keep the files; the page itself names them. The layout engine for graphs is large, runs in a worker,
 * and is a file of its own.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { bundledPackages, printLicences } from './bundled-packages.mjs';

/** `place` writes a file of dist/. Resolves with the paths of all inputs. */
export async function buildViewer({ root, dist, debug, place }) {
  const folder = join(dist, 'viewer');
  const settings = {
    absWorkingDir: root,
    write: false,
    bundle: true,
    minify: !debug,
    sourcemap: debug ? 'inline' : false,
    platform: 'browser',
    target: ['es2022', 'chrome110', 'firefox115', 'safari16.4'],
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    loader: { '.svg': 'file' },
    tsconfig: join(root, 'src/page/tsconfig.json'),
  };
  const results = await Promise.all([
    build({ ...settings, format: 'esm', splitting: true, entryPoints: ['src/page/main.tsx'] }),
    build({ ...settings, format: 'iife', entryPoints: ['src/page/file.tsx'] }),
    build({ ...settings, format: 'iife', entryPoints: { layout: 'src/page/graph/layout-worker.ts' } }),
    build({ ...settings, entryPoints: { page: 'src/page/style/page.css' } }),
  ]);
  const files = results.flatMap(({ outputFiles }) => outputFiles);
  const find = (pattern) => basename(files.find(({ path }) => pattern.test(basename(path))).path);
  // Licences ask to be passed on with the code: by the server with the page, and in each page that is a file.
  const licencesOf = (some) => {
    const inputs = some.flatMap(({ metafile }) => Object.keys(metafile.inputs));
    return Buffer.from(printLicences(bundledPackages(root, inputs)));
  };
  const [main, file, layout, style] = results;
  const texts = { licences: licencesOf([main, layout, style]), 'file-licences': licencesOf([file, style]) };
  const hashOf = (content) => createHash('sha256').update(content).digest('hex').slice(0, 8);
  const licences = Object.entries(texts).map(([name, content]) => [`${name}-${hashOf(content)}.txt`, content]);
  const icon = readFileSync(join(root, 'src/page/style/icon.svg'));
  const iconName = `icon-${hashOf(icon)}.svg`;
  const words = {
    SCRIPT: find(/^main-.*\.js$/),
    STYLE: find(/^page-.*\.css$/),
    LAYOUT: find(/^layout-.*\.js$/),
    ICON: iconName,
    LICENCES: licences[0][0],
  };
  const template = readFileSync(join(root, 'src/page/page.html'), 'utf8');
  // Browsers find what the script imports only when they have read it.
  const { imports } = Object.entries(main.metafile.outputs).find(([path]) => basename(path) === words.SCRIPT)[1];
  const shared = imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="/assets/${basename(path)}">`);
  const page = template
    .replace('{SHARED}', shared.join('\n    '))
    .replace(/\{(\w+)\}/g, (_, word) => `/assets/${words[word]}`);
  const contents = new Map([
    ['index.html', Buffer.from(page)],
    [iconName, icon],
    ...licences,
    ...files.map(({ path, contents }) => [basename(path), Buffer.from(contents)]),
  ]);
  for (const [name, content] of contents) place(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
  for (const name of readdirSync(folder))
    if (!name.endsWith('.gz') || !contents.has(name.slice(0, -3))) rmSync(join(folder, name), { force: true });
  return results.flatMap(({ metafile }) => Object.keys(metafile.inputs));
}
