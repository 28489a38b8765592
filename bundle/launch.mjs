#!/usr/bin/env node
/**
 * Starts the program from `code/`. Its scripts lie beside what V8 made of them when the package was built, so that
 * starting does not compile them again: that is most of the time a small program takes. Another version of V8 finds
 * nothing it can use there and compiles the scripts as if they stood alone.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

const folder = fileURLToPath(new URL('code/', import.meta.url));
const fromNode = createRequire(import.meta.url);
const modules = new Map();

/** Every script that was loaded, by path: the build stores what V8 knows of them after a run. */
export const scripts = new Map();

function compiledForm(path) {
  try {
    return readFileSync(`${path}.cache`);
  } catch {
    return undefined;
  }
}

function load(name) {
  const loaded = modules.get(name);
  if (loaded !== undefined) return loaded.exports;
  const path = folder + name;
  const source = `(function (exports, require, module, __filename) {${readFileSync(path, 'latin1')}\n})`;
  const script = new Script(source, { filename: path, cachedData: compiledForm(path) });
  const module = { exports: {} };
  modules.set(name, module);
  scripts.set(path, script);
  const require = (id) => (id.startsWith('./') ? load(id.slice(2)) : fromNode(id));
  script.runInThisContext()(module.exports, require, module, path);
  return module.exports;
}

load('MAIN');
