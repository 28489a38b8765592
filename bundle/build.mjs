/**
 * Makes dist/: the command line and the library in `code/` with their launchers, the types of the library, and the page in
 * `viewer/`. Everything is bundled, so that starting reads few files and an installed package needs nothing else.
 * `--without-types` leaves out the types; `--debug` leaves the code as it is written, with source maps for debuggers and
 * stack traces; `--if-changed` makes it only when a source is newer than the program.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { buildBridges } from './bridges.mjs';
import { bundledPackages, printLicences, printSbom } from './bundled-packages.mjs';
import { lookahead, oneLanguage, packedLayout, withoutAnalysis, withoutValidators } from './slimming.mjs';
import { buildViewer } from './viewer.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const dist = join(root, 'dist');
const code = join(dist, 'code');

const debug = process.argv.includes('--debug');
const withTypes = !debug && !process.argv.includes('--without-types');

/** When a file, or the newest file of a folder, was changed; 0 if there is none. */
function changedAt(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}

function isCurrent() {
  const built = changedAt(join(dist, 'cli.js'));
  return ['src', 'bundle', 'package-lock.json'].every((name) => changedAt(join(root, name)) < built);
}

if (process.argv.includes('--if-changed') && isCurrent()) process.exit();

const settings = {
  absWorkingDir: root,
  write: false,
  bundle: true,
  minify: !debug,
  sourcemap: debug ? 'inline' : false,
  format: 'esm',
  platform: 'node',
  target: 'node20.20',
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};

/** What `import.meta.url` is in a script: few ask for it, and making it takes a while. */
const OWN_URL = 'const __url=()=>require("node:url").pathToFileURL(__filename).href;';

