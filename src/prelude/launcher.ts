/**
 * Functions that the launcher of the command line or of the library passes to the program. The program is started from
 * cached compiled code, and such scripts cannot do this themselves. The sources have no launcher.
 */

/** A cache of files that make a later start faster. Each may be missing at any time. */
export interface Cache {
  /** The stored entry of this name, a line of text and bytes; null if there is none that can be trusted. */
  read(name: string): { readonly label: string; readonly content: Buffer } | null;
  /** Stores an entry completely or not at all. */
  write(name: string, label: string, content: Uint8Array): void;
}

interface Launcher {
  /** Null for the library. */
  readonly cache: Cache | null;
  /** Loads a module by its URL. */
  load(url: string): Promise<Readonly<Record<string, unknown>>>;
  /** Reads all scripts, so that the process can continue when an update replaces their files. */
  holdScripts(): void;
  /** Stores what was compiled until now for the next start, once. */
  keepCode(): void;
}

const LAUNCHER = Symbol.for('statedsl.launcher');

export function findLauncher(): Launcher | null {
  return (globalThis as { [LAUNCHER]?: Launcher })[LAUNCHER] ?? null;
}
