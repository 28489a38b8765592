/** The engine that the configuration names, for commands without `--on`. */
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { findConfiguration } from '../../runtime/configuration/find-configuration.js';
import { commandLineHost } from '../files/command-line-host.js';

/** `--on none`: not the one that the configuration names. */
export const NO_ENGINE = 'none';

/** `program`: a path, or `-`. Undefined: the configuration names none, or has mistakes, which are reported later. */
export async function configuredEngine(program: string): Promise<string | undefined> {
  const host = commandLineHost();
  const { file } = findConfiguration(host.folder, program === '-' ? null : dirname(program));
  if (file === null || !mentionsEngine(file)) return undefined;
  const { loadSettings } = await import('../../app/project/settings.js');
  return (await loadSettings(host, program)).configuration.engine?.on;
}

/** Whether an engine is to execute the program, by the command line or the configuration. */
export async function isForAnEngine(program: string, { on }: { readonly on?: string }): Promise<boolean> {
  const engine = on ?? (await configuredEngine(program));
  return engine !== undefined && engine !== NO_ENGINE;
}

/** Most configurations do not, and then nothing else has to be read here. What is not a file is refused later. */
function mentionsEngine(file: string): boolean {
  try {
    // Reading a named pipe would wait for who writes it.
    if (!statSync(file).isFile()) return false;
    const text = readFileSync(file, 'utf8');
    return /\bengine\b/.test(text) && /\bon\b/.test(text);
  } catch {
    return false;
  }
}