/** Written under another name and renamed, so that a run that starts meanwhile sees the old file or the new one. */
function place(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}`;
  writeFileSync(beside, contents);
  renameSync(beside, path);
}

/**
 * The launcher reads scripts as Latin-1, which is only right for ASCII. What is left of other characters stands in
 * regular expressions, where an escape means the same.
 */
function asciiOnly(text) {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Exports functions and constants as values. The conversion makes a getter of each export, because a variable may change;
 * each use of something of another part would call that first. `text` is a script that is not minified yet. No two parts
 * need each other, so a constant is there before another part asks for it.
 */
function exportValues(text) {
  const values = [];
  const later = [];
  const matches = (name, pattern) => text.match(new RegExp(pattern(name.replaceAll('$', '\\$')), 'gm'))?.length ?? 0;
  const isFunction = (name) => matches(name, (one) => `^(?:async )?function\\*? ${one}\\(`) > 0;
  const assigned = (one) => `(?<![\\w$.])${one}(?: *(?:[-+*/%&|^?<>]{0,3}=(?![=>])|\\+\\+|--)|(?= (?:of|in) ))`;
  const changed = (one) => `(?:\\+\\+|--)${one}(?![\\w$])`;
  const isConstant = (name) =>
    matches(name, (one) => `^var ${one} = `) === 1 && matches(name, assigned) === 1 && matches(name, changed) === 0;
  const others = text.replace(/^ {2}(\w+): \(\) => ([\w$]+),?$/gm, (line, name, value) => {
    const isLater = isConstant(value);
    if (name === 'default' || (!isFunction(value) && !isLater)) return line;
    values.push(`${name}: ${isLater ? 'void 0' : value}`);
    if (isLater) later.push(`.${name} = ${value};`);
    return '';
  });
  const [, all] = /^var (\w+_exports) = \{\};$/m.exec(others) ?? [];
  if (all === undefined) return text;
  const exported = `${others}\n${later.map((one) => all + one).join('\n')}\n`
    .replace(`var ${all} = {};`, `var ${all} = { ${values.join(', ')} };`)
    .replace(new RegExp(`^__export\\(${all}, \\{\\s*\\}\\);\\n`, 'm'), '');
  // Only scripts of this build import it, and without a default export they do not look at the mark of a conversion.
  const isMarked = /^ {2}default: /m.test(exported);
  return withoutUnused(isMarked ? exported : exported.replace(`__toCommonJS(${all})`, all));
}

/** Without the helpers of a conversion that nothing uses any more: a start would define them for each script. */
function withoutUnused(text) {
  const helpers = /^var (__[a-z]\w*) = (?:.*;|.*\{\n(?: .*\n)*\};)\n/gm;
  const kept = text.replace(helpers, (all, name) => (text.split(name).length > all.split(name).length ? all : ''));
  return kept === text ? text : withoutUnused(kept);
}

/**
 * A part is evaluated when something of it is used for the first time, and not when another part that mentions it is: a
 * start uses a third of the functions that it would define. `text` is a script that is not minified yet, in which the
 * names of imported parts are unique.
 */
function evaluateLate(text) {
  const parts = new Map();
  const declared = text.replace(/^var (import_\w+) = require\("(\.\/[^"]+)"\);$/gm, (_, part, path) => {
    const name = `p$${parts.size}`;
    parts.set(part, name);
    return `var ${name}, ${name}_ = () => ${name} = require("${path}");`;
  });
  // Once it is evaluated, a use costs no call.
  return declared.replace(/\b(import_\w+)\./g, (all, part) => {
    const name = parts.get(part);
    return name === undefined ? all : `(${name} ?? ${name}_()).`;
  });
}

/** The files that become parts of their own, because a start needs few of them. All others are joined where possible. */
function ownParts() {
  const folder = 'src/interpreter';
  const files = readdirSync(join(root, folder), { recursive: true }).filter((name) => name.endsWith('.ts'));
  return Object.fromEntries(files.map((name) => [name.replace(/\.ts$/, ''), join(folder, name)]));
}

const MAIN = 'src/cli/main.ts';
const LIBRARY = 'src/index.ts';
/** It runs in a worker thread too, where Node loads its scripts and not the launcher. */
const IN_WORKER = 'src/cli/terminal/graph-svg.ts';

/** The outputs that can be loaded from those with these inputs. What esbuild makes of each own part besides cannot. */
function reachable({ outputs }, inputs) {
  const starts = Object.keys(outputs).filter((path) =>
    inputs.some((input) => outputs[path].inputs[input] !== undefined),
  );
  const found = new Set(starts);
  for (const path of found)
    for (const { path: imported, external } of outputs[path].imports) if (external !== true) found.add(imported);
  return found;
}

/** Parts that need each other would find constants of each other undefined, see `exportValues`. */
function refuseCycles({ outputs }) {
  const done = new Set();
  const visit = (path, above) => {
    if (above.includes(path)) throw new Error(`parts need each other: ${[...above, path].join(' → ')}`);
    if (done.has(path)) return;
    for (const { path: imported, kind, external } of outputs[path].imports)
      if (kind === 'import-statement' && external !== true) visit(imported, [...above, path]);
    done.add(path);
  };
  for (const path of Object.keys(outputs)) visit(path, []);
}

/**
 * The command line and the library: split into parts that are loaded when they are needed, each turned into a script,
 * because only scripts can be started from what V8 compiled before.
 */
async function program(define) {
  const { outputFiles: made, metafile } = await build({
    ...settings,
    entryPoints: { main: MAIN, index: LIBRARY, ...ownParts() },
    outdir: code,
    splitting: true,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outExtension: { '.js': '.cjs' },
    define: { ...define, 'import.meta.url': '__url' },
    plugins: [
      withoutAnalysis,
      withoutValidators,
      oneLanguage,
      packedLayout({ path: join(dist, 'elk.js.gz'), from: '../elk.js.gz', place }),
    ],
  });
  refuseCycles(metafile);
  const loadable = reachable(metafile, [MAIN, LIBRARY]);
  const outputFiles = made.filter(({ path }) => loadable.has(relative(root, path)));
  for (const { path, text } of outputFiles) {
    const converted = await transform(text, {
      format: 'cjs',
      platform: 'node',
      target: settings.target,
      sourcemap: settings.sourcemap,
      sourcefile: basename(path),
      supported: { 'dynamic-import': false },
    });
    const script = debug
      ? converted
      : await transform(evaluateLate(exportValues(converted.code)), { minify: true, target: settings.target });
    const own = script.code.includes('__url') ? OWN_URL : '';
    // Modules are strict; scripts have to say so.
    const body = script.code.replace(/^#!.*\n/, '').replace(/\b__url\b/g, '__url()');
    place(path, `"use strict";${own}${asciiOnly(body)}`);
  }
  const names = outputFiles.map(({ path }) => basename(path));
  for (const name of readdirSync(code)) if (!names.includes(name)) rmSync(join(code, name));
  const index = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === LIBRARY);
  return {
    names,
    exported: index.exports,
    alone: [...reachable(metafile, [IN_WORKER])].map((path) => basename(path)),
    inputs: Object.keys(metafile.inputs),
  };
}

/**
 * The launcher of the scripts, where `packs` gives the names of those that are loaded together. Without a `build` it
 * stores no compiled code: a debugger sets breakpoints only in scripts that V8 compiles itself. It is itself compiled at
 * every start, so what only stores is in a file of its own.
 */
async function launcher(names, { packs, build: id, exported }) {
  const packOf = Object.entries(packs).flatMap(([pack, members]) => members.map((name) => [name, pack]));
  const words = { PACKS: JSON.stringify(Object.fromEntries(packOf)), BUILD: id };
  const made = async (entryPoints, more) => {
    const { outputFiles } = await build({
      ...settings,
      entryPoints,
      outdir: dist,
      format: 'cjs',
      external: ['./store.cjs'],
      outExtension: { '.js': '.cjs' },
      define: Object.fromEntries(
        Object.entries({ ...words, ...more }).map(([name, text]) => [name, JSON.stringify(text)]),
      ),
    });
    return outputFiles;
  };
  const named = (start) => names.find((name) => name.startsWith(`${start}-`));
  const outputFiles = [
    ...(await made(
      { cli: join(here, 'launch.cjs'), store: join(here, 'store.cjs') },
      { MAIN: named('main'), COMMAND: '' },
    )),
    ...(await made({ library: join(here, 'launch.cjs') }, { MAIN: named('index'), COMMAND: 'library' })),
  ];
  const module = libraryModule(exported);
  const files = outputFiles.map(({ path, contents }) => ({ path: path.replace(/cli\.cjs$/, 'cli.js'), contents }));
  for (const { path, contents } of files) place(path, contents);
  place(join(dist, 'index.mjs'), module);
  const written = files.map(({ path }) => basename(path));
  for (const name of readdirSync(dist)) if (name.endsWith('.cjs') && !written.includes(name)) rmSync(join(dist, name));
  chmodSync(join(dist, 'cli.js'), 0o755);
}

/** The library as a module: the names that its script exports. */
function libraryModule(exported) {
  const names = exported.join(', ');
  const lines = [
    "import { createRequire } from 'node:module';",
    `const { ${names} } = createRequire(import.meta.url)('./library.cjs');`,
    `export { ${names} };`,
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Lets the built program run, to see which scripts most starts load. They become one file, those that only a program needs
 * that was not compiled before become another, what else `verify` loads a third, and what a server of agents loads until its first
 * answer a fourth.
 */
async function packScripts({ names, exported, alone }) {
  await launcher(names, { packs: {}, build: 'sample', exported });
  const scratch = mkdtempSync(join(tmpdir(), 'statedsl-build-'));
  const sample = join(scratch, 'sample.dsl');
  writeFileSync(sample, readFileSync(join(here, 'sample.dsl')));
  const cache = join(scratch, 'cache');
  const loadedBy = (...args) => loadedScripts(args, cache);
  const run = () => loadedBy('run', sample, '--dir', join(scratch, 'runs'));
  const first = run();
  const later = run();
  const exploring = loadedBy('verify', sample);
  const serving = loadedScripts(['mcp', '--programs', scratch], cache, INITIALIZE);
  rmSync(scratch, { recursive: true, force: true });
  const without = (names, ...others) => names.filter((name) => others.every((other) => !other.includes(name)));
  const packs = {
    'run.pack': later,
    'compile.pack': without(first, later),
    'verify.pack': without(exploring, first, later),
    'mcp.pack': without(serving, first, later, exploring),
  };
  for (const [name, members] of Object.entries(packs)) pack(name, members);
  for (const name of Object.values(packs).flat()) if (!alone.includes(name)) rmSync(join(code, name));
  return packs;
}

/** The first message of a client of the Model Context Protocol. */
const INITIALIZE = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'build', version: '1' } },
})}\n`;

/** Runs the built program; gives the names of the scripts that it loaded. */
function loadedScripts(args, cache, input = '') {
  const list = join(code, '.loaded');
  execFileSync(process.execPath, [join(here, 'list-loaded.mjs'), list, join(dist, 'cli.js'), ...args], {
    stdio: 'pipe',
    input,
    env: { ...process.env, XDG_CACHE_HOME: cache },
  });
  const names = readFileSync(list, 'utf8').split('\n');
  rmSync(list);
  return names;
}

/** Scripts as members of one object, each still a function of its own. */
function pack(name, members) {
  const functions = members.map((member) => {
    const text = readFileSync(join(code, member), 'latin1');
    return `${JSON.stringify(member)}: function (exports, require, module, __filename) {${text}\n}`;
  });
  place(join(code, name), `({\n${functions.join(',\n')}\n})`);
}

/** Differs whenever a script does. */
function identify() {
  const hash = createHash('sha256');
  for (const name of ['cache.cjs', 'launch.cjs', 'store.cjs']) hash.update(readFileSync(join(here, name)));
  for (const name of readdirSync(code).sort()) hash.update(`${name}\n`).update(readFileSync(join(code, name)));
  return hash.digest('hex').slice(0, 16);
}

/** The types of the library in one file. */
async function types() {
  const { build: declare } = await import('tsdown');
  await declare({
    config: false,
    cwd: root,
    entry: { index: 'src/index.ts' },
    outDir: dist,
    outExtensions: () => ({ dts: '.d.mts' }),
    dts: { emitDtsOnly: true },
    format: 'esm',
    platform: 'node',
    clean: false,
    report: false,
    logLevel: 'error',
  });
}

// The launcher is a script: loading a module takes Node longer.
place(join(dist, 'package.json'), '{ "type": "commonjs" }\n');
const define = { LOOKAHEAD: await lookahead(root) };
const made = await program(define);
const inViewer = await buildViewer({ root, dist, debug, place });
const inBridges = await buildBridges({ root, dist, debug, place, define });
const packages = bundledPackages(root, [...made.inputs, ...inViewer, ...inBridges]);
place(join(dist, 'licences.txt'), printLicences(packages));
place(join(dist, 'sbom.cdx.json'), printSbom(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')), packages));
const { names, exported } = made;
if (debug) await launcher(names, { packs: {}, build: '', exported });
else await launcher(names, { packs: await packScripts(made), build: identify(), exported });
// The types take longer than all the rest, and no test of the program needs them.
if (withTypes) await types();
