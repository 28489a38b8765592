/** JavaScript functions that programs on an engine use as commands: a module that the configuration names. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findLauncher } from '../prelude/launcher.js';
import type { CommandFunction } from '../runtime/command-function.js';
import type { Configuration } from '../runtime/configuration/load-configuration.js';
import { sha256Hex } from '../runtime/sha256.js';

export interface Functions {
  /** By their names. */
  readonly all: Readonly<Record<string, CommandFunction>>;
  /** SHA-256 of the module: workers execute a run only with the functions that it was checked with. */
  readonly digest: string;
}

/** Those that the configuration names; null: it names none. Rejects with an `Error`: why they cannot be used. */
export async function functionsOf({ engine, folder }: Configuration): Promise<Functions | null> {
  return engine?.commands === undefined ? null : loadFunctions(resolve(folder ?? '', engine.commands));
}

/** A program that is started from a cache cannot load modules by itself. */
function importModule(url: string): Promise<Readonly<Record<string, unknown>>> {
  return findLauncher()?.load(url) ?? import(url);
}

/** Throws an `Error` with the reason. */
export async function loadFunctions(file: string): Promise<Functions> {
  try {
    const digest = sha256Hex(readFileSync(file, 'utf8'));
    const exported = await importModule(pathToFileURL(file).href);
    const all = Object.entries(exported).filter((one): one is [string, CommandFunction] => {
      const [name, value] = one;
      return name !== 'default' && typeof value === 'function';
    });
    if (all.length === 0) throw new Error('it exports no function');
    return { all: Object.fromEntries(all), digest };
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`\`${file}\`, which \`engine.commands\` of the configuration names, cannot be used: ${message}`);
  }
}
