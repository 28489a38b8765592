/**
 * What the launcher of the command line lends to the program. Its scripts are started from compiled code, and such
 * scripts cannot do this themselves. The library has no launcher.
 */

/** Files that only make a later start shorter: each may be missing at any time. */
export interface Cache {
  /** What was stored under this name: a line of text and bytes. Null: there is nothing that can be trusted. */
  read(name: string): { readonly label: string; readonly content: Buffer } | null;
  /** Stores it whole or not at all. */
  write(name: string, label: string, content: Uint8Array): void;
}

interface Launcher {
  readonly cache: Cache;
  /** Loads a module by its URL. */
  load(url: string): Promise<Readonly<Record<string, unknown>>>;
}

const LAUNCHER = Symbol.for('statedsl.launcher');

export function findLauncher(): Launcher | null {
  return (globalThis as { [LAUNCHER]?: Launcher })[LAUNCHER] ?? null;
}
