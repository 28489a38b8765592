#!/usr/bin/env node
/**
 * Starts the program from `code/`, or gives the library from there. Compiling the scripts is most of the time that a small
 * program takes, so the next start takes what V8 made of them from a cache (`cache.cjs`), which this Node fills for this
 * user.
 */
const { readdirSync, readFileSync } = require('node:fs');
const { Script } = require('node:vm');
const cache = require('./cache.cjs');

/** What Node takes long to load and many runs never use. */
const HEAVY = new Set(['node:child_process', 'node:crypto', 'node:net']);

/** Scripts that are loaded together are stored together: reading and starting thirty small ones takes longer. */
const PACK_OF = JSON.parse(PACKS);

const pathOf = (name) => `${__dirname}/code/${name}`;
const modules = new Map();
const packs = new Map();

/**
 * Which parts of the program are used depends on the command; what is stored for another would be too much or too little.
 * The build names the library `library`.
 */
const command = COMMAND || (/^[a-z]{2,12}$/.exec(process.argv[2])?.[0] ?? 'help');

/** The last major version of Node on which the flag below was tried: on others V8 may complain about it. */
const LAST_NODE = 26;

// V8 would let new objects have ever more memory, up to twice of what an exploration keeps, and be no quicker. It takes
// compiled code only with the flags with which that was stored, so they are set before the first script.
if (command === 'verify' && Number.parseInt(process.versions.node, 10) <= LAST_NODE)
  require('node:v8').setFlagsFromString('--semi-space-growth-factor=1');

/** Some test runners execute modules in a context that is not that of Node. */
const isInContext = COMMAND !== '' && new Script('globalThis').runInThisContext() !== globalThis;

/** By file name: the script, and the parts that were loaded when its compiled form was stored. */
const scripts = new Map();
/** What was loaded by name; the functions that a start calls follow from that. */
const loaded = new Set();

function started(name, source) {
  // Values of another realm would not be equal to those of a test that runs in a context of its own.
  // biome-ignore lint/security/noGlobalEval: the text is a script of this program
  if (isInContext) return globalThis.eval(`${source}\n//# sourceURL=${pathOf(name)}`);
  const stored = cache.read(`${command}-${name}`);
  const script = new Script(source, { filename: pathOf(name), cachedData: stored?.content });
  const used = stored === null || script.cachedDataRejected ? null : stored.label.split(' ');
  scripts.set(name, { script, used });
  return script.runInThisContext();
}

/** Texts of scripts that were read before they are needed. */
const held = new Map();

function textOf(name) {
  const text = held.get(name);
  if (text !== undefined) return text;
  try {
    return readFileSync(pathOf(name), 'latin1');
  } catch (cause) {
    if (cause.code !== 'ENOENT') throw cause;
    const message = `the files of statedsl were replaced or removed while it ran: there is no \`${pathOf(name)}\``;
    const help = 'start the command again; `statedsl resume` continues a run';
    throw Object.assign(new Error(message), { code: 'STATEDSL_PART_MISSING', help });
  }
}

/** A process that runs for days must not notice that an update has replaced its files. */
function holdScripts() {
  for (const name of readdirSync(pathOf(''))) {
    const isNeeded = PACK_OF[name] === undefined && !modules.has(name) && !packs.has(name);
    if (isNeeded && /\.(cjs|pack)$/.test(name)) held.set(name, textOf(name));
  }
}

function packOf(name) {
  const pack = PACK_OF[name];
  if (pack === undefined) return undefined;
  if (!packs.has(pack)) packs.set(pack, started(pack, textOf(pack)));
  return packs.get(pack)[name];
}

function fromNode(id) {
  if (!HEAVY.has(id)) return require(id);
  const get = (_, name) => {
    loaded.add(id);
    return require(id)[name];
  };
  return new Proxy({}, { get });
}

const requireFrom = (id) => (id.startsWith('./') ? load(id.slice(2)) : fromNode(id));

function load(name) {
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  modules.set(name, module);
  loaded.add(name);
  try {
    const body = packOf(name) ?? started(name, `(function (exports, require, module, __filename) {${textOf(name)}\n})`);
    body(module.exports, requireFrom, module, pathOf(name));
  } catch (cause) {
    // Whoever needs it next must not get a part that is empty.
    modules.delete(name);
    throw cause;
  }
  held.delete(name);
  return module.exports;
}

/** For the next start of this command, if it would find less than this one loaded. */
function keepCode() {
  for (const [name, { script, used }] of scripts) {
    const all = new Set([...(used ?? []), ...loaded]);
    if (all.size !== used?.length) cache.write(`${command}-${name}`, [...all].join(' '), script.createCachedData());
  }
}

let isKept = false;
function keepOnce() {
  if (!isKept) keepCode();
  isKept = true;
}

// A wrong command line stores nothing, since it is not known which command it was meant to be. Neither does a long run:
// V8 has forgotten by then what only its start needed.
process.on('exit', (code) => {
  if (code !== 2 && process.uptime() < 60) keepOnce();
});

/**
 * What the program uses of its launcher. A script that is started like these cannot load a module; this file can. Programs
 * that a library compiled are not stored.
 */
globalThis[Symbol.for('statedsl.launcher')] ??= {
  cache: COMMAND === '' ? cache : null,
  load: (url) => import(url),
  holdScripts,
  // A server that runs for days, and is killed in the end, stores what its start needed.
  keepCode: keepOnce,
};

module.exports = COMMAND === '' ? { scripts } : load(MAIN);
if (COMMAND === '') load(MAIN);
