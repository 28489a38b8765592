/**
 * What an agent may do besides reading files and writing to STATEDSL_OUT, the same for all programs. Each adapter
 * translates it to the switches of its program.
 */
import { isAbsolute, relative } from 'node:path';
import { omitUndefined } from '../../../prelude/omit-undefined.js';

/** `edit`: change files of the directory it works in; `shell`: run commands; `network`: read and search the web. */
export type Permission = 'edit' | 'shell' | 'network';

export const PERMISSIONS: readonly Permission[] = ['edit', 'shell', 'network'];

/** The three of them; null where the configuration of the agent does not say what it may do. */
export type Allowed = Readonly<Record<Permission, boolean>>;

/** Why a program does what its agent may not do, by permission; a clause. */
export type Leaks = { readonly [permission in Permission]?: string };

interface WithAllow {
  readonly allow?: readonly Permission[];
}

export function allowedBy({ allow }: WithAllow): Allowed | null {
  if (allow === undefined) return null;
  return { edit: allow.includes('edit'), shell: allow.includes('shell'), network: allow.includes('network') };
}

/** A program of the project's own: only itself knows what it does. */
const LIMITS_ITSELF = 'only the program itself can limit what it does; it has the list in `STATEDSL_ALLOW`';
export const UNLIMITED: Leaks = { edit: LIMITS_ITSELF, shell: LIMITS_ITSELF, network: LIMITS_ITSELF };

/** Programs that limit tools, and not what a command does. */
export function leaksOfCommands({ shell }: Allowed): Leaks {
  const reason = 'its commands can change files and use the network';
  return shell ? { edit: reason, network: reason } : {};
}

/** Of the names of tools those that are allowed, or those that are not. */
export function toolsFor(
  tools: Readonly<Record<Permission, readonly string[]>>,
  allowed: Allowed,
  isAllowed: boolean,
): string[] {
  return PERMISSIONS.filter((permission) => allowed[permission] === isAllowed).flatMap(
    (permission) => tools[permission],
  );
}

/** Rules name folders in patterns, where these characters mean something. */
const PATTERN = /[()[\]{}*?!\\,"'\s]/;

/**
 * The folder in a rule that forbids to write there, also where the settings of the user allow it; null where a rule cannot
 * name the folder, or would also forbid to write to `out`.
 */
export function forbiddenFolder(directory: string, out: string): string | null {
  const way = relative(directory, out);
  const isInside = way !== '..' && !way.startsWith('../') && !isAbsolute(way);
  return isInside || PATTERN.test(directory) ? null : directory;
}

/** For programs of the project's own, which may keep to it by themselves. */
export function allowVariable({ allow }: WithAllow): { readonly STATEDSL_ALLOW?: string } {
  return omitUndefined({ STATEDSL_ALLOW: allow === undefined ? undefined : [...new Set(allow)].join(' ') });
}
