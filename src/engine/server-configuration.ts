/** The configuration of a server that only this machine can reach. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findLauncher } from '../prelude/launcher.js';
import type { CommandFunction } from '../runtime/command-function.js';
import type { Configuration } from '../runtime/configuration/load-configuration.js';
import { sha256Hex } from '../runtime/sha256.js';

interface ServerAddresses {
  readonly ingressPort: number;
  readonly adminPort: number;
  /** For other servers of a cluster. */
  readonly nodePort: number;
}

/** What decides about new data, and is ignored later. */
interface NewData {
  /** Into how many parts it divides all runs; absent: as many as the server chooses. */
  readonly partitions?: number | undefined;
}

/** As TOML. `directory`: where it stores everything, absolute. */
export function serverConfiguration(
  directory: string,
  { ingressPort, adminPort, nodePort }: ServerAddresses,
  { partitions }: NewData = {},
): string {
  return [
    'bind-ip = "127.0.0.1"',
    'listen-mode = "tcp"',
    'advertised-host = "127.0.0.1"',
    'disable-telemetry = true',
    `bind-port = ${nodePort}`,
    // The name of the data: with the name of the machine, a new name would lose them.
    'node-name = "statedsl"',
    `base-dir = ${JSON.stringify(directory)}`,
    ...(partitions === undefined ? [] : [`default-num-partitions = ${partitions}`]),
    '[ingress]',
    `bind-address = "127.0.0.1:${ingressPort}"`,
    '[admin]',
    `bind-address = "127.0.0.1:${adminPort}"`,
    '',
  ].join('\n');
}

/** JavaScript functions that programs on an engine use as commands: a module that the configuration names. */
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
