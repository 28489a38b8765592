#!/usr/bin/env node
/**
 * Starts the program from `code/`. Its scripts lie beside what V8 made of them when the package was built, so that
 * starting does not compile them again: that is most of the time a small program takes. Another version of V8 finds
 * nothing it can use there and compiles the scripts as if they stood alone.
 */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

// Optimising code that runs once costs more than it gains: V8 waits a little longer before it does. Later versions of V8
// count differently, and report a flag that they do not know on standard error.
if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=1000000');

/** What Node takes long to load and many runs never use. */
const HEAVY = new Set(['node:child_process', 'node:crypto', 'node:net']);

const folder = join(__dirname, 'code');
const modules = new Map();

/** Every script that was loaded, by path: the build stores what V8 knows of them after a run. */
const scripts = new Map();

/** V8 does not look at the version of Node before it uses what another one stored, and then it crashes. */
const STORED = `.${process.version}-${process.arch}.cache`;

function compiledForm(path) {
  try {
    return readFileSync(path + STORED);
  } catch {
    return undefined;
  }
}

function fromNode(id) {
  return HEAVY.has(id) ? new Proxy({}, { get: (_, name) => require(id)[name] }) : require(id);
}

/** The scripts that every run loads, in one: reading and starting thirty small ones takes longer than what is in them. */
const PACK = 'run.pack';

function started(path, source) {
  const script = new Script(source, { filename: path, cachedData: compiledForm(path) });
  scripts.set(path, script);
  return script.runInThisContext();
}

function packed() {
  const path = join(folder, PACK);
  try {
    return started(path, readFileSync(path, 'latin1'));
  } catch (cause) {
    // While the package is built there is none yet.
    if (cause.code !== 'ENOENT') throw cause;
    return {};
  }
}

const pack = packed();

function load(name) {
  const loaded = modules.get(name);
  if (loaded !== undefined) return loaded.exports;
  const path = join(folder, name);
  const module = { exports: {} };
  modules.set(name, module);
  const requireFrom = (id) => (id.startsWith('./') ? load(id.slice(2)) : fromNode(id));
  const body =
    pack[name] ??
    started(path, `(function (exports, require, module, __filename) {${readFileSync(path, 'latin1')}\n})`);
  body(module.exports, requireFrom, module, path);
  return module.exports;
}

// A script that is started like these cannot load a module; this file, which Node loads itself, can.
globalThis[Symbol.for('statedsl.import')] = (url) => import(url);

module.exports = { scripts, STORED };
load('MAIN');
